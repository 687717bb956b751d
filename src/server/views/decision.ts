// A decision as clients see it: the verdict and its trace, its words for a person and its hint for a model.

import type { Decision } from "../../core/guard/decision.ts";
import { explain, hint } from "../../core/guard/explain.ts";
import { plainDecision } from "../../core/guard/plain-decision.ts";
import type { WireDecision } from "../../wire/values.ts";

export function wireDecision(decision: Decision): WireDecision {
  const { flags, trace, ...plain } = plainDecision(decision);
  const { headline, steps, next } = explain(decision);
  return {
    ...plain,
    flags: [...flags],
    trace: trace.map((step) => ({ ...step })),
    headline,
    lines: [...steps],
    notes: [...next],
    hint: hint(decision),
  };
}
