// One libsql connection: statements are prepared once, a lock that somebody else holds is waited for without holding up the thread,
// callers wait in line, and nothing reaches libsql that it cannot bind (it ends the process over a boolean).

import type Database from "libsql";
import type { CompiledQuery, QueryResult } from "kysely";

export type Connection = Database.Database;

/** More different statements than the store has; past it the oldest are prepared anew. */
const STATEMENTS = 200;

/**
 * Whoever opened the database closes it, and lets it have no `busy_timeout`: that one waits with the whole thread, and for ever where the
 * lock is held by another connection of this process. `patience` is how long a lock is waited for, in milliseconds.
 */
export class SqliteConnection {
  readonly #database: Connection;
  readonly #patience: number;
  readonly #statements = new Map<string, Prepared>();
  readonly #line: (() => void)[] = [];
  #taken = false;

  constructor(database: Connection, patience: number) {
    this.#database = database;
    this.#patience = patience;
  }

  /** Do `work` while nobody else is at the connection. Whoever came first is first. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken) await new Promise<void>((go) => this.#line.push(go));
    this.#taken = true;
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      // Handed on, not put down: nobody who comes now gets in between.
      if (next === undefined) this.#taken = false;
      else next();
    }
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
      const { statement, gives } = this.#prepared(sql);
      const bound = parameters.map(bindable);
      if (gives === "nothing") return { rows: [], numAffectedRows: BigInt(statement.run(bound).changes) };
      return { rows: gives === "a row" ? rowOf<R>(statement, bound) : rowsOf<R>(statement, bound) };
    });
  }

  #do(sql: string): Promise<unknown> {
    return waitingForLock(this.#patience, () => this.#prepared(sql).statement.run([]));
  }

  #prepared(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENTS) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    const prepared: Prepared = { statement, gives: statement.reader ? (sql.endsWith(" limit 1") ? "a row" : "rows") : "nothing" };
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

/** A statement, and what it gives. That is asked of libsql once: it looks it up each time. */
interface Prepared {
  readonly statement: Database.Statement;
  readonly gives: "nothing" | "a row" | "rows";
}

/** The one row that there can be, or none: libsql fetches a single row quicker than a list of one. */
function rowOf<R>(statement: Database.Statement, bound: readonly Bindable[]): R[] {
  const found: unknown = statement.get(bound);
  if (typeof found !== "object" || found === null) return [];
  // libsql says in every such row how long it took.
  const { _metadata, ...row }: { readonly _metadata?: unknown } = found;
  const rows: readonly unknown[] = [row];
  return areRows<R>(rows) ? rows : [];
}

/** What the rows are is what the statement asked for; Kysely worked that out from the tables. */
function rowsOf<R>(statement: Database.Statement, bound: readonly Bindable[]): R[] {
  const rows = statement.all(bound);
  return areRows<R>(rows) ? rows : [];
}

function areRows<R>(rows: readonly unknown[]): rows is R[] {
  return Array.isArray(rows);
}

type Bindable = string | number | null;

function bindable(value: unknown): Bindable {
  if (typeof value === "string" || (typeof value === "number" && Number.isFinite(value)) || value === null) return value;
  throw new TypeError(`a ${typeof value} cannot be stored`);
}
