// Writes migrations/schema.sqlite.sql and migrations/schema.postgres.sql from the migrations: `npm run db:schema`. With `--check` it only
// says whether one is due. PostgreSQL is the one that the tests use.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "libsql";
import pg from "pg";
import { migratePostgres, postgresSchema } from "../src/store/migrate-postgres.ts";
import { migrateSqlite, sqliteSchema } from "../src/store/migrate.ts";
import { startPostgres } from "../test/support/postgres.ts";

const schemas: Readonly<Record<string, () => Promise<string>>> = {
  sqlite: async () => {
    const connection = new Database(":memory:");
    migrateSqlite(connection);
    const schema = sqliteSchema(connection);
    connection.close();
    return schema;
  },
  postgres: async () => {
    const server = await startPostgres();
    const client = new pg.Client({ connectionString: await server.createDatabase() });
    await client.connect();
    await migratePostgres(client);
    const schema = await postgresSchema(client);
    await client.end();
    await server.end();
    return schema;
  },
};

for (const [dialect, made] of Object.entries(schemas)) {
  const name = `migrations/schema.${dialect}.sql`;
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const now = `-- Written by scripts/schema.ts from the migrations. Do not edit.\n\n${await made()}`;
  if (!process.argv.includes("--check")) {
    writeFileSync(file, now);
    console.log(`wrote ${name}`);
  } else if (!existsSync(file) || readFileSync(file, "utf8") !== now) {
    console.error(`${name} is not what the migrations make: run \`npm run db:schema\` and commit it`);
    process.exitCode = 1;
  } else {
    console.log(`${name} is up to date`);
  }
}
