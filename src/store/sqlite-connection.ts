// One libsql connection: statements are prepared once, a lock that somebody else holds is waited for without holding up the thread,
// callers wait in line, and nothing reaches libsql that it cannot bind or read (it ends the process over a boolean or a damaged text).

import type Database from "libsql";
import type { CompiledQuery, QueryResult } from "kysely";
import { createQueue } from "../agent/waiting.ts";
import { createTurns } from "../core/steps.ts";
import { asBytes, type Column, columnsOf, decodeRows } from "./sqlite-rows.ts";

export type SqliteDatabase = Database.Database;

/** More different statements than the store has; past it the oldest are prepared anew. */
const STATEMENTS = 200;

/**
 * Whoever opened the database closes it, and lets it have no `busy_timeout`: that one waits with the whole thread, and for ever where the
 * lock is held by another connection of this process. `patience` is how long a lock is waited for, in milliseconds.
 */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  readonly #patience: number;
  readonly #statements = new Map<string, PreparedStatement>();
  readonly #queue = createQueue();
  readonly #turns = createTurns();

  constructor(database: SqliteDatabase, patience: number) {
    this.#database = database;
    this.#patience = patience;
  }

  /** Do `work` while nobody else is at the connection. Whoever came first is first. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
      // SQLite answers at once: a line of callers, or one that asks again and again, would never let the event loop go.
      const turn = this.#turns();
      if (turn !== null) await turn;
      return work();
    });
  }

  /** `work` between a `begin` of this kind and a commit; rolled back where it throws. To be called alone. */
  async transaction<T>(begin: "begin" | "begin immediate", work: () => Promise<T>): Promise<T> {
    await this.#do(begin);
    try {
      const result = await work();
      await this.#do("commit");
      return result;
    } catch (error) {
      // After some faults (a full disk) SQLite has rolled back by itself; the fault is what must be told, not that.
      if (this.#database.inTransaction) await this.#do("rollback");
      throw error;
    }
  }

  /** Wait for the disk at every commit from here on, or at none. Between transactions. */
  synchronise(commits: "FULL" | "NORMAL"): void {
    this.#database.exec(`PRAGMA synchronous = ${commits}`);
  }

  run<R>({ sql, parameters }: Pick<CompiledQuery, "sql" | "parameters">): Promise<QueryResult<R>> {
    return waitingForLock(this.#patience, () => {
      const prepared = this.#prepared(sql);
      const bound = parameters.map(bindable);
      if (prepared.columns === null) return { rows: [], numAffectedRows: BigInt(prepared.statement.run(bound).changes) };
      const rows = rowsOf(prepared.statement, prepared.columns, bound, sql.endsWith(" limit 1"));
      // What the rows are is what the statement asked for; Kysely worked that out from the tables.
      return { rows: [...rows] as R[] };
    });
  }

  #do(sql: string): Promise<unknown> {
    return waitingForLock(this.#patience, () => this.#prepared(sql).statement.run([]));
  }

  #prepared(sql: string): PreparedStatement {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    if (this.#statements.size >= STATEMENTS) this.#statements.clear();
    const prepared = prepare(this.#database, sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** Try until nobody else holds the lock, or until `patience` milliseconds have passed; then SQLite's own error is thrown. */
export async function waitingForLock<T>(patience: number, attempt: () => T): Promise<T> {
  let since: number | null = null;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      since ??= performance.now();
      const waited = performance.now() - since;
      if (primaryCode(error) !== BUSY || waited >= patience) throw error;
      await new Promise((again) => setTimeout(again, Math.min(1 + waited / 20, 20)));
    }
  }
}

/** SQLite's own number for: somebody else holds the lock. */
export const BUSY = 5;

/** SQLite's number for what went wrong, without its finer distinctions; 0 where it is not SQLite's. */
export function primaryCode(error: unknown): number {
  return fullCode(error) & 0xff;
}

export function fullCode(error: unknown): number {
  return error instanceof Error && "rawCode" in error && typeof error.rawCode === "number" ? error.rawCode : 0;
}

/** A statement, and the columns that it gives; null where it gives nothing. */
interface PreparedStatement {
  readonly statement: Database.Statement;
  readonly columns: readonly Column[] | null;
}

function prepare(database: SqliteDatabase, sql: string): PreparedStatement {
  const statement = database.prepare(sql);
  if (!statement.reader) return { statement, columns: null };
  const columns = columnsOf(statement.columns());
  return { statement: database.prepare(asBytes(sql, columns)), columns };
}

/** `isOne`: there can be one row at the most, which libsql fetches quicker by itself than as a list. */
function rowsOf(
  statement: Database.Statement,
  columns: readonly Column[],
  bound: readonly SqliteValue[],
  isOne: boolean,
): readonly object[] {
  if (!isOne) return decodeRows(statement.all(bound), columns);
  const row = statement.get(bound);
  return row === undefined || row === null ? [] : decodeRows([row], columns);
}

/** The rows of one query, outside of the store. Throws `DamagedRows` where one cannot be read. */
export function readRows(database: SqliteDatabase, sql: string): readonly object[] {
  const { statement, columns } = prepare(database, sql);
  return columns === null ? [] : rowsOf(statement, columns, [], false);
}

type SqliteValue = string | number | null;

function bindable(value: unknown): SqliteValue {
  if (typeof value === "string" || (typeof value === "number" && Number.isFinite(value)) || value === null) return value;
  throw new TypeError(`a ${typeof value} cannot be stored`);
}
