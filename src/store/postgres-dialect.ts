// Kysely on a pool of PostgreSQL connections. Beside Kysely's own driver: statements are prepared once a connection, a connection that
// was lost is thrown away instead of handed on, a commit whose answer never came is told apart, and text that PostgreSQL cannot hold
// does not reach it. What begins a transaction is sent together with what is done in it: nobody waits for the answer to a `begin`.

import pg from "pg";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import { ConnectionLost, isFatal, OutcomeUnknown } from "./postgres-faults.ts";
import { storable } from "./text.ts";

/** The pool's owner ends it, not the dialect. */
export function postgresDialect(pool: pg.Pool): Dialect {
  return {
    createDriver: () => new PoolDriver(pool),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

class PoolDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #names = new Map<string, string>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    const client = await this.#pool.connect().catch((cause: unknown) => {
      throw cause instanceof pg.DatabaseError ? cause : new ConnectionLost("no connection could be made", { cause });
    });
    return new PoolConnection(client, this.#names);
  }

  async releaseConnection(connection: PoolConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(connection: PoolConnection, { accessMode }: TransactionSettings): Promise<void> {
    // Whoever writes holds the lock of its session (see `write` in postgres.ts) and must see what was committed before it got it.
    const mode = accessMode === "read only" ? "repeatable read, read only" : "read committed, read write";
    connection.sendAhead(`begin isolation level ${mode}`);
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw("commit"));
    } catch (cause) {
      throw connection.isLost ? new OutcomeUnknown("the answer to a commit was lost", { cause }) : cause;
    }
  }

  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    // A lost connection is rolled back by the server; the fault is what must be told, not that.
    if (!connection.isLost) await connection.executeQuery(CompiledQuery.raw("rollback")).catch(() => {});
  }
}

/** A statement that does nothing but lock: whatever comes after it on the connection waits for the lock, so nobody else need. */
const LOCKING = / for no key update$/;

/** More different statements than the store has; what comes after them is not kept prepared. */
const STATEMENTS = 200;

class PoolConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #names: Map<string, string>;
  /** What was sent and is not waited for by itself. */
  readonly #ahead: Promise<unknown>[] = [];
  #lost = false;

  constructor(client: pg.PoolClient, names: Map<string, string>) {
    this.#client = client;
    this.#names = names;
    // The pool listens to idle clients alone, and an error that nobody listens to ends the process.
    client.on("error", this.#lose);
  }

  get isLost(): boolean {
    return this.#lost;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const values = parameters.map(bindable);
    if (LOCKING.test(sql)) {
      this.#keep(this.#send<R>(sql, values));
      return { rows: [] };
    }
    const answer = this.#send<R>(sql, values);
    // Answers come in order. Where one before failed, this one failed because of it, and the first is what must be told.
    const before = await Promise.allSettled([...this.#ahead.splice(0), answer.catch(() => {})]);
    for (const one of before) if (one.status === "rejected") throw one.reason;
    return answer;
  }

  /** Send what has no answer worth waiting for; if it fails, what comes next says so. */
  sendAhead(sql: string): void {
    this.#keep(this.#send(sql, []));
  }

  #keep(sent: Promise<unknown>): void {
    sent.catch(() => {});
    this.#ahead.push(sent);
  }

  async #send<R>(sql: string, values: readonly unknown[]): Promise<QueryResult<R>> {
    try {
      const name = this.#nameOf(sql);
      const { rows, rowCount } = await this.#client.query({ text: sql, values: [...values], ...(name === null ? {} : { name }) });
      return { rows: areRows<R>(rows) ? rows : [], numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (cause) {
      if (isFatal(cause)) this.#lost = true;
      throw cause instanceof pg.DatabaseError ? cause : new ConnectionLost("a statement was not answered", { cause });
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new TypeError("the store reads page by page; nothing is streamed");
  }

  release(): void {
    this.#client.off("error", this.#lose);
    this.#client.release(this.#lost);
  }

  readonly #lose = (): void => {
    this.#lost = true;
  };

  #nameOf(sql: string): string | null {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (this.#names.size >= STATEMENTS) return null;
    const name = `hallpass_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }
}

/** What the rows are is what the statement asked for; Kysely worked that out from the tables. */
function areRows<R>(rows: readonly unknown[]): rows is R[] {
  return Array.isArray(rows);
}

function bindable(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (value === null || typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return value;
  if (Array.isArray(value)) return value.map(bindable);
  throw new TypeError(`a ${typeof value} cannot be stored`);
}
