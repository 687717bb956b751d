// A chat to keep: as Markdown for people, as JSON for programs. What was said and called, what was asked, answered and granted; page by page, as
// it is read.

import { isLookupTool } from "../../core/access.ts";
import type { ModelUsage, Store, StoredAsk, StoredChat, StoredGrant, StoredSession } from "../../agent/ports.ts";
import { costOf, PRICES_AS_OF } from "../../agent/models/prices.ts";
import type { Message, ToolCall } from "../../agent/transcript.ts";
import type { WireChatUsage } from "../../wire/chat-routes.ts";
import { usageWords } from "../../wire/words.ts";
import { wireMessage } from "../frames.ts";
import { textStream } from "../text-stream.ts";
import { wireChat } from "./views.ts";

/** Messages that are read at once. */
const PAGE = 100;
/** As much of a call's output as Markdown shows. */
const SHOWN = 4000;

/** Tokens of a chat, and their cost where it is known; `prices`: what a person set them to. */
export function usageOf(counted: readonly ModelUsage[], prices: string | undefined): WireChatUsage {
  const models = counted.map(({ model, turns, input, output }) => ({
    model,
    turns,
    input,
    output,
    cost: costOf({ model, input, output }, prices),
  }));
  const sum = (of: (one: (typeof models)[number]) => number): number => models.reduce((total, one) => total + of(one), 0);
  const isPriced = models.length > 0 && models.every(({ cost }) => cost !== null);
  return {
    turns: sum(({ turns }) => turns),
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cost: isPriced ? sum(({ cost }) => cost ?? 0) : null,
    models,
    pricesAsOf: PRICES_AS_OF,
  };
}

async function* everyMessage(store: Store, chat: string): AsyncGenerator<Message> {
  for (let after: string | null = null; ;) {
    const page: readonly Message[] = await store.messagePage(chat, { after, rewound: true, limit: PAGE });
    yield* page;
    after = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return;
  }
}

interface Exporting {
  readonly now: number;
  /** Of models, as a person set them. */
  readonly prices: string | undefined;
}

/** What stands around the messages of a chat. */
async function surroundings(store: Store, chat: StoredChat, { prices }: Exporting) {
  const [session, asks, live, usage] = await Promise.all([
    store.session(chat.session),
    store.asks({ chat: chat.id }),
    store.grants(chat.session),
    store.usage(chat.id),
  ]);
  const grants = new Map<string, StoredGrant>(live.map((grant) => [grant.ask, grant]));
  return { session, asks, grants, usage: usageOf(usage, prices) };
}

// ── JSON ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const jsonExport = (store: Store, chat: StoredChat, how: Exporting): ReadableStream<Uint8Array> =>
  textStream(jsonPieces(store, chat, how));

async function* jsonPieces(store: Store, chat: StoredChat, how: Exporting): AsyncGenerator<string, void> {
  const { session, asks, grants, usage } = await surroundings(store, chat, how);
  const field = (name: string, value: unknown): string => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`;
  yield `{\n${field("exported", new Date(how.now).toISOString())}${field("chat", wireChat(chat))}`;
  yield field(
    "session",
    session === null ? null : { id: session.id, workspace: session.workspace, host: session.host, label: session.label },
  );
  yield `${field("usage", usage)}${field(
    "asks",
    asks.map((ask) => jsonAsk(ask, grants.get(ask.id))),
  )}"messages": [`;
  let separator = "\n";
  for await (const message of everyMessage(store, chat.id)) {
    yield `${separator}${JSON.stringify(message.role === "person" ? message : wireMessage(message))}`;
    separator = ",\n";
  }
  yield "\n]\n}\n";
}

function jsonAsk(ask: StoredAsk, grant: StoredGrant | undefined) {
  const { id, at, kind, tool, requested, path, right, proposal, words, question, options, state, answer, rewoundAt } = ask;
  const opens = proposal?.dir ?? null;
  const granted = grant === undefined ? null : { id: grant.id, path: grant.path, at: grant.at, expires: grant.expires };
  return { id, at, kind, tool, requested, path, right, opens, words, question, options, state, answer, grant: granted, rewoundAt };
}

// ── Markdown ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const markdownExport = (store: Store, chat: StoredChat, how: Exporting): ReadableStream<Uint8Array> =>
  textStream(markdownPieces(store, chat, how));

async function* markdownPieces(store: Store, chat: StoredChat, how: Exporting): AsyncGenerator<string, void> {
  const { session, asks, grants, usage } = await surroundings(store, chat, how);
  yield head(chat, session, usage, how.now);
  // As the pages show it: an ask stands behind the last message that is not younger than it.
  const currentAsks = asks.filter(({ rewoundAt }) => rewoundAt === undefined);
  let rewound = 0;
  for await (const message of everyMessage(store, chat.id)) {
    if (message.rewoundAt !== undefined) {
      rewound += 1;
      continue;
    }
    for (let ask = currentAsks[0]; ask !== undefined && ask.at < message.at; ask = currentAsks[0]) {
      currentAsks.shift();
      yield askText(ask, grants.get(ask.id));
    }
    yield messageText(message);
  }
  for (const ask of currentAsks) yield askText(ask, grants.get(ask.id));
  if (rewound > 0)
    yield `---\n\n${rewound} ${rewound === 1 ? "message that was" : "messages that were"} rewound ${rewound === 1 ? "is" : "are"} left out; the JSON export has them.\n`;
}

const time = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

function head({ title, at, model }: StoredChat, session: StoredSession | null, usage: WireChatUsage, now: number): string {
  const rows = [
    `- Workspace: ${code(session?.workspace ?? "")}`,
    `- Agent: ${code(session?.label ?? session?.host ?? model ?? usage.models.at(-1)?.model ?? "Hallpass")}`,
    `- Begun: ${time(at)} UTC`,
    `- Exported: ${time(now)} UTC`,
    ...(usage.turns === 0 ? [] : [`- ${usageWords(usage)}`]),
  ];
  return `# ${oneLine(title) || "Chat"}\n\n${rows.join("\n")}\n\n`;
}

function messageText(message: Message): string {
  switch (message.role) {
    case "person":
      return `## Person · ${time(message.at)}\n\n${message.text}\n\n`;
    case "reminder":
      return `## Hallpass to the agent · ${time(message.at)}\n\n${quoted(message.text)}\n\n`;
    case "summary":
      return `## Summary of what came before · ${time(message.at)}\n\n${quoted(message.text)}\n\n`;
    case "agent": {
      const text = message.text === "" ? "" : `${message.text}\n\n`;
      const fault = message.error === null ? "" : `**The turn failed:** ${oneLine(message.error)}\n\n`;
      return `## Agent · ${time(message.at)}\n\n${text}${message.calls.map(callText).join("")}${fault}`;
    }
  }
}

function callText({ name, input, state }: ToolCall): string {
  const call = `**Call** ${code(`${name} ${JSON.stringify(input ?? {})}`)}`;
  if (state.at !== "done") return `${call}: ${state.at}\n\n`;
  const { outcome } = state;
  if (!outcome.ok) return `${call}: refused, ${code(outcome.code)}\n\n${quoted(outcome.hint)}\n\n`;
  return `${call}: done\n\n${fenced(outcome.diff ?? outcome.output, outcome.diff === undefined ? "" : "diff")}`;
}

function askText(ask: StoredAsk, grant: StoredGrant | undefined): string {
  const subject = ask.question ?? `${ask.tool}: ${ask.requested.join(", ")}`;
  const rows = [
    `**Asked** · ${time(ask.at)}: ${oneLine(subject)}`,
    ...(ask.words === null ? [] : [`${isLookupTool(ask.tool) ? "Seen by Hallpass" : "The agent's reason"}: ${oneLine(ask.words)}`]),
    `**Answered**: ${answerText(ask)}`,
    ...(grant === undefined ? [] : [`**Granted**: reading ${code(grant.path)}; it still holds`]),
  ];
  return `${quoted(rows.join("\n\n"))}\n\n`;
}

function answerText({ state, answer, proposal }: StoredAsk): string {
  if (answer === null) return state === "open" ? "not yet" : "closed without an answer; nothing was allowed";
  const by = `by ${oneLine(answer.by)}, ${time(answer.at)}`;
  switch (answer.verdict) {
    case "reply":
      return `${oneLine(answer.text)} (${by})`;
    case "deny":
      return `denied ${by}${answer.note === null ? "" : `, with the note: ${oneLine(answer.note)}`}`;
    case "allow":
      return answer.until === "call"
        ? `allowed once ${by}`
        : `allowed ${by}: reading ${code(answer.opened ?? proposal?.dir ?? "")}${answer.expires === null ? " until the session ends" : ` until ${time(answer.expires)}`}`;
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
/** A run of backticks longer than any in the text. */
const ticks = (text: string, least: number): string =>
  "`".repeat(Math.max(least, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));

function code(text: string): string {
  const line = oneLine(text);
  const fence = ticks(line, 1);
  return fence.length === 1 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

function fenced(text: string, language: string): string {
  const excerpt = text.slice(0, SHOWN);
  const fence = ticks(excerpt, 3);
  const more = text.length > SHOWN ? `\n\n${text.length - SHOWN} more characters are left out; the JSON export has them.` : "";
  return text === "" ? "" : `${fence}${language}\n${excerpt.replace(/\n$/, "")}\n${fence}${more}\n\n`;
}
