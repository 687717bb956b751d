// The words of a refusal. Apart from the rest, since most calls are not refused and then none of them is loaded.

import type { Right } from "../../core/access.ts";
import { waysOn } from "../../core/errors.ts";
import type { Decision } from "../../core/guard/decision.ts";
import { hint, meanings } from "../../core/guard/explain.ts";
import { scopeAlert } from "../../core/guard/scope-alert.ts";
import { show } from "../../core/path/show.ts";
import type { Session } from "../../core/session/session.ts";

export function hintOf(decision: Decision): string {
  return hint(decision);
}

/** Why a call may not use a path together with another that it named. */
export function spansRoots(path: string): string {
  return `\`${show(path)}\` ${meanings["spans-roots"]}`;
}

/** Why a rule's question is put, for the person whom the host asks. */
export function ruleAsks(path: string): string {
  return `\`${show(path)}\` ${meanings["policy-ask"]}.`;
}

/** The same text with a path as its caller wrote it, where it was judged by a longer name. What a model is to copy stays absolute. */
export function asWritten(text: string, judged: string, written: string): string {
  return judged === written ? text : text.replaceAll(`\`${show(judged)}\``, `\`${show(written)}\``);
}

/** The scope alert's text. */
export function alertOf(tool: string, path: string, reason: string, right: Right, session: Session | null): string {
  return scopeAlert(tool, path, reason, session, { ways: waysOn(reason, right), right }).body;
}
