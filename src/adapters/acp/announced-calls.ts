// Remembers what an agent told its editor about each call (`session/update`). A permission request may give only the id of a call, and
// the editor then shows what it was told earlier, so a call is judged by everything that was ever said about it.

import { type Fields, fieldsOf, textAt } from "./rpc.ts";

export interface AnnouncedCalls {
  /** A `session/update`: a call that begins or changes is remembered, one that is over is forgotten. */
  announce(params: Fields): void;
  /** What was told of a call before; empty where nothing was. */
  before(session: string, toolCallId: string | null): Fields;
}

/** Calls that are remembered at once; the oldest goes first. */
const MAX_CALLS = 500;
/** What an editor shows of a call. */
const SHOWN = ["title", "kind", "locations", "rawInput", "content"] as const;
const OVER: ReadonlySet<string> = new Set(["completed", "failed"]);

export function createAnnouncedCalls(): AnnouncedCalls {
  const calls = new Map<string, Fields>();
  const keyOf = (session: string, id: string): string => JSON.stringify([session, id]);
  return {
    announce(params) {
      const update = fieldsOf(params["update"]);
      const kind = update === null ? null : textAt(update, "sessionUpdate");
      const id = update === null ? null : textAt(update, "toolCallId");
      if (update === null || id === null || (kind !== "tool_call" && kind !== "tool_call_update")) return;
      const callKey = keyOf(textAt(params, "sessionId") ?? "", id);
      const previous = calls.get(callKey);
      calls.delete(callKey);
      if (OVER.has(textAt(update, "status") ?? "")) return;
      calls.set(callKey, mergeFields(update, kind === "tool_call" ? {} : (previous ?? {})));
      for (const oldest of calls.keys()) if (calls.size > MAX_CALLS) calls.delete(oldest);
    },
    before: (session, id) => (id === null ? {} : (calls.get(keyOf(session, id)) ?? {})),
  };
}

/** As editors take it: what is said now stands in the place of what was said before, and what is not said stays. */
export function mergeFields(update: Fields, previous: Fields): Fields {
  const merged: Record<string, unknown> = { ...previous };
  for (const key of SHOWN) if (update[key] !== undefined && update[key] !== null) merged[key] = update[key];
  return merged;
}

/** The id of the call a message of the agent's is about, wherever the protocol has one. */
export function callIn(params: Fields): string | null {
  return textAt(fieldsOf(params["update"]) ?? fieldsOf(params["toolCall"]) ?? params, "toolCallId");
}
