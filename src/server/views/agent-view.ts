// What an agent's credential is shown: verdicts, its own words and what to do next. Nothing of a place that is not open to the agent leaves
// through here: no real path, no link, no count of what is there, and nothing of the card that its person sees.

import type { Decision } from "../../core/guard/decision.ts";
import { hint } from "../../core/guard/explain.ts";
import type { WireAgentAsk, WireAgentDecision, WireAsk } from "../../wire/values.ts";

export function agentDecision(decision: Decision): WireAgentDecision {
  const { verdict, reason, access } = decision;
  return { verdict, reason, requested: String(access.path), hint: hint(decision) };
}

/** Of a row, or of the card that was made of it. */
export function agentAsk({
  id,
  state,
  requested,
  reason,
}: Pick<WireAsk, "id" | "state" | "reason"> & { readonly requested: readonly string[] }): WireAgentAsk {
  return { id, state, requested: [...requested], reason, hint: nextSteps[state] };
}

const nextSteps = {
  open: "A person has been asked. Wait, or go on without it.",
  answered: "The person has answered. Make the same call again to learn what it came to.",
  closed: "It is no longer asked. Make the same call again if you still need it.",
} as const;
