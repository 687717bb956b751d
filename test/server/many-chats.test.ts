// A hundred thousand chats: what a page fetches when it is opened, and when one more comes.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fillStore } from "../../scripts/fill-store.ts";
import { openAppOn } from "../../src/server/open-app.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { createClient } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import { createDaemon } from "../../web/src/state/daemon.ts";
import { createStore } from "../../web/src/state/store.ts";

const dir = mkdtempSync(join(tmpdir(), "hallpass-many-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("with 100,000 chats a page fetches less than 200 kB, more when asked, and one session when an agent comes", async () => {
  const file = join(dir, "hallpass.db");
  const workspace = join(dir, "work", "app");
  mkdirSync(workspace, { recursive: true });
  await fillStore({ databaseUrl: null, file }, { records: 0, sessions: 10_000, chats: 100_000, messages: 3000 });
  const own = await openAppOn(
    { store: await openSqliteStore({ file }), storeKind: "sqlite" },
    { home: dir, env: {}, platform: "linux", via: "web" },
  );
  const sent: string[] = [];
  const got = { bytes: 0 };
  const client = createClient({
    address: own.client.address,
    token: own.client.token,
    via: "web",
    fetch: async (request) => {
      sent.push(new URL(request.url).pathname);
      const answer = await own.fetch(request);
      got.bytes += (await answer.clone().arrayBuffer()).byteLength;
      return answer;
    },
  });
  const state = createStore();
  const daemon = createDaemon(client, state, { connect: own.connect, token: own.client.token, setTimeout });
  const listening = daemon.listen();
  try {
    await expect.poll(() => state.get().projects, { timeout: 60_000 }).not.toBeNull();
    await expect.poll(() => state.get().connection, { timeout: 60_000 }).toBe("live");
    await daemon.refresh();
    sent.length = 0;
    got.bytes = 0;
    await daemon.refresh();
    expect(got.bytes).toBeLessThan(200_000);
    expect(Object.keys(state.get().chats)).toHaveLength(100);

    await daemon.earlierChats();
    const chats = Object.values(state.get().chats);
    expect(chats).toHaveLength(200);
    expect(chats.filter(({ session }) => state.get().sessions[session] === undefined)).toEqual([]);

    const session = await own.client.send(routes.addSession, { body: { workspace } });
    sent.length = 0;
    await own.client.send(routes.addChat, { body: { session: session.id } });
    await expect.poll(() => Object.keys(state.get().chats).length, { timeout: 60_000 }).toBe(201);
    await expect.poll(() => state.get().sessions[session.id], { timeout: 60_000 }).toBeDefined();
    expect(sent.filter((path) => path !== `/api/sessions/${session.id}`)).toEqual([]);

    // The newest of a long chat, and those before them.
    const long = "c4a70000-0000-4000-8000-000000000000";
    const newest = await client.send(routes.messages, { id: long, query: { limit: 2 } });
    expect([newest.earlier, newest.messages.map(({ text }) => text.split(":")[0])]).toEqual([true, ["message 2998", "message 2999"]]);
    const before = await client.send(routes.messages, { id: long, query: { limit: 1, before: newest.messages[0]?.id ?? "" } });
    expect(before.messages.map(({ text }) => text.split(":")[0])).toEqual(["message 2997"]);
  } finally {
    listening.close();
    await own.close();
  }
}, 240_000);
