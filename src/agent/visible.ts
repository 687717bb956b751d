// What of a transcript the model sees: from the last summary on, without reminders whose time is over.

import type { Message, ToolCall, Transcript } from "./transcript.ts";

/** The messages to send. Nothing is changed in what is stored. */
export function visibleTranscript(transcript: Transcript): Transcript {
  const from = Math.max(
    0,
    transcript.findLastIndex(({ role }) => role === "summary"),
  );
  const sinceSummary = transcript.slice(from);
  return sinceSummary.filter((message, at) => message.role !== "reminder" || isAlive(message, sinceSummary.slice(at + 1)));
}

function isAlive(reminder: Extract<Message, { role: "reminder" }>, after: Transcript): boolean {
  const turns = after.filter(({ role }) => role === "agent").length;
  const replaced =
    reminder.dedupeKey !== null && after.some((message) => message.role === "reminder" && message.dedupeKey === reminder.dedupeKey);
  return !replaced && (reminder.turns === null || turns < reminder.turns);
}

/** About how much the model would read, in characters. */
export function sizeOf(transcript: Transcript): number {
  return visibleTranscript(transcript).reduce(
    (sum, message) =>
      sum +
      message.text.length +
      (message.role === "agent" ? sizeOfCalls(message.calls) : 0) +
      (message.role === "person" ? (message.pictures?.length ?? 0) * PICTURE : 0),
    0,
  );
}

/** About as much as a picture costs. */
const PICTURE = 6_000;

function sizeOfCalls(calls: readonly ToolCall[]): number {
  return calls.reduce(
    (sum, { input, state }) => sum + JSON.stringify(input ?? null).length + (state.at === "done" ? outcomeText(state.outcome).length : 0),
    0,
  );
}

const outcomeText = (outcome: Extract<ToolCall["state"], { at: "done" }>["outcome"]): string =>
  outcome.ok ? outcome.output : outcome.hint;
