// Holds the yeses for once that a request for access received. The request itself opens nothing, so each yes serves the next call that
// reads its path.

import { type Access, needs } from "../../core/access.ts";
import { createGuard, type Guard } from "../../core/guard/guard.ts";
import type { CallGrant } from "../../core/session/grant.ts";
import type { Session } from "../../core/session/session.ts";

export interface UnusedYeses {
  add(yes: CallGrant): void;
  /** The guard for one call of a tool: it takes a yes as it goes by it, before anything is opened. */
  guardOfCall(): Guard;
}

export function createGivenYeses(guard: Guard): UnusedYeses {
  const unusedYeses = new Set<CallGrant>();
  // What would be allowed is found out by a guard that keeps no record: nothing has happened yet.
  const trial = createGuard();

  /** Take the yes that lets this access through, if it takes one. */
  const claimYes = (access: Access, session: Session): CallGrant | null => {
    if (unusedYeses.size === 0) return null;
    const offered = [...unusedYeses].map((yes) => ({ ...yes, call: access.call }));
    const decision = trial.judge(access, withYeses(session, offered));
    if (decision.verdict !== "allow") return null;
    decision.pass.close();
    if (decision.reason !== "answered") return null;
    const used = [...unusedYeses].find((yes) => yes.path === decision.real && yes.right === needs[access.operation]);
    if (used === undefined) return null;
    unusedYeses.delete(used);
    return { ...used, call: access.call };
  };

  return {
    add: (yes) => void unusedYeses.add(yes),

    guardOfCall() {
      const claimed: CallGrant[] = [];
      const withClaimedYes = (access: Access, session: Session): Session => {
        const yes = claimYes(access, session);
        if (yes !== null) claimed.push(yes);
        return withYeses(session, claimed);
      };
      return {
        ...guard,
        judge: (access, session) => guard.judge(access, withClaimedYes(access, session)),
        use: (access, session, work) => guard.use(access, withClaimedYes(access, session), work),
      };
    },
  };
}

const withYeses = (session: Session, yeses: readonly CallGrant[]): Session =>
  yeses.length === 0 ? session : { ...session, grants: [...session.grants, ...yeses] };
