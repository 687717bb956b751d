// The guard's whole answer to one access: verdict, reason, trace. Only `allow` carries a pass, only `ask` carries an ask.

import type { Access, Operation } from "../access.ts";
import type { BoundaryCode, ErrorCode, GrantCode } from "../errors.ts";
import type { LayerVerdict } from "../policy/evaluate.ts";
import type { Verdict } from "../policy/rule.ts";
import type { Ask, AskReason } from "../session/ask.ts";
import type { NoProposal, Proposal } from "../session/propose.ts";
import type { Root } from "../session/root.ts";
import type { Pass } from "./pass.ts";

/** Why an access was allowed. */
export type AllowReason = "in-workspace" | "in-mount" | "in-grant" | "policy-allow" | "network-granted" | "answered";
/** Every reason to allow. */
export const allowReasons: readonly AllowReason[] = ["in-workspace", "in-mount", "in-grant", "policy-allow", "network-granted", "answered"];
/** Why an access was denied. */
export type DenyReason = ErrorCode | BoundaryCode | GrantCode;

/** One step on the way to a decision, in the order they were taken. */
export type Step =
  /** `absolute` is the request as the kernel was given it; `real` is what it led to. */
  | {
      readonly at: "resolve";
      readonly requested: string;
      readonly absolute: string;
      readonly real: string;
      readonly links: readonly string[];
      /** `real` is a directory that the path leaves again by `..`, and is answered for first. */
      readonly onTheWay?: true;
    }
  | { readonly at: "unresolved"; readonly requested: string; readonly why: string }
  | { readonly at: "secret"; readonly path: string; readonly pattern: string }
  | { readonly at: "protected"; readonly path: string; readonly pattern: string }
  | { readonly at: "system-place"; readonly path: string }
  | ({ readonly at: "layer" } & LayerVerdict)
  | { readonly at: "scope"; readonly root: Root | null }
  | { readonly at: "setting"; readonly name: "gitignored" | "hardlinks"; readonly verdict: Verdict }
  | { readonly at: "propose"; readonly proposal: Proposal | null; readonly refused: NoProposal | null }
  | { readonly at: "fault"; readonly message: string };

interface DecisionBasis<O extends Operation> {
  readonly access: Access<O>;
  /** The real path that was judged; null where the path could not be resolved at all. */
  readonly real: string | null;
  readonly root: Root | null;
  readonly trace: readonly [Step, ...Step[]];
}

export type AllowedDecision<O extends Operation> = DecisionBasis<O> & { readonly verdict: "allow"; readonly reason: AllowReason };
export type AskDecision<O extends Operation> = DecisionBasis<O> & {
  readonly verdict: "ask";
  readonly reason: AskReason;
  readonly ask: Ask;
};
export type DeniedDecision<O extends Operation> = DecisionBasis<O> & { readonly verdict: "deny"; readonly reason: DenyReason };
/** What the guard decided about one access, why, and the steps that led there. */
export type Decision<O extends Operation = Operation> =
  | (AllowedDecision<O> & { readonly pass: Pass<O> })
  | AskDecision<O>
  | DeniedDecision<O>;
