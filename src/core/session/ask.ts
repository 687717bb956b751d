// An ask: a question put to a person about one access. It is plain data, so it can be stored, shown on any screen and answered days
// later in another process. What a yes makes is decided by what was offered, never by the answer alone.

import type { NETWORK, Operation, Right } from "../access.ts";
import type { BoundaryCode, GrantCode } from "../errors.ts";
import type { AskId, CallId, RealPath, SessionId } from "../names.ts";
import type { Proposal } from "./propose.ts";
import type { Survey } from "./survey.ts";

interface AskBasis {
  readonly id: AskId;
  readonly session: SessionId;
  readonly call: CallId;
  readonly tool: string;
  readonly operation: Operation;
  /** As the agent wrote it. */
  readonly requested: string;
  /** What it really is. */
  readonly path: RealPath;
  /** The links on the way there; missing where there are none. */
  readonly links?: readonly string[];
  /** `path` is a directory that the asked path leaves again by `..`, and not what it leads to. */
  readonly onTheWay?: true;
  readonly reason: AskReason;
  /** When it was made. */
  readonly at: number;
}

export type AskReason = Extract<BoundaryCode | GrantCode, "out-of-scope" | "policy-ask" | "grant-stale">;

/** What a yes lets happen, where that is more than one access to one path. */
export type AskSubject =
  /** A command that nothing confines: `requested` is its text, and `path` the place that it can reach. */
  | { readonly what: "command" }
  /** The network, for the session's commands: `requested` is the text of the command that needs it. */
  | { readonly what: "network" }
  /** Another agent, with `path` as its workspace. `wasReadOnly`: its directory was granted for reading before. */
  | { readonly what: "agent"; readonly task: string; readonly survey: Survey | null; readonly wasReadOnly: boolean };

/** An ask about one path in one call: a write, what a rule asks about, or where a policy offers a yes for once alone. */
export type OnceAsk = AskBasis & { readonly offers: "once"; readonly right: Right; readonly about?: AskSubject };
/** A read outside scope: once, or for the session with the directory that would be granted. */
export type SessionAsk = AskBasis & {
  readonly offers: "session";
  readonly right: "read";
  readonly proposal: Proposal;
  readonly survey: Survey | null;
  /** What else may be opened: a folder in the proposed directory, by name, and the repository that this is a part of. */
  readonly folder?: string;
  readonly repository?: WiderRoot;
};

export interface WiderRoot extends Proposal {
  readonly survey: Survey | null;
}
/** The network for commands: once, or for the session. */
export type NetworkAsk = Pick<AskBasis, "id" | "session" | "call" | "tool" | "requested" | "at"> & {
  readonly path: typeof NETWORK;
  readonly reason: "no-network";
  readonly offers: "once" | "session";
  readonly right: "read";
  readonly about: { readonly what: "network" };
};
/** A question to a person: may this access happen? */
export type Ask = OnceAsk | SessionAsk;

/** What of an ask a yes opens: what is proposed, the folder in it, or the repository around it. */
export type GrantExtent = "proposal" | "folder" | "repository";

/** What a person said to an ask. */
export type Answer =
  | {
      readonly verdict: "allow";
      readonly until: "call" | "session";
      readonly opens?: GrantExtent;
      readonly by: string;
      /** Ends it earlier than the session. */ readonly expires?: number;
      /** Was it given for good? Whoever took the answer sees to that. */ readonly keeps?: boolean;
    }
  | { readonly verdict: "deny"; readonly by: string; readonly note?: string; readonly stop?: boolean };
