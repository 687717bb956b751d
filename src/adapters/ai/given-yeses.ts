// Yeses for once that a request for access was given. The request opens nothing itself, so each is for the next call that reads its path.

import { type Access, needs } from "../../core/access.ts";
import { createGuard, type Guard } from "../../core/guard/guard.ts";
import type { CallGrant } from "../../core/session/grant.ts";
import type { Session } from "../../core/session/session.ts";

export interface GivenYeses {
  add(yes: CallGrant): void;
  /** The guard for one call of a tool: it takes a yes as it goes by it, before anything is opened. */
  guardOfCall(): Guard;
}

export function createGivenYeses(guard: Guard): GivenYeses {
  const given = new Set<CallGrant>();
  // What would be allowed is found out by a guard that keeps no record: nothing has happened yet.
  const trial = createGuard();

  /** Take the yes that lets this access through, if it takes one. */
  const takenFor = (access: Access, session: Session): CallGrant | null => {
    if (given.size === 0) return null;
    const offered = [...given].map((yes) => ({ ...yes, call: access.call }));
    const decision = trial.judge(access, withYeses(session, offered));
    if (decision.verdict !== "allow") return null;
    decision.pass.close();
    if (decision.reason !== "answered") return null;
    const used = [...given].find((yes) => yes.path === decision.real && yes.right === needs[access.operation]);
    if (used === undefined) return null;
    given.delete(used);
    return { ...used, call: access.call };
  };

  return {
    add: (yes) => void given.add(yes),

    guardOfCall() {
      const taken: CallGrant[] = [];
      const around = (access: Access, session: Session): Session => {
        const yes = takenFor(access, session);
        if (yes !== null) taken.push(yes);
        return withYeses(session, taken);
      };
      return {
        ...guard,
        judge: (access, session) => guard.judge(access, around(access, session)),
        use: (access, session, work) => guard.use(access, around(access, session), work),
      };
    },
  };
}

const withYeses = (session: Session, yeses: readonly CallGrant[]): Session =>
  yeses.length === 0 ? session : { ...session, grants: [...session.grants, ...yeses] };
