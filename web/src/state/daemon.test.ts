// The daemon's two tongues: frames and answers. Whichever comes first, the newer of them stands.

import { expect, test } from "vitest";
import { createClient } from "../../../src/wire/client.ts";
import type { Frame } from "../../../src/wire/frames.ts";
import type { SocketLike } from "../../../src/wire/socket.ts";
import type { WireChat } from "../../../src/wire/values.ts";
import { createDaemon } from "./daemon.ts";
import { createStore } from "./store.ts";

const chat: WireChat = {
  id: "chat-0123456789abcdef",
  session: "session-0123456789abcdef",
  title: "",
  status: "idle",
  at: 1,
  model: null,
  archivedAt: null,
};

function connected(answer: (request: Request) => unknown) {
  const store = createStore();
  const listeners: ((event: { readonly data: unknown }) => void)[] = [];
  const socket: SocketLike = {
    send() {},
    close() {},
    addEventListener(type: string, listener: (event: { readonly data: unknown }) => void) {
      if (type === "message") listeners.push(listener);
    },
  };
  const client = createClient({
    address: "http://127.0.0.1",
    token: "t",
    via: "web",
    fetch: async (request) => Response.json(answer(request)),
  });
  const daemon = createDaemon(client, store, { connect: () => socket, token: "t", setTimeout: () => {} });
  daemon.listen();
  const frame = (sent: Frame): void => listeners.forEach((listener) => listener({ data: JSON.stringify(sent) }));
  return { store, daemon, frame };
}

test("an answer that is older than a frame does not undo it", async () => {
  const { store, daemon, frame } = connected(() => {
    // The chat is waiting before the answer to what was said is on its way.
    frame({ type: "chat_status", cursor: "1", chat: chat.id, status: "waiting_for_input", why: "" });
    return { ...chat, status: "running" };
  });
  store.put({ type: "chats", chats: [chat] });
  await daemon.say(chat.id, "read it");
  expect(store.get().chats[chat.id]?.status).toBe("waiting_for_input");
});

test("an answer that is newer than every frame stands", async () => {
  const { store, daemon, frame } = connected(() => ({ ...chat, status: "running" }));
  store.put({ type: "chats", chats: [chat] });
  frame({ type: "chat_status", cursor: "1", chat: chat.id, status: "failed", why: "" });
  await daemon.say(chat.id, "read it");
  expect(store.get().chats[chat.id]?.status).toBe("running");
});
