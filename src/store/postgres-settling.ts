// The end of an ask in PostgreSQL: one call of the migrations' function, in a transaction that may write or as one of its own.

import { sql } from "kysely";
import { HallpassError } from "../core/errors.ts";
import type { AskId, GrantId } from "../core/names.ts";
import type { Db, Settlement } from "./db.ts";
import { UnknownOutcomeError, stateOf } from "./postgres-faults.ts";
import { legible } from "./text.ts";

/** The migrations' `hallpass_settle`: everything that `over` in asks.ts does, under the same locks, in one call. */
export async function settleIn(db: Db, settlement: Settlement): Promise<boolean> {
  return isDone((await settling(db, ...valuesOf(settlement)).executeTakeFirst())?.came);
}

/** The same as a transaction of its own: one statement, and one answer that says it is on the disk. */
export async function settleAlone(db: Db, settlement: Settlement): Promise<boolean> {
  try {
    return isDone((await settlingAlone(db, ...valuesOf(settlement)).executeTakeFirst())?.came);
  } catch (error) {
    // `hallpass_whole` rolled everything back and says why.
    if (stateOf(error) === ROLLED_BACK && error instanceof Error) return isDone(error.message);
    throw error;
  }
}

/** Was an ask that is no longer open ended by this settlement, of which no answer came? Throws where nobody can tell. */
export async function wasOurs(db: Db, { ask, state, answer, grant }: Settlement): Promise<boolean> {
  // No other answer has a grant of this id.
  if (grant !== null) return (await grantOfAsk(db, ask, grant.id).execute()).length > 0;
  const now = await endOfAsk(db, ask).executeTakeFirst();
  if (now?.state === state && now.answer === answer) throw new UnknownOutcomeError("an ask was ended just so, by this or by another");
  return false;
}

function valuesOf({ ask, state, answer, closed, grant, calls, events }: Settlement): readonly unknown[] {
  return [
    ask,
    state,
    answer,
    closed,
    grant?.id ?? null,
    grant?.session ?? null,
    grant?.ask ?? null,
    grant?.path ?? null,
    grant?.dev ?? null,
    grant?.ino ?? null,
    grant?.born ?? null,
    grant === null ? null : legible(grant.by),
    grant?.at ?? null,
    grant?.expires ?? null,
    calls.map(({ id }) => id),
    calls.map((call) => call.state),
    calls.map(({ output }) => output),
    events,
  ];
}

function isDone(came: string | undefined): boolean {
  if (came === "done" || came === "not-open") return came === "done";
  if (came === "wrong-session") throw new HallpassError(came, "a grant is for the session and the ask that it answers");
  if (came === "session-closed") throw new HallpassError(came, "the session is archived: nothing is granted in it any more");
  throw new HallpassError("io-error", "the database has another hallpass_settle than this version's");
}

const settling = (db: Db, ...values: readonly unknown[]) => db.selectNoFrom(sql<string>`hallpass_settle(${sql.join(values)})`.as("came"));
const settlingAlone = (db: Db, ...values: readonly unknown[]) =>
  db.selectNoFrom(sql<string>`hallpass_whole(hallpass_settle(${sql.join(values)}))`.as("came"));
const ROLLED_BACK = "HP001";
const grantOfAsk = (db: Db, ask: AskId, id: GrantId) => db.selectFrom("grants").select("id").where("id", "=", id).where("ask_id", "=", ask);
const endOfAsk = (db: Db, ask: AskId) => db.selectFrom("asks").select(["state", "answer"]).where("id", "=", ask);
