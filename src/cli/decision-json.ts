// A decision as one JSON object: what `check` prints and the line protocol answers.

import type { Decision } from "../core/guard/decision.ts";
import { flagsOf } from "../core/session/survey.ts";

export function decisionJson(decision: Decision): Readonly<Record<string, unknown>> {
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
