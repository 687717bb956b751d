// What a person said and their chat has not heard yet: rows of their own, until they become messages in one transaction.

import type { Store } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import { closeIn } from "./asks.ts";
import { readable } from "./damage.ts";
import type { SqlBackend } from "./db.ts";
import { hearAll, keepSaid, saidColumns, saidIn, saidOf } from "./hearing.ts";
import { becomes } from "./transcripts.ts";

type SaidRows = Pick<Store, "say" | "said" | "hear">;

export function saidRows(backend: SqlBackend): SaidRows {
  return {
    say: ({ chat, id, at, text, pictures }, instead) =>
      backend.write({ chat }, async (db) => {
        const storedChat = await db.selectFrom("chats").select(["session_id", "status"]).where("id", "=", chat).executeTakeFirst();
        if (storedChat === undefined) throw new HallpassError("not-found", "the chat is not in the store");
        if (storedChat.status === "archived") throw new HallpassError("session-closed", "the chat is archived: nobody hears it any more");
        await keepSaid(db, { chat_id: chat, id, at, body: JSON.stringify({ text, pictures }) });
        return closeIn(backend, db, storedChat.session_id, instead);
      }),

    said: (chat) =>
      backend.read((db) => {
        const all = db.selectFrom("said").select(saidColumns).orderBy("sequence");
        return readable(backend.damage, () => (chat === null ? all : saidIn(db, chat)).execute(), saidOf);
      }),

    hear: (chat, status) =>
      backend.write({ chat }, async (db) => {
        const rows = await saidIn(db, chat).execute();
        if (rows.length === 0) return [];
        // INVARIANT: it is in the transcript and no longer here, or here and not in the transcript.
        await hearAll(db, chat);
        await becomes(db, chat, status).execute();
        return rows.map(saidOf).map(({ chat: _chat, ...said }) => ({ role: "person", ...said }));
      }),
  };
}
