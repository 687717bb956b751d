// Chats: begun, spoken in, stopped, gone back in, found, put away, exported, deleted. What a person says is stored before the answer goes out, whatever the chat is doing; it hears it by
// itself.

import { callId, sessionId } from "../../core/names.ts";
import { systemClock } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import { waitingMessage, wireMessage } from "../frames.ts";
import { jsonExport, markdownExport, usageOf } from "../views/chat-export.ts";
import { wireChat } from "../views/views.ts";
import type { StoredChat } from "../../agent/ports.ts";
import type { AppPorts } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";
import { rowOf, findChat, findSession, findOpenSession } from "./find-rows.ts";
import type { Handlers } from "./handler.ts";
import { understood } from "./models.ts";
import { readPicture } from "./read-picture.ts";

const PAGE = 50;
const LISTED = 200;

const FOUND = 20;

type ChatRoute =
  | "listChats"
  | "addChat"
  | "searchChats"
  | "chat"
  | "changeChat"
  | "deleteChat"
  | "chatUsage"
  | "exportChat"
  | "exportChatJson"
  | "messages"
  | "say"
  | "rewind"
  | "cancel"
  | "compact"
  | "undo"
  | "picture";

export function chatRoutes(ports: AppPorts): Pick<Handlers, ChatRoute> {
  const { store, agent } = ports;
  const exporting = () => ({
    now: systemClock(),
    prices: ports.env["HALLPASS_MODEL_PRICES"],
    ask: ports.views.ask,
    machine: ports.machine,
  });
  /** A chat of ours whose session has not ended, to speak in: whoever does wants to see it, and it is restored. */
  const spokenIn = async (id: string, elsewhere: string): Promise<StoredChat> => {
    const chat = await findChat(ports, id);
    const session = await findSession(ports, chat.session);
    if (chat.status === "archived" || session.archivedAt !== null) throw new Refusal("session-closed", "the session has ended");
    if (session.host !== null) throw new Refusal("bad-request", `another program drives this chat; ${elsewhere}`);
    if (chat.archivedAt !== undefined) await store.changeChat(chat.id, { archivedAt: null });
    return chat;
  };
  return {
    async listChats({ query: { session, archived, before, limit = LISTED } }) {
      if (session !== undefined) await findSession(ports, session);
      const filter = { session: session === undefined ? undefined : sessionId(session), archived: archived && archived === "true" };
      return (await store.chatPage(defined({ ...filter, before, limit }))).map(wireChat);
    },

    async addChat({ body: { session, title, model } }) {
      const { id, host } = await findOpenSession(ports, session);
      if (host !== null) throw new Refusal("bad-request", "another program drives this session; chats of ours cannot run in it");
      if (model !== undefined) await understood(async () => ports.models.open(model));
      return wireChat(await agent.newChat(id, title ?? "", model));
    },

    async searchChats({ query: { text, after = null, limit = FOUND } }) {
      const { found, next } = await store.searchChats({ text, after, limit });
      return { found: found.map(({ chat, message }) => ({ chat: wireChat(chat), message })), next };
    },

    chat: async ({ id }) => wireChat(await findChat(ports, id)),

    async changeChat({ id, body: { title, model, archived } }) {
      await findChat(ports, id);
      if (model !== undefined && model !== null) await understood(async () => ports.models.open(model));
      const archivedAt = archived === undefined ? undefined : archived ? systemClock() : null;
      return wireChat(await rowOf(store.changeChat(id, defined({ title: title?.trim(), model, archivedAt }))));
    },

    async deleteChat({ id, by }) {
      const chat = await findChat(ports, id);
      const { host, archivedAt } = await findSession(ports, chat.session);
      if (host !== null && archivedAt === null)
        throw new Refusal("bad-request", "another program's agent still uses this chat; end its session first, then delete the chat");
      if (!(await agent.deleteChat(chat.id, by))) throw notFound();
      return { deleted: true };
    },

    chatUsage: async ({ id }) => usageOf(await store.usage((await findChat(ports, id)).id), exporting().prices),

    exportChat: async ({ id }) => markdownExport(store, await findChat(ports, id), exporting()),
    exportChatJson: async ({ id }) => jsonExport(store, await findChat(ports, id), exporting()),

    async messages({ id, query: { before, rewound, limit = PAGE } }) {
      await findChat(ports, id);
      // What waits is the newest there is. Read first: what is heard in between is then there twice, and is shown once.
      const said = before === undefined ? await store.said(id) : [];
      // One more than is shown tells whether there are earlier ones.
      const page = await store.messagePage(id, defined({ before, rewound: rewound === "true", limit: limit + 1 }));
      const waiting = said.filter((one) => !page.some((message) => message.id === one.id)).map(waitingMessage);
      return { messages: [...page.slice(-limit).map(wireMessage), ...waiting], earlier: page.length > limit };
    },

    async picture({ id, query: { message, place } }) {
      await findChat(ports, id);
      const [said, transcript] = await Promise.all([store.said(id), store.transcript(id)]);
      const storedMessage = [...said, ...transcript].find((one) => one.id === message);
      const picture = storedMessage !== undefined && "pictures" in storedMessage ? storedMessage.pictures?.[place] : undefined;
      if (picture === undefined) throw notFound();
      return { ...picture };
    },

    async say({ id, body: { text, pictures = [] } }) {
      const chat = await spokenIn(id, "speak to it there");
      await agent.hear(chat.id, text, pictures.map(readPicture));
      return wireChat(await findChat(ports, id));
    },

    async rewind({ id, body: { message, text } }) {
      const chat = await spokenIn(id, "go back in it there");
      if (!(await agent.rewind(chat.id, message, text ?? null)))
        throw new Refusal("not-found", "there is no such message of yours in this chat, or it was rewound already");
      return wireChat(await findChat(ports, id));
    },

    async undo({ id, body: { call }, by }) {
      const chat = await findChat(ports, id);
      return { files: [...(await agent.undo(chat.id, callId(call), by))] };
    },

    async compact({ id }) {
      const chat = await findChat(ports, id);
      if (chat.status === "running" || chat.status === "waiting_for_input")
        throw new Refusal("bad-request", "the chat is running or waits for you; stop it or answer first");
      return { compacted: await agent.compact(chat.id) };
    },

    async cancel({ id }) {
      const chat = await findChat(ports, id);
      if (chat.status !== "archived") await agent.cancel(chat.id);
      return wireChat(await findChat(ports, id));
    },
  };
}
