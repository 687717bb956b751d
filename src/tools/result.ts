// What a tool call gives back: an output, or a code with what to do next. Nothing is thrown at a model.

import type { Operation } from "../core/access.ts";
import { type Category, categoryOf, type Code } from "../core/errors.ts";
import type { AskDecision, DeniedDecision } from "../core/guard/decision.ts";
import { hint, meanings } from "../core/guard/explain.ts";
import { show } from "../core/path/show.ts";
import type { Verdict } from "../core/policy/rule.ts";
import type { Ask, NetworkAsk } from "../core/session/ask.ts";
import { type Flag, flagsOf } from "../core/session/survey.ts";

export type { Category } from "../core/errors.ts";

/** Why a tool did not do its work, for the program (`code`) and for the model (`hint`). */
export interface Failure {
  readonly ok: false;
  readonly code: Code;
  /** Null for an ask: nothing has been refused yet. */
  readonly category: Category | null;
  readonly hint: string;
  /** What the guard said; allow where the doing failed, null where there was nothing to judge. */
  readonly verdict: Verdict | null;
  /** The directory a yes for the session would open. */
  readonly proposal: string | null;
  readonly flags: readonly Flag[];
  /** The ask itself, for whoever can put it to a person. Not for the model. */
  readonly ask: Ask | NetworkAsk | null;
}
/** The result of a tool call. */
export type ToolResult<T = unknown> = { readonly ok: true; readonly output: T } | Failure;

/** The result of a tool that did its work. */
export const done = <T>(output: T): ToolResult<T> => ({ ok: true, output });

/** The input was not what the tool takes. */
export function badInput(code: "bad-request" | "invalid-path" | "unknown-tool", message: string): Failure {
  return { ok: false, code, category: "invalid-input", hint: message, verdict: null, proposal: null, flags: [], ask: null };
}

/** The guard refused, or asks first. */
export function refused(decision: DeniedDecision<Operation> | AskDecision<Operation>): Failure {
  const code = decision.reason;
  const session = decision.verdict === "ask" && decision.ask.offers === "session" ? decision.ask : null;
  return {
    ...denied(code, hint(decision)),
    // A path that could not be resolved was not judged: that is an error, not a refusal.
    verdict: unresolved.has(code) ? null : decision.verdict,
    proposal: session?.proposal.dir ?? null,
    flags: session === null || session.survey === null ? [] : flagsOf(session.survey),
    ask: decision.verdict === "ask" ? decision.ask : null,
  };
}

/** It was allowed, and could not be done. `more` says what to do next. */
export function failed(code: Code, path: string, more?: string): Failure {
  const sentence = `\`${show(path)}\` ${meanings[code]}.`;
  return { ...denied(code, more === undefined ? sentence : `${sentence} ${more}`), verdict: "allow" };
}

/** The tool itself refuses. */
export function denied(code: Code, hint: string): Failure {
  return { ok: false, code, category: categoryOf(code), hint, verdict: "deny", proposal: null, flags: [], ask: null };
}

const unresolved: ReadonlySet<Code> = new Set<Code>(["invalid-path", "not-found", "symlink-loop", "os-denied", "io-error"]);
