// What the built-in agent says of itself, with examples of what can be asked of it, and its small talk.

import { quote } from "./words.ts";
import type { Talk } from "./wish.ts";

const EXAMPLES: readonly (readonly [tool: string, example: string])[] = [
  ["read_file", "read src/index.ts, or: the last 20 lines of build.log"],
  ["list_dir", "list src, or: what is in ../lib?"],
  ["find_files", "find *.ts in src"],
  ["grep", 'search for "TODO" in src'],
  ["read_file", "compare package.json with ../lib/package.json"],
  ["write_file", 'write "hello" to notes.txt'],
  ["edit_file", 'replace "foo" with "bar" in notes.txt'],
  ["bash", "run `npm test`"],
  ["spawn_agent", "spawn an agent in ../lib to list its files"],
  ["list_access", "what can you see?"],
];

/** What it is and what it can do with the tools it is offered. */
export function about(tools: ReadonlySet<string>): string {
  return [
    "I am the guide, the agent built into hallpass. I need no key and no network, and I am no language model: I understand plain requests about files, and do what they say with the same guarded tools as any other agent.",
    examples(tools),
    "What lies outside the workspace I ask you for first; you answer on the card that appears, and typing here does not answer it. Secrets stay shut whatever is said.",
  ].join("\n\n");
}

function examples(tools: ReadonlySet<string>): string {
  return `You can say, for example:\n\n${EXAMPLES.filter(([tool]) => tools.has(tool))
    .map(([, example]) => `- ${example}`)
    .join("\n")}`;
}

/** An answer to what was no request. */
export function talkWords(talk: Talk, tools: ReadonlySet<string>): string {
  switch (talk) {
    case "about":
      return about(tools);
    case "greeting":
      return `Hello. ${about(tools)}`;
    case "thanks":
      return "You are welcome.";
    case "yes":
      return "There is nothing open for me to go on with. A yes that is typed here opens nothing: when I ask for something, answer on its card.";
    case "no":
      return "All right, I leave it.";
    case "how-to-write":
      return 'I write what I am given, word for word. Say it like this: write "hello" to notes.txt.';
    case "no-network":
      return "I cannot reach the network; I only look at files.";
    case "no-removing":
      return tools.has("bash")
        ? "I have no tool of my own for moving, copying or removing files. You can have me run a command: run `mv a.txt b.txt`."
        : "I cannot move, copy or remove files.";
    case "nothing-before":
      return `There is nothing before this that I could do again. ${examples(tools)}`;
  }
}

/** It was not understood. */
export function puzzled(unclear: readonly string[], tools: ReadonlySet<string>): string {
  const what = unclear[0];
  return `${what === undefined ? "I did not find a request in that." : `I did not understand ${quote(what)}.`} I am the built-in guide, not a language model. ${examples(tools)}`;
}

export const stranger = (): string =>
  "Somebody else began with this, and I cannot tell what is left to do. Say again what you want, and I begin anew.";

export const leftAlone = (left: readonly string[]): string => `As you said (${left.map(quote).join(", ")}), I left that alone.`;

export const alsoUnclear = (unclear: readonly string[]): string => `I did not understand ${unclear.slice(0, 3).map(quote).join(" and ")}.`;

export const afterYes = (): string => "I try again; if it needs your yes, answer on the card.";
