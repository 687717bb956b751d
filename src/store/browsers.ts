// Browsers that are signed in. Of what a browser shows in place of the person's token only the digest is kept; it is good until it is signed
// out, where the token is the one under which it was let in.

import type { Store, StoredBrowser } from "../agent/ports.ts";
import { type SqlBackend, type Db, ONE } from "./db.ts";
import { exact, legible } from "./text.ts";

type BrowserRows = Pick<Store, "addBrowser" | "browser" | "browsers" | "changeBrowser" | "removeBrowser">;

export function browserRows(backend: SqlBackend): BrowserRows {
  return {
    addBrowser: ({ id, digest, owner, name, at, seenAt, push }) =>
      backend.write(null, async (db) => {
        await db
          .insertInto("browsers")
          .values({ id: exact(id), digest: exact(digest), owner: exact(owner), name: legible(name), at, seen_at: seenAt, push })
          .execute();
      }),

    browser: (digest) => backend.read(async (db) => shaped(await rows(db).where("digest", "=", digest).limit(ONE).executeTakeFirst())),

    browsers: (owner) =>
      backend.read(async (db) =>
        (await rows(db).where("owner", "=", owner).orderBy("at").orderBy("id").execute()).flatMap((row) => shaped(row) ?? []),
      ),

    changeBrowser: (id, { seenAt, push }) =>
      backend.note(null, async (db) => {
        const to = { ...(seenAt === undefined ? {} : { seen_at: seenAt }), ...(push === undefined ? {} : { push }) };
        await db.updateTable("browsers").set(to).where("id", "=", id).execute();
      }),

    removeBrowser: (owner, id) =>
      backend.write(null, async (db) => {
        const { numDeletedRows } = await db.deleteFrom("browsers").where("id", "=", id).where("owner", "=", owner).executeTakeFirst();
        return numDeletedRows > 0n;
      }),
  };
}

const rows = (db: Db) => db.selectFrom("browsers").select(["id", "digest", "owner", "name", "at", "seen_at", "push"]);

function shaped(row: Awaited<ReturnType<ReturnType<typeof rows>["executeTakeFirst"]>>): StoredBrowser | null {
  if (row === undefined) return null;
  const { seen_at: seenAt, ...rest } = row;
  return { ...rest, seenAt };
}
