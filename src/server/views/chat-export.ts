// A chat to keep: as Markdown for people, as JSON for programs. What was said and called; what was asked, answered and came of it, in the words of
// its card; page by page, as it is read.

import { isLookupTool } from "../../core/access.ts";
import { personWords, sessionName } from "../../core/guard/card.ts";
import { settledWords } from "../../core/guard/settled-words.ts";
import type { ModelUsage, Store, StoredAsk, StoredChat, StoredGrant, StoredSession } from "../../agent/ports.ts";
import { costOf, PRICES_AS_OF } from "../../agent/models/prices.ts";
import type { Message, ToolCall } from "../../agent/transcript.ts";
import type { WireChatUsage } from "../../wire/chat-routes.ts";
import type { WireAsk } from "../../wire/values.ts";
import { usageWords } from "../../wire/words.ts";
import { wireMessage } from "../frames.ts";
import { textStream } from "../text-stream.ts";
import { machineOf, wireChat } from "./views.ts";

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

interface ExportOptions {
  readonly now: number;
  /** Of models, as a person set them. */
  readonly prices: string | undefined;
  /** An ask as its card shows it. */
  readonly ask: (ask: StoredAsk) => Promise<WireAsk>;
  /** This machine. */
  readonly machine: string;
}

/** What stands around the messages of a chat. */
async function surroundings(store: Store, chat: StoredChat, { prices }: ExportOptions) {
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

export const jsonExport = (store: Store, chat: StoredChat, how: ExportOptions): ReadableStream<Uint8Array> =>
  textStream(jsonPieces(store, chat, how));

async function* jsonPieces(store: Store, chat: StoredChat, how: ExportOptions): AsyncGenerator<string, void> {
  const { session, asks, grants, usage } = await surroundings(store, chat, how);
  const field = (name: string, value: unknown): string => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`;
  yield `{\n${field("exported", new Date(how.now).toISOString())}${field("chat", wireChat(chat))}`;
  yield field(
    "session",
    session === null
      ? null
      : {
          id: session.id,
          workspace: session.workspace,
          host: session.host,
          label: session.label,
          machine: session.machine,
          endedAt: session.archivedAt,
        },
  );
  const exportedAsks = [];
  for (const ask of asks) exportedAsks.push(jsonAsk(ask, await how.ask(ask), grants.get(ask.id)));
  yield `${field("usage", usage)}${field("asks", exportedAsks)}"messages": [`;
  let separator = "\n";
  for await (const message of everyMessage(store, chat.id)) {
    yield `${separator}${JSON.stringify(message.role === "person" ? message : wireMessage(message))}`;
    separator = ",\n";
  }
  yield "\n]\n}\n";
}

/** `grant` is the one that holds; `refused` why a yes made none, `closed` why nobody answered, `waiting` a yes for another machine. */
function jsonAsk(ask: StoredAsk, view: WireAsk, grant: StoredGrant | undefined) {
  const { id, at, kind, tool, requested, path, right, proposal, words, question, options, state, answer, rewoundAt } = ask;
  const { asker, about, closed, refused, waiting, card } = view;
  const granted = grant === undefined ? null : { id: grant.id, path: grant.path, at: grant.at, expires: grant.expires };
  return {
    id,
    at,
    kind,
    title: card.title,
    asker,
    tool,
    requested,
    path,
    right,
    about,
    opens: proposal?.dir ?? null,
    words,
    question,
    options,
    state,
    answer,
    closed,
    refused,
    waiting,
    grant: granted,
    rewoundAt,
  };
}

// ── Markdown ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const markdownExport = (store: Store, chat: StoredChat, how: ExportOptions): ReadableStream<Uint8Array> =>
  textStream(markdownPieces(store, chat, how));

async function* markdownPieces(store: Store, chat: StoredChat, how: ExportOptions): AsyncGenerator<string, void> {
  const { session, asks, grants, usage } = await surroundings(store, chat, how);
  yield head(chat, session, usage, how);
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
      yield askText(await how.ask(ask), grants.get(ask.id));
    }
    yield messageText(message);
  }
  for (const ask of currentAsks) yield askText(await how.ask(ask), grants.get(ask.id));
  if (rewound > 0)
    yield `---\n\n${rewound} ${rewound === 1 ? "message that was" : "messages that were"} rewound ${rewound === 1 ? "is" : "are"} left out; the JSON export has them.\n`;
}

const time = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

function head(
  { title, at, model }: StoredChat,
  session: StoredSession | null,
  usage: WireChatUsage,
  { now, machine: here }: Pick<ExportOptions, "now" | "machine">,
): string {
  const machine = session === null ? null : machineOf(session, here);
  const usedModel = model ?? usage.models.at(-1)?.model ?? null;
  const rows = [
    `- Workspace: ${code(session?.workspace ?? "")}`,
    `- Agent: ${code(session === null ? "" : sessionName(session))}`,
    ...(machine === null ? [] : [`- Machine: ${code(machine)}`]),
    ...(usedModel === null ? [] : [`- Model: ${code(usedModel)}`]),
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

function askText(ask: WireAsk, grant: StoredGrant | undefined): string {
  const { requested, path, words, tool } = ask;
  const [first = ""] = requested;
  const location = path === null || requested.length !== 1 || path === first ? "" : `, that is ${code(path)}`;
  const rows = [
    `**Asked** · ${time(ask.at)}: ${oneLine(ask.question ?? ask.card.title)}`,
    ...(requested.length === 0 ? [] : [`Asked for: ${requested.map(code).join(", ")}${location}`]),
    ...(words === null ? [] : [`${isLookupTool(tool) ? "Seen by Hallpass" : "The agent's reason"}: ${oneLine(words)}`]),
    `**${ask.state === "closed" ? "Not answered" : "Answered"}**: ${answerText(ask, grant)}`,
  ];
  return `${quoted(rows.join("\n\n"))}\n\n`;
}

function answerText(ask: WireAsk, grant: StoredGrant | undefined): string {
  const { state, answer, waiting, proposal, refused } = ask;
  if (state === "open" && waiting !== null) {
    const away = waiting.isThere ? "" : ", which is offline";
    return `yes, by ${oneLine(personWords(waiting.by))}, ${time(waiting.at)}; it waits for ${code(waiting.machine)}${away}. Nothing is allowed yet`;
  }
  if (state === "open") return "not yet";
  const { headline } = settledWords(ask);
  if (answer === null) return headline;
  const told = `${oneLine(headline)}, by ${oneLine(personWords(answer.by))}, ${time(answer.at)}`;
  switch (answer.verdict) {
    case "reply":
      return `${told}: ${oneLine(answer.text)}`;
    case "deny":
      return `${told}${answer.note === null ? "" : `, with the note: ${oneLine(answer.note)}`}`;
    case "allow": {
      if (answer.until === "call" || refused !== null) return told;
      const opened = answer.opened ?? proposal?.dir;
      const what = opened === undefined ? "" : `: ${code(opened)} and all below it`;
      const until = answer.expires === null ? "" : `, until ${time(answer.expires)}`;
      return `${told}${what}${until}; ${grant === undefined ? "it is no longer granted" : "it still holds"}`;
    }
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
