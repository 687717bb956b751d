// Turns the arguments of `hallpass chat` into a plan. Loads nothing else, since the first screen waits for it.

import { resolve } from "node:path";
import type { ChatFlags } from "./chat-connection.ts";
import { type Call, oneOf } from "./flags.ts";

/** Throws a UsageError where the words are not understood. */
export function chatPlanOf({ values, words }: Call<"chat">, cwd: string): ChatFlags {
  return {
    workspace: resolve(cwd, values.workspace ?? "."),
    model: values.model ?? null,
    asking: oneOf("--ask", values.ask ?? "by-guard", ["by-guard", "by-model"]),
    preset: values.preset === undefined ? null : oneOf("--preset", values.preset, ["strict"]),
    resume: values.resume ?? null,
    text: words.length === 0 ? null : words.join(" "),
  };
}
