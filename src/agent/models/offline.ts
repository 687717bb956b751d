// The built-in agent: no key, no network, no language model. It understands plain requests about files, works with the tools it is
// offered like any other agent, reads what they say, asks where a refusal says so, takes no for an answer, and tells what it found.
// A pure function of the transcript: the same transcript gives the same turn. Every message of the person's ends in an answer.

import { doInTurns, type Steps } from "../../core/steps.ts";
import type { Model, ModelPrompt, ModelTurn } from "../ports.ts";
import type { Transcript } from "../transcript.ts";
import { idAfter } from "./call-ids.ts";
import { intents, type Talk } from "./offline/intents.ts";
import { planAfter, type AgentSurroundings } from "./offline/doing.ts";
import { announce } from "./offline/tell.ts";
import { exchangesIn, memoryOf, understand } from "./offline/understand.ts";
import { text } from "./offline/outcome.ts";
import { clip, code, joinWords, quote } from "./offline/words.ts";

/** The built-in agent: it needs no key and no network, and understands simple requests. */
export function offlineModel(): Model {
  return {
    name: "offline/guide",
    isUnlimited: true,
    isBlind: true,
    async turn(prompt, { signal, delta }) {
      signal.throwIfAborted();
      const guided = await doInTurns(guideTurn(prompt));
      const last = prompt.transcript.findLast(({ role }) => role === "person" || role === "agent");
      const hasPictures = last?.role === "person" && last.pictures !== undefined;
      const turn = hasPictures ? { ...guided, text: `I cannot see pictures; I go by your words alone.\n\n${guided.text}` } : guided;
      for (const piece of turn.text.match(/[^\n]*\n*/g) ?? []) if (piece !== "") delta(piece);
      return turn;
    },
  };
}

export function* guideTurn({ transcript, tools }: Pick<ModelPrompt, "transcript" | "tools">): Steps<ModelTurn> {
  const offered = new Set(tools.map(({ name }) => name));
  const exchanges = exchangesIn(transcript);
  const now = exchanges.at(-1);
  if (now === undefined) return textTurn(replyToTalk("help", transcript, offered));
  const memory = yield* memoryOf(exchanges.slice(0, -1));
  const { deeds, unclear, left, talk, repeats } = yield* understand(now.person.text, memory);
  const leftAlone = left.length === 0 ? [] : [`As you said (${left.map(quote).join(", ")}), I left that alone.`];
  if (deeds.length === 0) {
    if (talk !== null) return textTurn(replyToTalk(talk, transcript, offered));
    return textTurn(left.length > 0 && unclear.length === 0 ? leftAlone.join("") : replyToUnclear(unclear, transcript, offered));
  }
  const world: AgentSurroundings = { tools: offered, request: repeats ? memory.request : now.person.text };
  const plan = planAfter(deeds, now.turns, world);
  if (plan.isForeign)
    return textTurn("Another agent started this, and I cannot tell what is left to do. Tell me again what you want, and I start over.");
  if (plan.call === null) {
    const notUnderstood = unclear.length === 0 ? [] : [`I did not understand ${unclear.slice(0, 3).map(quote).join(" and ")}.`];
    return textTurn([...plan.reports, ...leftAlone, ...notUnderstood].join("\n\n"));
  }
  const announcement = announce(plan.call);
  return {
    text:
      talk === "yes" && now.turns.length === 0 ? `I try again; if it needs your yes, answer on the card. ${announcement}` : announcement,
    calls: [{ id: idAfter(transcript, 0), ...plan.call }],
    usage: null,
  };
}

const textTurn = (text: string): ModelTurn => ({ text, calls: [], usage: null });

// ── Talk ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const ABOUT =
  "I am the guide, the agent built into hallpass. I need no key and no network, and I am no language model: I understand plain requests about files, and do what they say with the same guarded tools as any other agent.";
const ASKING =
  "What lies outside the workspace I ask you for first; you answer on the card that appears, and nothing you type here answers it. Secrets stay hidden whatever is said.";

/** An answer to what was no request. */
function replyToTalk(talk: Talk, transcript: Transcript, tools: ReadonlySet<string>): string {
  switch (talk) {
    case "help":
      return [ABOUT, ...listOf(examples(transcript, tools).slice(0, 14)), ASKING].join("\n\n");
    case "greeting":
      return ["Hello.", ABOUT, ...listOf(examples(transcript, tools).slice(0, 6)), ASKING].join("\n\n");
    case "thanks":
      return "You are welcome.";
    case "yes":
      return "There is nothing open for me to go on with. A yes that is typed here opens nothing: when I ask for something, answer on its card.";
    case "no":
      return "All right, I leave it.";
    case "how-to-write":
      return 'I write what I am given, word for word. Say it like this: write "hello" to notes.txt.';
    case "how-to-allow":
      return "Ask me for a file there, for example: read ../lib/README.md. I then ask you on a card, and you see what a yes opens. To open a directory without being asked, type `/mount DIR`.";
    case "undo":
      return "I undo nothing by myself. Type `/undo`: it takes back my newest change of files, and again the one before. What a command changed is not taken back by it.";
    case "own-changes":
      return ownChanges(transcript);
    case "no-network":
      return "I cannot reach the network; I only look at files.";
    case "again":
      return "There is nothing before this that I could do again.";
  }
}

/** What the agent wrote and ran in this chat, from the record of its calls. */
function ownChanges(transcript: Transcript): string {
  const calls = transcript.flatMap((message) => (message.role === "agent" ? message.calls : []));
  const done = calls.filter(({ state }) => state.at === "done" && state.outcome.ok);
  const named = (names: readonly string[], field: string): string =>
    joinWords([...new Set(done.flatMap(({ name, input }) => (names.includes(name) ? [code(clip(text(input, field), 80))] : [])))]);
  const [written, run] = [named(["write_file", "edit_file"], "path"), named(["bash"], "command")];
  if (written === "" && run === "") return "I changed no file in this chat, and ran no command.";
  const files = written === "" ? "I wrote no file in this chat myself." : `In this chat I wrote ${written}.`;
  return run === "" ? files : `${files} I ran ${run}; what those changed, \`git status\` shows.`;
}

/** It was not understood: one line, and three examples that fit and were not shown before. */
function replyToUnclear(unclear: readonly string[], transcript: Transcript, tools: ReadonlySet<string>): string {
  const [firstUnclear] = unclear;
  const unclearWords = new Set((firstUnclear ?? "").toLowerCase().match(/[a-z]{3,30}/g));
  const commonWords = (example: string): number =>
    (example.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => unclearWords.has(word)).length;
  const best = examples(transcript, tools).toSorted((one, other) => commonWords(other) - commonWords(one));
  const head =
    firstUnclear === undefined ? "I did not find a request in that." : `I did not understand ${quote(firstUnclear)}, so I did nothing.`;
  return [best.length === 0 ? `${head} Say “help” for what I understand.` : head, ...listOf(best.slice(0, 3))].join("\n\n");
}

/** Examples for the tools there are, but for those that were shown in this chat. */
function examples(transcript: Transcript, tools: ReadonlySet<string>): readonly string[] {
  const agentTexts = transcript.flatMap((message) => (message.role === "agent" ? [message.text] : [])).join("\n");
  const order = [...intents.filter(({ changes }) => !changes).toReversed(), ...intents.filter(({ changes }) => changes)];
  return order.flatMap(({ tool, example }) =>
    example !== null && tools.has(tool) && !agentTexts.includes(`- ${example}`) ? [example] : [],
  );
}

const listOf = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`You can say, for example:\n\n${lines.map((line) => `- ${line}`).join("\n")}`];
