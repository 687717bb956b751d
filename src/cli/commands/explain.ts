// hallpass explain: one decision for people. The verdict first, then why, step by step, then what can be done.

import { explain as explainDecision } from "../../core/guard/explain.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Host, UsageError } from "../host.ts";
import { readFlags } from "../judge-flags.ts";
import { type Paint, paintFor } from "../paint.ts";
import type { Decision } from "../../core/guard/decision.ts";

export async function explain(words: readonly string[], host: Host): Promise<number> {
  const { access, session } = await readFlags(words, host);
  if (access === null || session === null) throw new UsageError("explain takes one path; use check --stdin for many");
  const decision = createGuard().judge(access, session);
  if (decision.verdict === "allow") decision.pass.close();
  host.output.write(explanation(decision, paintFor(host.output, host.env)));
  return exitCodes[decision.verdict];
}

/** The explanation as lines of text. */
export function explanation(decision: Decision, paint: Paint): string {
  const { verdict, headline, steps, next } = explainDecision(decision);
  const mark = { allow: paint.green("✓ allow"), ask: paint.yellow("? ask"), deny: paint.red("✗ deny") }[verdict];
  const lines = [
    `${paint.bold(mark)}  ${paint.dim(decision.reason)}`,
    `  ${headline}`,
    "",
    `  ${paint.dim("why")}`,
    ...steps.map((step, at) => `  ${paint.dim(`${at + 1}.`)} ${step}`),
  ];
  if (next.length > 0) lines.push("", `  ${paint.dim("note")}`, ...next.map((line) => `  • ${line}`));
  return `${lines.join("\n")}\n`;
}
