// What a person said and their chat has not heard yet: rows of their own, until they become messages in one transaction.

import type { Store } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import { closeIn } from "./asks.ts";
import { readable } from "./damage.ts";
import { type Backend, ONE } from "./db.ts";
import { hearAll, saidColumns, saidOf } from "./hearing.ts";
import { statement } from "./statement.ts";
import { exact } from "./text.ts";
import { becomes } from "./transcripts.ts";

type SaidRows = Pick<Store, "say" | "said" | "hear">;

export function saidRows(backend: Backend): SaidRows {
  return {
    say: ({ chat, id, at, text }, instead) =>
      backend.write({ chat }, async (db) => {
        const [its] = (await statusOf(db, chat)).rows;
        if (its === undefined) throw new HallpassError("not-found", "the chat is not in the store");
        if (its.status === "archived") throw new HallpassError("session-closed", "the chat is archived: nobody hears it any more");
        if ((await messageById(db, chat, exact(id))).rows.length > 0)
          throw new HallpassError("bad-request", "the chat has a message of this id already");
        await insertSaid(db, chat, id, at, JSON.stringify({ text }));
        return closeIn(backend, db, instead);
      }),

    said: (chat) =>
      backend.read((db) => readable(backend.damage, async () => (chat === null ? await allSaid(db) : await saidIn(db, chat)).rows, saidOf)),

    hear: (chat, status) =>
      backend.write({ chat }, async (db) => {
        const rows = (await saidIn(db, chat)).rows;
        if (rows.length === 0) return [];
        // INVARIANT: it is in the transcript and no longer here, or here and not in the transcript.
        await hearAll(db, chat);
        await becomes(db, chat, status);
        return rows.map(saidOf).map(({ id, at, text }) => ({ role: "person", id, at, text }));
      }),
  };
}

const statusOf = statement((db, chat: string) => db.selectFrom("chats").select("status").where("id", "=", chat).limit(ONE));
const messageById = statement((db, chat: string, id: string) =>
  db.selectFrom("messages").select("id").where("chat_id", "=", chat).where("id", "=", id).limit(ONE),
);
const insertSaid = statement((db, chat: string, id: string, at: number, body: string) =>
  db.insertInto("said").values({ chat_id: chat, id, at, body }),
);
const saidIn = statement((db, chat: string) => db.selectFrom("said").select(saidColumns).where("chat_id", "=", chat).orderBy("sequence"));
const allSaid = statement((db) => db.selectFrom("said").select(saidColumns).orderBy("sequence"));
