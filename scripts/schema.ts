// Writes migrations/schema.sqlite.sql from the migrations: `npx tsx scripts/schema.ts`. With `--check` it only says whether it is due.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "libsql";
import { migrateSqlite, sqliteSchema } from "../src/store/migrate.ts";

const file = fileURLToPath(new URL("../migrations/schema.sqlite.sql", import.meta.url));
const connection = new Database(":memory:");
migrateSqlite(connection);
const now = `-- Written by scripts/schema.ts from the migrations. Do not edit.\n\n${sqliteSchema(connection)}`;
connection.close();

if (!process.argv.includes("--check")) {
  writeFileSync(file, now);
  console.log(`wrote ${file}`);
} else if (!existsSync(file) || readFileSync(file, "utf8") !== now) {
  console.error("migrations/schema.sqlite.sql is not what the migrations make: run `npx tsx scripts/schema.ts` and commit it");
  process.exitCode = 1;
} else {
  console.log("migrations/schema.sqlite.sql is up to date");
}
