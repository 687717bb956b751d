// What an agent has told its editor of its calls (`session/update`). A permission request may name a call by its id alone and the editor
// shows what it was told before, so a call is judged by all that was said of it, whenever that was.

import { type Fields, fieldsOf, textAt } from "./rpc.ts";

export interface AnnouncedCalls {
  /** A `session/update`: a call that begins or changes is remembered, one that is over is forgotten. */
  announce(params: Fields): void;
  /** What was told of a call before; empty where nothing was. */
  before(session: string, toolCallId: string | null): Fields;
}

/** Calls that are remembered at once; the oldest goes first. */
const MOST = 500;
/** What an editor shows of a call. */
const SHOWN = ["title", "kind", "locations", "rawInput", "content"] as const;
const OVER: ReadonlySet<string> = new Set(["completed", "failed"]);

export function createAnnouncedCalls(): AnnouncedCalls {
  const calls = new Map<string, Fields>();
  const nameOf = (session: string, id: string): string => JSON.stringify([session, id]);
  return {
    announce(params) {
      const update = fieldsOf(params["update"]);
      const word = update === null ? null : textAt(update, "sessionUpdate");
      const id = update === null ? null : textAt(update, "toolCallId");
      if (update === null || id === null || (word !== "tool_call" && word !== "tool_call_update")) return;
      const name = nameOf(textAt(params, "sessionId") ?? "", id);
      const before = calls.get(name);
      calls.delete(name);
      if (OVER.has(textAt(update, "status") ?? "")) return;
      calls.set(name, mergeFields(update, word === "tool_call" ? {} : (before ?? {})));
      for (const oldest of calls.keys()) if (calls.size > MOST) calls.delete(oldest);
    },
    before: (session, id) => (id === null ? {} : (calls.get(nameOf(session, id)) ?? {})),
  };
}

/** As editors take it: what is said now stands in the place of what was said before, and what is not said stays. */
export function mergeFields(now: Fields, before: Fields): Fields {
  const whole: Record<string, unknown> = { ...before };
  for (const key of SHOWN) if (now[key] !== undefined && now[key] !== null) whole[key] = now[key];
  return whole;
}

/** The id of the call a message of the agent's is about, wherever the protocol has one. */
export function callIn(params: Fields): string | null {
  return textAt(fieldsOf(params["update"]) ?? fieldsOf(params["toolCall"]) ?? params, "toolCallId");
}
