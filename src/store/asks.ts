// Asks: rows that wait for a person, in whatever process. Open, then answered or closed, once.

import { sql } from "kysely";
import type { CallChanges } from "../agent/transcript.ts";
import type { ClosingAsk, Store, StoredAsk } from "../agent/ports.ts";
import { storedKey } from "../agent/stored-key.ts";
import { HallpassError } from "../core/errors.ts";
import type { AuditEvent } from "../core/audit.ts";
import type { AskId, SessionId } from "../core/names.ts";
import { askById, askOf, bodyOf } from "./ask-rows.ts";
import { recordIn } from "./audit.ts";
import { canonical } from "./chain.ts";
import { type SqlBackend, changed, type Db, placeOf, type Settlement, unindexed } from "./db.ts";
import { giveGrant } from "./grants.ts";
import { readable } from "./damage.ts";
import { exact, isExact } from "./text.ts";
import { outputOf, settle, wait } from "./transcripts.ts";

type AskRows = Pick<
  Store,
  "openAsk" | "joinAsk" | "ask" | "asks" | "earlierAsks" | "openAsks" | "answerAsk" | "closeAsks" | "keepYes" | "waitingYeses"
>;

export function askRows(backend: SqlBackend): AskRows {
  const earlier = (db: Db, session: SessionId, key: string, ask: AskId, at: number, limit: number) =>
    db
      .selectFrom("asks")
      .selectAll()
      .where("session_id", "=", session)
      .where("kind", "=", sql.lit("pending_grant"))
      .where(unindexed("state"), "=", sql.lit("answered"))
      .where(backend.about(key))
      .where("id", "!=", ask)
      // Hidden from the index on times: the one on what an ask is about leaves fewer rows.
      .where(sql<number>`at + 0`, "<=", at)
      .orderBy("sequence", "desc")
      .limit(sql<number>`${limit}`);
  const selectAsks = async (db: Db, filter: Parameters<Store["asks"]>[0], limit: number | undefined) => {
    const { session, chat, state, since, deniedSince, before, newestFirst = false } = filter;
    let query = db
      .selectFrom("asks")
      .selectAll()
      .orderBy("sequence", newestFirst ? "desc" : "asc");
    // SQLite knows no better, so it is told by which column to look. Few are open, and those have an index by their session; of all others
    // a chat has fewer than its session.
    const isOpen = state === "open";
    const isOfSome = session !== undefined || chat !== undefined;
    if (isOpen) query = query.where("state", "=", sql.lit("open"));
    else if (state !== undefined) query = query.where(isOfSome ? unindexed("state") : "state", "=", state);
    if (chat !== undefined) query = query.where(isOpen ? unindexed("chat_id") : "chat_id", "=", chat);
    if (session !== undefined) query = query.where(isOpen || chat === undefined ? "session_id" : unindexed("session_id"), "=", session);
    else if (isOpen && chat !== undefined) query = query.where("session_id", "=", sessionOf(db, chat));
    if (since !== undefined) query = query.where("at", ">=", since);
    if (deniedSince !== undefined) query = query.where(backend.denial.is).where(backend.denial.at, ">=", deniedSince);
    if (before !== undefined) query = query.where("sequence", "<", placeOf("asks", before));
    if (limit !== undefined) query = query.limit(limit);
    return query.execute();
  };
  return {
    openAsk: (ask, events = []) =>
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
            closed_why: null,
          })
          .execute();
        if (!(await wait(db, ask.chat, ask.calls, { at: "waiting", ask: ask.id, kind: ask.kind })))
          throw new HallpassError("not-found", "a call that should wait for the ask is not in the chat, or waits or is done already");
        await recordIn(backend, db, events);
      }),

    joinAsk: (ask, call, requested, events = []) =>
      backend.write({ ask }, async (db) => {
        const row = await db.selectFrom("asks").selectAll().where("id", "=", ask).where("state", "=", "open").executeTakeFirst();
        if (row === undefined || !(await wait(db, row.chat_id, [call], { at: "waiting", ask, kind: row.kind }))) return false;
        const open = askOf(row);
        await db
          .updateTable("asks")
          .set({
            calls: JSON.stringify([...open.calls, call]),
            requested: JSON.stringify([...open.requested, requested]),
          })
          .where("id", "=", ask)
          .execute();
        await recordIn(backend, db, events);
        return true;
      }),

    ask: (ask) =>
      backend.read(async (db) => {
        const row = await askById(db, ask).executeTakeFirst();
        return row === undefined ? null : askOf(row);
      }),

    asks: (filter) => backend.read((db) => readable(backend.damage, (limit) => selectAsks(db, filter, limit), askOf, filter.limit)),

    earlierAsks: ({ id: ask, session, at, ...rest }, limit) =>
      backend.read((db) =>
        readable(
          backend.damage,
          async (most = limit) => await earlier(db, session, storedKey(rest), ask, at, most).execute(),
          askOf,
          limit,
        ),
      ),

    openAsks: () => backend.read(async (db) => Number((await countOpen(db).executeTakeFirst())?.count ?? 0)),

    keepYes: (ask, yes) =>
      backend.write({ ask }, async (db) => {
        const open = db
          .updateTable("asks")
          .set({ waiting_yes: yes === null ? null : JSON.stringify(yes) })
          .where("id", "=", ask)
          .where("state", "=", "open");
        return changed(await (yes === null ? open : open.where("waiting_yes", "is", null)).executeTakeFirstOrThrow());
      }),

    waitingYeses: () => backend.read(async (db) => (await waiting(db).execute()).map(askOf)),

    answerAsk: (ask, answer, effects) =>
      over(backend, ask, { state: "answered", answer: JSON.stringify(answer), closed: null, ...effects }),

    closeAsks: async (session, asks) => (asks.length === 0 ? [] : backend.write({ session }, (db) => closeIn(backend, db, session, asks))),
  };
}

/** Close these asks of one session, in a transaction that may write. Gives those that were open until now. */
export async function closeIn(backend: SqlBackend, db: Db, session: SessionId, asks: readonly ClosingAsk[]): Promise<readonly AskId[]> {
  const closed: AskId[] = [];
  const recorded: AuditEvent[] = [];
  for (const { ask, path, why, at, calls } of asks) {
    const end: AskEnding = { state: "closed", answer: null, closed: why, grant: null, calls, events: [] };
    const inOneCall = wholeSettlement(backend, ask, end);
    if (await (inOneCall === null ? overIn(backend, db, ask, end) : inOneCall(db))) {
      closed.push(ask);
      recorded.push({ kind: "ask-closed", at, session, ask, path, why });
    }
  }
  // RACE: once and last. Whoever added to the record and then wanted the next ask could wait for whoever has that and adds to the record.
  await recordIn(backend, db, recorded);
  return closed;
}

interface AskEnding extends Pick<Settlement, "state" | "answer" | "closed" | "grant"> {
  readonly calls: CallChanges;
  readonly events: readonly AuditEvent[];
}

/** An ask ends, with everything that goes with it: in one call where the database offers that, else statement by statement. */
function over(backend: SqlBackend, ask: AskId, end: AskEnding): Promise<boolean> {
  const inOneCall = wholeSettlement(backend, ask, end);
  if (inOneCall !== null) return inOneCall(null);
  return backend.write({ ask }, (db) => overIn(backend, db, ask, end));
}

function wholeSettlement(
  backend: SqlBackend,
  ask: AskId,
  { calls, events, ...end }: AskEnding,
): ((db: Db | null) => Promise<boolean>) | null {
  const { settle: settleWhole } = backend;
  const { grant } = end;
  const isStorable = calls.every(({ to }) => to.at !== "waiting") && (grant === null || [grant.id, grant.path].every(isExact));
  // What is at fault is told by the statements below, which tell first whether the ask is open at all.
  if (settleWhole === undefined || !isStorable) return null;
  const changes = calls.map(({ call, to }) => ({ id: call, state: to.at, output: outputOf(to) }));
  return (db) => settleWhole(db, { ...end, ask, calls: changes, events: events.map(canonical) });
}

async function overIn(backend: SqlBackend, db: Db, ask: AskId, { grant, calls, events, ...end }: AskEnding): Promise<boolean> {
  // INVARIANT: the compare-and-set of every answer. An open ask leaves that state, once.
  const row = await leaveOpen(db, ask, end).executeTakeFirst();
  if (row === undefined) return false;
  if (grant !== null) await giveGrant(backend, db, row, grant);
  await settle(db, row.chat_id, ask, calls);
  await recordIn(backend, db, events);
  return true;
}

const waiting = (db: Db) =>
  db.selectFrom("asks").selectAll().where("state", "=", sql.lit("open")).where("waiting_yes", "is not", null).orderBy("sequence");

const countOpen = (db: Db) =>
  db
    .selectFrom("asks")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("state", "=", sql.lit("open"));

const sessionOf = (db: Db, chat: string) => db.selectFrom("chats").select("session_id").where("id", "=", chat);

const leaveOpen = (db: Db, ask: AskId, { state, answer, closed }: Pick<Settlement, "state" | "answer" | "closed">) =>
  db
    .updateTable("asks")
    .set({ state, answer, closed_why: closed })
    .where("id", "=", ask)
    .where("state", "=", "open")
    .returning(["id", "session_id", "chat_id"]);

/** A new ask is open, has a call that waits for it, and lives in a chat of its session; neither of them is archived. */
async function refuseUnlessLive(db: Db, ask: StoredAsk): Promise<void> {
  if (ask.state !== "open" || ask.answer !== null || ask.calls.length === 0)
    throw new HallpassError("bad-request", "a new ask is open, and a call waits for it");
  const chat = await db.selectFrom("chats").select(["session_id", "status"]).where("id", "=", ask.chat).executeTakeFirst();
  if (chat === undefined) throw new HallpassError("not-found", "the ask's chat is not in the store");
  if (chat.session_id !== ask.session) throw new HallpassError("wrong-session", "the ask's chat belongs to another session");
  if (chat.status === "archived") throw new HallpassError("session-closed", "the chat is archived: nobody is asked in it any more");
}
