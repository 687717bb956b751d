// The calls in the transcripts of the store in memory: where a database has a table of them, they are looked for in the messages here.

import { type CallState, type Message, type ToolCall, withCallState } from "../agent/transcript.ts";
import type { CallId } from "../core/names.ts";
import type { Memory } from "./memory-rows.ts";

export const callsIn = (message: Message): readonly ToolCall[] => (message.role === "agent" ? message.calls : []);

/** Those of every chat. */
export function allCalls({ transcripts }: Memory): readonly { readonly chat: string; readonly call: ToolCall }[] {
  return [...transcripts].flatMap(([chat, transcript]) => transcript.flatMap(callsIn).map((call) => ({ chat, call })));
}

export function findCall({ transcripts }: Memory, chat: string, id: CallId): ToolCall | undefined {
  return transcripts
    .get(chat)
    ?.flatMap(callsIn)
    .find((call) => call.id === id);
}

/** The call's state is this one now. */
export function putCall({ transcripts }: Memory, chat: string, id: CallId, state: CallState): void {
  transcripts.set(chat, withCallState(transcripts.get(chat) ?? [], id, state));
}
