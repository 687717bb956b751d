// Searches chats for a text, and adds up the tokens they used. No index finds a part of a text: each page examines a fixed number of rows, from
// the newest on, and the next page goes on from there. So a page takes the same few milliseconds however many chats there are.

import { type Expression, sql } from "kysely";
import type { FoundChat, Store } from "../agent/ports.ts";
import { allChats, chatOf } from "./chats.ts";
import type { Db, SqlBackend } from "./db.ts";
import { parsed } from "./shape.ts";
import { escapedInJson, legible } from "./text.ts";
import { isSaid } from "./transcripts.ts";

/** Titles, and messages, that are looked at for one page. */
const TITLES = 20_000;
const MESSAGES = 8000;
/** Rows that are taken for each chat that may be shown: several of them may be of one chat. */
const ROWS = 4;
/** As much of a message is shown before and after what was found. */
const AROUND = 80;

interface Place {
  readonly in: "titles" | "messages";
  /** Rows before this one. */
  readonly before: number;
}

const START: Place = { in: "titles", before: Number.MAX_SAFE_INTEGER };
const placeOf = (text: string | null): Place => {
  const match = /^(titles|messages)-(\d{1,16})$/.exec(text ?? "");
  return match === null ? START : { in: match[1] === "messages" ? "messages" : "titles", before: Number(match[2]) };
};
const textOf = (place: Place): string => `${place.in}-${place.before}`;

interface Page {
  readonly found: readonly FoundChat[];
  /** Null: that was all of these. */
  readonly next: Place | null;
}

export function searchRows(backend: SqlBackend): Pick<Store, "searchChats" | "usage"> {
  /** Has the column one of the ways to write the text? The database knows small and large letters of English alone. */
  const has = (column: string, text: string, written: (text: string) => string): Expression<boolean> => {
    const others = isEnglish(text) ? [] : [text.toLowerCase(), text.toUpperCase(), capital(text)];
    const ways = [...new Set([text, ...others].map(written))];
    return sql`(${sql.join(
      ways.map((way) => backend.contains(column, way)),
      sql` or `,
    )})`;
  };

  const inTitles = async (db: Db, text: string, before: number, limit: number): Promise<Page> => {
    const all = allChats(db).select("sequence").where("sequence", "<", before).orderBy("sequence", "desc");
    const firstSkipped = await db
      .selectFrom("chats")
      .select("sequence")
      .where("sequence", "<", before)
      .orderBy("sequence", "desc")
      .offset(TITLES)
      .limit(1)
      .executeTakeFirst();
    const rows = await all
      .where("sequence", ">", firstSkipped?.sequence ?? 0)
      .where(has("title", text, legible))
      .limit(limit)
      .execute();
    const last = rows.length === limit ? rows.at(-1)?.sequence : undefined;
    const next = last ?? (firstSkipped === undefined ? undefined : firstSkipped.sequence + 1);
    const chats = rows.map(({ sequence: _sequence, ...row }) => ({ chat: chatOf(row), message: null }));
    return { found: chats, next: next === undefined ? null : { in: "titles", before: next } };
  };

  const inMessages = async (db: Db, text: string, before: number, limit: number): Promise<Page> => {
    const all = db.selectFrom("messages").where("sequence", "<", before).orderBy("sequence", "desc");
    const firstSkipped = await all.select("sequence").offset(MESSAGES).limit(1).executeTakeFirst();
    const rows = await all
      .select(["sequence", "chat_id", "id", "at", "role", "body"])
      .where("sequence", ">", firstSkipped?.sequence ?? 0)
      .where("rewound_at", "is", null)
      .where("role", "in", ["person", "agent"])
      .where(has("body", text, escapedInJson))
      .limit(limit * ROWS)
      .execute();
    const messages = new Map<string, NonNullable<FoundChat["message"]>>();
    let last = rows.length === limit * ROWS ? rows.at(-1)?.sequence : undefined;
    for (const { sequence, chat_id: chat, id, at, role, body } of rows) {
      // The row holds more than the text: a word of ours would be found in all of them.
      const excerpt = excerptOf(parsed(body, isSaid, { table: "messages", row: id, column: "body" }).text, text);
      if (excerpt === null || messages.has(chat)) continue;
      messages.set(chat, { id, at, role: role === "agent" ? role : "person", text: excerpt });
      if (messages.size < limit) continue;
      last = sequence;
      break;
    }
    const chats =
      messages.size === 0
        ? []
        : await allChats(db)
            .where("id", "in", [...messages.keys()])
            .execute();
    const byId = new Map(chats.map((row) => [row.id, chatOf(row)]));
    const foundChats = [...messages].flatMap(([id, message]) => {
      const chat = byId.get(id);
      // Found by its title before.
      return chat === undefined || isIn(chat.title, text) ? [] : [{ chat, message }];
    });
    const next = last ?? (firstSkipped === undefined ? undefined : firstSkipped.sequence + 1);
    return { found: foundChats, next: next === undefined ? null : { in: "messages", before: next } };
  };

  return {
    searchChats: ({ text, after, limit }) =>
      backend.read(async (db) => {
        const from = placeOf(after);
        const titles = from.in === "titles" ? await inTitles(db, text, from.before, limit) : null;
        if (titles !== null && (titles.next !== null || titles.found.length === limit))
          return { found: titles.found, next: textOf(titles.next ?? { ...START, in: "messages" }) };
        const before = from.in === "messages" ? from.before : START.before;
        const rest = await inMessages(db, text, before, limit - (titles?.found.length ?? 0));
        return { found: [...(titles?.found ?? []), ...rest.found], next: rest.next === null ? null : textOf(rest.next) };
      }),

    usage: (chat) =>
      backend.read(async (db) => {
        const model = backend.field(sql.ref("body"), "model");
        const usage = backend.field(sql.ref("body"), "usage");
        const sum = (name: string) => sql<number>`sum(cast(${backend.field(usage, name)} as bigint))`;
        const rows = await db
          .selectFrom("messages")
          .select([model.as("model"), sum("input").as("input"), sum("output").as("output"), sql<number>`count(*)`.as("turns")])
          .where("chat_id", "=", chat)
          .where("role", "=", "agent")
          .where(usage, "is not", null)
          .groupBy(model)
          .orderBy(sql`min(sequence)`)
          .execute();
        return rows.map(({ model: name, input, output, turns }) => ({
          model: name,
          input: Number(input),
          output: Number(output),
          turns: Number(turns),
        }));
      }),
  };
}

// eslint-disable-next-line no-control-regex -- all of ASCII
const isEnglish = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();

const isIn = (whole: string, text: string): boolean => whole.toLowerCase().includes(text.toLowerCase());

/** What was found with some of what is around it, in one line; null where it is not there. */
function excerptOf(whole: string, text: string): string | null {
  const at = whole.toLowerCase().indexOf(text.toLowerCase());
  if (at === -1) return null;
  const [from, to] = [Math.max(0, at - AROUND), Math.min(whole.length, at + text.length + AROUND)];
  const line = whole.slice(from, to).replaceAll(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${line}${to < whole.length ? "…" : ""}`;
}
