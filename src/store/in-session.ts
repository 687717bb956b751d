// An ask, and a chat, each with everything of its session that is needed to go on with it: what an answer is worked out from, and what a
// chat is driven by. Asked together, since over a network each look takes its time.

import { sql } from "kysely";
import type { ChatInSession, Store } from "../agent/ports.ts";
import type { AskId } from "../core/names.ts";
import { askOf } from "./ask-rows.ts";
import { chatColumns } from "./chats.ts";
import { type Backend, type Db, type Gather, ONE } from "./db.ts";
import { grantColumns, liveGrantsOf } from "./grants.ts";
import { saidColumns, saidOf } from "./hearing.ts";
import { allProjects, mountColumns, mountsOf, projectColumns, sessionColumns, sessionOf } from "./sessions.ts";
import { statement, together } from "./statement.ts";
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

/** A chat as it is for whoever asks next on a connection. */
export async function chatBehind(gather: Gather, chat: string): Promise<ChatInSession | null> {
  return chatOf(await gather(ofChat, chat));
}

function chatOf({ chats: [chat], sessions: [session], messages, said }: Awaited<ReturnType<typeof ofChat.atOnce>>): ChatInSession | null {
  return chat === undefined || session === undefined
    ? null
    : { chat, session: sessionOf(session), transcript: transcriptOf(messages), said: said.map(saidOf) };
}

const sessionOfAsk = (db: Db, ask: AskId) => db.selectFrom("asks").select("session_id").where("id", "=", ask);

const ofAsk = together(
  (db, ask: AskId) => ({
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
  }),
  // Where a statement costs little: the ask and its session as one, which tells too whether there is anything of the rest.
  async (db, ask) => {
    const [row] = (await askAndSession(db, ask)).rows;
    if (row === undefined) return { asks: [], sessions: [], projects: [], mounts: [], grants: [] };
    const session = {
      id: row.session_id,
      project_id: row.its_project,
      parent_id: row.its_parent,
      workspace: row.its_workspace,
      asking: row.its_asking,
      attended: row.its_attended,
      host: row.its_host,
      host_session: row.its_host_session,
      label: row.its_label,
      machine: row.its_machine,
      allowed_read_paths: row.its_paths,
      at: row.its_at,
      archived_at: row.its_archived_at,
    };
    return {
      asks: [row],
      sessions: [session],
      projects: row.projects === 0 ? [] : (await allProjects(db)).rows,
      mounts: row.mounts === 0 ? [] : (await mountsOf(db, row.session_id)).rows,
      grants: row.grants === 0 ? [] : (await liveGrantsOf(db, row.session_id)).rows,
    };
  },
);

const askAndSession = statement((db, ask: AskId) =>
  db
    .selectFrom("asks")
    .innerJoin("sessions as its", "its.id", "asks.session_id")
    .selectAll("asks")
    .select(["its.project_id as its_project", "its.parent_id as its_parent", "its.workspace as its_workspace", "its.asking as its_asking"])
    .select(["its.attended as its_attended", "its.host as its_host", "its.host_session as its_host_session", "its.label as its_label"])
    .select(["its.machine as its_machine", "its.allowed_read_paths as its_paths", "its.at as its_at", "its.archived_at as its_archived_at"])
    .select([
      sql<number>`exists (select 1 from projects)`.as("projects"),
      sql<number>`exists (select 1 from mounts where session_id = asks.session_id)`.as("mounts"),
      sql<number>`exists (select 1 from grants where session_id = asks.session_id and revoked_at is null)`.as("grants"),
    ])
    .where("asks.id", "=", ask)
    .limit(ONE),
);

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
