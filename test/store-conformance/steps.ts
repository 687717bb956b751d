// Steps that the parts of the suite share.

import { afterEach, beforeEach, expect } from "vitest";
import type { Store, StoredAsk } from "../../src/agent/ports.ts";
import type { CallState, ToolCall } from "../../src/agent/transcript.ts";
import { callId } from "../../src/core/names.ts";
import { agentMessage, someChat, someSession } from "./values.ts";

/** The store of each test, closed after it. */
export function eachStore(make: () => Promise<Store>): { readonly store: () => Store } {
  const opened: Store[] = [];
  beforeEach(async () => {
    opened.push(await make());
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  return {
    store: () => {
      const [store] = opened;
      if (store === undefined) throw new Error("no store");
      return store;
    },
  };
}

export const fails = (code: string): unknown => expect.objectContaining({ name: "HallpassError", code });

/** A session with one chat, and in it one message with the calls `call-0`, `call-1`, … */
export async function started(store: Store, calls = 1): Promise<Store> {
  await store.addSession(someSession(), []);
  await store.addChat(someChat());
  await store.append(
    "chat",
    agentMessage(
      "message",
      Array.from({ length: calls }, (_, call) => callId(`call-${call}`)),
    ),
    "running",
  );
  return store;
}

export async function callStates(store: Store, chat = "chat"): Promise<Readonly<Record<string, CallState>>> {
  const calls = (await store.transcript(chat)).flatMap((message): readonly ToolCall[] => (message.role === "agent" ? message.calls : []));
  return Object.fromEntries(calls.map(({ id, state }) => [id, state]));
}

export const statusOf = async (store: Store): Promise<string | undefined> => (await store.chat("chat"))?.status;
export const PROPOSED: CallState = { at: "proposed" };
export const waitingFor = (ask: StoredAsk): CallState => ({ at: "waiting", ask: ask.id, kind: ask.kind });
export const done = (output: string): CallState => ({ at: "done", outcome: { ok: true, output } });
