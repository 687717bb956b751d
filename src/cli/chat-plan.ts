// What `hallpass chat` was told to do: its words as a plan. Nothing is loaded for it, since the first picture waits for it.

import { resolve } from "node:path";
import type { ChatFlags } from "./chat-backend.ts";
import { oneOf, readWords } from "./flags.ts";

const options = {
  workspace: { type: "string", short: "w" },
  model: { type: "string", short: "m" },
  ask: { type: "string" },
  preset: { type: "string" },
  resume: { type: "string" },
} as const;

/** Throws a UsageError where the words are not understood. */
export function chatPlanOf(words: readonly string[], cwd: string): ChatFlags {
  const { values, positionals } = readWords(withResume(words), options);
  return {
    workspace: resolve(cwd, values.workspace ?? "."),
    model: values.model ?? null,
    asking: values.ask === undefined ? "by-guard" : oneOf("--ask", values.ask, ["by-guard", "by-model"]),
    preset: values.preset === undefined ? null : oneOf("--preset", values.preset, ["strict"]),
    resume: values.resume ?? null,
    text: positionals.length === 0 ? null : positionals.join(" "),
  };
}

/** `--resume` takes an id where one follows, and nothing where none does. */
function withResume(words: readonly string[]): readonly string[] {
  const at = words.indexOf("--resume");
  if (at === -1) return words;
  const next = words[at + 1] ?? "";
  const id = /^[0-9a-f][0-9a-f-]{7,}$/iu.test(next);
  return [...words.slice(0, at), `--resume=${id ? next : ""}`, ...words.slice(at + (id ? 2 : 1))];
}
