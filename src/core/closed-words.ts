// What cards, lists and the record say of an ask that was closed without an answer.

import type { AskEnd } from "./audit.ts";

/** Why it was closed, as part of a sentence. */
export const closedWords: Readonly<Record<AskEnd, string>> = {
  withdrawn: "you said something else instead",
  stopped: "you stopped the agent",
  expired: "nobody answered in time",
  covered: "it is allowed now",
  changed: "what a yes would open has changed",
  "not-needed": "its call is no longer waiting for it",
  "session-ended": "its session has ended",
  "agent-left": "its agent has left",
  idle: "its agent has left, or was silent for too long",
};
