// An ask, and a chat, each with everything of its session that is needed to go on with it: what an answer is worked out from, and what a
// chat is driven by. Asked together, since over a network each look takes its time.

import type { ChatInSession, Store } from "../agent/ports.ts";
import type { AskId } from "../core/names.ts";
import { askOf } from "./ask-rows.ts";
import { chatColumns } from "./chats.ts";
import { type Backend, type Db, ONE } from "./db.ts";
import { grantColumns } from "./grants.ts";
import { saidColumns, saidOf } from "./hearing.ts";
import { mountColumns, projectColumns, sessionColumns, sessionOf } from "./sessions.ts";
import { together } from "./statement.ts";
import { messagesIn, transcriptOf } from "./transcripts.ts";

type InSession = Pick<Store, "askInSession" | "chatInSession">;

export function inSessionRows(backend: Backend): InSession {
  return {
    async askInSession(id) {
      return backend.damage.watch(async () => {
        const { asks, sessions, projects, mounts, grants } = await backend.gather(ofAsk, id);
        const [[ask], [session]] = [asks, sessions];
        return ask === undefined || session === undefined
          ? null
          : { ask: askOf(ask), session: sessionOf(session), roots: { projects, mounts, grants } };
      });
    },

    chatInSession: (id) => backend.damage.watch(async () => chatOf(await backend.gather(ofChat, id))),
  };
}

function chatOf({ chats: [chat], sessions: [session], messages, said }: Awaited<ReturnType<typeof ofChat.atOnce>>): ChatInSession | null {
  return chat === undefined || session === undefined
    ? null
    : { chat, session: sessionOf(session), transcript: transcriptOf(messages), said: said.map(saidOf) };
}

const sessionOfAsk = (db: Db, ask: AskId) => db.selectFrom("asks").select("session_id").where("id", "=", ask);

const ofAsk = together((db, ask: AskId) => ({
  asks: db.selectFrom("asks").selectAll().where("id", "=", ask).limit(ONE),
  sessions: db.selectFrom("sessions").select(sessionColumns).where("id", "=", sessionOfAsk(db, ask)).limit(ONE),
  projects: db.selectFrom("projects").select(projectColumns).orderBy("sequence"),
  mounts: db.selectFrom("mounts").select(mountColumns).where("session_id", "=", sessionOfAsk(db, ask)).orderBy("position"),
  grants: db
    .selectFrom("grants")
    .select(grantColumns)
    .where("revoked_at", "is", null)
    .where("session_id", "=", sessionOfAsk(db, ask))
    .orderBy("sequence"),
}));

const ofChat = together((db, chat: string) => ({
  chats: db.selectFrom("chats").select(chatColumns).where("id", "=", chat).limit(ONE),
  sessions: db
    .selectFrom("sessions")
    .selectAll()
    .where("id", "=", db.selectFrom("chats").select("session_id").where("id", "=", chat))
    .limit(ONE),
  messages: messagesIn(db, chat),
  said: db.selectFrom("said").select(saidColumns).where("chat_id", "=", chat).orderBy("sequence"),
}));
