// The store in one SQLite file, through libsql: WAL, one fsync a write, foreign keys on. Several processes may have it open. A note is
// in the log when it returns and on the disk with the next write, at the latest a moment later.

import { dirname } from "node:path";
import { Kysely, sql } from "kysely";
import Database from "libsql";
import type { Store } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { headOf, recordAlone } from "./audit.ts";
import type { SqlBackend, Tables } from "./db.ts";
import { DamagedFile, DamageLog } from "./damage.ts";
import { migrateSqlite } from "./migrate.ts";
import { makePlace, refuseSharedDirectory } from "./place.ts";
import { isReadOnly, readableName } from "./read-only.ts";
import { fields, list, oneOf } from "./shape.ts";
import { createSqlStore } from "./sql-store.ts";
import { BUSY, type SqliteDatabase, fullCode, primaryCode, SqliteConnection, waitingForLock } from "./sqlite-connection.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { stillThere } from "./still-there.ts";
import { FullDisk } from "./store-fault.ts";
import { createSyncing } from "./syncing.ts";
import { escapedInJson, LIKE_ESCAPE, likePattern } from "./text.ts";

export interface SqliteOptions {
  readonly file: string;
  readonly patience?: number;
  /** Where the store is read-only on disk, open it to read. Whatever writes fails with `os-denied`. */
  readonly mayBeReadOnly?: boolean;
}

/** How long another process may hold the lock before a method gives up with `timeout`, in milliseconds. */
const PATIENCE = 5000;

/**
 * Open the store in `file`, an absolute path; made if it is not there, brought up to date if it is. Throws a HallpassError where it
 * cannot be opened, is no database, is another program's or a newer version's.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  return createSqlStore(await openSqliteBackend(options));
}

/** The same, as what moves whole stores needs it. */
export async function openSqliteBackend({ file, patience = PATIENCE, mayBeReadOnly = false }: SqliteOptions): Promise<SqlBackend> {
  if (mayBeReadOnly && isReadOnly(file)) return openReadOnly(file, patience);
  makePlace(file);
  const connection = connect(file);
  try {
    // RACE: processes that open a new file at once get in each other's way in every step; each is done whole or not at all.
    await waitingForLock(patience, () => connection.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 0"));
    await waitingForLock(patience, () => writeAhead(connection));
    await waitingForLock(patience, () => migrateSqlite(connection));
  } catch (error) {
    connection.close();
    throw faultOf(error);
  }
  return sqliteBackend(connection, file, patience);
}

function openReadOnly(file: string, patience: number): SqlBackend {
  refuseSharedDirectory(dirname(file));
  const connection = connect(readableName(file));
  try {
    connection.exec("PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 0");
    migrateSqlite(connection);
  } catch (cause) {
    connection.close();
    if (primaryCode(cause) !== READONLY) throw faultOf(cause);
    throw new HallpassError(
      "os-denied",
      `the store \`${show(file)}\` was written by an older version, and is read-only on disk: make the file and its directory writable, so that it can be brought up to date`,
      { cause },
    );
  }
  return sqliteBackend(connection, file, patience);
}

function connect(file: string): SqliteDatabase {
  try {
    return new Database(file);
  } catch (error) {
    throw faultOf(error);
  }
}

/** Turn the write-ahead log on; it stays on with the file. */
function writeAhead(connection: SqliteDatabase): void {
  if (!isWal(connection.pragma("journal_mode = WAL")))
    throw new HallpassError("io-error", "SQLite cannot keep a write-ahead log there: put the store on a local disk");
}

const isWal = list(fields<{ readonly journal_mode: "wal" }>({ journal_mode: oneOf("wal") }));

/** `file`: where it is, null for none. */
export function sqliteBackend(database: SqliteDatabase, file: string | null, patience: number): SqlBackend {
  const connection = new SqliteConnection(database, patience);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(connection) });
  const damage = new DamageLog();
  const syncing = file === null ? null : createSyncing(`${file}-wal`);
  const expectStillThere = file === null ? () => {} : stillThere(file);
  let open = true;
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!open) throw new HallpassError("io-error", "the store is closed");
    return damage.watch(async () => {
      try {
        return await connection.alone(work);
      } catch (error) {
        throw faultOf(error);
      }
    });
  };
  const note: SqlBackend["note"] = async (_of, work) => {
    const noted = await alone(async () => {
      connection.synchronise("NORMAL");
      try {
        const written = await connection.transaction("begin immediate", () => work(db));
        expectStillThere();
        return written;
      } finally {
        connection.synchronise("FULL");
      }
    });
    syncing?.soon();
    return noted;
  };
  return {
    damage,
    read: (work) => alone(() => work(db)),
    snapshot: (work) => alone(() => connection.transaction("begin", () => work(db))),
    // RACE: a transaction that reads first and takes the lock when it writes can find that somebody wrote in between.
    write: (_of, work) =>
      alone(async () => {
        const written = await connection.transaction("begin immediate", () => work(db));
        expectStillThere();
        return written;
      }),
    note,
    alter: (work) => note(null, (db) => work(db, false)),
    lockHead: headOf,
    record: recordAlone,
    sizes: sqliteSizes,
    list: (paths) => JSON.stringify(paths),
    denial: sqliteDenial,
    isOnce: sqliteIsOnce,
    isAskedFor: sqliteIsAskedFor,
    isAt: sqliteIsAt,
    about: sqliteAbout,
    isAboutPath: sqliteIsAboutPath,
    field: sqliteField,
    contains: sqliteContains,
    close: async () => {
      if (!open) return;
      // Last in the line, so that what was begun is done.
      const emptied = connection.alone(async () => emptyLog(database));
      open = false;
      await emptied;
      await syncing?.close();
      await db.destroy();
      database.close();
    },
  };
}

export const sqliteSizes: SqlBackend["sizes"] = sql`select its.tbl_name as "table", sum(pages.pgsize) as bytes
  from dbstat as pages join sqlite_schema as its on its.name = pages.name where pages.aggregate = 1 group by its.tbl_name`;

export const sqliteDenial: SqlBackend["denial"] = { is: sql`answer ->> '$.verdict' = 'deny'`, at: sql`answer ->> '$.at'` };

export const sqliteIsOnce: SqlBackend["isOnce"] = sql`answer ->> '$.until' = 'call'`;

export const sqliteIsAskedFor: SqlBackend["isAskedFor"] = (path) => sql`body ->> '$.path' = ${path}`;

/** One statement however many there are, so that it is prepared once. */
export const sqliteIsAt: SqlBackend["isAt"] = (directories) => sql`path in (select value from json_each(${JSON.stringify(directories)}))`;

/** Word for word as in the migrations: else it is another expression, and not the index's. */
export const sqliteAbout: SqlBackend["about"] = (key) =>
  sql`(CASE WHEN body ->> '$.offers' = 'session' AND body ->> '$.proposal.dir' IS NOT NULL
    THEN 'root ' || (body ->> '$.proposal.dir')
    ELSE (body ->> '$.right') || ' ' || coalesce(body ->> '$.path', '') END) = ${key}`;

/** Nearly all records are passed over by a look at their text, which holds what is in any of its fields. */
export const sqliteIsAboutPath: SqlBackend["isAboutPath"] = (text) =>
  sql`(instr(event, ${escapedInJson(text)}) > 0 and (instr(event ->> '$.requested', ${text}) > 0
    or instr(event ->> '$.real', ${text}) > 0 or instr(event ->> '$.path', ${text}) > 0))`;

export const sqliteField: SqlBackend["field"] = (json, name) => sql`(${json} ->> ${sql.lit(name)})`;

export const sqliteContains: SqlBackend["contains"] = (column, text) =>
  sql`${sql.ref(column)} like ${likePattern(text)} escape ${sql.lit(LIKE_ESCAPE)}`;

/** Everything into the one file, if nobody else is at it. libsql keeps the file open until its statements are collected. */
function emptyLog(connection: SqliteDatabase): void {
  try {
    connection.pragma("wal_checkpoint(TRUNCATE)");
  } catch {
    // Nothing is lost: what is not in the file is in its log.
  }
}

// SQLite's own numbers.
const CONSTRAINT = 19;
const CONSTRAINT_FOREIGN_KEY = 787;
const READONLY = 8;
const FULL = 13;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

function faultOf(error: unknown): HallpassError {
  if (error instanceof HallpassError) return error;
  const fault = (code: HallpassError["code"], message: string): HallpassError => new HallpassError(code, message, { cause: error });
  if (fullCode(error) === CONSTRAINT_FOREIGN_KEY) return fault("not-found", "what this would belong to is not in the store");
  switch (primaryCode(error)) {
    case BUSY:
      return fault("timeout", "another process holds the store for too long");
    case CONSTRAINT:
      return fault("bad-request", "the id is taken, or the row breaks a rule of the store");
    case READONLY:
      return fault("os-denied", "the store is read-only on disk: nothing can be changed in it");
    case FULL:
      return new FullDisk(error);
    case CORRUPT:
      return new DamagedFile(error);
    case NOT_A_DATABASE:
      return fault("io-error", "the store's file is not a database");
    default:
      return fault("io-error", "the store failed");
  }
}
