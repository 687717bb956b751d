// What the columns of a result hold, in either database: the closed lists of words, and how a row that cannot be read is named.

import type { StoredMount, StoredSession } from "../agent/ports.ts";
import type { CallState, ChatStatus, Message, PendingKind } from "../agent/transcript.ts";
import { askEnds } from "../core/audit.ts";
import { type Damage, DamagedRows } from "./damage.ts";
import { oneOf, type Shape } from "./shape.ts";

/** The name in the result, and where it comes from; null for an expression. */
export interface ResultColumn {
  readonly name: string;
  readonly column: string | null;
  readonly table: string | null;
}

const isKind = oneOf<PendingKind>("pending_grant", "pending_question");
/** Columns that hold one of a few words. A word that is none would be taken for whatever is not asked for by name. */
const columnValues: Readonly<Record<string, Shape<string>>> = {
  "sessions.asking": oneOf<StoredSession["asking"]>("by-model", "by-guard"),
  "mounts.mode": oneOf<StoredMount["mode"]>("read_only", "extend", "sandboxed"),
  "chats.status": oneOf<ChatStatus>("idle", "running", "waiting_for_input", "failed", "archived"),
  "messages.role": oneOf<Message["role"]>("person", "agent", "reminder", "summary"),
  "tool_calls.state": oneOf<CallState["at"]>("proposed", "started", "waiting", "done"),
  "tool_calls.kind": isKind,
  "asks.kind": isKind,
  "asks.state": oneOf("open", "answered", "closed"),
  "asks.closed_why": oneOf(...askEnds),
};

/** Is this one of the column's words? Undefined where the column holds any text. */
export function wordsOf({ table, column }: ResultColumn): Shape<string> | undefined {
  return columnValues[`${table}.${column}`];
}

/** Each row as `read` gives it. Throws `DamagedRows` where one cannot be read, with the others. */
export function collectRows<T, R>(given: readonly T[], read: (one: T) => { readonly read: R } | { readonly fault: Damage }): readonly R[] {
  const rows: R[] = [];
  const damage: Damage[] = [];
  for (const one of given) {
    const row = read(one);
    if ("fault" in row) damage.push(row.fault);
    else rows.push(row.read);
  }
  if (damage.length > 0) throw new DamagedRows(damage, rows);
  return rows;
}

/** By which column a row of a table is known, the best first. */
const keys = ["id", "sequence", "digest", "position"];

/** `values`: of the whole row, in the order of its columns. */
export function damageAt(bad: ResultColumn, fault: Damage["fault"], columns: readonly ResultColumn[], values: readonly unknown[]): Damage {
  const table = bad.table ?? "";
  const row = keys
    .map((key) => values[columns.findIndex((column) => column.table === bad.table && column.column === key && column !== bad)])
    .find((value) => typeof value === "string" || typeof value === "number");
  return { table, row: row === undefined ? null : String(row), column: bad.column ?? bad.name, fault };
}
