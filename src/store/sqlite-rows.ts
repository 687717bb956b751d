// Rows of SQLite as bytes. libsql ends the process over a text that is not UTF-8, and other drivers read it as another text; so a query
// gives each row as one JSON array, as a blob, which is decoded here: what is not of its column's type or encoding is told by name.

import type { StoredMount, StoredSession } from "../agent/ports.ts";
import type { CallState, ChatStatus, Message, PendingKind } from "../agent/transcript.ts";
import { askEnds } from "../core/audit.ts";
import { type Damage, DamagedRows } from "./damage.ts";
import { number, type Shape, text, oneOf } from "./shape.ts";

/** As libsql tells it: the name in the result, and where it comes from; null for an expression. */
interface ResultColumn {
  readonly name: string;
  readonly column: string | null;
  readonly table: string | null;
  readonly type: string | null;
}

export interface Column extends ResultColumn {
  readonly isOfType: Shape<unknown>;
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

export function columnsOf(described: readonly ResultColumn[]): readonly Column[] {
  return described.map((column) => ({ ...column, isOfType: typeOf(column) }));
}

function typeOf({ table, column, type }: ResultColumn): Shape<unknown> {
  if (type === null) return (_value): _value is unknown => true;
  return type === "INTEGER" ? number : (columnValues[`${table}.${column}`] ?? text);
}

/** The same query, with each row as one blob. */
export function asBytes(sql: string, columns: readonly Column[]): string {
  const writes = /^(?:insert|update|delete)\b/i.test(sql);
  const values = columns.map(({ name, column, type }) => valueOf(`"${writes ? (column ?? name) : name}"`, type));
  const row = `cast(json_array(${values.join(", ")}) as blob) as row`;
  if (!writes) return `select ${row} from (${sql})`;
  return `${sql.slice(0, sql.lastIndexOf(" returning "))} returning ${row}`;
}

/** JSON holds no blob, and 15 digits of a real number: those come as text. What is of another type comes as what its check refuses. */
function valueOf(column: string, type: string | null): string {
  if (type === "REAL") return `case typeof(${column}) when 'real' then printf('%!.17g', ${column}) when 'null' then null else 0 end`;
  return `iif(typeof(${column}) = 'blob', ${type === "TEXT" ? "0" : "''"}, ${column})`;
}

/** The rows that these bytes are. Throws `DamagedRows` where one cannot be read. */
export function decodeRows(blobs: readonly unknown[], columns: readonly Column[]): readonly object[] {
  const rows: object[] = [];
  const damage: Damage[] = [];
  for (const blob of blobs) {
    const row = decodeRow(blob, columns);
    if ("fault" in row) damage.push(row.fault);
    else rows.push(row.read);
  }
  if (damage.length > 0) throw new DamagedRows(damage, rows);
  return rows;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeRow(blob: unknown, columns: readonly Column[]): { readonly read: object } | { readonly fault: Damage } {
  if (!isBytes(blob)) throw new TypeError("a row is a blob");
  const [values, isText] = valuesIn(blob.row);
  const read: Record<string, unknown> = {};
  let at = 0;
  for (const column of columns) {
    const value = values[at++] ?? null;
    if (value !== null) {
      if (!isText && typeof value === "string" && !isUtf8(value)) return { fault: damageAt(column, "encoding", columns, values) };
      if (!column.isOfType(value)) return { fault: damageAt(column, "type", columns, values) };
    }
    read[column.name] = column.type === "REAL" && value !== null ? Number(value) : value;
  }
  return { read };
}

/** In the second place: is it text? Else each string holds the bytes of a text, one a character. */
function valuesIn(bytes: ArrayBuffer): readonly [readonly unknown[], boolean] {
  try {
    return [listIn(strict.decode(bytes)), true];
  } catch {
    return [listIn(Buffer.from(bytes).toString("latin1")), false];
  }
}

/** Are these bytes, one a character, UTF-8? */
function isUtf8(bytes: string): boolean {
  try {
    strict.decode(Buffer.from(bytes, "latin1"));
    return true;
  } catch {
    return false;
  }
}

function listIn(json: string): readonly unknown[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list : [];
}

/** By which column a row of a table is known, the best first. */
const keys = ["id", "sequence", "digest", "position"];

function damageAt(bad: Column, fault: Damage["fault"], columns: readonly Column[], values: readonly unknown[]): Damage {
  const table = bad.table ?? "";
  const row = keys
    .map((key) => values[columns.findIndex((column) => column.table === bad.table && column.column === key && column !== bad)])
    .find((value) => typeof value === "string" || typeof value === "number");
  return { table, row: row === undefined ? null : String(row), column: bad.column ?? bad.name, fault };
}

function isBytes(value: unknown): value is { readonly row: ArrayBuffer } {
  return typeof value === "object" && value !== null && "row" in value && typeof value.row === "object" && value.row !== null;
}
