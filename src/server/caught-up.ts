// A store whose record is complete when it is read: decisions that programs spooled are added before the record is read, and before a grant or
// a session that they relied on ends, so that the record has both in their order.

import type { Store } from "../agent/ports.ts";

/** The same store. `catchUp` does not reject: what could not be added yet is added later. */
export function caughtUp(store: Store, catchUp: () => Promise<void>): Store {
  const catchUpBefore =
    <A extends readonly unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await catchUp();
      return method(...args);
    };
  const { audit, readsUnder, verifyAudit, revokeGrant, archiveSession } = store;
  return {
    ...store,
    audit: catchUpBefore(audit),
    readsUnder: catchUpBefore(readsUnder),
    verifyAudit: catchUpBefore(verifyAudit),
    revokeGrant: catchUpBefore(revokeGrant),
    archiveSession: catchUpBefore(archiveSession),
  };
}
