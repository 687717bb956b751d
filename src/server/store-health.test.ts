import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { expect, test } from "vitest";
import { HallpassError } from "../core/errors.ts";
import { callId } from "../core/names.ts";
import { agentMessage, event, grantAsk, someChat, someSession } from "../../test/store-conformance/values.ts";
import { createMemoryStore } from "../store/memory.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { createClient } from "../wire/client.ts";
import { routes } from "../wire/http.ts";
import { assemble } from "./assemble.ts";
import { watchStore } from "./store-health.ts";

test("a store that cannot keep a record is not well until it keeps the next one", async () => {
  const memory = createMemoryStore();
  await memory.addSession(someSession(), []);
  const disk = { full: false };
  const { store, isWell } = watchStore({
    ...memory,
    async record(events) {
      if (disk.full) throw new HallpassError("io-error", "no room");
      await memory.record(events);
    },
  });
  const seen: boolean[] = [];
  for (const full of [false, true, true, false]) {
    disk.full = full;
    await store.record([event(1)]).catch(() => {});
    seen.push(isWell());
    // Refused for what it is, whatever the disk is like.
    await store.addSession(someSession(), []).catch(() => {});
    expect(isWell()).toBe(seen.at(-1));
  }
  expect(seen).toEqual([true, false, false, true]);
  expect(await store.audit({})).toHaveLength(2);
});

test("a store that is deleted under the daemon: nothing is allowed, the caller is told why, and health is not ok", async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-health-")));
  try {
    const file = join(dir, "store", "hallpass.db");
    mkdirSync(join(dir, "ws"));
    writeFileSync(join(dir, "ws/a.txt"), "a\n");
    const store = await openSqliteStore({ file });
    const assembled = await assemble({ store, storeKind: "sqlite", home: dir, env: {}, platform: process.platform, token: "t" });
    const fetch = (request: Request): Promise<Response> => assembled.app.fetch(request);
    const person = createClient({ address: "http://127.0.0.1", token: "t", fetch, via: "test" });
    const body = { host: "test", hostSession: "one", workspace: join(dir, "ws") };
    const { credential } = await person.send(routes.register, { body });
    const agent = createClient({ address: "http://127.0.0.1", token: credential, fetch, via: "test" });
    const decide = (call: string) =>
      agent.send(routes.decide, { body: { call, tool: "Read", operation: "read", path: join(dir, "ws/a.txt") } });
    const isOk = async () => (await person.send(routes.health, {})).ok;
    expect([(await decide("before")).verdict, await isOk()]).toEqual(["allow", true]);
    rmSync(file);
    await expect(decide("after")).rejects.toMatchObject({
      code: "io-error",
      message: expect.stringMatching(/hallpass\.db` was deleted, moved or replaced while it was in use.*start it again/),
    });
    expect(await isOk()).toBe(false);
    await assembled.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test("rows that cannot be read are left out of lists, and health says which they are", async () => {
  const dir = mkdtempSync(join(tmpdir(), "hallpass-health-"));
  try {
    const file = join(dir, "store", "hallpass.db");
    const store = await openSqliteStore({ file });
    await store.addSession(someSession(), []);
    const asks = [grantAsk(0, { chat: "chat-1" }), grantAsk(1, { chat: "chat-1" })];
    for (const id of ["chat", "chat-1"]) await store.addChat(someChat({ id }));
    await store.append("chat-1", agentMessage("m", [callId("call-0"), callId("call-1")]), "running");
    for (const ask of asks) await store.openAsk(ask);
    const past = new Database(file);
    past.pragma("ignore_check_constraints = 1");
    past.exec("UPDATE asks SET calls = '[1]' WHERE id = 'ask-1'");
    past.exec("UPDATE chats SET title = CAST(x'ff' AS TEXT) WHERE id = 'chat'");
    past.close();
    const assembled = await assemble({ store, storeKind: "sqlite", home: dir, env: {}, platform: process.platform, token: "t" });
    const get = async (path: string): Promise<{ readonly status: number; readonly body: unknown }> => {
      const answer = await assembled.app.fetch(new Request(`http://127.0.0.1${path}`, { headers: { authorization: "Bearer t" } }));
      return { status: answer.status, body: await answer.json() };
    };
    // An ask that nobody can answer is no open request, and what is the matter is said at the first look.
    const ask = "table `asks`, row `ask-1`: `calls` is not of the shape it was written in";
    expect(await get("/api/health")).toMatchObject({ status: 200, body: { ok: true, degraded: [ask], openAsks: 1 } });
    expect(await get("/api/chats")).toMatchObject({ status: 200, body: [{ id: "chat-1" }] });
    const named = "table `chats`, row `chat`: `title` is not UTF-8 text";
    expect(await get("/api/health")).toMatchObject({ status: 200, body: { ok: true, degraded: [ask, named] } });
    expect(await get("/api/chats/chat")).toMatchObject({ status: 500, body: { error: { message: expect.stringContaining(named) } } });
    await assembled.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
