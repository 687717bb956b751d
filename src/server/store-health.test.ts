import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { expect, test } from "vitest";
import { HallpassError } from "../core/errors.ts";
import { event, someChat, someSession } from "../../test/store-conformance/values.ts";
import { createMemoryStore } from "../store/memory.ts";
import { openSqliteStore } from "../store/sqlite.ts";
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

test("rows that cannot be read are left out of lists, and health says which they are", async () => {
  const dir = mkdtempSync(join(tmpdir(), "hallpass-health-"));
  try {
    const file = join(dir, "store", "hallpass.db");
    const store = await openSqliteStore({ file });
    await store.addSession(someSession(), []);
    for (const id of ["chat", "chat-1"]) await store.addChat(someChat({ id }));
    const past = new Database(file);
    past.exec("UPDATE chats SET title = CAST(x'ff' AS TEXT) WHERE id = 'chat'");
    past.close();
    const assembled = await assemble({ store, storeKind: "sqlite", home: dir, env: {}, platform: process.platform, token: "t" });
    const get = async (path: string): Promise<{ readonly status: number; readonly body: unknown }> => {
      const answer = await assembled.app.fetch(new Request(`http://127.0.0.1${path}`, { headers: { authorization: "Bearer t" } }));
      return { status: answer.status, body: await answer.json() };
    };
    expect(await get("/api/health")).toMatchObject({ status: 200, body: { ok: true, degraded: [] } });
    expect(await get("/api/chats")).toMatchObject({ status: 200, body: [{ id: "chat-1" }] });
    const named = "table `chats`, row `chat`: `title` is not UTF-8 text";
    expect(await get("/api/health")).toMatchObject({ status: 200, body: { ok: true, degraded: [named] } });
    expect(await get("/api/chats/chat")).toMatchObject({ status: 500, body: { error: { message: expect.stringContaining(named) } } });
    await assembled.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
