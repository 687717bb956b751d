// A tool call in a line: what it does, on what, and what the boundary said. Pure.

import { meanings } from "../../../src/core/guard/explain.ts";
import { isRecord } from "../../../src/core/record.ts";
import type { WireCall } from "../../../src/wire/values.ts";
import type { Mark } from "../parts/verdict.tsx";

export interface CallWords {
  readonly verb: string;
  /** The path, command or pattern; as the agent wrote it. */
  readonly object: string | null;
  readonly mark: Mark;
  readonly word: string;
  /** Why it was refused. */
  readonly reason: string | null;
  /** The code of that, by which the documents name it; null where the reason is a person's doing. */
  readonly code: string | null;
  /** What it changed, as a unified diff; null before it is done. */
  readonly diff: string | null;
  /** Refused for where it went, so that mounting the place would let it: the path, and for what. */
  readonly mounting: { readonly path: string; readonly right: "read" | "write" } | null;
}

export function callWords({ name, verb = name, input, state }: WireCall): CallWords {
  const fields = isRecord(input) ? input : {};
  const object =
    [fields["path"], fields["command"], fields["pattern"], fields["question"], fields["task"]].find((value) => typeof value === "string") ??
    null;
  const common = { verb, object, code: null, diff: null, mounting: null };
  if (state.at === "waiting") return { ...common, mark: "ask", word: "waiting for you", reason: null };
  if (state.at !== "done") return { ...common, mark: "none", word: state.at === "started" ? "running" : "next", reason: null };
  const { outcome } = state;
  if (outcome.ok) return { ...common, mark: "allow", word: "allowed", reason: null, diff: outcome.diff ?? null };
  const known: Readonly<Record<string, string>> = meanings;
  const meaning = known[outcome.code];
  if (outcome.code === "stopped") return { ...common, mark: "none", word: "stopped by you", reason: null };
  if (outcome.code === "request-withdrawn")
    return { ...common, mark: "none", word: "withdrawn", reason: "you said something else instead of answering" };
  if (outcome.code === "person-declined") return { ...common, mark: "deny", word: "denied", reason: "the answer was no" };
  const [mark, word]: readonly [Mark, string] = NEUTRAL.has(outcome.code)
    ? ["none", "failed"]
    : outcome.category === null
      ? ["ask", "needs permission"]
      : ["deny", "denied"];
  return {
    ...common,
    mark,
    word,
    reason: meaning === undefined ? null : `it ${meaning}`,
    code: outcome.code,
    mounting: mountingOf(fields["path"], outcome.code),
  };
}

function mountingOf(path: unknown, code: string): CallWords["mounting"] {
  const right = MOUNTABLE[code];
  return typeof path === "string" && path !== "" && right !== undefined ? { path, right } : null;
}

/** Refusals that a mount would lift, and what it would be for. */
const MOUNTABLE: Readonly<Record<string, "read" | "write">> = {
  "out-of-scope": "read",
  "out-of-whitelist": "read",
  "no-grant-root": "read",
  "write-out-of-scope": "write",
  "read-only-grant": "write",
  "read-only-mount": "write",
};

/** Failures that are no refusal of the boundary. */
const NEUTRAL: ReadonlySet<string> = new Set([
  "not-found",
  "is-directory",
  "not-directory",
  "binary-file",
  "too-large",
  "timeout",
  "bad-request",
  "unknown-tool",
  "io-error",
  "output-truncated",
]);
