// hallpass explain: one decision for people. The verdict first, then why, step by step, then what can be done.

import { needs, type Operation } from "../../core/access.ts";
import type { Code } from "../../core/errors.ts";
import { explain as explainDecision, meanings } from "../../core/guard/explain.ts";
import { createGuard, type Guard } from "../../core/guard/guard.ts";
import type { Pass } from "../../core/guard/pass.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Host, UsageError } from "../host.ts";
import { readFlags } from "../judge-flags.ts";
import { type Paint, paintFor } from "../paint.ts";
import type { Decision } from "../../core/guard/decision.ts";

export async function explain(words: readonly string[], host: Host): Promise<number> {
  const { access, session } = await readFlags(words, host);
  if (access === null || session === null) throw new UsageError("explain takes one path; use check --stdin for many");
  const guard = createGuard();
  const decision = guard.judge(access, session);
  const fault = decision.verdict === "allow" ? tried(guard, decision.pass) : null;
  host.output.write(explanation(decision, paintFor(host.output, host.env), fault));
  return exitCodes[decision.verdict];
}

/** What stands in the way of reading what is allowed: a name may be judged that nothing has. */
function tried(guard: Guard, pass: Pass<Operation>): Code | null {
  if (needs[pass.operation] === "write") {
    pass.close();
    return null;
  }
  const opening = guard.open(pass);
  if (opening.ok) opening.opened.close();
  return opening.ok ? null : opening.code;
}

/** The explanation as lines of text. `fault`: it is allowed, and cannot be done. */
export function explanation(decision: Decision, paint: Paint, fault: Code | null = null): string {
  const { verdict, headline, steps, next: further } = explainDecision(decision);
  const next = fault === null ? further : [`it ${meanings[fault]}`, ...further];
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
