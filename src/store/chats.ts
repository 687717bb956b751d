// Chats and their status.

import { sql } from "kysely";
import type { Store, StoredChat } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import { recordIn } from "./audit.ts";
import { readable } from "./damage.ts";
import { type SqlBackend, changed, type Db, ONE, placeOf, unindexed } from "./db.ts";
import { exact, legible } from "./text.ts";

type ChatRows = Pick<Store, "addChat" | "chat" | "chatStartedBy" | "chats" | "chatPage" | "changeChat" | "setStatus" | "deleteChat">;

const chatColumns = ["id", "session_id as session", "title", "status", "at", "model", "started_in", "started_by", "archived_at"] as const;

export const allChats = (db: Db) => db.selectFrom("chats").select(chatColumns).where("deleted_at", "is", null);
export const chatById = (db: Db, id: string) => allChats(db).where("id", "=", id).limit(ONE);

type ChatRow = Awaited<ReturnType<ReturnType<typeof allChats>["executeTakeFirstOrThrow"]>>;

export const chatOf = ({ started_in: chat, started_by: call, model, archived_at: archivedAt, ...row }: ChatRow): StoredChat => ({
  ...row,
  ...(archivedAt === null ? {} : { archivedAt }),
  ...(model === null ? {} : { model }),
  ...(chat === null || call === null ? {} : { startedBy: { chat, call } }),
});

export function chatRows(backend: SqlBackend): ChatRows {
  return {
    addChat: ({ id, session, title, status, at, model, startedBy, archivedAt }) =>
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
            model: model === undefined ? null : legible(model),
            started_in: startedBy?.chat ?? null,
            started_by: startedBy?.call ?? null,
            archived_at: archivedAt ?? null,
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

    chatPage: ({ session, archived = false, before, limit }) =>
      backend.read((db) => {
        let query = allChats(db)
          .orderBy("sequence", "desc")
          .where("archived_at", archived ? "is not" : "is", null);
        if (session !== undefined) query = query.where("session_id", "=", session);
        else if (!archived) query = query.where("status", "!=", sql.lit("archived"));
        if (before !== undefined) query = query.where("sequence", "<", placeOf("chats", before));
        return readable(backend.damage, (most = limit) => query.limit(most).execute(), chatOf, limit);
      }),

    changeChat: (id, { title, model, archivedAt }) =>
      backend.write({ chat: id }, async (db) => {
        const values = {
          ...(title === undefined ? {} : { title: legible(title) }),
          ...(model === undefined ? {} : { model: model === null ? null : legible(model) }),
          ...(archivedAt === undefined ? {} : { archived_at: archivedAt }),
        };
        const update = db.updateTable("chats").set(values).where("id", "=", id).where("deleted_at", "is", null);
        if (Object.keys(values).length > 0) await update.execute();
        const row = await chatById(db, id).executeTakeFirst();
        return row === undefined ? null : chatOf(row);
      }),

    setStatus: async (chat, from, to) =>
      from.length > 0 &&
      backend.alter(async (db, isAgain) => {
        const moved = db.updateTable("chats").set({ status: to }).where("id", "=", chat).where("status", "in", from);
        if (changed(await moved.executeTakeFirstOrThrow())) return true;
        // Done the first time, or by another: it is so either way.
        return isAgain && (await chatById(db, chat).executeTakeFirst())?.status === to;
      }),

    deleteChat: (chat, at, events) =>
      backend.write({ chat }, async (db) => {
        const deletion = db
          .updateTable("chats")
          .set({ title: "", model: null, status: "archived", deleted_at: at })
          .where("id", "=", chat)
          .where("deleted_at", "is", null);
        if (!changed(await deletion.executeTakeFirstOrThrow())) return false;
        // The calls first: they name asks and messages. Asks for a grant stay, since grants name them; a question is part of what was said.
        await db.deleteFrom("tool_calls").where("chat_id", "=", chat).execute();
        for (const table of ["said", "messages"] as const) await db.deleteFrom(table).where("chat_id", "=", chat).execute();
        await db.deleteFrom("asks").where("chat_id", "=", chat).where("kind", "=", "pending_question").execute();
        await db
          .updateTable("asks")
          .set({ state: "closed", closed_why: "stopped" })
          .where("chat_id", "=", chat)
          .where("state", "=", "open")
          .execute();
        await recordIn(backend, db, events);
        return true;
      }),
  };
}
