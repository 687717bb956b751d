// The network for a session's commands: open or shut by the policy, else granted by a person, for one call or for the session. It is no path, so
// nothing here is resolved or opened. Who runs the command gives it what was decided.

import { NETWORK } from "../access.ts";
import type { Clock, Ids } from "../clock.ts";
import { askId, type CallId, type RuleId } from "../names.ts";
import type { NetworkAsk } from "../session/ask.ts";
import type { NetworkGrant } from "../session/grant.ts";
import type { Session } from "../session/session.ts";

/** A command that is to have the network. */
export interface NetworkAccess {
  readonly call: CallId;
  readonly tool: string;
  /** The command's text, for the card. */
  readonly command: string;
  /** False: it has the network where that is open, and does without where it is not. */
  readonly isNeeded: boolean;
}

/** Has the command the network, and why. */
export type NetworkDecision =
  /** `grant`: the session's, whose end ends the command, also where a rule allows it: who kept a grant and revokes it means both. */
  | {
      readonly verdict: "allow";
      readonly reason: "policy-allow" | "network-granted" | "answered";
      readonly grant: NetworkGrant | null;
      readonly rule: RuleId | null;
    }
  | { readonly verdict: "ask"; readonly reason: "no-network"; readonly ask: NetworkAsk }
  /** `no-network`: it is not open, and not needed. */
  | {
      readonly verdict: "deny";
      readonly reason: "policy-deny" | "no-prompt-channel" | "no-network" | "guard-fault";
      readonly rule: RuleId | null;
    };

/** What a session's commands have of the network now, without a question; null: a person decides. */
export function networkNow(session: Session, call: CallId | null, now: number): Exclude<NetworkDecision, { verdict: "ask" }> | null {
  const { network, rule } = session.policy.policy.commands;
  // INVARIANT: a rule that shuts it is lifted by no yes.
  if (network === "none") return { verdict: "deny", reason: "policy-deny", rule };
  const live = session.network.filter(({ expires }) => expires === null || expires > now);
  const granted = live.find((grant) => grant.call === null) ?? null;
  if (network === "host") return { verdict: "allow", reason: "policy-allow", grant: granted, rule };
  if (granted !== null) return { verdict: "allow", reason: "network-granted", grant: granted, rule: null };
  if (call !== null && live.some((grant) => grant.call === call)) return { verdict: "allow", reason: "answered", grant: null, rule: null };
  return session.attended ? null : { verdict: "deny", reason: "no-prompt-channel", rule: null };
}

export function judgeNetwork(
  { call, tool, command, isNeeded }: NetworkAccess,
  session: Session,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): NetworkDecision {
  const at = clock();
  const now = networkNow(session, call, at);
  if (now !== null) return now;
  if (!isNeeded) return { verdict: "deny", reason: "no-network", rule: null };
  const ask: NetworkAsk = {
    id: askId(ids()),
    session: session.id,
    call,
    tool,
    requested: command,
    path: NETWORK,
    reason: "no-network",
    at,
    offers: session.policy.policy.asks.offer,
    right: "read",
    about: { what: "network" },
  };
  return { verdict: "ask", reason: "no-network", ask };
}
