// Brings a database to the tables this version knows: numbered files in `migrations/`, each applied once, one row each with the
// file's checksum. Safe when several processes start at once. A database that a newer version has migrated is refused, not guessed at.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { HallpassError } from "../core/errors.ts";
import { fields, list, number, text } from "./shape.ts";
import { type SqliteDatabase, readRows } from "./sqlite-connection.ts";

export interface Migration {
  /** 1, 2, 3, … without a gap. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, whatever its line ends. */
  readonly checksum: string;
}

export type AppliedMigration = Pick<Migration, "number" | "name" | "checksum">;

/** The migrations of this version, in order: the files `migrations/NNNN_name.<dialect>.sql`. */
export function readMigrations(dialect: "sqlite" | "postgres"): readonly Migration[] {
  const dir = migrationsDir();
  const migrations: Migration[] = [];
  for (const file of readdirSync(dir).toSorted()) {
    const [, digits, name, of] = /^(\d{4})_([a-z0-9_-]+)\.([a-z]+)\.sql$/.exec(file) ?? [];
    if (digits === undefined || name === undefined || of !== dialect) continue;
    const sql = readFileSync(new URL(file, dir), "utf8").replaceAll("\r\n", "\n");
    migrations.push({ number: Number(digits), name, sql, checksum: createHash("sha256").update(sql).digest("hex") });
  }
  if (migrations.length === 0 || migrations.some(({ number }, index) => number !== index + 1))
    throw new HallpassError("io-error", `the ${dialect} migrations are not numbered 1, 2, 3 without a gap`);
  return migrations;
}

/** In the package `migrations/` stands beside `dist/`; in the source tree, two folders up from here. */
function migrationsDir(): URL {
  const places = ["../migrations/", "../../migrations/"].map((way) => new URL(way, import.meta.url));
  const dir = places.find((place) => existsSync(new URL("0001_start.sqlite.sql", place)));
  if (dir === undefined) throw new HallpassError("io-error", "the folder `migrations` is missing from this installation");
  return dir;
}

/** What is still to be applied. Throws where the database is newer than this version, or was made by other files of the same numbers. */
export function pendingMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): readonly Migration[] {
  const newest = applied.at(-1)?.number ?? 0;
  if (newest > known.length)
    throw new HallpassError(
      "io-error",
      `the database was written by a newer version of hallpass (its migration ${newest}, this version knows ${known.length}): update hallpass, or choose another database`,
    );
  const mismatch = applied.find(({ checksum, number }, index) => number !== index + 1 || checksum !== known[index]?.checksum);
  if (mismatch !== undefined)
    throw new HallpassError(
      "io-error",
      `the database was made by another build of hallpass (its migration ${mismatch.number}, \`${mismatch.name}\`, is not this one's): use that build, or choose another database`,
    );
  return known.slice(applied.length);
}

/** Apply what is due to a SQLite database, all of it or nothing. */
export function migrateSqlite(connection: SqliteDatabase, known: readonly Migration[] = readMigrations("sqlite")): void {
  if (pendingMigrations(known, appliedTo(connection)).length === 0) return;
  connection.exec("BEGIN IMMEDIATE");
  try {
    // RACE: another process may have migrated while this one waited for the lock, so what is due is asked again under it.
    const migrations = pendingMigrations(known, appliedTo(connection));
    connection.exec(TABLE);
    const insert = connection.prepare("INSERT INTO hallpass_migrations (number, name, checksum) VALUES (?, ?, ?)");
    for (const { number, name, sql, checksum } of migrations) {
      connection.exec(sql);
      insert.run([number, name, checksum]);
    }
    connection.exec("COMMIT");
  } finally {
    if (connection.inTransaction) connection.exec("ROLLBACK");
  }
}

const TABLE = `CREATE TABLE IF NOT EXISTS hallpass_migrations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT`;

function appliedTo(connection: SqliteDatabase): readonly AppliedMigration[] {
  const tables = readRows(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  if (!areTables(tables)) throw new HallpassError("io-error", "the database's list of tables cannot be read");
  if (tables.length === 0) return [];
  if (!tables.some(({ name }) => name === "hallpass_migrations"))
    throw new HallpassError("io-error", "the database belongs to another program: choose another file");
  const rows = readRows(connection, "SELECT number, name, checksum FROM hallpass_migrations ORDER BY number");
  if (!areApplied(rows)) throw new HallpassError("io-error", "the database's list of migrations cannot be read");
  return rows;
}

const areTables = list(fields<{ readonly name: string }>({ name: text }));
const areApplied = list(fields<AppliedMigration>({ number, name: text, checksum: text }));

/** Every table, index and trigger of a migrated database, as SQL: what `migrations/schema.sqlite.sql` holds. */
export function sqliteSchema(connection: SqliteDatabase): string {
  const statements = connection
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'trigger', type = 'index', tbl_name, name")
    .all([]);
  if (!areStatements(statements)) throw new HallpassError("io-error", "the database's schema cannot be read");
  return statements.map(({ sql }) => `${sql};\n`).join("\n");
}

const areStatements = list(fields<{ readonly sql: string }>({ sql: text }));
