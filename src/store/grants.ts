// Session grants: given by an answer, ended by revocation or with their session. What the session may read by them is also kept in
// its `allowed_read_paths`, changed in the same transaction.

import { sql } from "kysely";
import type { Store, StoredGrant } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import { recordIn } from "./audit.ts";
import type { AskId, GrantId, SessionId } from "../core/names.ts";
import { asIs, readable } from "./damage.ts";
import { type Backend, type Db, ONE, type Tables } from "./db.ts";
import { changeAllowedReadPaths } from "./sessions.ts";
import { statement } from "./statement.ts";
import { exact, legible } from "./text.ts";

type GrantRows = Pick<Store, "grants" | "grant" | "revokeGrant">;

export const grantColumns = [
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

// Ordered by no column, so that SQLite goes through the live ones by their index and not through all there ever were in this order.
const liveGrants = statement((db) =>
  db
    .selectFrom("grants")
    .select(grantColumns)
    .where("revoked_at", "is", null)
    .orderBy(sql`sequence + 0`),
);
export const liveGrantsOf = statement((db, session: SessionId) =>
  db.selectFrom("grants").select(grantColumns).where("revoked_at", "is", null).where("session_id", "=", session).orderBy("sequence"),
);
const grantById = statement((db, id: GrantId) => db.selectFrom("grants").select(grantColumns).where("id", "=", id).limit(ONE));

const endEarlier = statement((db, session: SessionId, path: string, at: number) =>
  db
    .updateTable("grants")
    .set({ revoked_at: at })
    .where("session_id", "=", session)
    .where("path", "=", path)
    .where("revoked_at", "is", null),
);
const insert = statement(
  (
    db,
    id: GrantId,
    session_id: SessionId,
    ask_id: AskId,
    path: string,
    dev: number,
    ino: number,
    born: number | null,
    given_by: string,
    at: number,
    expires: number | null,
  ) => db.insertInto("grants").values({ id, session_id, ask_id, path, dev, ino, born, given_by, at, expires }),
);

export function grantRows(backend: Backend): GrantRows {
  return {
    grants: (session) =>
      // A grant that cannot be read grants nothing.
      backend.read((db) =>
        readable(backend.damage, async () => (session === null ? await liveGrants(db) : await liveGrantsOf(db, session)).rows, asIs),
      ),

    grant: (id) => backend.read(async (db) => (await grantById(db, id)).rows[0] ?? null),

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
  backend: Backend,
  db: Db,
  { id: ask, session_id }: Pick<Tables["asks"], "id" | "session_id">,
  grant: StoredGrant,
): Promise<void> {
  if (grant.session !== session_id || grant.ask !== ask)
    throw new HallpassError("wrong-session", "a grant is for the session and the ask that it answers");
  // INVARIANT: one live grant a path. As in `core/session/grant.ts` the later takes the earlier one's place; with two of them,
  // revoking the one that people see would leave the other to be found at the next start.
  await endEarlier(db, session_id, grant.path, grant.at);
  const { dev, ino, born, at, expires } = grant;
  await insert(db, exact(grant.id), session_id, ask, exact(grant.path), dev, ino, born, legible(grant.by), at, expires);
  await changeAllowedReadPaths(backend, db, session_id, (paths) => (paths.includes(grant.path) ? paths : [...paths, grant.path]));
}
