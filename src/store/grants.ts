// Session grants: given by an answer, ended by revocation or with their session. What the session may read by them is also kept in
// its `allowed_read_paths`, changed in the same transaction.

import type { Store, StoredGrant } from "../agent/ports.ts";
import { NETWORK } from "../core/access.ts";
import { HallpassError } from "../core/errors.ts";
import { recordIn } from "./audit.ts";
import type { GrantId, SessionId } from "../core/names.ts";
import { asIs, readable } from "./damage.ts";
import { type SqlBackend, type Db, ONE, placeOf, type Tables } from "./db.ts";
import { changeAllowedReadPaths, type SessionOfAsk } from "./sessions.ts";
import { exact, legible } from "./text.ts";

type GrantRows = Pick<Store, "grants" | "grantPage" | "grantsEndingBy" | "grant" | "revokeGrant">;

const grantColumns = [
  "id",
  "session_id as session",
  "ask_id as ask",
  "path",
  "dev",
  "ino",
  "born",
  "given_by as by",
  "at",
  "expires",
  "revoked_at as revokedAt",
] as const;

const unrevoked = (db: Db) => db.selectFrom("grants").select(grantColumns).where("revoked_at", "is", null);
const liveGrants = (db: Db) => unrevoked(db).orderBy("sequence");
const endingGrants = (db: Db) => unrevoked(db).where("expires", "is not", null).orderBy("expires");
export const liveGrantsOf = (db: Db, session: SessionId | SessionOfAsk) => liveGrants(db).where("session_id", "=", session);
const grantById = (db: Db, id: GrantId) => db.selectFrom("grants").select(grantColumns).where("id", "=", id).limit(ONE);

export function grantRows(backend: SqlBackend): GrantRows {
  return {
    grants: (session) =>
      // A grant that cannot be read grants nothing.
      backend.read((db) => readable(backend.damage, () => (session === null ? liveGrants(db) : liveGrantsOf(db, session)).execute(), asIs)),

    grantPage: ({ session, after, limit }) =>
      backend.read((db) => {
        let query = session === undefined ? liveGrants(db) : liveGrantsOf(db, session);
        if (after !== undefined) query = query.where("sequence", ">", placeOf("grants", after));
        return readable(backend.damage, (most = limit) => query.limit(most).execute(), asIs, limit);
      }),

    grantsEndingBy: (time) =>
      backend.read((db) => readable(backend.damage, () => endingGrants(db).where("expires", "<=", time).execute(), asIs)),

    grant: (id) => backend.read(async (db) => (await grantById(db, id).executeTakeFirst()) ?? null),

    revokeGrant: (id, at, events) =>
      backend.write({ grant: id }, async (db) => {
        const grant = await db
          .selectFrom("grants")
          .select(["session_id", "path"])
          .where("id", "=", id)
          .where("revoked_at", "is", null)
          .executeTakeFirst();
        if (grant === undefined) return false;
        await db.updateTable("grants").set({ revoked_at: at }).where("id", "=", id).execute();
        await changeAllowedReadPaths(backend, db, grant.session_id, (paths) => paths.filter((path) => path !== grant.path));
        await recordIn(backend, db, events);
        return true;
      }),
  };
}

/** Write the grant that an answer to `ask` makes, in the transaction that writes the answer. */
export async function giveGrant(
  backend: SqlBackend,
  db: Db,
  { id: ask, session_id }: Pick<Tables["asks"], "id" | "session_id">,
  grant: StoredGrant,
): Promise<void> {
  if (grant.session !== session_id || grant.ask !== ask)
    throw new HallpassError("wrong-session", "a grant is for the session and the ask that it answers");
  // INVARIANT: one live grant a path. As in `core/session/grant.ts` the later takes the earlier one's place; with two of them,
  // revoking the one that people see would leave the other to be found at the next start.
  await db
    .updateTable("grants")
    .set({ revoked_at: grant.at })
    .where("session_id", "=", session_id)
    .where("path", "=", grant.path)
    .where("revoked_at", "is", null)
    .execute();
  const { dev, ino, born, at, expires } = grant;
  const names = { id: exact(grant.id), session_id, ask_id: ask, path: exact(grant.path), given_by: legible(grant.by) };
  await db
    .insertInto("grants")
    .values({ ...names, dev, ino, born, at, expires })
    .execute();
  // The network is nothing to be read; that the session has not ended is looked at all the same.
  const isListed = (paths: readonly string[]): boolean => grant.path === NETWORK || paths.includes(grant.path);
  await changeAllowedReadPaths(backend, db, session_id, (paths) => (isListed(paths) ? paths : [...paths, grant.path]));
}
