// Credentials of agents in the store in memory: digests, each good for one session until that ends.

import type { Store } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import { already, type Memory, missing } from "./memory-rows.ts";
import { exact } from "./text.ts";

export function credentialsIn({ sessions, credentials }: Memory) {
  return {
    async addCredential({ digest, session, at }) {
      const home = sessions.get(session);
      if (home === undefined) throw missing();
      if (home.archivedAt !== null) throw new HallpassError("session-closed", "the session is archived: nobody acts in it any more");
      const kept = { digest: exact(digest), session, at };
      if (credentials.has(digest)) throw already();
      credentials.set(digest, kept);
    },
    async credential(digest) {
      const credential = credentials.get(digest);
      return credential !== undefined && sessions.get(credential.session)?.archivedAt === null ? credential : null;
    },
  } satisfies Partial<Store>;
}
