// Stores as released versions left them: `test/upgrades/VERSION.DIALECT.sql`, written by `scripts/keep-store.ts` when a version is released. The
// first line says which migrations had been applied and what the version read of its own store; then comes a statement for each row.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "libsql";
import type pg from "pg";
import type { Store } from "../../src/agent/ports.ts";
import { migratePostgres } from "../../src/store/migrate-postgres.ts";
import { migrateSqlite, type Migration, readMigrations } from "../../src/store/migrate.ts";
import { fillStore, wholeStore } from "../store-conformance/whole-store.ts";
import { withClient } from "./postgres.ts";

export type Dialect = "sqlite" | "postgres";
export const dialects: readonly Dialect[] = ["sqlite", "postgres"];

export interface ReleasedStore {
  readonly version: string;
  readonly dialect: Dialect;
  /** The checksums of its migrations, in order. */
  readonly migrations: readonly string[];
  /** What `wholeStore` gave, as JSON has it. */
  readonly whole: unknown;
  readonly rows: string;
}

/** Where one is: a file for SQLite, an address for PostgreSQL. */
export type StoreAddress = string;

const DIRECTORY = fileURLToPath(new URL("../upgrades", import.meta.url));
export const releasedFile = (version: string, dialect: Dialect): string => `${DIRECTORY}/${version}.${dialect}.sql`;

/** The stores of all versions that were released. */
export function releasedStores(): readonly ReleasedStore[] {
  if (!existsSync(DIRECTORY)) return [];
  return readdirSync(DIRECTORY).flatMap((name) => {
    const [, version, dialect] = /^(.+)\.(sqlite|postgres)\.sql$/.exec(name) ?? [];
    if (version === undefined || dialect === undefined) return [];
    return [parseReleased(version, dialect as Dialect, readFileSync(`${DIRECTORY}/${name}`, "utf8"))];
  });
}

export function parseReleased(version: string, dialect: Dialect, text: string): ReleasedStore {
  const end = text.indexOf("\n");
  const { migrations, whole } = JSON.parse(text.slice("-- ".length, end)) as Pick<ReleasedStore, "migrations" | "whole">;
  return { version, dialect, migrations, whole, rows: text.slice(end + 1) };
}

/** The text of a store of this version with one of everything. `open` makes it at the address, which is a new place. */
export async function describeReleased(dialect: Dialect, address: StoreAddress, open: () => Promise<Store>): Promise<string> {
  const store = await open();
  await fillStore(store, { calls: 3, records: 10 });
  const whole = await wholeStore(store);
  await store.close();
  const rows = dialect === "sqlite" ? sqliteRows(address) : await postgresRows(address);
  const migrations = readMigrations(dialect).map(({ checksum }) => checksum);
  return `-- ${JSON.stringify({ migrations, whole })}\n${rows}`;
}

/** Make the store at the address, a new place, as that version left it. Throws where one of its migrations is no longer what it was. */
export async function restoreReleased({ version, dialect, migrations, rows }: ReleasedStore, address: StoreAddress): Promise<void> {
  const known = readMigrations(dialect).slice(0, migrations.length);
  const isChanged = ({ checksum }: Migration, index: number): boolean => checksum !== migrations[index];
  const changed = known.length < migrations.length ? "one of them" : known.find(isChanged)?.name;
  if (changed !== undefined) throw new Error(`migrations that ${version} was released with are not what they were: ${changed}`);
  if (dialect === "sqlite") restoreSqlite(address, known, rows);
  else await restorePostgres(address, known, rows);
}

const OWN = "hallpass_migrations";

function sqliteRows(file: string): string {
  const database = new Database(file);
  const texts = (sql: string): readonly string[] => (database.prepare(sql).raw().all([]) as string[][]).flatMap(([one = ""]) => [one]);
  const statements = texts(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('${OWN}') AND name NOT LIKE 'sqlite_%'`,
  ).flatMap((table) => {
    const columns = texts(`SELECT name FROM pragma_table_xinfo('${table}') WHERE hidden = 0`);
    const values = columns.map((column) => `quote("${column}")`).join(" || ', ' || ");
    return texts(`SELECT 'INSERT INTO ${table} (${columns.join(", ")}) VALUES (' || ${values} || ');' FROM ${table}`);
  });
  database.close();
  return `${statements.join("\n")}\n`;
}

function restoreSqlite(file: string, known: readonly Migration[], rows: string): void {
  const database = new Database(file);
  migrateSqlite(database, known);
  const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all([]) as {
    name: string;
    sql: string;
  }[];
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all([]) as {
    name: string;
  }[];
  database.exec("PRAGMA foreign_keys = OFF");
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  // Migrations put rows into some of them.
  for (const { name } of tables) if (name !== OWN) database.exec(`DELETE FROM ${name}`);
  database.exec(rows);
  for (const { sql } of triggers) database.exec(sql);
  database.close();
}

const tablesHere = async (client: pg.Client): Promise<readonly string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> '${OWN}' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

const postgresRows = (url: string): Promise<string> =>
  withClient(url, async (client) => {
    const statements: string[] = [];
    for (const table of await tablesHere(client)) {
      const { rows } = await client.query<{ name: string }>(
        `SELECT column_name AS name FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name = '${table}' AND is_generated = 'NEVER' ORDER BY ordinal_position`,
      );
      const columns = rows.map(({ name }) => name);
      const values = columns.map((column) => `quote_nullable(${column})`).join(" || ', ' || ");
      const { rows: lines } = await client.query<{ line: string }>(
        `SELECT 'INSERT INTO ${table} (${columns.join(", ")}) VALUES (' || ${values} || ');' AS line FROM ${table} ORDER BY ctid`,
      );
      statements.push(...lines.map(({ line }) => line));
    }
    return `${statements.join("\n")}\n`;
  });

async function restorePostgres(url: string, known: readonly Migration[], statements: string): Promise<void> {
  await withClient(url, async (client) => {
    await migratePostgres(client, known);
    // Without triggers, whose work the rows have.
    await client.query("SET session_replication_role = replica");
    for (const table of await tablesHere(client)) await client.query(`DELETE FROM ${table}`);
    await client.query(statements);
    const { rows } = await client.query<{ table: string; column: string }>(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`,
    );
    for (const { table, column } of rows)
      await client.query(
        `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 0) + 1, false) FROM ${table}`,
      );
  });
}
