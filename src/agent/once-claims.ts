// Yeses for once in sessions that other programs drive, whose calls come side by side and to several processes: of those that a yes would
// let through, one is. The others are judged again, and find it used.

import type { AuditEvent } from "../core/audit.ts";
import type { Clock, Ids } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import { createGuard, type Guard } from "../core/guard/guard.ts";
import type { Hosted } from "./hosted.ts";
import { recordHeldUse } from "./once-holds.ts";
import { isOnceUse } from "./once-yes.ts";
import type { Store } from "./ports.ts";

/** The yes by which an access was allowed was used by another call meanwhile. */
export class UsedByAnother extends HallpassError {
  constructor() {
    super("request-closed", "the yes for once was used by another call");
  }
}

export interface Claiming {
  readonly guard: Guard;
  /**
   * Write out what the guard recorded. Throws where a yes for once that let something pass was gone: then it must not. Where it `isLook`,
   * nothing passes by what was judged, and no yes is used. `content`: of the call that was judged (`HostedAccess`).
   */
  readonly flush: (isLook: boolean, content?: string) => Promise<void>;
}

/**
 * A guard, and the way its record is written. INVARIANT: whoever judges flushes in the same breath, so that what is found there is of that
 * judgement alone, and the fault comes to whoever it concerns.
 */
export function claimingGuard({ store, clock, ids }: { readonly store: Store; readonly clock: Clock; readonly ids: Ids }): Claiming {
  const events: AuditEvent[] = [];
  return {
    guard: createGuard({ audit: (event) => events.push(event), clock, ids }),
    async flush(isLook, content) {
      const recorded = events.splice(0);
      const uses = recorded.filter(isOnceUse);
      const others = recorded.filter((event) => !isOnceUse(event));
      if (others.length > 0) await store.record(others);
      if (!isLook) for (const use of uses) if (!(await recordHeldUse(store, use, clock(), content))) throw new UsedByAnother();
    },
  };
}

/** The same; where a yes for once was gone at the last moment, judged as it is then. */
export function judgedAgain(hosted: Hosted): Hosted {
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UsedByAnother)) throw error;
      return work();
    }
  };
  return {
    ...hosted,
    decide: (session, access) => again(() => hosted.decide(session, access)),
    ask: (session, access, words) => again(() => hosted.ask(session, access, words)),
  };
}
