// Ids for the calls of a turn, new in their chat. A loop may give its own; these are what a model says.

import type { Transcript } from "../transcript.ts";

/**
 * Ids for the calls of one turn: the service's own where it is new and fits every service, else a fresh one. A model that gives a call
 * the id of an earlier one gets another id, not the earlier call's state.
 */
export function callIds(transcript: Transcript, fresh: () => string): (id: string) => string {
  const usedIds = new Set(transcript.flatMap((message) => (message.role === "agent" ? message.calls.map(({ id }): string => id) : [])));
  return (id) => {
    const newId = /^[A-Za-z0-9_-]{1,64}$/.test(id) && !usedIds.has(id) ? id : fresh();
    usedIds.add(newId);
    return newId;
  };
}

/** An id made of what was said last: it differs between chats and turns, and is the same when it is asked for again. */
export function idAfter(transcript: Transcript, at: number): string {
  const last = transcript.at(-1)?.id ?? "start";
  return `${last.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 40)}-${transcript.length}-${at + 1}`;
}
