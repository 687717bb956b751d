// Chats and where they stand.

import type { Store, StoredChat } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import { readable } from "./damage.ts";
import { type SqlBackend, changed, type Db, ONE, unindexed } from "./db.ts";
import { exact, legible } from "./text.ts";

type ChatRows = Pick<Store, "addChat" | "chat" | "chatStartedBy" | "chats" | "setStatus">;

const chatColumns = ["id", "session_id as session", "title", "status", "at", "started_in", "started_by"] as const;

const allChats = (db: Db) => db.selectFrom("chats").select(chatColumns);
export const chatById = (db: Db, id: string) => allChats(db).where("id", "=", id).limit(ONE);

type ChatRow = Awaited<ReturnType<ReturnType<typeof allChats>["executeTakeFirstOrThrow"]>>;

export const chatOf = ({ started_in: chat, started_by: call, ...row }: ChatRow): StoredChat =>
  chat === null || call === null ? row : { ...row, startedBy: { chat, call } };

export function chatRows(backend: SqlBackend): ChatRows {
  return {
    addChat: ({ id, session, title, status, at, startedBy }) =>
      backend.write({ session }, async (db) => {
        const home = await db.selectFrom("sessions").select("archived_at").where("id", "=", session).executeTakeFirst();
        if (home === undefined) throw new HallpassError("not-found", "the chat's session is not in the store");
        if (home.archived_at !== null) throw new HallpassError("session-closed", "the session is archived: it takes no more chats");
        await db
          .insertInto("chats")
          .values({
            id: exact(id),
            session_id: session,
            title: legible(title),
            status,
            at,
            started_in: startedBy?.chat ?? null,
            started_by: startedBy?.call ?? null,
          })
          .execute();
      }),

    chat: (id) =>
      backend.read(async (db) => {
        const row = await chatById(db, id).executeTakeFirst();
        return row === undefined ? null : chatOf(row);
      }),

    chatStartedBy: (chat, call) =>
      backend.read(async (db) => {
        const row = await allChats(db).where("started_in", "=", chat).where("started_by", "=", call).limit(ONE).executeTakeFirst();
        return row === undefined ? null : chatOf(row);
      }),

    chats: async (session, states) => {
      if (states?.length === 0) return [];
      return backend.read((db) => {
        let query = allChats(db).orderBy("sequence");
        if (session !== null) query = query.where("session_id", "=", session);
        if (states !== undefined) query = query.where(session === null ? "status" : unindexed("status"), "in", states);
        return readable(backend.damage, () => query.execute(), chatOf);
      });
    },

    setStatus: async (chat, from, to) =>
      from.length > 0 &&
      backend.alter(async (db, isAgain) => {
        const moved = db.updateTable("chats").set({ status: to }).where("id", "=", chat).where("status", "in", from);
        if (changed(await moved.executeTakeFirstOrThrow())) return true;
        // Done the first time, or by another: it is so either way.
        return isAgain && (await chatById(db, chat).executeTakeFirst())?.status === to;
      }),
  };
}
