// The store in PostgreSQL: several instances on one database. A method is one transaction; what is done in one session is done one after
// the other, under the lock of its row, and the record is added to under the lock of its head. A database that restarts is waited for.

import { setTimeout as sleep } from "node:timers/promises";
import { type CompiledQuery, sql } from "kysely";
import pg from "pg";
import type { Store } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import type { AskId, GrantId, SessionId } from "../core/names.ts";
import { DamageLog } from "./damage.ts";
import type { SqlBackend, Db, SessionKey, Settlement } from "./db.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { connectionsOf } from "./postgres-connection.ts";
import { ConnectionLostError, isPassing, isStarting, UnknownOutcomeError, postgresFault } from "./postgres-faults.ts";
import { type ColumnNumbers, readColumnNumbers } from "./postgres-rows.ts";
import { refusePooler } from "./refuse-pooler.ts";
import { settleAlone, settleIn, wasOurs } from "./postgres-settling.ts";
import { createSqlStore } from "./sql-store.ts";
import { escapedInJson, LIKE_ESCAPE, likePattern } from "./text.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, as libpq has it. */
  readonly url: string;
  /** How many connections at the most. */
  readonly connections?: number;
  /** How long a lock, or a database that is away, is waited for, in milliseconds. */
  readonly patience?: number;
}

/** A database that is away is waited for so long; so is a lock that another holds. */
const PATIENCE = 5000;
/** A statement that takes longer is broken off by the server; an answer that takes longer has been lost on the way. */
const STATEMENT = 15_000;

/**
 * Open the store in the database; its tables are made if they are not there, brought up to date if they are. Throws a HallpassError
 * where it cannot be reached or logged into, is another program's or a newer version's.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  return createSqlStore(await openPostgresBackend(options));
}

/** The same, as what moves whole stores needs it. */
export async function openPostgresBackend({ url, connections = 10, patience = PATIENCE }: PostgresOptions): Promise<SqlBackend> {
  const pool = makePool(url, connections, patience);
  const until = performance.now() + patience;
  for (;;) {
    try {
      return postgresBackend(pool, await prepare(pool, url), patience);
    } catch (error) {
      if (isStarting(error) && performance.now() < until) {
        await sleep(100);
        continue;
      }
      await pool.end();
      throw postgresFault(error);
    }
  }
}

function makePool(url: string, connections: number, patience: number): pg.Pool {
  const pool = new pg.Pool({
    ...connectionTo(url),
    max: connections,
    // Statements go out as they come, without waiting for the answer to the one before.
    pipeline: true,
    idleTimeoutMillis: 30_000,
    lock_timeout: patience,
    statement_timeout: STATEMENT,
    query_timeout: STATEMENT + 1000,
    // An instance that stalls in the middle gives up its locks.
    idle_in_transaction_session_timeout: 2 * patience,
  });
  // An idle connection that is lost is replaced by the next one that is needed.
  pool.on("error", () => {});
  // First on every connection: what is acknowledged is on the disk, and a statement by itself sees what was committed before it, whatever
  // the server's own settings.
  pool.on("connect", (client) => {
    // RACE: a server that dies now is told by an error before anybody has the client, and one that nobody listens to ends the process.
    client.on("error", () => {});
    client.query("set default_transaction_isolation = 'read committed'").catch(() => {});
    client
      .query("select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'")
      .catch(() => {});
  });
  return pool;
}

/** What every connection of ours is made with. */
export function connectionTo(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "hallpass",
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    types: { getTypeParser: (type, format) => (type === pg.types.builtins.INT8 ? Number : usualParser(type, format)) },
  };
}

// 64-bit integers are read as numbers: sequence numbers, counts and times, all of them far below 2^53.
const usualParser: (...type: Parameters<typeof pg.types.getTypeParser>) => (value: string) => unknown = pg.types.getTypeParser;

async function prepare(pool: pg.Pool, url: string): Promise<ColumnNumbers> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw cause instanceof pg.DatabaseError ? cause : new ConnectionLostError("no connection could be made", { cause });
  });
  try {
    const { rows } = await client.query("select 1 where current_setting('server_encoding') = 'UTF8'");
    if (rows.length === 0) throw new HallpassError("io-error", "the database is not in UTF-8: create one that is");
    await refusePooler(client, { ...connectionTo(url), query_timeout: STATEMENT + 1000 });
    await migratePostgres(client);
    return await readColumnNumbers(client);
  } finally {
    client.release();
  }
}

function postgresBackend(pool: pg.Pool, numbers: ColumnNumbers, patience: number): SqlBackend {
  const connected = connectionsOf(pool, numbers);
  const damage = new DamageLog();
  const begun = new Set<Promise<unknown>>();
  let open = true;
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!open) throw new HallpassError("io-error", "the store is closed");
    const result = untilItPasses(work, patience);
    begun.add(result);
    try {
      return await damage.watch(() => result);
    } catch (error) {
      throw postgresFault(error);
    } finally {
      begun.delete(result);
    }
  };
  const write: SqlBackend["write"] = (of, work) =>
    guarded(() =>
      connected(({ connection, db }) =>
        connection.transaction("to write", () => {
          // INVARIANT: the session's row first, the record's head last, and nothing else is waited for: nobody waits in a circle.
          // Sent and not waited for: what comes after it waits for it, here too.
          if (of !== null) connection.sendAhead(lockOf(db, of));
          return work(db);
        }),
      ),
    );
  const settle = async (settlement: Settlement): Promise<boolean> => {
    // RACE: the connection is lost and nobody knows whether this was done. It is done again, since an ask leaves `open` once: whichever of
    // the two comes second finds it so, and then it is looked up whose end it was.
    let isTriedBefore = false;
    try {
      return await guarded(() =>
        connected(async ({ connection, db }) => {
          try {
            return (await settleAlone(db, settlement)) || (isTriedBefore && (await wasOurs(db, settlement)));
          } finally {
            if (connection.isLost) isTriedBefore = true;
          }
        }),
      );
    } catch (error) {
      const isUnknown = isTriedBefore && error instanceof HallpassError && error.code === "io-error";
      throw isUnknown ? postgresFault(new UnknownOutcomeError("the answer to an ask's end was lost", { cause: error })) : error;
    }
  };
  return {
    damage,
    read: (work) => guarded(() => connected(({ db }) => work(db))),
    snapshot: (work) => guarded(() => connected(({ connection, db }) => connection.transaction("to read", () => work(db)))),
    write,
    // Here a server that is killed, not only a machine that loses its power, would lose what was not waited for.
    note: write,
    alter: (work) => {
      let isAgain = false;
      return guarded(() =>
        connected(async ({ connection, db }) => {
          try {
            return await work(db, isAgain);
          } finally {
            if (connection.isLost) isAgain = true;
          }
        }),
      );
    },
    lockHead: (transaction) => transaction.selectFrom("audit_head").select(["sequence", "hash"]).forUpdate().executeTakeFirst(),
    record: async (transaction, events) => {
      await transaction.selectNoFrom(sql`hallpass_record(${events})`.as("recorded")).execute();
    },
    settle: (db, settlement) => (db === null ? settle(settlement) : settleIn(db, settlement)),
    sizes: sql`select relname as "table", pg_total_relation_size(oid) as bytes
      from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
    list: (paths) => paths,
    // As in the migrations: else it is another expression, and not the index's.
    denial: { is: sql`hallpass_denied_at(answer) is not null`, at: sql`hallpass_denied_at(answer)` },
    isOnce: sql`hallpass_is_once(answer)`,
    isAskedFor: (path) => sql`hallpass_asked_for(body) = hallpass_key(${path})`,
    // The keys are worked out once, before the index is looked at.
    isAt: (directories) => sql`hallpass_key(path) = any (array(select hallpass_key(one) from unnest(${directories}::text[]) as one))`,
    about: (key) => sql`hallpass_about(body) = hallpass_key(${key})`,
    // Its fields are taken out where its text has it; by the case, since the server would choose another order.
    isAboutPath: (text) =>
      sql`case when strpos(event, ${escapedInJson(text)}) > 0 then strpos(hallpass_field(event, 'requested'), ${text}) > 0
        or strpos(hallpass_field(event, 'real'), ${text}) > 0 or strpos(hallpass_field(event, 'path'), ${text}) > 0 end`,
    field: (json, name) => sql`hallpass_field(${json}, ${sql.lit(name)})`,
    // By the letters of English alone, as SQLite: with other rules of what is small and large it takes longer.
    contains: (column, text) => sql`${sql.ref(column)} collate "C" ilike ${likePattern(text)} escape ${sql.lit(LIKE_ESCAPE)}`,
    close: async () => {
      if (!open) return;
      open = false;
      await Promise.allSettled(begun);
      await pool.end();
    },
  };
}

/** Try again from the start while what is wrong passes by itself: two collided, or the database restarts. */
async function untilItPasses<T>(work: () => Promise<T>, patience: number): Promise<T> {
  const until = performance.now() + patience;
  for (let pause = 2; ; pause = Math.min(2 * pause, 250)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() >= until) throw error;
      await sleep(pause);
    }
  }
}

/** Holds the row of the session that this is about until the transaction is over. An id that is unknown locks nothing. */
function lockOf(db: Db, of: SessionKey): CompiledQuery {
  if ("session" in of) return lockById(db, of.session).compile();
  if ("chat" in of) return lockByChat(db, of.chat).compile();
  return "ask" in of ? lockByAsk(db, of.ask).compile() : lockByGrant(db, of.grant).compile();
}

const session = (db: Db) => db.selectFrom("sessions").select("sequence").forNoKeyUpdate();
const lockById = (db: Db, id: SessionId) => session(db).where("id", "=", id);
const lockByChat = (db: Db, id: string) =>
  session(db).where("id", "=", (chat) => chat.selectFrom("chats").select("session_id").where("chats.id", "=", id));
const lockByAsk = (db: Db, id: AskId) =>
  session(db).where("id", "=", (ask) => ask.selectFrom("asks").select("session_id").where("asks.id", "=", id));
const lockByGrant = (db: Db, id: GrantId) =>
  session(db).where("id", "=", (grant) => grant.selectFrom("grants").select("session_id").where("grants.id", "=", id));
