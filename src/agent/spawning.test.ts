import { expect, test } from "vitest";
import { callId, sessionId } from "../core/names.ts";
import type { Store, StoredChat, StoredSession } from "./ports.ts";
import { childChatOf, parentOf } from "./spawning.ts";
import type { Message } from "./transcript.ts";

const call = callId("c1");
const turn: Message = {
  role: "agent",
  id: "m",
  at: 0,
  text: "",
  usage: null,
  error: null,
  calls: [{ id: call, name: "spawn_agent", input: {}, state: { at: "started" } }],
};
const chat = (id: string): StoredChat => ({ id, session: sessionId("child"), title: "", status: "idle", at: 0 });

/** A parent's session with one chat in it that made one call, and a session below it. */
function storeOf(child: Partial<StoredSession>): Store {
  const store: Pick<Store, "session" | "chats" | "transcript"> = {
    session: () => Promise.resolve({ id: sessionId("child"), parent: sessionId("parent"), host: null, ...child } as StoredSession),
    chats: () => Promise.resolve([{ ...chat("above"), session: sessionId("parent") }]),
    transcript: () => Promise.resolve([turn]),
  };
  return store as Store;
}

test.each([
  ["a chat that a call started", chat(childChatOf(call)), {}, { chat: "above", call }],
  ["a chat of the same session that nobody started", chat("another"), {}, null],
  ["one whose name merely looks like it", chat(childChatOf(callId("c2"))), {}, null],
  ["one in a session that was forked from none", chat(childChatOf(call)), { parent: null }, null],
  ["one that another program drives", chat(childChatOf(call)), { host: "mcp" }, null],
])("the parent of %s", async (_what, child, session, parent) => {
  expect(await parentOf(storeOf(session), child)).toEqual(parent);
});
