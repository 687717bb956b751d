// Chats and their transcripts in the store in memory.

import type { Store } from "../agent/ports.ts";
import type { Message } from "../agent/transcript.ts";
import { HallpassError } from "../core/errors.ts";
import { callsIn, findCall, putCall } from "./memory-calls.ts";
import { already, type Memory, missing } from "./memory-rows.ts";
import { exact, legible } from "./text.ts";

export function chatsIn(memory: Memory) {
  const { sessions, chats, transcripts, asks } = memory;
  return {
    async addChat(chat) {
      const session = sessions.get(chat.session);
      if (session === undefined) throw missing();
      if (session.archivedAt !== null) throw new HallpassError("session-closed", "the session is archived: it takes no more chats");
      const kept = { ...chat, id: exact(chat.id), title: legible(chat.title) };
      if (chats.has(chat.id)) throw already();
      chats.set(chat.id, kept);
    },
    chat: async (id) => chats.get(id) ?? null,
    async chatInSession(id) {
      const chat = chats.get(id);
      const session = chat === undefined ? undefined : sessions.get(chat.session);
      if (chat === undefined || session === undefined) return null;
      return { chat, session, transcript: transcripts.get(id) ?? [], said: memory.said.filter((one) => one.chat === id) };
    },
    chats: async (session, states) =>
      [...chats.values()].filter((chat) => (session === null || chat.session === session) && (states?.includes(chat.status) ?? true)),

    async setStatus(id, from, to) {
      const chat = chats.get(id);
      if (chat === undefined || !from.includes(chat.status)) return false;
      chats.set(id, { ...chat, status: to });
      return true;
    },

    transcript: async (chat) => transcripts.get(chat) ?? [],
    calls: async (chat, ids) =>
      new Map((transcripts.get(chat) ?? []).flatMap(callsIn).flatMap((call) => (ids.includes(call.id) ? [[call.id, call]] : []))),

    async append(id, message, status) {
      const kept = copyOf(message);
      const chat = chats.get(id);
      if (chat === undefined) throw missing();
      const before = transcripts.get(id) ?? [];
      if (before.some((other) => other.id === message.id)) throw already();
      const calls = [...before, message].flatMap(callsIn);
      if (new Set(calls.map((call) => call.id)).size < calls.length) throw already();
      if (callsIn(message).some(({ state }) => state.at === "waiting" && !asks.has(state.ask))) throw missing();
      transcripts.set(id, [...before, kept]);
      if (chat.status !== "archived" && status !== null) chats.set(id, { ...chat, status });
    },

    async setCall(chat, id, from, to) {
      const call = findCall(memory, chat, id);
      if (call === undefined || !from.includes(call.state.at) || (to.at === "waiting" && !asks.has(to.ask))) return false;
      putCall(memory, chat, id, to);
      return true;
    },
  } satisfies Partial<Store>;
}

/** The message as JSON keeps it, so that nobody holds on to a part of it and changes it. */
function copyOf(message: Message): Message {
  const id = exact(message.id);
  if (message.role !== "agent") return { ...message, id };
  const calls = message.calls.map((call) => {
    const input: unknown = JSON.parse(JSON.stringify(call.input) ?? "null");
    return { ...call, id: exact(call.id), name: legible(call.name), input };
  });
  return { ...message, id, calls };
}
