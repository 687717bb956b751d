import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildStoreProgram, startStoreProgram } from "../../test/support/store-process.ts";
import { sessionId } from "../core/names.ts";
import { backupSqlite, restoreSqlite } from "./backup.ts";
import { event, someSession } from "../../test/store-conformance/values.ts";
import { openSqliteStore } from "./sqlite.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-backup-"));
const built = { program: "" };
beforeAll(async () => {
  built.program = await buildStoreProgram(sandbox);
});
afterAll(() => rmSync(sandbox, { recursive: true, force: true }));

const counted = { places: 0 };
function place(): { readonly file: string; readonly copy: string; readonly keepAs: string } {
  const dir = join(sandbox, `${++counted.places}`);
  return { file: join(dir, "hallpass.db"), copy: join(sandbox, `copy-${counted.places}.db`), keepAs: join(dir, "hallpass.db.before") };
}
const named = (id: string) => someSession({ id: sessionId(id) });
async function add(file: string, id: string): Promise<void> {
  await once(startStoreProgram(built.program, [file, "found", "0", id]), "close");
}
async function sessionsIn(file: string): Promise<readonly string[]> {
  const store = await openSqliteStore({ file });
  try {
    expect(await store.verifyAudit()).toBeNull();
    return (await store.sessions()).map(({ id }) => id);
  } finally {
    await store.close();
  }
}

test("a copy is made while the store is in use, whole, and for its owner alone", async () => {
  const { file, copy } = place();
  const store = await openSqliteStore({ file });
  await store.addSession(named("before"), []);
  const going = { on: true };
  const writing = (async () => {
    for (let number = 0; going.on; number++) {
      await store.record([event(number), event(number)]);
      await new Promise((next) => setImmediate(next));
    }
  })();
  await store.record([event(1)]);
  backupSqlite({ file, to: copy });
  going.on = false;
  await writing;
  await store.addSession(named("after"), []);
  expect((statSync(copy).mode & 0o777).toString(8)).toBe("600");
  expect(await sessionsIn(copy)).toEqual(["before"]);
  expect(await store.verifyAudit()).toBeNull();
  await store.close();
});

test("a copy is never written over a file, and nothing is copied where there is no store", async () => {
  const { file, copy } = place();
  expect(() => backupSqlite({ file, to: copy })).toThrow(expect.objectContaining({ code: "not-found" }));
  await (await openSqliteStore({ file })).close();
  writeFileSync(copy, "mine");
  expect(() => backupSqlite({ file, to: copy })).toThrow(expect.objectContaining({ code: "bad-request" }));
  expect(statSync(copy).size).toBe(4);
  expect(() => backupSqlite({ file, to: join(sandbox, "no", "such", "dir.db") })).toThrow(expect.objectContaining({ code: "os-denied" }));
});

test("a copy is put back, and what was there is kept", async () => {
  const { file, copy, keepAs } = place();
  // In other processes: in this one libsql would still have it open after closing.
  await add(file, "one");
  backupSqlite({ file, to: copy });
  await add(file, "two");
  expect(await restoreSqlite({ from: copy, file, keepAs })).toEqual({ kept: keepAs });
  expect(await sessionsIn(file)).toEqual(["one"]);
  expect(await sessionsIn(keepAs)).toEqual(["one", "two"]);
  rmSync(file);
  expect(await restoreSqlite({ from: copy, file, keepAs: `${keepAs}-2` })).toEqual({ kept: null });
  expect(await sessionsIn(file)).toEqual(["one"]);
});

test("a store that somebody has open is not replaced", async () => {
  const { file, copy, keepAs } = place();
  const store = await openSqliteStore({ file });
  await store.addSession(named("mine"), []);
  backupSqlite({ file, to: copy });
  await expect(restoreSqlite({ from: copy, file, keepAs })).rejects.toMatchObject({ code: "bad-request", message: /open: stop it/ });
  await store.addSession(named("still"), []);
  expect((await store.sessions()).map(({ id }) => id)).toEqual(["mine", "still"]);
  await store.close();
  expect(existsSync(keepAs)).toBe(false);
});

test("what is no store, or has a broken record, is not put in place", async () => {
  const { file, copy, keepAs } = place();
  const store = await openSqliteStore({ file });
  await store.record([event(1), event(2)]);
  backupSqlite({ file, to: copy });
  await store.close();
  const past = new Database(copy);
  past.exec("DROP TRIGGER audit_not_changed; UPDATE audit SET event = replace(event, 'alice', 'mallory') WHERE sequence = 2");
  past.close();
  await expect(restoreSqlite({ from: copy, file, keepAs })).rejects.toMatchObject({ code: "bad-request", message: /broken at number 2/ });
  const notes = join(sandbox, "notes.txt");
  writeFileSync(notes, "these are my notes\n".repeat(100));
  await expect(restoreSqlite({ from: notes, file, keepAs })).rejects.toMatchObject({ code: "io-error" });
  writeFileSync(notes, "");
  await expect(restoreSqlite({ from: notes, file, keepAs })).rejects.toMatchObject({ code: "bad-request" });
  await expect(restoreSqlite({ from: join(sandbox, "none"), file, keepAs })).rejects.toMatchObject({ code: "not-found" });
  expect(await sessionsIn(file)).toEqual([]);
  expect(readdirSync(join(file, "..")).filter((name) => name.includes("restoring"))).toEqual([]);
});
