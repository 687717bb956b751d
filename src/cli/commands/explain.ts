// hallpass explain: one decision for people. The verdict first, then why, step by step, then what can be done.

import { type Access, needs, type Operation } from "../../core/access.ts";
import type { Code } from "../../core/errors.ts";
import type { Decision } from "../../core/guard/decision.ts";
import { explain as explainDecision, meanings } from "../../core/guard/explain.ts";
import { createGuard, type Guard } from "../../core/guard/guard.ts";
import type { Pass } from "../../core/guard/pass.ts";
import type { Session } from "../../core/session/session.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { readFlags } from "../judge-flags.ts";
import { check } from "./check.ts";
import { type Paint, paintFor } from "../paint.ts";

export async function explain(call: Call<"explain">, host: Host): Promise<number> {
  const { access, session, byDefault, json } = await readFlags(call, host);
  if (json && access !== null) return check(call, host);
  if (access === null || session === null) throw new UsageError("explain takes one path; use check --stdin for many");
  const guard = createGuard();
  const decision = guard.judge(access, session);
  const fault = decision.verdict === "allow" ? tryOpening(guard, decision.pass) : null;
  const notes = fault === null ? [] : [`it ${meanings[fault]}`];
  if (byDefault && decision.verdict === "allow") notes.push(...ofWriting(guard, access, session, fault));
  host.output.write(explanation(decision, paintFor(host.output, host.env), notes));
  return exitCodes[decision.verdict];
}

/** Whoever names no operation wants to know what may be done with a file: what may be read is not always written. */
function ofWriting(guard: Guard, access: Access, session: Session, fault: Code | null): readonly string[] {
  if (fault !== null && fault !== "not-found") return [];
  const decision = guard.judge({ ...access, operation: fault === null ? "replace" : "create" }, session);
  if (decision.verdict === "allow") {
    decision.pass.close();
    return ["writing it is allowed too"];
  }
  const what = decision.verdict === "ask" ? "a person is asked before it is written" : "writing it is denied";
  return [`${what} (${decision.reason}): it ${meanings[decision.reason]}`];
}

/** Why an allowed path cannot be read; null where it can. A path may be judged that does not exist. */
function tryOpening(guard: Guard, pass: Pass<Operation>): Code | null {
  if (needs[pass.operation] === "write") {
    pass.close();
    return null;
  }
  const opening = guard.open(pass);
  if (opening.ok) opening.opened.close();
  return opening.ok ? null : opening.code;
}

/** The explanation as lines of text, with further notes. */
export function explanation(decision: Decision, paint: Paint, notes: readonly string[] = []): string {
  const { verdict, headline, steps, next: further } = explainDecision(decision);
  const next = [...notes, ...further];
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
