// A transcript as the messages a provider takes. Pure. Nothing about asks and answers is in it: what a person allowed or denied
// reaches the model only as the output of a call, and nothing that comes back can stand for an answer, since there is no such part.

import type { LanguageModelV3Message, LanguageModelV3Prompt, LanguageModelV3ToolResultPart } from "@ai-sdk/provider";
import { HallpassError, wordRefusal } from "../../core/errors.ts";
import type { CallOutcome, Picture, ToolCall, Transcript } from "../transcript.ts";
import { visibleTranscript } from "../visible.ts";

type Assistant = Extract<LanguageModelV3Message, { role: "assistant" }>;
type Call = Extract<Assistant["content"][number], { type: "tool-call" }>;

/**
 * The system text, the summary first if there is one, then what was said and done. Every call goes out with its result; a call that
 * is not done is the loop's mistake and throws.
 */
export function toMessages(system: string, transcript: Transcript, pictures = PICTURES): LanguageModelV3Prompt {
  const messages: LanguageModelV3Message[] = [];
  const names = wireIds(transcript);
  const all = visibleTranscript(transcript).flatMap((message) => (message.role === "person" ? (message.pictures ?? []) : []));
  const sentPictures = new Set(pictures === 0 ? [] : all.slice(-pictures));
  for (const message of visibleTranscript(transcript)) {
    switch (message.role) {
      case "person":
        for (const picture of message.pictures ?? [])
          add(messages, sentPictures.has(picture) ? pictureParts(picture) : [{ type: "text", text: LEFT_OUT }]);
        say(messages, message.text.trim() === "" && message.pictures === undefined ? "(an empty message)" : message.text);
        break;
      case "reminder":
        say(messages, marked("reminder", "from hallpass, not from the person", message.text));
        break;
      case "summary":
        say(messages, marked("summary", "of the conversation so far, from hallpass", message.text));
        break;
      case "agent": {
        const calls = message.calls.map((call) => ({ call, outcome: outcomeOf(call), id: names.get(call.id) ?? call.id }));
        const text = message.text.trim() === "" ? [] : [{ type: "text" as const, text: message.text.toWellFormed() }];
        const content: Assistant["content"] = [...text, ...calls.map(({ call, id }) => callPart(call, id))];
        if (content.length > 0) messages.push({ role: "assistant", content });
        if (calls.length > 0) messages.push({ role: "tool", content: calls.map(({ call, outcome, id }) => resultPart(call, outcome, id)) });
        break;
      }
    }
  }
  return cached([{ role: "system", content: system.toWellFormed() }, ...messages]);
}

/** As many of the newest pictures go out with each turn: each costs as much as a page of text, every time. */
const PICTURES = 8;
const LEFT_OUT = "(a picture stood here, which is not shown to you)";

type UserContent = Extract<LanguageModelV3Message, { role: "user" }>["content"];

function say(messages: LanguageModelV3Message[], text: string): void {
  if (text !== "") add(messages, [{ type: "text", text: text.toWellFormed() }]);
}

/** On the person's side. One message where two would stand side by side, and one text: some services insist that the sides take turns. */
function add(messages: LanguageModelV3Message[], parts: UserContent): void {
  const last = messages.at(-1);
  const content: UserContent = last?.role === "user" ? [...last.content] : [];
  if (last?.role === "user") messages.pop();
  for (const part of parts) {
    const lastPart = content.at(-1);
    if (part.type === "text" && lastPart?.type === "text")
      content.splice(-1, 1, { type: "text", text: `${lastPart.text}\n\n${part.text}` });
    else content.push(part);
  }
  messages.push({ role: "user", content });
}

const pictureParts = ({ type, data }: Picture): UserContent => [{ type: "file", mediaType: type, data }];

/** Words of the system among the person's: in a tag of ours, which the text itself cannot close. */
function marked(tag: "reminder" | "summary", whose: string, text: string): string {
  return `<hallpass-${tag} note="${whose}">\n${text.replaceAll(/<(?=\/?hallpass-)/gi, "<\\")}\n</hallpass-${tag}>`;
}

function outcomeOf(call: ToolCall): CallOutcome {
  // INVARIANT: no call is sent without its result, and no result that the store does not hold.
  if (call.state.at !== "done") throw new HallpassError("bad-request", `a call that is ${call.state.at} cannot be sent to a model`);
  return call.state.outcome;
}

function callPart(call: ToolCall, toolCallId: string): Call {
  return { type: "tool-call", toolCallId, toolName: wireName(call.name), input: wireInput(call.input) };
}

function resultPart(call: ToolCall, outcome: CallOutcome, toolCallId: string): LanguageModelV3ToolResultPart {
  const value = outcome.ok ? outcome.output : wordRefusal(outcome.code, outcome.hint);
  return {
    type: "tool-result",
    toolCallId,
    toolName: wireName(call.name),
    output: { type: outcome.ok ? "text" : "error-text", value: value === "" ? "(no output)" : value.toWellFormed() },
  };
}

/** Services take an object and nothing else; one bad call must not make every later turn fail. */
function wireInput(input: unknown): unknown {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  return { unreadable: (typeof input === "string" ? input : (JSON.stringify(input) ?? "")).slice(0, 2_000).toWellFormed() };
}

const wireName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown";

/** Ids as every service takes them. Ours usually fit; another's are numbered. */
function wireIds(transcript: Transcript): ReadonlyMap<string, string> {
  const calls = transcript.flatMap((message) => (message.role === "agent" ? message.calls : []));
  return new Map(calls.map(({ id }, at) => [id, /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `call_number_${at}`]));
}

/** Where Anthropic may keep what it has read: after the system text, and after all of it. Others take no notice. */
function cached(messages: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
  return messages.map((message, at) => (at === 0 || at === messages.length - 1 ? { ...message, providerOptions } : message));
}
