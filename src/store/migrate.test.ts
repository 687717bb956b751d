import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, test } from "vitest";
import { pendingMigrations, type Migration, migrateSqlite, readMigrations, sqliteSchema } from "./migrate.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-migrate-"));
afterAll(() => rmSync(sandbox, { recursive: true, force: true }));

const numbered = (number: number, sql = `CREATE TABLE t${number} (a)`): Migration => ({
  number,
  name: `step-${number}`,
  sql,
  checksum: `${number}`,
});
const tables = (connection: Database.Database) =>
  (connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all([]) as { name: string }[]).map(
    ({ name }) => name,
  );

test("the dump of the schema is what the migrations make", () => {
  const connection = new Database(":memory:");
  migrateSqlite(connection);
  const dump = readFileSync(resolve(import.meta.dirname, "../../migrations/schema.sqlite.sql"), "utf8");
  expect(dump.endsWith(`\n\n${sqliteSchema(connection)}`), "run `npx tsx scripts/schema.ts` and commit what it writes").toBe(true);
  connection.close();
});

test("the dump makes the same database as the migrations", () => {
  const file = join(sandbox, "dumped.db");
  const connection = new Database(file);
  connection.exec(readFileSync(resolve(import.meta.dirname, "../../migrations/schema.sqlite.sql"), "utf8"));
  const migrated = new Database(":memory:");
  migrateSqlite(migrated);
  expect(sqliteSchema(connection)).toBe(sqliteSchema(migrated));
  for (const one of [connection, migrated]) one.close();
});

test("scripts/schema.ts --check says whether the dump is due", () => {
  const root = resolve(import.meta.dirname, "../..");
  const said = execFileSync(join(root, "node_modules/.bin/tsx"), [join(root, "scripts/schema.ts"), "--check"], { encoding: "utf8" });
  expect(said).toBe("migrations/schema.sqlite.sql is up to date\nmigrations/schema.postgres.sql is up to date\n");
});

test("the migrations of this version are numbered from 1, with a checksum each", () => {
  const migrations = readMigrations("sqlite");
  expect(migrations.map(({ number, name }) => [number, name])).toEqual([[1, "start"]]);
  for (const { checksum } of migrations) expect(checksum).toMatch(/^[0-9a-f]{64}$/);
});

describe("what is due", () => {
  const known = [numbered(1), numbered(2), numbered(3)];

  test("everything to a new database, the rest to an older one, nothing to one of this version", () => {
    expect(pendingMigrations(known, [])).toEqual(known);
    expect(pendingMigrations(known, known.slice(0, 1))).toEqual(known.slice(1));
    expect(pendingMigrations(known, known)).toEqual([]);
  });

  test("a database of a newer version is refused, in words that say what to do", () => {
    expect(() => pendingMigrations(known.slice(0, 2), known)).toThrow(
      expect.objectContaining({
        code: "io-error",
        message:
          "the database was written by a newer version of hallpass (its migration 3, this version knows 2): update hallpass, or choose another database",
      }),
    );
  });

  test("a database made by other files of the same numbers is refused", () => {
    const other = [numbered(1), { ...numbered(2), checksum: "other" }];
    expect(() => pendingMigrations(known, other)).toThrow(
      "made by another build of hallpass (its migration 2, `step-2`, is not this one's)",
    );
    expect(() => pendingMigrations(known, [numbered(2)])).toThrow("another build");
  });
});

describe("migrating", () => {
  test("goes on where it stood, and does nothing twice", () => {
    const connection = new Database(":memory:");
    migrateSqlite(connection, [numbered(1)]);
    migrateSqlite(connection, [numbered(1), numbered(2)]);
    migrateSqlite(connection, [numbered(1), numbered(2)]);
    expect(tables(connection)).toEqual(["hallpass_migrations", "t1", "t2"]);
    expect(connection.prepare("SELECT * FROM hallpass_migrations ORDER BY number").all([])).toEqual([
      { number: 1, name: "step-1", checksum: "1" },
      { number: 2, name: "step-2", checksum: "2" },
    ]);
    connection.close();
  });

  test("is done whole or not at all", () => {
    const connection = new Database(":memory:");
    migrateSqlite(connection, [numbered(1)]);
    const broken = numbered(3, "CREATE TABLE t3 (a); CREATE TABLE t3 (a)");
    expect(() => migrateSqlite(connection, [numbered(1), numbered(2), broken])).toThrow("t3 already exists");
    expect(connection.inTransaction).toBe(false);
    expect(tables(connection)).toEqual(["hallpass_migrations", "t1"]);
    connection.close();
  });

  test("never writes into another program's database", () => {
    const connection = new Database(":memory:");
    connection.exec("CREATE TABLE bookmarks (url)");
    expect(() => migrateSqlite(connection)).toThrow("belongs to another program");
    expect(tables(connection)).toEqual(["bookmarks"]);
    connection.close();
  });
});
