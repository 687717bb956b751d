// What of a transcript the model sees: from the last summary on, without reminders whose time is over. And the summary itself.

import type { StoredAsk, StoredGrant } from "./ports.ts";
import type { Message, ToolCall, Transcript } from "./transcript.ts";

/** The messages to send. Nothing is changed in what is stored. */
export function visibleTranscript(transcript: Transcript): Transcript {
  const from = Math.max(
    0,
    transcript.findLastIndex(({ role }) => role === "summary"),
  );
  const kept = transcript.slice(from);
  return kept.filter((message, at) => message.role !== "reminder" || isAlive(message, kept.slice(at + 1)));
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
    (sum, message) => sum + message.text.length + (message.role === "agent" ? sizeOfCalls(message.calls) : 0),
    0,
  );
}

function sizeOfCalls(calls: readonly ToolCall[]): number {
  return calls.reduce(
    (sum, { input, state }) => sum + JSON.stringify(input ?? null).length + (state.at === "done" ? outcomeText(state.outcome).length : 0),
    0,
  );
}

const outcomeText = (outcome: Extract<ToolCall["state"], { at: "done" }>["outcome"]): string =>
  outcome.ok ? outcome.output : outcome.hint;

/**
 * A long transcript in short: what the person said, which files were touched, and every ask, answer and grant, word for word. Scope
 * alerts and outputs are dropped. Made without a model, so that it is the same for the same chat.
 */
export function summarize(transcript: Transcript, asks: readonly StoredAsk[], grants: readonly StoredGrant[]): string {
  const visible = visibleTranscript(transcript);
  const before = visible.find(({ role }) => role === "summary")?.text;
  const said = visible.flatMap((message) => (message.role === "person" ? [`- ${clip(message.text, 600)}`] : []));
  const replies = visible.flatMap((message) => (message.role === "agent" && message.text !== "" ? [`- ${clip(message.text, 300)}`] : []));
  const calls = visible.flatMap((message) => (message.role === "agent" ? message.calls : [])).map(callLine);
  return [
    "What happened so far, in short.",
    ...(before === undefined ? [] : ["", "Earlier:", before]),
    ...section("The person said:", said),
    ...section("You said:", replies.slice(-10)),
    ...section("Calls:", [...new Set(calls)].slice(-60)),
    ...section("Asks and answers:", asks.map(askLine)),
    ...section(
      "Granted for reading now:",
      grants.map(({ path }) => `- ${path}`),
    ),
  ].join("\n");
}

const section = (title: string, lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ["", title, ...lines]);

function callLine({ name, input, state }: ToolCall): string {
  const outcome = state.at !== "done" ? state.at : state.outcome.ok ? "done" : `refused: ${state.outcome.code}`;
  return `- ${name} ${clip(JSON.stringify(input ?? {}), 160)}: ${outcome}`;
}

function askLine({ requested, question, proposal, answer, state }: StoredAsk): string {
  const what = question ?? `${requested.join(", ")}${proposal === null ? "" : ` (${proposal.dir})`}`;
  return `- ${clip(what, 300)}: ${answer === null ? state : answer.verdict === "reply" ? `answered "${clip(answer.text, 300)}"` : answerWords(answer)}`;
}

function answerWords(answer: Exclude<StoredAsk["answer"], null | { verdict: "reply" }>): string {
  if (answer.verdict === "allow") return `allowed ${answer.until === "call" ? "once" : "for the session"} by ${answer.by}`;
  return `denied by ${answer.by}${answer.note === null ? "" : `: "${clip(answer.note, 300)}"`}`;
}

const clip = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);
