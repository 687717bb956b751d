// Going back in a chat: what came after a point is marked, and what the person says instead is kept, in one transaction. No row leaves.

import type { Store } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import type { AskId, CallId } from "../core/names.ts";
import { askOf } from "./ask-rows.ts";
import type { Db, SqlBackend } from "./db.ts";
import { hearAll, keepSaid, saidOf } from "./hearing.ts";
import { parsed } from "./shape.ts";
import { isReminder, isSaid, messageIn } from "./transcripts.ts";

/** So many ids are named in one statement. */
const NAMED = 500;

export function rewindRows(backend: SqlBackend): Pick<Store, "rewind"> {
  return {
    rewind: (chat, message, { id, at, text }) =>
      backend.write({ chat }, async (db) => {
        const storedChat = await db.selectFrom("chats").select("status").where("id", "=", chat).executeTakeFirst();
        if (storedChat === undefined) return null;
        if (storedChat.status === "archived") throw new HallpassError("session-closed", "the chat is archived: nobody hears it any more");
        const personMessage = messageIn(db, chat, message)
          .select(["sequence", "body"])
          .where("role", "=", "person")
          .where("rewound_at", "is", null);
        const waitingMessage = db.selectFrom("said").select("id").where("chat_id", "=", chat).where("id", "=", message);
        if ((await personMessage.executeTakeFirst()) === undefined && (await waitingMessage.executeTakeFirst()) === undefined) return null;
        // What waits to be heard came after everything else, and takes its place there.
        await hearAll(db, chat);
        const from = await personMessage.executeTakeFirstOrThrow();
        const messages = await endMessages(db, chat, from.sequence, at);
        const asks = await endAsks(db, chat, from.sequence, at);
        const saidRow = {
          chat_id: chat,
          id,
          at,
          body:
            text === null
              ? from.body
              : JSON.stringify({ ...parsed(from.body, isSaid, { table: "messages", row: message, column: "body" }), text }),
        };
        await keepSaid(db, saidRow);
        return { messages, asks, said: saidOf(saidRow) };
      }),
  };
}

/** From this place on, but for reminders that live for good. Gives their ids. */
async function endMessages(db: Db, chat: string, from: number, at: number): Promise<readonly string[]> {
  const after = await db
    .selectFrom("messages")
    .select(["id", "role", "body"])
    .where("chat_id", "=", chat)
    .where("sequence", ">=", from)
    .where("rewound_at", "is", null)
    .orderBy("sequence")
    .execute();
  const ended = after
    .filter(
      ({ id, role, body }) =>
        role !== "reminder" || parsed(body, isReminder, { table: "messages", row: id, column: "body" }).turns !== null,
    )
    .map(({ id }) => id);
  for (const ids of chunks(ended))
    await db.updateTable("messages").set({ rewound_at: at }).where("chat_id", "=", chat).where("id", "in", ids).execute();
  return ended;
}

/** The asks of the calls of messages from this place on. Gives their ids. */
async function endAsks(db: Db, chat: string, from: number, at: number): Promise<readonly AskId[]> {
  const madeCalls = db
    .selectFrom("tool_calls as made")
    .innerJoin("messages as message", (join) =>
      join.onRef("message.chat_id", "=", "made.chat_id").onRef("message.id", "=", "made.message_id"),
    )
    .select("made.id")
    .where("made.chat_id", "=", chat)
    .where("message.chat_id", "=", chat)
    .where("message.sequence", ">=", from);
  const calls = new Set<CallId>((await madeCalls.execute()).map(({ id }) => id));
  if (calls.size === 0) return [];
  const asks = await db
    .selectFrom("asks")
    .selectAll()
    .where("chat_id", "=", chat)
    .where("rewound_at", "is", null)
    .orderBy("sequence")
    .execute();
  const ended = asks.map(askOf).flatMap((ask) => (ask.calls.some((call) => calls.has(call)) ? [ask.id] : []));
  for (const ids of chunks(ended)) await db.updateTable("asks").set({ rewound_at: at }).where("id", "in", ids).execute();
  return ended;
}

function chunks<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / NAMED) }, (_, at) => all.slice(at * NAMED, (at + 1) * NAMED));
}
