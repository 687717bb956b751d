// A decision as clients see it: the verdict and its trace, its words for a person and its hint for a model.

import type { Decision } from "../../core/guard/decision.ts";
import { explain, hint } from "../../core/guard/explain.ts";
import { flagsOf } from "../../core/session/survey.ts";
import type { WireDecision } from "../../wire/values.ts";

export function wireDecision(decision: Decision): WireDecision {
  const { access, verdict, reason, real, root, trace } = decision;
  const ask = decision.verdict === "ask" && decision.ask.offers === "session" ? decision.ask : null;
  const { headline, steps, next } = explain(decision);
  return {
    verdict,
    reason,
    requested: access.path,
    real,
    root: root?.dir ?? null,
    proposal: ask?.proposal.dir ?? null,
    offers: decision.verdict === "ask" ? decision.ask.offers : null,
    flags: ask === null || ask.survey === null ? [] : [...flagsOf(ask.survey)],
    trace: trace.map((step) => ({ ...step })),
    headline,
    lines: [...steps, ...next],
    hint: hint(decision),
  };
}
