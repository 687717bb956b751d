// Chats: begun, spoken in, stopped. What a person says is stored before the answer goes out, whatever the chat is doing; it hears it by
// itself.

import { callId, sessionId } from "../../core/names.ts";
import { waitingMessage, wireMessage } from "../frames.ts";
import { wireChat } from "../views/views.ts";
import type { AppPorts } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";
import { foundChat, foundSession, openedSession } from "./found.ts";
import type { Handlers } from "./handler.ts";
import { understood } from "./models.ts";
import { readPicture } from "./read-picture.ts";

const PAGE = 50;
const LISTED = 200;

type Served = "listChats" | "addChat" | "chat" | "changeChat" | "messages" | "say" | "cancel" | "compact" | "undo" | "picture";

export function chatRoutes(ports: AppPorts): Pick<Handlers, Served> {
  const { store, agent } = ports;
  return {
    async listChats({ query: { session, before, limit = LISTED } }) {
      if (session !== undefined) await foundSession(ports, session);
      const page = {
        ...(session === undefined ? {} : { session: sessionId(session) }),
        ...(before === undefined ? {} : { before }),
        limit,
      };
      return (await store.chatPage(page)).map(wireChat);
    },

    async addChat({ body: { session, title, model } }) {
      const { id, host } = await openedSession(ports, session);
      if (host !== null) throw new Refusal("bad-request", "another program drives this session; chats of ours cannot run in it");
      if (model !== undefined) await understood(async () => ports.models.open(model));
      return wireChat(await agent.newChat(id, title ?? "", model));
    },

    chat: async ({ id }) => wireChat(await foundChat(ports, id)),

    async changeChat({ id, body: { title, model } }) {
      await foundChat(ports, id);
      if (model !== undefined && model !== null) await understood(async () => ports.models.open(model));
      const change = { ...(title === undefined ? {} : { title: title.trim() }), ...(model === undefined ? {} : { model }) };
      const chat = await store.changeChat(id, change);
      if (chat === null) throw notFound();
      return wireChat(chat);
    },

    async messages({ id, query: { before, limit = PAGE } }) {
      await foundChat(ports, id);
      // What waits is the newest there is. Read first: what is heard in between is then there twice, and is shown once.
      const said = before === undefined ? await store.said(id) : [];
      // One more than is shown tells whether there are earlier ones.
      const page = await store.messagePage(id, { ...(before === undefined ? {} : { before }), limit: limit + 1 });
      const waiting = said.filter((one) => !page.some((message) => message.id === one.id)).map(waitingMessage);
      return { messages: [...page.slice(-limit).map(wireMessage), ...waiting], earlier: page.length > limit };
    },

    async picture({ id, query: { message, place } }) {
      await foundChat(ports, id);
      const [said, heard] = await Promise.all([store.said(id), store.transcript(id)]);
      const its = [...said, ...heard].find((one) => one.id === message);
      const picture = its !== undefined && "pictures" in its ? its.pictures?.[place] : undefined;
      if (picture === undefined) throw notFound();
      return { ...picture };
    },

    async say({ id, body: { text, pictures = [] } }) {
      const chat = await foundChat(ports, id);
      const session = await foundSession(ports, chat.session);
      if (chat.status === "archived" || session.archivedAt !== null) throw new Refusal("session-closed", "the session has ended");
      if (session.host !== null) throw new Refusal("bad-request", "another program drives this chat; speak to it there");
      await agent.hear(chat.id, text, pictures.map(readPicture));
      return wireChat(await foundChat(ports, id));
    },

    async undo({ id, body: { call }, by }) {
      const chat = await foundChat(ports, id);
      return { files: [...(await agent.undo(chat.id, callId(call), by))] };
    },

    async compact({ id }) {
      const chat = await foundChat(ports, id);
      if (chat.status === "running" || chat.status === "waiting_for_input")
        throw new Refusal("bad-request", "the chat is at work or waits for you; stop it or answer first");
      return { compacted: await agent.compact(chat.id) };
    },

    async cancel({ id }) {
      const chat = await foundChat(ports, id);
      if (chat.status !== "archived") await agent.cancel(chat.id);
      return wireChat(await foundChat(ports, id));
    },
  };
}
