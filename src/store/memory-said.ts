// What a person said and their chat has not heard yet, in the store in memory.

import type { Store } from "../agent/ports.ts";
import type { Message } from "../agent/transcript.ts";
import { HallpassError } from "../core/errors.ts";
import { already, type Memory, missing } from "./memory-rows.ts";
import { closeAll } from "./memory-settling.ts";
import { exact } from "./text.ts";

export function saidIn(memory: Memory) {
  const { chats, transcripts, said } = memory;
  return {
    async say({ chat, id, at, text }, instead) {
      const its = chats.get(chat);
      if (its === undefined) throw missing();
      if (its.status === "archived") throw new HallpassError("session-closed", "the chat is archived: nobody hears it any more");
      const kept = { chat, id: exact(id), at, text };
      if (said.some((one) => one.chat === chat && one.id === id) || transcripts.get(chat)?.some((one) => one.id === id)) throw already();
      const closed = closeAll(memory, instead);
      said.push(kept);
      return closed;
    },
    said: async (chat) => said.filter((one) => chat === null || one.chat === chat),
    async hear(id, status) {
      const messages = heard(memory, id);
      const chat = chats.get(id);
      if (messages.length > 0 && chat !== undefined && chat.status !== "archived") chats.set(id, { ...chat, status });
      return messages;
    },
  } satisfies Partial<Store>;
}

/** What was said in a chat, now in its transcript. */
export function heard(memory: Memory, chat: string): readonly Message[] {
  const messages = waiting(memory, chat);
  if (messages.length === 0) return [];
  const { transcripts, said } = memory;
  transcripts.set(chat, [...(transcripts.get(chat) ?? []), ...messages]);
  said.splice(0, said.length, ...said.filter((one) => one.chat !== chat));
  return messages;
}

/** What was said in a chat, as messages. Throws where its transcript has one of them already; nothing is changed. */
export function waiting({ transcripts, said }: Memory, chat: string): readonly Message[] {
  const messages = said.filter((one) => one.chat === chat).map(({ id, at, text }): Message => ({ role: "person", id, at, text }));
  if (messages.some(({ id }) => transcripts.get(chat)?.some((one) => one.id === id))) throw already();
  return messages;
}
