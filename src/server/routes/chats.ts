// Chats: begun, spoken in, stopped. What a person says is stored before the answer goes out; the run goes on by itself.

import { sessionId } from "../../core/names.ts";
import type { Message } from "../../agent/transcript.ts";
import type { WireMessage } from "../../wire/values.ts";
import { wireChat } from "../views/views.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import { foundChat, foundSession, openedSession } from "./found.ts";
import type { Handlers } from "./handler.ts";

const PAGE = 50;

type Served = "listChats" | "addChat" | "chat" | "messages" | "say" | "cancel";

export function chatRoutes(ports: AppPorts): Pick<Handlers, Served> {
  const { store, agent, hub } = ports;
  return {
    async listChats({ query: { session } }) {
      if (session !== undefined) await foundSession(ports, session);
      return (await store.chats(session === undefined ? null : sessionId(session))).map(wireChat).toReversed();
    },

    async addChat({ body: { session, title } }) {
      const { id, host } = await openedSession(ports, session);
      if (host !== null) throw new Refusal("bad-request", "another program drives this session; chats of ours cannot run in it");
      const chat = await agent.newChat(id, title ?? "");
      hub.chatAdded(chat.id);
      return wireChat(chat);
    },

    chat: async ({ id }) => wireChat(await foundChat(ports, id)),

    async messages({ id, query: { before, limit = PAGE } }) {
      await foundChat(ports, id);
      const transcript = await store.transcript(id);
      const end = before === undefined ? transcript.length : transcript.findIndex((message) => message.id === before);
      const begin = Math.max(0, end - limit);
      return { messages: transcript.slice(begin, Math.max(0, end)).map(wireMessage), earlier: begin > 0 };
    },

    async say({ id, body: { text } }) {
      const chat = await foundChat(ports, id);
      const session = await foundSession(ports, chat.session);
      if (chat.status === "archived" || session.archivedAt !== null) throw new Refusal("session-closed", "the session has ended");
      if (session.host !== null) throw new Refusal("bad-request", "another program drives this chat; speak to it there");
      const heard = agent.hear(chat.id, text).then(() => hub.messageAdded(chat.id));
      // What is said while it runs is stored when the run has ended, and nobody is kept waiting for that.
      if (chat.status === "running") background(ports, chat.id, heard);
      else await heard;
      return wireChat(await foundChat(ports, id));
    },

    async cancel({ id }) {
      const chat = await foundChat(ports, id);
      if (chat.status !== "archived") await agent.cancel(chat.id);
      return wireChat(await foundChat(ports, id));
    },
  };
}

function background({ log }: AppPorts, chat: string, run: Promise<void>): void {
  run.catch((error: unknown) =>
    log.error({ chat, error: error instanceof Error ? error.message : String(error) }, "what was said in a chat could not be stored"),
  );
}

export function wireMessage(message: Message): WireMessage {
  return message.role === "agent"
    ? { ...message, calls: message.calls.map(({ id, name, input, state }) => ({ id, name, input, state })), usage: message.usage }
    : { ...message };
}
