// Reads the rows of a store once, to find those that cannot be read. Changes nothing.

import Database from "libsql";
import type { Store } from "../agent/ports.ts";
import { DamagedRows } from "./damage.ts";
import { readableName } from "./read-only.ts";
import { fields, list, text } from "./shape.ts";

/** What is damaged, a sentence each: rows, and for a file what SQLite's own quick check finds. The record is left to `verifyAudit`. */
export async function examineStore(store: Store, file: string | null): Promise<readonly string[]> {
  for (const session of await store.sessions()) await store.mounts(session.id).catch(ignoreDamagedRows);
  for (const chat of await store.chats(null)) await store.transcript(chat.id).catch(ignoreDamagedRows);
  for (const listed of [store.projects(), store.asks({}), store.grants(null), store.said(null)]) await listed;
  return [...store.damage(), ...(file === null ? [] : quickCheck(file))];
}

/** The store has noted it already. */
function ignoreDamagedRows(error: unknown): void {
  if (!(error instanceof DamagedRows)) throw error;
}

/** How many faults SQLite looks for. */
const FAULTS = 20;

function quickCheck(file: string): readonly string[] {
  const connection = new Database(readableName(file));
  try {
    connection.exec("PRAGMA busy_timeout = 5000");
    const faults: unknown = connection.pragma(`quick_check(${FAULTS})`);
    if (!areFaults(faults)) return ["SQLite's quick check gives no answer"];
    return faults.map(({ quick_check }) => quick_check).filter((fault) => fault !== "ok");
  } finally {
    connection.close();
  }
}

const areFaults = list(fields<{ readonly quick_check: string }>({ quick_check: text }));
