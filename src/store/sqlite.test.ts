import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "libsql";
import { afterAll, describe, expect, test } from "vitest";
import { callId } from "../core/names.ts";
import { agentMessage, event, grantAsk, SESSION, someChat, someSession } from "../../test/store-conformance/values.ts";
import { openStore } from "./open.ts";
import { usualStoreFile } from "./place.ts";
import { openSqliteStore } from "./sqlite.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-sqlite-"));
afterAll(() => rmSync(sandbox, { recursive: true, force: true }));

const places = { made: 0 };
const newDir = (): string => join(sandbox, `${++places.made}`);
const newFile = (): string => join(newDir(), "hallpass.db");
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const refused = (code: string, message: string): unknown => expect.objectContaining({ code, message: expect.stringContaining(message) });

/** A store with a session, a chat and a call, and a connection past it. */
async function opened(patience = 5000) {
  const file = newFile();
  const store = await openSqliteStore({ file, patience });
  await store.addSession(someSession(), []);
  await store.addChat(someChat());
  await store.append("chat", agentMessage("message", [callId("call-0")]), "running");
  const past = new Database(file);
  return { file, store, past, end: async () => (past.close(), store.close()) };
}

describe("the place", () => {
  test("the file, its companions and its directory are for the person alone", async () => {
    const before = process.umask(0);
    try {
      const file = join(newDir(), "deep", "er", "hallpass.db");
      const store = await openSqliteStore({ file });
      await store.addSession(someSession(), []);
      expect(["", "-wal", "-shm"].map((end) => modeOf(file + end))).toEqual(["600", "600", "600"]);
      expect([join(file, ".."), join(file, "../..")].map(modeOf)).toEqual(["700", "700"]);
      await store.close();
    } finally {
      process.umask(before);
    }
  });

  test("a file that others could read is shut", async () => {
    const file = newFile();
    await (await openSqliteStore({ file })).close();
    chmodSync(file, 0o644);
    await (await openSqliteStore({ file })).close();
    expect(modeOf(file)).toBe("600");
  });

  test("a directory that others may write to is refused, one that they may only read is not", async () => {
    const dir = newDir();
    mkdirSync(dir);
    for (const mode of [0o777, 0o770, 0o1777]) {
      chmodSync(dir, mode);
      await expect(openSqliteStore({ file: join(dir, "hallpass.db") })).rejects.toEqual(refused("os-denied", "others may write to"));
    }
    chmodSync(dir, 0o755);
    await (await openSqliteStore({ file: join(dir, "hallpass.db") })).close();
    expect(modeOf(dir)).toBe("755");
  });

  test("where nothing can be made, that is said", async () => {
    const file = newFile();
    mkdirSync(file, { recursive: true });
    await expect(openSqliteStore({ file })).rejects.toEqual(refused("os-denied", "cannot be created or opened"));
    await expect(openSqliteStore({ file: "/dev/null/hallpass.db" })).rejects.toEqual(refused("os-denied", "cannot be created or opened"));
  });

  test.each(["hallpass.db", "hallpass.db-wal"])("once `%s` is deleted, moved or replaced nothing is said to be kept", async (name) => {
    const { file, store, past } = await opened();
    past.close();
    await store.record([event(1)]);
    const victim = join(dirname(file), name);
    const gone = refused("io-error", "was deleted, moved or replaced while it was in use");
    renameSync(victim, `${victim}.aside`);
    await expect(store.record([event(2)])).rejects.toEqual(gone);
    await expect(store.addChat(someChat({ id: "other" }))).rejects.toEqual(gone);
    copyFileSync(`${victim}.aside`, victim);
    await expect(store.record([event(3)])).rejects.toEqual(gone);
    // What was there can be read, and put back it is as before.
    expect(await store.session(SESSION)).not.toBeNull();
    renameSync(`${victim}.aside`, victim);
    await store.record([event(4)]);
    await store.close();
  });

  test("after closing everything is in the one file", async () => {
    const { file, store, past } = await opened();
    past.close();
    await store.close();
    expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0);
    const copy = newFile();
    mkdirSync(join(copy, ".."), { mode: 0o700 });
    copyFileSync(file, copy);
    const restored = await openSqliteStore({ file: copy });
    expect(await restored.sessions()).toEqual([someSession()]);
    expect(await restored.transcript("chat")).toEqual([agentMessage("message", [callId("call-0")])]);
    await restored.close();
  });

  test.each([
    ["linux", {}, "/home/me/.local/share/hallpass/hallpass.db"],
    ["linux", { XDG_DATA_HOME: "/data" }, "/data/hallpass/hallpass.db"],
    ["linux", { XDG_DATA_HOME: "data" }, "/home/me/.local/share/hallpass/hallpass.db"],
    ["darwin", { XDG_DATA_HOME: "/data" }, "/home/me/Library/Application Support/hallpass/hallpass.db"],
    ["win32", {}, "\\home\\me\\AppData\\Local\\hallpass\\hallpass.db"],
    ["win32", { LOCALAPPDATA: "D:\\Local" }, "D:\\Local\\hallpass\\hallpass.db"],
  ] as const)("on %s with %j it is %s", (platform, env, file) => {
    expect(usualStoreFile({ home: "/home/me", env, platform })).toBe(file);
  });
});

describe("opening", () => {
  test("a file that is no database is refused and left as it is", async () => {
    const file = newFile();
    mkdirSync(join(file, ".."), { mode: 0o700 });
    writeFileSync(file, "these are my notes\n".repeat(100));
    await expect(openSqliteStore({ file })).rejects.toEqual(refused("io-error", "not a database"));
    expect(statSync(file).size).toBe(1900);
  });

  test("a database of a newer version is refused and left as it is", async () => {
    const { file, store, past } = await opened();
    await store.close();
    past.exec("INSERT INTO hallpass_migrations VALUES (99, 'later', 'x')");
    past.close();
    await expect(openSqliteStore({ file })).rejects.toEqual(refused("io-error", "a newer version of hallpass"));
  });

  test("another program's database is refused and left as it is", async () => {
    const file = newFile();
    mkdirSync(join(file, ".."), { mode: 0o700 });
    const other = new Database(file);
    other.exec("CREATE TABLE bookmarks (url)");
    other.close();
    await expect(openSqliteStore({ file })).rejects.toEqual(refused("io-error", "another program"));
  });

  test("a link is followed to the file it leads to", async () => {
    const { file, store, past } = await opened();
    past.close();
    await store.close();
    const link = newFile();
    mkdirSync(join(link, ".."), { mode: 0o700 });
    symlinkSync(file, link);
    const linked = await openSqliteStore({ file: link });
    expect(await linked.sessions()).toEqual([someSession()]);
    await linked.close();
    expect(readdirSync(join(link, ".."))).toEqual(["hallpass.db"]);
  });

  test("settings are those that were promised", async () => {
    const { past, end } = await opened();
    expect(past.pragma("journal_mode")).toEqual([{ journal_mode: "wal" }]);
    await end();
  });

  test("without HALLPASS_DATABASE_URL it is the file", async () => {
    const file = newFile();
    await (await openStore({ databaseUrl: null, file })).close();
    expect(existsSync(file)).toBe(true);
  });
});

describe("a lock that another holds", () => {
  test("is waited for, and the thread goes on meanwhile", async () => {
    const { store, past, end } = await opened();
    past.exec("BEGIN IMMEDIATE");
    const ticks = { counted: 0 };
    const ticking = setInterval(() => (ticks.counted += 1), 5);
    const written = store.record([event(1)]);
    await sleep(150);
    past.exec("COMMIT");
    await written;
    clearInterval(ticking);
    expect(ticks.counted).toBeGreaterThan(5);
    expect(await store.audit({})).toHaveLength(1);
    await end();
  });

  test("does not keep from reading", async () => {
    const { store, past, end } = await opened();
    past.exec("BEGIN IMMEDIATE; UPDATE chats SET title = 'x'");
    expect(await store.chats(null)).toEqual([someChat({ status: "running" })]);
    past.exec("ROLLBACK");
    await end();
  });

  test("is given up on after a while, and then nothing was done and everything works again", async () => {
    const { store, past, end } = await opened(60);
    past.exec("BEGIN IMMEDIATE");
    await expect(store.record([event(1)])).rejects.toEqual(refused("timeout", "another process holds the store"));
    past.exec("COMMIT");
    await store.record([event(2)]);
    expect((await store.audit({})).map(({ event: { at } }) => at)).toEqual([event(2).at]);
    await end();
  });

  test("writers go in the order they came", async () => {
    const { store, past, end } = await opened();
    past.exec("BEGIN IMMEDIATE");
    const written = Promise.all(Array.from({ length: 30 }, (_, number) => store.record([event(number)])));
    await sleep(20);
    past.exec("COMMIT");
    await written;
    expect((await store.audit({})).map(({ event: { at } }) => at)).toEqual(Array.from({ length: 30 }, (_, number) => event(number).at));
    await end();
  });
});

describe("the database's own checks", () => {
  const insertSession = (paths: string): string =>
    `INSERT INTO sessions (id, workspace, asking, attended, allowed_read_paths, at) VALUES ('x', '/w', 'by-model', 1, '${paths}', 1)`;

  test.each([
    ["paths that are no array", insertSession('{"a":1}')],
    ["paths that are no JSON", insertSession("/home")],
    ["paths that are not text", insertSession('["/a",1]')],
    ["paths that are null", insertSession("[null]")],
    ["a path twice", insertSession('["/a","/b","/a"]')],
    ["a path twice, later", `UPDATE sessions SET allowed_read_paths = '["/a","/a"]'`],
    ["paths of an archived session", `UPDATE sessions SET archived_at = 1, allowed_read_paths = '["/a"]'`],
    ["a status that is none", "UPDATE chats SET status = 'busy'"],
    ["a chat of no session", "INSERT INTO chats (id, session_id, title, status, at) VALUES ('x', 'nobody', '', 'idle', 1)"],
    ["a waiting call without an ask", "UPDATE tool_calls SET state = 'waiting', kind = 'pending_grant'"],
    ["a waiting call that does not say for what", "UPDATE tool_calls SET state = 'waiting', ask_id = 'ask-1'"],
    ["a pending call with an output", "UPDATE tool_calls SET output = '{}'"],
    ["a done call without an output", "UPDATE tool_calls SET state = 'done'"],
    ["an answered ask without an answer", "UPDATE asks SET state = 'answered'"],
    ["an answer to an open ask", "UPDATE asks SET answer = '{}'"],
    ["an event replaced", "INSERT OR REPLACE INTO audit (sequence, event, hash) SELECT sequence, event, hash FROM audit"],
    ["a head replaced", "INSERT OR REPLACE INTO audit_head (one, sequence, hash) VALUES (1, 0, '')"],
    ["a second head", "INSERT INTO audit_head (one, sequence, hash) VALUES (2, 0, '')"],
  ])("refuse %s", async (_what, statement) => {
    const { store, past, end } = await opened();
    await store.append("chat", agentMessage("next", [callId("call-1")]), "running");
    await store.openAsk(grantAsk(1));
    await store.record([event(1)]);
    expect(() => past.exec(statement)).toThrow();
    await end();
  });

  test("two live grants for one path", async () => {
    const { store, past, end } = await opened();
    await store.openAsk(grantAsk(0));
    const grant = (id: string): string =>
      `INSERT INTO grants (id, session_id, ask_id, path, dev, ino, given_by, at) VALUES ('${id}', 'session', 'ask-0', '/a', 1, 1, 'me', 1)`;
    past.exec(grant("one"));
    expect(() => past.exec(grant("other"))).toThrow("UNIQUE");
    await end();
  });
});

describe("what is read back is looked at", () => {
  test.each([
    ["UPDATE messages SET body = '{}'", "transcript"],
    ["UPDATE messages SET body = '{'", "transcript"],
    ['UPDATE messages SET body = \'{"text":"x","usage":{"input":1},"error":null}\'', "transcript"],
    ["UPDATE tool_calls SET input = 'x'", "transcript"],
    ["UPDATE tool_calls SET state = 'done', kind = NULL, ask_id = NULL, output = '{\"ok\":true}'", "transcript"],
    [
      'UPDATE tool_calls SET state = \'done\', kind = NULL, ask_id = NULL, output = \'{"ok":false,"code":"made-up","hint":""}\'',
      "transcript",
    ],
    ["UPDATE asks SET body = '{}'", "ask"],
    ["UPDATE asks SET calls = '[1]'", "ask"],
    ["UPDATE asks SET state = 'answered', answer = '{\"verdict\":\"allow\"}'", "ask"],
  ] as const)("after `%s` the %s cannot be read, and nothing is made up", async (statement, what) => {
    const { store, past, end } = await opened();
    await store.openAsk(grantAsk(0));
    past.exec(statement);
    const read = what === "ask" ? store.ask(grantAsk(0).id) : store.transcript("chat");
    await expect(read).rejects.toEqual(refused("io-error", "a stored row is not"));
    await end();
  });

  test("a pending call is a row with output null and its kind", async () => {
    const { store, past, end } = await opened();
    await store.openAsk(grantAsk(0));
    expect(past.prepare("SELECT id, state, kind, ask_id, output FROM tool_calls").all([])).toEqual([
      { id: "call-0", state: "waiting", kind: "pending_grant", ask_id: "ask-0", output: null },
    ]);
    expect(past.prepare("SELECT status FROM chats").all([])).toEqual([{ status: "waiting_for_input" }]);
    await end();
  });

  test("what cannot be stored is refused before it reaches libsql, which would end the process", async () => {
    const { store, end } = await opened();
    const odd = { ...someChat({ id: "odd" }), at: true as unknown as number };
    await expect(store.addChat(odd)).rejects.toEqual(refused("io-error", "the store failed"));
    await expect(store.addChat(someChat({ id: "odd", at: Number.NaN }))).rejects.toEqual(refused("io-error", "the store failed"));
    await expect(store.addChat(someChat({ id: "odd", at: 1.5 }))).rejects.toEqual(
      refused("bad-request", "the row breaks a rule of the store"),
    );
    expect(await store.chat("odd")).toBeNull();
    expect(await store.session(SESSION)).toEqual(someSession());
    await end();
  });
});

test("opening takes milliseconds, and so does opening again", async () => {
  const times: number[] = [];
  const file = newFile();
  for (let round = 0; round < 6; round++) {
    const before = performance.now();
    const store = await openSqliteStore({ file });
    times.push(performance.now() - before);
    await store.close();
  }
  const [made, ...opened] = times;
  console.log(`made in ${made?.toFixed(1)} ms, opened in ${Math.min(...opened).toFixed(1)} ms`);
  expect(Math.min(...opened)).toBeLessThan(10);
});
