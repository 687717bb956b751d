// PostgreSQL connections of a pool, each used by one at a time. Statements are prepared once a connection, a connection that was lost is
// thrown away instead of handed on, a commit whose answer never came is told apart, and text that PostgreSQL cannot hold does not reach
// it. What begins a transaction goes out together with what is done first in it: nobody waits for the answer to a `begin`.

import { type CompiledQuery, Kysely, type QueryResult } from "kysely";
import pg from "pg";
import type { Db, Tables } from "./db.ts";
import { postgresDialect } from "./postgres-dialect.ts";
import { ConnectionLostError, isFatal, UnknownOutcomeError } from "./postgres-faults.ts";
import { checkRows, type ColumnNumbers } from "./postgres-rows.ts";
import { storable } from "./text.ts";

type Query = Pick<CompiledQuery, "sql" | "parameters">;

/** A connection, and Kysely on it. */
export interface PooledConnection {
  readonly connection: PostgresConnection;
  readonly db: Db;
}

/** The pool's connections: `work` has one to itself until it is done. The pool's owner ends it. */
export function connectionsOf(pool: pg.Pool, numbers: ColumnNumbers): <T>(work: (connected: PooledConnection) => Promise<T>) => Promise<T> {
  const names = new Map<string, string>();
  const connections = new WeakMap<pg.PoolClient, PooledConnection>();
  const connectedTo = (client: pg.PoolClient): PooledConnection => {
    let connected = connections.get(client);
    if (connected === undefined) {
      const connection = new PostgresConnection(client, names, numbers);
      const db = new Kysely<Tables>({ dialect: postgresDialect(connection) });
      connections.set(client, (connected = { connection, db }));
    }
    return connected;
  };
  return async (work) => {
    const client = await pool.connect().catch((cause: unknown) => {
      throw cause instanceof pg.DatabaseError ? cause : new ConnectionLostError("no connection could be made", { cause });
    });
    const connected = connectedTo(client);
    try {
      return await work(connected);
    } finally {
      client.release(connected.connection.isLost);
    }
  };
}

/** More different statements than the store has; what comes after them is not kept prepared. */
const STATEMENTS = 200;

const BEGIN = {
  // Whoever writes holds the lock of its session (see `write` in postgres.ts) and must see what was committed before it got it.
  "to write": "begin isolation level read committed, read write",
  "to read": "begin isolation level repeatable read, read only",
} as const;

export class PostgresConnection {
  readonly #client: pg.PoolClient;
  readonly #names: Map<string, string>;
  readonly #numbers: ColumnNumbers;
  /** What was sent and is not waited for by itself. */
  readonly #ahead: Promise<unknown>[] = [];
  #held = 0;
  #lost = false;

  constructor(client: pg.PoolClient, names: Map<string, string>, numbers: ColumnNumbers) {
    this.#client = client;
    this.#names = names;
    this.#numbers = numbers;
    // The pool listens to idle clients alone, and an error that nobody listens to ends the process.
    client.on("error", () => (this.#lost = true));
  }

  get isLost(): boolean {
    return this.#lost;
  }

  async run<R>({ sql, parameters }: Query): Promise<QueryResult<R>> {
    const answer = this.#send<R>(sql, parameters);
    this.#letGo();
    if (this.#ahead.length === 0) return answer;
    // Answers come in order. Where one before failed, this one failed because of it, and the first is what must be told.
    const results = await Promise.allSettled([...this.#ahead.splice(0), answer.catch(() => {})]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return answer;
  }

  /** Send what has no answer worth waiting for, with what comes next; if it fails, that says so. */
  sendAhead({ sql, parameters }: Query): void {
    this.#hold();
    const sent = this.#send(sql, parameters);
    sent.catch(() => {});
    this.#ahead.push(sent);
  }

  /** `work` between a `begin` and a commit; rolled back where it throws. */
  async transaction<T>(what: keyof typeof BEGIN, work: () => Promise<T>): Promise<T> {
    this.sendAhead({ sql: BEGIN[what], parameters: [] });
    let result: T;
    try {
      result = await work();
    } catch (error) {
      // A lost connection is rolled back by the server; the fault is what must be told, not that.
      if (!this.#lost) await this.run({ sql: "rollback", parameters: [] }).catch(() => {});
      throw error;
    }
    try {
      await this.run({ sql: "commit", parameters: [] });
    } catch (cause) {
      throw this.#lost ? new UnknownOutcomeError("the answer to a commit was lost", { cause }) : cause;
    }
    return result;
  }

  async #send<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const { rows, fields, rowCount } = await this.#query(sql, parameters);
    // What the rows are is what the statement asked for; Kysely worked that out from the tables.
    return { rows: [...checkRows(rows, fields, this.#numbers)] as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async #query(sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult<object>> {
    try {
      const name = this.#nameOf(sql);
      const values = parameters.map(bindable);
      return await this.#client.query<object>(name === null ? { text: sql, values } : { text: sql, values, name });
    } catch (cause) {
      if (cause instanceof UnbindableValueError) throw cause;
      if (isFatal(cause)) this.#lost = true;
      throw cause instanceof pg.DatabaseError ? cause : new ConnectionLostError("a statement was not answered", { cause });
    }
  }

  /** Several statements in one write to the network: each write wakes the server. */
  #hold(): void {
    const stream = streamOf(this.#client);
    if (stream === null) return;
    stream.cork();
    this.#held += 1;
  }

  #letGo(): void {
    for (const stream = streamOf(this.#client); this.#held > 0; this.#held -= 1) stream?.uncork();
  }

  #nameOf(sql: string): string | null {
    const cachedName = this.#names.get(sql);
    if (cachedName !== undefined) return cachedName;
    if (this.#names.size >= STATEMENTS) return null;
    const name = `hallpass_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }
}

/** What a client writes to; null where this version of the client keeps it elsewhere. Then everything is written as it comes. */
function streamOf(client: pg.PoolClient): pg.Connection["stream"] | null {
  return "connection" in client && client.connection instanceof pg.Connection ? client.connection.stream : null;
}

class UnbindableValueError extends TypeError {
  override readonly name = "Unbindable";
}

function bindable(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (value === null || typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return value;
  if (Array.isArray(value)) return value.map(bindable);
  throw new UnbindableValueError(`a ${typeof value} cannot be stored`);
}
