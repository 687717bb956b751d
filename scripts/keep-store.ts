// Writes test/upgrades/VERSION.sqlite.sql and VERSION.postgres.sql: a store with one of everything, as the version in package.json leaves it. Later
// versions are tested on it. To be done once, when that version is released; a file that is there is left as it is.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openPostgresStore } from "../src/store/postgres.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { describeReleased, type Dialect, dialects, releasedFile } from "../test/support/released-store.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
const sandbox = mkdtempSync(join(tmpdir(), "hallpass-keep-"));

const texts: Readonly<Record<Dialect, () => Promise<string>>> = {
  sqlite: () => {
    const file = join(sandbox, "hallpass.db");
    return describeReleased("sqlite", file, () => openSqliteStore({ file }));
  },
  postgres: async () => {
    const server = await startPostgres();
    const url = await server.createDatabase();
    const text = await describeReleased("postgres", url, () => openPostgresStore({ url, connections: 2 }));
    await server.end();
    return text;
  },
};

try {
  for (const dialect of dialects) {
    const file = releasedFile(version, dialect);
    mkdirSync(dirname(file), { recursive: true });
    if (existsSync(file)) console.log(`${file} is there`);
    else {
      writeFileSync(file, await texts[dialect]());
      console.log(`wrote ${file}`);
    }
  }
} finally {
  rmSync(sandbox, { recursive: true, force: true });
}
