// Asks: rows that wait for a person, in whatever process. Open, then answered or closed, once.

import type { Selectable } from "kysely";
import type { Store, StoredAnswer, StoredAsk, StoredProposal } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import type { AskId, CallId } from "../core/names.ts";
import { recordIn } from "./audit.ts";
import { type Backend, type Db, type Tables, unindexed } from "./db.ts";
import { giveGrant } from "./grants.ts";
import { either, fields, id, list, nullable, number, parsed, type Shape, text, truth, word } from "./shape.ts";
import { exact } from "./text.ts";
import { settle, wait } from "./transcripts.ts";

type AskRows = Pick<Store, "openAsk" | "joinAsk" | "ask" | "asks" | "answerAsk" | "closeAsk">;

export function askRows(backend: Backend): AskRows {
  return {
    openAsk: (ask) =>
      backend.write({ chat: ask.chat }, async (db) => {
        await refuseUnlessLive(db, ask);
        await db
          .insertInto("asks")
          .values({
            id: exact(ask.id),
            session_id: ask.session,
            chat_id: ask.chat,
            kind: ask.kind,
            state: "open",
            at: ask.at,
            calls: JSON.stringify(ask.calls),
            requested: JSON.stringify(ask.requested),
            body: bodyOf(ask),
            answer: null,
          })
          .execute();
        if (!(await wait(db, ask.chat, ask.calls, { at: "waiting", ask: ask.id, kind: ask.kind })))
          throw new HallpassError("not-found", "a call that should wait for the ask is not in the chat, or waits or is done already");
      }),

    joinAsk: (ask, call, requested) =>
      backend.write({ ask }, async (db) => {
        const row = await db.selectFrom("asks").selectAll().where("id", "=", ask).where("state", "=", "open").executeTakeFirst();
        if (row === undefined || !(await wait(db, row.chat_id, [call], { at: "waiting", ask, kind: row.kind }))) return false;
        await db
          .updateTable("asks")
          .set({
            calls: JSON.stringify([...parsed(row.calls, areCalls), call]),
            requested: JSON.stringify([...parsed(row.requested, list(text)), requested]),
          })
          .where("id", "=", ask)
          .execute();
        return true;
      }),

    ask: (ask) =>
      backend.read(async (db) => {
        const row = await db.selectFrom("asks").selectAll().where("id", "=", ask).executeTakeFirst();
        return row === undefined ? null : askOf(row);
      }),

    asks: ({ session, chat, state }) =>
      backend.read(async (db) => {
        let query = db.selectFrom("asks").selectAll().orderBy("sequence");
        // The chat's index where there is one: a session has more asks than a chat of it, and SQLite knows no better.
        if (chat !== undefined) query = query.where("chat_id", "=", chat);
        if (session !== undefined) query = query.where(chat === undefined ? "session_id" : unindexed("session_id"), "=", session);
        if (state !== undefined) query = query.where("state", "=", state);
        return (await query.execute()).map(askOf);
      }),

    answerAsk: (ask, answer, { grant, calls, events }) =>
      backend.write({ ask }, async (db) => {
        const row = await leaveOpen(db, ask, { state: "answered", answer: JSON.stringify(answer) });
        if (row === null) return false;
        if (grant !== null) await giveGrant(backend, db, row, grant);
        await settle(db, row.chat_id, ask, calls);
        await recordIn(backend, db, events);
        return true;
      }),

    closeAsk: (ask, calls) =>
      backend.write({ ask }, async (db) => {
        const row = await leaveOpen(db, ask, { state: "closed", answer: null });
        if (row === null) return false;
        await settle(db, row.chat_id, ask, calls);
        return true;
      }),
  };
}

/** The compare-and-set of every answer: an open ask leaves that state, once. Null, and nothing changed, if it is not open. */
async function leaveOpen(
  db: Db,
  ask: AskId,
  to: Pick<Tables["asks"], "state" | "answer">,
): Promise<Pick<Tables["asks"], "id" | "session_id" | "chat_id"> | null> {
  const left = await db
    .updateTable("asks")
    .set(to)
    .where("id", "=", ask)
    .where("state", "=", "open")
    .returning(["id", "session_id", "chat_id"])
    .executeTakeFirst();
  return left ?? null;
}

/** A new ask is open, has a call that waits for it, and lives in a chat of its session; neither of them is archived. */
async function refuseUnlessLive(db: Db, ask: StoredAsk): Promise<void> {
  if (ask.state !== "open" || ask.answer !== null || ask.calls.length === 0)
    throw new HallpassError("bad-request", "a new ask is open, and a call waits for it");
  const chat = await db.selectFrom("chats").select(["session_id", "status"]).where("id", "=", ask.chat).executeTakeFirst();
  if (chat === undefined) throw new HallpassError("not-found", "the ask's chat is not in the store");
  if (chat.session_id !== ask.session) throw new HallpassError("wrong-session", "the ask's chat belongs to another session");
  if (chat.status === "archived") throw new HallpassError("session-closed", "the chat is archived: nobody is asked in it any more");
}

// ── Rows and what they mean ───────────────────────────────────────────────────────────────────────────────────────────────────

type Body = Pick<StoredAsk, "tool" | "path" | "right" | "offers" | "proposal" | "survey" | "reason" | "words" | "question" | "options">;

function bodyOf({ tool, path, right, offers, proposal, survey, reason, words, question, options }: StoredAsk): string {
  const body: Body = { tool, path, right, offers, proposal, survey, reason, words, question, options };
  return JSON.stringify(body);
}

function askOf(row: Selectable<Tables["asks"]>): StoredAsk {
  return {
    id: row.id,
    session: row.session_id,
    chat: row.chat_id,
    kind: row.kind,
    calls: parsed(row.calls, areCalls),
    requested: parsed(row.requested, list(text)),
    at: row.at,
    state: row.state,
    answer: row.answer === null ? null : parsed(row.answer, isAnswer),
    ...parsed(row.body, isBody),
  };
}

const areCalls = list(id<CallId>());

const isBody = fields<Body>({
  tool: text,
  path: nullable(text),
  right: word("read", "write"),
  offers: word("once", "session"),
  proposal: nullable(fields<StoredProposal>({ dir: text, dev: number, ino: number, because: text })),
  survey: nullable(
    fields<NonNullable<StoredAsk["survey"]>>({
      repositories: number,
      secrets: number,
      files: number,
      worktree: truth,
      submodule: truth,
      complete: truth,
    }),
  ),
  reason: text,
  words: nullable(text),
  question: nullable(text),
  options: list(text),
});

type AnswerOf<V extends StoredAnswer["verdict"]> = Extract<StoredAnswer, { verdict: V }>;

const isAnswer: Shape<StoredAnswer> = either(
  fields<AnswerOf<"allow">>({
    verdict: word("allow"),
    until: word("call", "session"),
    by: text,
    at: number,
    expires: nullable(number),
  }),
  fields<AnswerOf<"deny">>({ verdict: word("deny"), by: text, at: number, note: nullable(text), stop: truth }),
  fields<AnswerOf<"reply">>({ verdict: word("reply"), by: text, at: number, text }),
);
