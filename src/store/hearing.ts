// Turns what a person said into messages of the transcript, in one step within the caller's transaction.

import { type Selectable, sql } from "kysely";
import type { StoredSaid } from "../agent/ports.ts";
import type { Message } from "../agent/transcript.ts";
import { HallpassError } from "../core/errors.ts";
import type { SessionId } from "../core/names.ts";
import type { Db, Tables } from "./db.ts";
import { parsed } from "./shape.ts";
import { exact } from "./text.ts";
import { isSaid } from "./transcripts.ts";

export const saidColumns = ["chat_id", "id", "at", "body"] as const;

type SaidRow = Omit<Selectable<Tables["said"]>, "sequence">;

/** Store what was said until the chat hears it. Throws where a message of the chat has the same id. */
export async function keepSaid(db: Db, row: SaidRow): Promise<void> {
  const sameId = db.selectFrom("messages").select("id").where("chat_id", "=", row.chat_id).where("id", "=", exact(row.id));
  if ((await sameId.executeTakeFirst()) !== undefined) throw new HallpassError("bad-request", "the chat has a message of this id already");
  await db.insertInto("said").values(row).execute();
}

/** Everything said in a chat becomes messages at the end of its transcript, and is no longer waiting. */
export async function hearAll(db: Db, chat: string): Promise<void> {
  await db
    .insertInto("messages")
    .columns(["chat_id", "id", "role", "at", "body"])
    .expression((messages) =>
      messages
        .selectFrom("said")
        .select(["chat_id", "id", sql<Message["role"]>`'person'`.as("role"), "at", "body"])
        .where("chat_id", "=", chat)
        .orderBy("sequence"),
    )
    .execute();
  await db.deleteFrom("said").where("chat_id", "=", chat).execute();
}

/** The session is being archived: what was said last stands in its transcripts, though nobody answers it. */
export async function hearLast(db: Db, session: SessionId): Promise<void> {
  const chats = db
    .selectFrom("chats")
    .innerJoin("said", "said.chat_id", "chats.id")
    .select("chats.id as chat")
    .distinct()
    .where("chats.session_id", "=", session);
  for (const { chat } of await chats.execute()) await hearAll(db, chat);
}

export const saidIn = (db: Db, chat: string) => db.selectFrom("said").select(saidColumns).where("chat_id", "=", chat).orderBy("sequence");

export function saidOf({ chat_id, id, at, body }: SaidRow): StoredSaid {
  const { text, pictures } = parsed(body, isSaid, { table: "said", row: id, column: "body" });
  return { chat: chat_id, id, at, text, ...(pictures === undefined ? {} : { pictures }) };
}
