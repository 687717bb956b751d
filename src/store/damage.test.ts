// Rows of each table with a text that is not UTF-8, a value of another type, JSON that is none or of another shape, and a word that is
// none. Without the decoding in `sqlite-rows.ts` the first of these ends the process.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import type { Store } from "../agent/ports.ts";
import { callId, grantId } from "../core/names.ts";
import {
  agentMessage,
  event,
  grantAsk,
  SESSION,
  someChat,
  someGrant,
  someSaid,
  someSession,
  yes,
} from "../../test/store-conformance/values.ts";
import { testPostgres } from "../../test/support/postgres.ts";
import { examineStore } from "./examine.ts";
import { openPostgresStore } from "./postgres.ts";
import { openSqliteStore } from "./sqlite.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-damage-"));
afterAll(async () => {
  rmSync(sandbox, { recursive: true, force: true });
  await (await testPostgres()).end();
});
const made = { files: 0 };

/** Two of everything. */
async function fill(before: Store): Promise<void> {
  const calls = [callId("call-0"), callId("call-1")];
  for (const id of ["project-0", "project-1"]) await before.addProject({ id, path: `/${id}`, name: id, at: 1 });
  await before.addSession(someSession({ id: SESSION }), [{ session: SESSION, path: "/mount", mode: "read_only" }]);
  for (const id of ["chat", "chat-1"]) await before.addChat(someChat({ id }));
  await before.append("chat", agentMessage("message", calls), "idle");
  await before.append("chat-1", agentMessage("message", calls), "idle");
  for (const number of [0, 1]) {
    await before.openAsk(grantAsk(number));
    const given = someGrant({ id: grantId(`grant-${number}`), ask: grantAsk(number).id, path: `/lib/${number}` });
    await before.answerAsk(grantAsk(number).id, yes, { grant: given, calls: [], events: [event(number)] });
  }
  await before.say(someSaid(), []);
  await before.close();
}

/** Two of everything, the first of each damaged by `statement`; opened again. */
async function damaged(statement: string): Promise<{ readonly store: Store; readonly file: string }> {
  const file = join(sandbox, `${++made.files}`, "hallpass.db");
  await fill(await openSqliteStore({ file }));
  const past = new Database(file);
  past.exec("PRAGMA writable_schema = ON");
  // As a damaged page would have it: past every check and type of the tables.
  past.exec("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE sql LIKE '%) STRICT'; PRAGMA writable_schema = RESET");
  past.exec(
    "DROP TRIGGER audit_not_changed; DROP TRIGGER allowed_read_paths_updated; PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF",
  );
  past.exec(statement);
  past.close();
  return { store: await openSqliteStore({ file }), file };
}

const NOT_UTF8 = "CAST(x'61ff62' AS TEXT)";

test("libsql alone ends the process over a text that is not UTF-8", () => {
  const program = `const Database = require(${JSON.stringify(createRequire(import.meta.url).resolve("libsql"))});
    new Database(":memory:").prepare("SELECT ${NOT_UTF8} AS a").all([])`;
  const { signal, status } = spawnSync(process.execPath, ["-e", program], { stdio: "ignore" });
  expect([signal, status]).not.toEqual([null, 0]);
});

test.each([
  ["projects", `UPDATE projects SET name = ${NOT_UTF8} WHERE id = 'project-0'`, "row `project-0`: `name` is not UTF-8 text", 1],
  ["projects", "UPDATE projects SET path = x'61' WHERE id = 'project-0'", "row `project-0`: `path` is not of its column's type", 1],
  ["sessions", `UPDATE sessions SET workspace = ${NOT_UTF8}`, "row `session`: `workspace` is not UTF-8 text", 0],
  [
    "sessions",
    "UPDATE sessions SET allowed_read_paths = '[1]'",
    "row `session`: `allowed_read_paths` is not of the shape it was written in",
    0,
  ],
  ["chats", `UPDATE chats SET title = ${NOT_UTF8} WHERE id = 'chat'`, "row `chat`: `title` is not UTF-8 text", 1],
  ["chats", "UPDATE chats SET status = 'idlf' WHERE id = 'chat'", "row `chat`: `status` is not of its column's type", 1],
  ["chats", "UPDATE chats SET at = 'soon' WHERE id = 'chat'", "row `chat`: `at` is not of its column's type", 1],
  ["asks", `UPDATE asks SET body = json_set(body, '$.tool', ${NOT_UTF8}) WHERE id = 'ask-0'`, "row `ask-0`: `body` is not UTF-8 text", 1],
  ["asks", "UPDATE asks SET requested = '[' WHERE id = 'ask-0'", "row `ask-0`: `requested` is not JSON", 1],
  ["asks", "UPDATE asks SET answer = '{}' WHERE id = 'ask-0'", "row `ask-0`: `answer` is not of the shape it was written in", 1],
  ["grants", `UPDATE grants SET path = ${NOT_UTF8} WHERE ask_id = 'ask-0'`, "`path` is not UTF-8 text", 1],
  ["grants", "UPDATE grants SET ino = 'x' WHERE ask_id = 'ask-0'", "`ino` is not of its column's type", 1],
  ["said", `UPDATE said SET body = ${NOT_UTF8}`, "`body` is not UTF-8 text", 0],
  ["audit", `UPDATE audit SET hash = ${NOT_UTF8} WHERE sequence = 1`, "row `1`: `hash` is not UTF-8 text", 1],
] as const)("a list of %s leaves the row out and names it after `%s`", async (table, statement, named, left) => {
  const { store } = await damaged(statement);
  const lists = {
    projects: () => store.projects(),
    sessions: () => store.sessions({ limit: 5 }),
    chats: () => store.chats(null),
    asks: () => store.asks({ limit: 1 }),
    grants: () => store.grants(null),
    said: () => store.said(null),
    audit: () => store.audit({ limit: 1 }),
  };
  expect(store.damage()).toEqual([]);
  expect(await lists[table]()).toHaveLength(left);
  expect(store.damage()).toEqual([expect.stringContaining(named)]);
  await store.close();
});

test.each([
  ["transcript", `UPDATE messages SET body = ${NOT_UTF8}`, "table `messages`, row `message`: `body` is not UTF-8 text"],
  ["transcript", "UPDATE messages SET role = 'persom'", "table `messages`, row `message`: `role` is not of its column's type"],
  [
    "transcript",
    `UPDATE tool_calls SET output = ${NOT_UTF8} WHERE id = 'call-0'`,
    "table `tool_calls`, row `call-0`: `output` is not UTF-8",
  ],
  ["mounts", "UPDATE mounts SET mode = 'read_onlx'", "table `mounts`, row unknown: `mode` is not of its column's type"],
  ["chatInSession", `UPDATE sessions SET label = ${NOT_UTF8}`, "table `sessions`, row `session`: `label` is not UTF-8 text"],
  [
    "ask",
    `UPDATE asks SET body = json_set(body, '$.tool', ${NOT_UTF8}) WHERE id = 'ask-0'`,
    "table `asks`, row `ask-0`: `body` is not UTF-8 text",
  ],
  ["askInSession", "UPDATE asks SET calls = '{' WHERE id = 'ask-0'", "table `asks`, row `ask-0`: `calls` is not JSON"],
] as const)("%s fails and names the row after `%s`, and the rest goes on", async (method, statement, named) => {
  const { store, file } = await damaged(statement);
  const methods = {
    transcript: () => store.transcript("chat"),
    mounts: () => store.mounts(SESSION),
    chatInSession: () => store.chatInSession("chat"),
    ask: () => store.ask(grantAsk(0).id),
    askInSession: () => store.askInSession(grantAsk(0).id),
  };
  await expect(methods[method]()).rejects.toEqual(
    expect.objectContaining({ code: "io-error", message: expect.stringContaining(`a stored row is not what was written: ${named}`) }),
  );
  expect(store.damage()).toEqual([expect.stringContaining(named)]);
  await store.record([event(3)]);
  expect(await examineStore(store, file)).toContainEqual(expect.stringContaining(named));
  await store.close();
});

test("a record that cannot be read breaks the chain at its number, and pages go on behind it", async () => {
  const { store } = await damaged(`UPDATE audit SET event = json_set(event, '$.by', ${NOT_UTF8}) WHERE sequence = 1`);
  await store.record([event(3), event(4)]);
  expect(await store.verifyAudit()).toBe(1);
  expect((await store.audit({ limit: 2 })).map(({ sequence }) => sequence)).toEqual([2, 3]);
  expect((await store.audit({ limit: 2, newestFirst: true })).map(({ sequence }) => sequence)).toEqual([4, 3]);
  await store.close();
});

test("a store that is whole has nothing to tell, whatever its texts and numbers", async () => {
  const { store, file } = await damaged("SELECT 1");
  const odd = '\u{feff}ä\u{1f600}\u{fffd}"\\\n';
  await store.addProject({ id: "odd", path: `/${odd}`, name: odd, at: Number.MAX_SAFE_INTEGER });
  expect((await store.projects()).at(-1)).toEqual({ id: "odd", path: `/${odd}`, name: odd, at: Number.MAX_SAFE_INTEGER });
  expect(await examineStore(store, file)).toEqual([]);
  await store.close();
});

/** The same in PostgreSQL, past its checks and triggers. Text that is not UTF-8, or of another type, the server itself does not keep. */
async function damagedInPostgres(statement: string): Promise<Store> {
  const url = await (await testPostgres()).createSchema();
  await fill(await openPostgresStore({ url, connections: 2 }));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ drop: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop FROM pg_constraint
     WHERE contype = 'c' AND connamespace = current_schema()::regnamespace`,
  );
  for (const { drop } of rows) await client.query(drop);
  await client.query("SET session_replication_role = replica");
  await client.query(statement);
  await client.end();
  return openPostgresStore({ url, connections: 2 });
}

test.each([
  ["UPDATE asks SET answer = '{}' WHERE id = 'ask-0'", "row `ask-0`: `answer` is not of the shape it was written in"],
  ["UPDATE asks SET requested = '[' WHERE id = 'ask-0'", "row `ask-0`: `requested` is not JSON"],
] as const)("in PostgreSQL a list of asks leaves the row out and names it after `%s`", async (statement, named) => {
  const store = await damagedInPostgres(statement);
  expect((await store.asks({ limit: 5 })).map(({ id }) => id)).toEqual(["ask-1"]);
  expect(store.damage()).toEqual([expect.stringContaining(named)]);
  await store.close();
});

test.each([
  ["sessions", "UPDATE sessions SET asking = 'by-modem'", "table `sessions`, row `session`: `asking`", 0],
  ["chats", "UPDATE chats SET status = 'idlf' WHERE id = 'chat'", "table `chats`, row `chat`: `status`", 1],
  ["asks", "UPDATE asks SET kind = 'pending_grand' WHERE id = 'ask-0'", "table `asks`, row `ask-0`: `kind`", 1],
  ["asks", "UPDATE asks SET state = 'opem' WHERE id = 'ask-0'", "table `asks`, row `ask-0`: `state`", 1],
  ["asks", "UPDATE asks SET closed_why = 'agemt' WHERE id = 'ask-0'", "table `asks`, row `ask-0`: `closed_why`", 1],
] as const)("a list of %s leaves the row out after `%s`, in PostgreSQL as in SQLite", async (table, statement, named, left) => {
  for (const store of [await damagedInPostgres(statement), (await damaged(statement)).store]) {
    const lists = { sessions: () => store.sessions({ limit: 5 }), chats: () => store.chats(null), asks: () => store.asks({ limit: 5 }) };
    expect(await lists[table]()).toHaveLength(left);
    expect(store.damage()).toEqual([expect.stringContaining(`${named} is not of its column's type`)]);
    await store.close();
  }
});

test.each([
  ["transcript", "UPDATE messages SET body = '[]'", "row `message`: `body` is not of the shape it was written in"],
  ["transcript", "UPDATE messages SET role = 'persom'", "table `messages`, row `message`: `role` is not of its column's type"],
  [
    "transcript",
    "UPDATE tool_calls SET state = 'dome' WHERE id = 'call-0'",
    "table `tool_calls`, row `call-0`: `state` is not of its column's type",
  ],
  ["mounts", "UPDATE mounts SET mode = 'read_onlx'", "table `mounts`, row unknown: `mode` is not of its column's type"],
] as const)("in PostgreSQL %s fails and names the row after `%s`, and the rest goes on", async (method, statement, named) => {
  const store = await damagedInPostgres(statement);
  const methods = { transcript: () => store.transcript("chat"), mounts: () => store.mounts(SESSION) };
  await expect(methods[method]()).rejects.toMatchObject({ code: "io-error", message: expect.stringContaining(named) });
  expect(store.damage()).toEqual([expect.stringContaining(named)]);
  await store.record([event(3)]);
  expect(await store.verifyAudit()).toBeNull();
  await store.close();
});
