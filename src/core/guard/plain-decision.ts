// A decision as plain data, without its pass: what `check` prints, the line protocol answers and the server sends.

import type { Verdict } from "../policy/rule.ts";
import { type Flag, flagsOf } from "../session/survey.ts";
import type { Decision, Step } from "./decision.ts";

export interface PlainDecision {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly requested: string;
  readonly real: string | null;
  readonly root: string | null;
  readonly proposal: string | null;
  readonly offers: "once" | "session" | null;
  readonly flags: readonly Flag[];
  readonly trace: readonly Step[];
}

export function plainDecision(decision: Decision): PlainDecision {
  const { access, verdict, reason, real, root, trace } = decision;
  const ask = decision.verdict === "ask" && decision.ask.offers === "session" ? decision.ask : null;
  return {
    verdict,
    reason,
    requested: access.path,
    real,
    root: root?.dir ?? null,
    proposal: ask?.proposal.dir ?? null,
    offers: decision.verdict === "ask" ? decision.ask.offers : null,
    flags: ask === null || ask.survey === null ? [] : flagsOf(ask.survey),
    trace,
  };
}
