import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { testPostgres } from "../../test/support/postgres.ts";
import { event, someChat, someSession } from "../../test/store-conformance/values.ts";
import { openPostgresBackend } from "./postgres.ts";
import { createSqlStore } from "./sql-store.ts";
import { openSqliteBackend } from "./sqlite.ts";
import { statsOf } from "./stats.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-stats-"));
afterAll(async () => {
  rmSync(sandbox, { recursive: true, force: true });
  await (await testPostgres()).end();
});

test.each([
  ["SQLite", () => openSqliteBackend({ file: join(sandbox, "store", "hallpass.db") })],
  ["PostgreSQL", async () => openPostgresBackend({ url: await (await testPostgres()).createSchema(), connections: 2 })],
])("in %s rows are counted, and bytes and ages are told", async (_name, open) => {
  const backend = await open();
  const store = createSqlStore(backend);
  await store.addSession(someSession({ at: 7 }), []);
  await store.addChat(someChat());
  await store.record([event(2), event(1)]);
  const stats = new Map((await statsOf(backend)).map(({ table, ...rest }) => [table, rest]));
  expect(stats.get("sessions")).toEqual({ rows: 1, bytes: expect.any(Number), oldest: 7 });
  expect(stats.get("audit")).toEqual({ rows: 2, bytes: expect.any(Number), oldest: event(1).at });
  expect(stats.get("mounts")).toEqual({ rows: 0, bytes: expect.any(Number), oldest: null });
  for (const table of ["sessions", "chats", "audit"]) expect(stats.get(table)?.bytes, table).toBeGreaterThan(1000);
  await store.close();
});
