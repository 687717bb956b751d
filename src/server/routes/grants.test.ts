import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { httpStage, TOKEN } from "../../../test/server/http-stage.ts";
import { createMemoryStore } from "../../store/memory.ts";

test("whoever revokes has heard of it over their socket when it is answered, one grant or all", async () => {
  const memory = createMemoryStore();
  const slow = { on: false };
  const stage = await httpStage({
    script: (at) => [
      { calls: [{ name: "request_read_access", input: { path: at.path("lib/src/x.go"), reason: "to see" } }] },
      { calls: [{ name: "request_read_access", input: { path: at.path("other/y.txt"), reason: "to see" } }] },
      "done",
    ],
    // What the frame is made of comes late.
    stored: {
      ...memory,
      async mounts(session) {
        if (slow.on) await sleep(40);
        return memory.mounts(session);
      },
    },
  });
  const { agent, store } = stage.server;
  const { id: session } = await agent.newSession({ workspace: stage.at.path("ws") });
  const chat = await agent.newChat(session);
  await agent.say(chat.id, "look");
  for (let round = 0; round < 2; round += 1) {
    const [ask] = await store.asks({ state: "open" });
    if (ask === undefined) throw new Error("nobody asks");
    await agent.answer(ask.id, { verdict: "allow", until: "session", by: "me" });
    await agent.settled();
  }
  const [first] = await store.grants(session);
  const paths: number[] = [];
  const socket = stage.server.connect([`hallpass.token.${TOKEN}`]);
  onTestFinished(() => socket.close());
  await new Promise<void>((live) => {
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as { type: string; session?: { allowed_read_paths: string[] } };
      if (frame.type === "live") live();
      if (frame.type === "session_updated") paths.push(frame.session?.allowed_read_paths.length ?? -1);
    });
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "subscribe", chats: "all", after: null })));
  });
  slow.on = true;
  expect((await stage.send(`/api/grants/${first?.id}/revoke`, { method: "POST", body: {} })).status).toBe(200);
  expect(paths.at(-1)).toBe(1);
  expect((await stage.send(`/api/sessions/${session}/revoke_all`, { method: "POST", body: {} })).status).toBe(200);
  expect(paths.at(-1)).toBe(0);
});
