// A store behind whose record nothing waits: what programs decided and kept beside it is added before the record is read, and before what
// they decided by is taken away, so that the record has both in their order.

import type { Store } from "../agent/ports.ts";

/** The same store. `catchUp` does not reject: what could not be added yet is added later. */
export function caughtUp(store: Store, catchUp: () => Promise<void>): Store {
  const after =
    <A extends readonly unknown[], R>(method: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await catchUp();
      return method(...given);
    };
  const { audit, readsUnder, verifyAudit, revokeGrant, archiveSession } = store;
  return {
    ...store,
    audit: after(audit),
    readsUnder: after(readsUnder),
    verifyAudit: after(verifyAudit),
    revokeGrant: after(revokeGrant),
    archiveSession: after(archiveSession),
  };
}
