// Grants for once, as rows: each step in the life of one is a compare-and-set on its ask's row, so what it costs does not grow with what
// was answered before, and no clock has a say in it.

import type { Selectable } from "kysely";
import { isUnspent, mayUse, onceEnding } from "../agent/once-grant.ts";
import type { OnceGrant, Store } from "../agent/ports.ts";
import type { CallId, SessionId } from "../core/names.ts";
import { askById, askOf } from "./ask-rows.ts";
import { recordIn } from "./audit.ts";
import { readable } from "./damage.ts";
import { type SqlBackend, changed, type Db, type Tables } from "./db.ts";

type OnceRows = Pick<Store, "onceGrants" | "claimOnce" | "useOnce" | "endOnceGrants">;

export function onceRows(backend: SqlBackend): OnceRows {
  const unused = (db: Db, session: SessionId) =>
    db
      .selectFrom("asks")
      .selectAll()
      .where("session_id", "=", session)
      .where(backend.isOnce)
      .where("used_by", "is", null)
      .where("ended_at", "is", null)
      .orderBy("sequence");
  return {
    onceGrants: (session, call, path) =>
      backend.read(async (db) => {
        const wanted = path === undefined ? unused(db, session) : unused(db, session).where(backend.isAskedFor(path));
        const grants = await readable(backend.damage, () => wanted.execute(), grantOf);
        if (call === null) return grants;
        const used = await readable(backend.damage, () => usedBy(db, session, call).execute(), grantOf);
        return [...grants, ...(path === undefined ? used : used.filter(({ ask }) => ask.path === path))];
      }),

    claimOnce: (ask, call) =>
      backend.write({ ask }, async (db) => {
        const result = await db
          .updateTable("asks")
          .set({ kept_by: call })
          .where("id", "=", ask)
          .where(backend.isOnce)
          .where("used_by", "is", null)
          .where("ended_at", "is", null)
          .where((row) => row.or([row("kept_by", "is", null), row("kept_by", "=", call)]))
          .executeTakeFirstOrThrow();
        return changed(result);
      }),

    useOnce: (ask, call, use, again) =>
      backend.write({ ask }, async (db) => {
        const row = await askById(db, ask).executeTakeFirst();
        if (row === undefined || row.ended_at !== null || (row.used_by !== null && !again)) return false;
        const grant = grantOf(row);
        if (!mayUse(grant, call)) return false;
        // INVARIANT: from unused to used, once. Whoever finds it used by the same call records one more use and changes nothing.
        if (grant.usedBy === null) {
          const update = db.updateTable("asks").set({ used_by: call }).where("id", "=", ask).where("used_by", "is", null);
          if (!changed(await update.where("ended_at", "is", null).executeTakeFirstOrThrow())) return false;
        }
        await recordIn(backend, db, [use.kind === "decision" ? { ...use, ask } : use]);
        return true;
      }),

    endOnceGrants: (session, at, by) =>
      backend.write({ session }, async (db) => {
        const rows = (): Promise<readonly Selectable<Tables["asks"]>[]> => unused(db, session).execute();
        // One that cannot be read is ended with the others, and nobody can tell what it was for.
        const ended = await readable(backend.damage, rows, ({ id }) => id);
        const legible = new Map((await readable(backend.damage, rows, grantOf)).map((grant) => [grant.ask.id, grant]));
        const events = ended.flatMap((ask) => {
          const grant = legible.get(ask);
          return grant === undefined || isUnspent(grant) ? [onceEnding(session, { ask, path: grant?.ask.path ?? null }, at, by)] : [];
        });
        await db
          .updateTable("asks")
          .set({ ended_at: at })
          .where("session_id", "=", session)
          .where(backend.isOnce)
          .where("ended_at", "is", null)
          .execute();
        await recordIn(backend, db, events);
        return ended;
      }),
  };
}

const usedBy = (db: Db, session: SessionId, call: CallId) =>
  db
    .selectFrom("asks")
    .selectAll()
    .where("session_id", "=", session)
    .where("used_by", "=", call)
    .where("ended_at", "is", null)
    .orderBy("sequence");

function grantOf(row: Selectable<Tables["asks"]>): OnceGrant {
  return { ask: askOf(row), claimedBy: row.kept_by, usedBy: row.used_by };
}
