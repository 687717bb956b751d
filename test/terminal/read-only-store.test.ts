// A store that is read-only on disk, as its owner finds it who is not root: what only reads works, and what writes says why it does not.

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, expect, test } from "vitest";
import { sessionId } from "../../src/core/names.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { event, someSession } from "../store-conformance/values.ts";
import { dataOf, examine } from "./examine.ts";
import { makePlace, type Place, plainUser, program } from "./terminal.ts";

/** Its id has the shape that the interface describes. */
const SOME = someSession({ id: sessionId("some-session-of-the-store") });

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

/** A store with two records, its file and directory with these modes, all of it an ordinary user's. */
async function storeWith(modes: { readonly file: number; readonly dir: number }): Promise<Place> {
  const at = makePlace();
  cleanups.push(() => at.remove());
  const dir = dataOf(at);
  const file = join(dir, "hallpass.db");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const store = await openSqliteStore({ file });
  await store.addSession(SOME, []);
  await store.record([event(1), event(2)]);
  await store.close();
  writeFileSync(join(dir, "token"), `${"T".repeat(43)}\n`, { mode: 0o600 });
  if (plainUser !== undefined) at.give(plainUser);
  chmodSync(file, modes.file);
  chmodSync(dir, modes.dir);
  cleanups.push(() => chmodSync(dir, 0o700));
  return at;
}

function run(at: Place, ...words: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: at.home };
  const who = plainUser === undefined ? {} : { uid: plainUser, gid: plainUser };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], { cwd: at.workspace, env, timeout: 120_000, ...who }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, out, err });
    });
  });
}

test.each([
  ["a file of mode 0400", { file: 0o400, dir: 0o700 }],
  ["a read-only directory", { file: 0o600, dir: 0o500 }],
] as const)("in %s every command that only reads works, and leaves nothing there", async (_name, modes) => {
  const at = await storeWith(modes);
  const before = readdirSync(dataOf(at));
  expect(await run(at, "store", "stats")).toMatchObject({ code: 0, out: expect.stringMatching(/^audit +2 /mu) });
  expect(await run(at, "store", "export")).toMatchObject({ code: 0, err: expect.stringContaining("exported 3 rows") });
  expect(await run(at, "sessions", "--json")).toMatchObject({ code: 0, out: expect.stringContaining(SOME.id) });
  expect(await run(at, "backup", join(at.home, "copy.db"))).toMatchObject({ code: 0, err: "" });
  expect(statSync(join(at.home, "copy.db")).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataOf(at))).toEqual(before);
  // Last, since it notes how far it came where the directory may be written.
  expect(await run(at, "audit", "verify")).toMatchObject({ code: 0, out: expect.stringMatching(/^✓ 2 records/u) });
});

test("the doctor looks through a read-only store, and says that no daemon starts with it", async () => {
  const at = await storeWith({ file: 0o400, dir: 0o700 });
  const { part } = await examine(at, { words: ["--no-canary"], uid: plainUser });
  expect(part("database")).toMatchObject({ state: "wrong", says: expect.stringContaining("is whole and read-only") });
  expect(part("database")?.remedy).toMatch(/^chmod u\+w /u);
});

test("what writes to a read-only store says why it does not", async () => {
  const at = await storeWith({ file: 0o600, dir: 0o500 });
  expect(await run(at, "sessions", "end", SOME.id)).toMatchObject({ code: 1, err: expect.stringContaining("read-only on disk") });
});

test("a read-only store is not read without what is only in its log", async () => {
  const at = await storeWith({ file: 0o600, dir: 0o700 });
  const file = join(dataOf(at), "hallpass.db");
  // A connection that moves nothing from its log into the file: not by itself, and not by its end, since what was there before is put back.
  const connection = new Database(file);
  connection.exec("PRAGMA wal_autocheckpoint = 0; UPDATE sessions SET id = id");
  const before = ["", "-wal"].map((end) => [file + end, readFileSync(file + end)] as const);
  connection.close();
  for (const [name, bytes] of before) writeFileSync(name, bytes);
  rmSync(`${file}-shm`, { force: true });
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  if (plainUser !== undefined) at.give(plainUser);
  chmodSync(dataOf(at), 0o500);
  for (const words of [
    ["audit", "verify"],
    ["store", "export"],
    ["backup", join(at.home, "copy.db")],
  ])
    expect(await run(at, ...words)).toMatchObject({ code: 1, err: expect.stringMatching(/os-denied: .* only in its log/u) });
  chmodSync(dataOf(at), 0o700);
  expect(await run(at, "audit", "verify")).toMatchObject({ code: 0, out: expect.stringMatching(/^✓ 2 records/u) });
});
