// Credentials of agents: digests, each good for one session until that ends.

import type { Store } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import { type SqlBackend, type Db, ONE } from "./db.ts";
import { exact } from "./text.ts";

type CredentialRows = Pick<Store, "addCredential" | "credential">;

export function credentialRows(backend: SqlBackend): CredentialRows {
  return {
    addCredential: ({ digest, session, at }) =>
      backend.write({ session }, async (db) => {
        const home = await db.selectFrom("sessions").select("archived_at").where("id", "=", session).executeTakeFirst();
        if (home === undefined) throw new HallpassError("not-found", "the credential's session is not in the store");
        if (home.archived_at !== null) throw new HallpassError("session-closed", "the session is archived: nobody acts in it any more");
        await db
          .insertInto("credentials")
          .values({ digest: exact(digest), session_id: session, at })
          .execute();
      }),

    credential: (digest) => backend.read(async (db) => (await byDigest(db, digest).executeTakeFirst()) ?? null),
  };
}

const byDigest = (db: Db, digest: string) =>
  db
    .selectFrom("credentials")
    .innerJoin("sessions", "sessions.id", "credentials.session_id")
    .select(["credentials.digest", "credentials.session_id as session", "credentials.at"])
    .where("credentials.digest", "=", digest)
    .where("sessions.archived_at", "is", null)
    .limit(ONE);
