// An ask, and a chat, each with everything of its session that is needed to go on with it: what an answer is worked out from, and what a
// chat is driven by; and the roots that an access is judged by. Asked together, since over a network each look takes its time.

import type { Store } from "../agent/ports.ts";
import type { AskId } from "../core/names.ts";
import { askById, askOf } from "./ask-rows.ts";
import { chatById, chatOf } from "./chats.ts";
import { asIs, readable } from "./damage.ts";
import { type SqlBackend, type Db, ONE } from "./db.ts";
import { liveGrantsOf } from "./grants.ts";
import { saidIn, saidOf } from "./hearing.ts";
import { allProjects, mountsOf, sessionOf } from "./sessions.ts";
import { liveMessagesIn, transcriptOf } from "./transcripts.ts";

type SessionLookups = Pick<Store, "askInSession" | "chatInSession" | "rootsAt">;

export function inSessionRows(backend: SqlBackend): SessionLookups {
  return {
    askInSession: (id) =>
      backend.read(async (db) => {
        const ofSession = sessionOfAsk(db, id);
        const [ask, session, projects, mounts, grants] = await Promise.all([
          askById(db, id).executeTakeFirst(),
          db.selectFrom("sessions").selectAll().where("id", "=", ofSession).limit(ONE).executeTakeFirst(),
          allProjects(db).execute(),
          mountsOf(db, ofSession).execute(),
          liveGrantsOf(db, ofSession).execute(),
        ]);
        return ask === undefined || session === undefined
          ? null
          : { ask: askOf(ask), session: sessionOf(session), roots: { projects, mounts, grants } };
      }),

    chatInSession: (id) =>
      backend.read(async (db) => {
        const ofChat = db.selectFrom("chats").select("session_id").where("id", "=", id);
        const [chat, session, messages, said] = await Promise.all([
          chatById(db, id).executeTakeFirst(),
          db.selectFrom("sessions").selectAll().where("id", "=", ofChat).limit(ONE).executeTakeFirst(),
          liveMessagesIn(db, id).execute(),
          saidIn(db, id).execute(),
        ]);
        return chat === undefined || session === undefined
          ? null
          : { chat: chatOf(chat), session: sessionOf(session), transcript: transcriptOf(messages), said: said.map(saidOf) };
      }),

    rootsAt: (id, directories) =>
      backend.read(async (db) => {
        const isAt = backend.isAt(directories);
        const [projects, mounts, grants] = await Promise.all([
          readable(backend.damage, () => allProjects(db).where(isAt).execute(), asIs),
          mountsOf(db, id).where(isAt).execute(),
          // A grant that cannot be read grants nothing.
          readable(backend.damage, () => liveGrantsOf(db, id).where(isAt).execute(), asIs),
        ]);
        return { projects, mounts, grants };
      }),
  };
}

const sessionOfAsk = (db: Db, ask: AskId) => db.selectFrom("asks").select("session_id").where("id", "=", ask);
