// An ask, and a chat, each with everything of its session that is needed to go on with it: what an answer is worked out from, and what a
// chat is driven by. Asked together, since over a network each look takes its time.

import type { Store } from "../agent/ports.ts";
import type { AskId } from "../core/names.ts";
import { askById, askOf } from "./ask-rows.ts";
import { chatById, chatOf } from "./chats.ts";
import { type SqlBackend, type Db, ONE } from "./db.ts";
import { liveGrantsOf } from "./grants.ts";
import { saidIn, saidOf } from "./hearing.ts";
import { allProjects, mountsOf, sessionOf } from "./sessions.ts";
import { liveMessagesIn, transcriptOf } from "./transcripts.ts";

type InSession = Pick<Store, "askInSession" | "chatInSession">;

export function inSessionRows(backend: SqlBackend): InSession {
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
  };
}

const sessionOfAsk = (db: Db, ask: AskId) => db.selectFrom("asks").select("session_id").where("id", "=", ask);
