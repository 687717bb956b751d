// The daemon, as the pages use it: two connections for what happens, calls for what a person does. Whatever a call brings back goes into
// the state, so that a page never keeps a copy of its own.

import { type Client, WireError } from "../../../src/wire/client.ts";
import type { Frame } from "../../../src/wire/frames.ts";
import { type AnswerBody, routes } from "../../../src/wire/http.ts";
import { type FramePorts, subscribe } from "../../../src/wire/socket.ts";
import type { ruleAtSchema, WireAfterRevoke, WireAsk, WireChat, WireSession } from "../../../src/wire/values.ts";
import type { z } from "zod";
import type { StateStore } from "./store.ts";

export interface PageClient {
  /** Listen to everything; ends with the page. */
  listen(): { close(): void };
  /** Listen to one chat with its messages. */
  follow(chat: string): { close(): void };
  refresh(): Promise<void>;
  /** The next page of chats. */
  earlierChats(): Promise<void>;
  begin(workspace: string): Promise<WireSession>;
  /** A sample is made, and a chat begun in it. */
  beginSample(): Promise<WireChat>;
  /** `model`: null for the usual one. */
  beginChat(session: string, title: string, model: string | null): Promise<WireChat>;
  changeChat(chat: string, change: { readonly title?: string; readonly model?: string | null; readonly archived?: boolean }): Promise<void>;
  /** Go back to before what the person said, and say this instead; null: the same again. */
  rewind(chat: string, message: string, text: string | null): Promise<void>;
  /** With its messages, for good. */
  deleteChat(chat: string): Promise<void>;
  /** `pictures`: in base64. */
  say(chat: string, text: string, pictures?: readonly string[]): Promise<void>;
  stop(chat: string): Promise<void>;
  earlier(chat: string, before: string): Promise<void>;
  answer(ask: WireAsk, answer: AnswerBody): Promise<AnswerOutcome>;
  /** Look one up. Throws `not-found` where there is none. */
  ask(id: string): Promise<void>;
  /** Its commands are stopped, its asks closed, its grants end. */
  endSession(session: string): Promise<void>;
  revoke(grant: string): Promise<WireAfterRevoke>;
  session(session: WireSession): void;
}

/** What became of an answer: it stands; somebody else's stood already; or it was refused and nothing changed. */
export type AnswerOutcome =
  | { readonly outcome: "stands"; readonly kept: z.infer<typeof ruleAtSchema> | null; readonly notKept: string | null }
  | { readonly outcome: "too-late"; readonly ask: WireAsk | null }
  | { readonly outcome: "refused"; readonly message: string };

/** So many sessions and chats are fetched at a time. */
const PAGE = 100;

export function createDaemon(client: Client, store: StateStore, frames: FramePorts): PageClient {
  const put = store.put;
  // RACE: an answer to a request may be older than a frame that arrived before it. What a frame told of since the request was sent stays.
  let moment = 0;
  const heard = new Map<string, number>();
  const hear = (from: "all" | "chat", frame: Frame): void => {
    moment += 1;
    if (frame.type === "chat_status") heard.set(frame.chat, moment);
    if (frame.type === "session_updated") heard.set(frame.session.id, moment);
    if (frame.type === "snapshot") for (const id of [frame.chat.id, frame.session.id]) heard.set(id, moment);
    put({ type: "frame", from, frame });
  };
  const stillNews =
    (since: number) =>
    ({ id }: { readonly id: string }) =>
      (heard.get(id) ?? 0) <= since;
  /** The sessions of these chats that are not known yet. */
  const learnSessions = async (chats: readonly WireChat[]): Promise<void> => {
    const unknown = new Set(chats.map(({ session }) => session).filter((id) => store.get().sessions[id] === undefined));
    const since = moment;
    const sessions = await Promise.all([...unknown].map((id) => client.send(routes.session, { id })));
    if (sessions.length > 0) put({ type: "sessions", sessions: sessions.filter(stillNews(since)) });
  };
  const chatsBefore = async (last: string | null): Promise<void> => {
    const since = moment;
    const chats = await client.send(routes.listChats, { query: { limit: PAGE, ...(last === null ? {} : { before: last }) } });
    await learnSessions(chats);
    const oldest = chats.length < PAGE ? null : (chats.at(-1)?.id ?? null);
    put({ type: "chats", chats: chats.filter(stillNews(since)), oldest });
  };
  const refresh = async (): Promise<void> => {
    const since = moment;
    const [projects, sessions] = await Promise.all([
      client.send(routes.listProjects, {}),
      client.send(routes.listSessions, { query: { archived: "false", limit: PAGE } }),
    ]);
    put({ type: "sessions", sessions: sessions.filter(stillNews(since)) });
    await chatsBefore(null);
    put({ type: "projects", projects });
  };
  return {
    refresh,
    earlierChats: () => chatsBefore(store.get().oldestChat),
    listen() {
      return subscribe(frames, {
        chats: "all",
        frame: (frame) => {
          hear("all", frame);
          // A chat of a session we have not heard of: an agent from elsewhere has registered.
          if (frame.type === "chat_added") void learnSessions([frame.chat]).catch(() => {});
        },
        connection: (state) => {
          put({ type: "connection", state });
          // A socket that is refused only closes; a request is told why.
          refresh().catch((error: unknown) => {
            if (error instanceof WireError && error.code === "unauthenticated") put({ type: "connection", state: "refused" });
          });
        },
      });
    },
    follow(chat) {
      const subscription = subscribe(frames, {
        chats: [chat],
        frame: (frame) => {
          if (frame.type === "problem" && frame.code === "not-found") put({ type: "missing", chat });
          hear("chat", frame);
        },
        connection: () => {},
      });
      return {
        close() {
          subscription.close();
          put({ type: "leave", chat });
        },
      };
    },
    async begin(workspace) {
      const known = store.get().projects?.find(({ path }) => path === workspace);
      const project = known ?? (await client.send(routes.addProject, { body: { path: workspace } }));
      const session = await client.send(routes.addSession, { body: { workspace: project.path, project: project.id } });
      put({ type: "sessions", sessions: [session] });
      const others = (store.get().projects ?? []).filter(({ id }) => id !== project.id);
      if (known === undefined) put({ type: "projects", projects: [...others, project] });
      return session;
    },
    async beginSample() {
      const { session, ...files } = await client.send(routes.addSample, {});
      put({ type: "sessions", sessions: [session] });
      put({ type: "sample", sample: { session: session.id, ...files } });
      const body = { session: session.id, title: "Trying it on a sample", model: "offline" };
      const chat = await client.send(routes.addChat, { body });
      put({ type: "chats", chats: [await client.send(routes.say, { id: chat.id, body: { text: "List the files here" } })] });
      return chat;
    },
    async beginChat(session, title, model) {
      const chat = await client.send(routes.addChat, { body: { session, title, ...(model === null ? {} : { model }) } });
      put({ type: "chats", chats: [chat] });
      return chat;
    },
    async changeChat(chat, change) {
      const since = moment;
      const changed = await client.send(routes.changeChat, { id: chat, body: change });
      put({ type: "chats", chats: [changed].filter(stillNews(since)) });
    },
    async say(chat, text, pictures = []) {
      const since = moment;
      const said = await client.send(routes.say, {
        id: chat,
        body: { text, ...(pictures.length === 0 ? {} : { pictures: [...pictures] }) },
      });
      put({ type: "chats", chats: [said].filter(stillNews(since)) });
    },
    async rewind(chat, message, text) {
      const since = moment;
      const gone = await client.send(routes.rewind, { id: chat, body: { message, ...(text === null ? {} : { text }) } });
      put({ type: "chats", chats: [gone].filter(stillNews(since)) });
    },
    async deleteChat(chat) {
      await client.send(routes.deleteChat, { id: chat });
      put({ type: "frame", from: "all", frame: { type: "chat_deleted", cursor: "", chat } });
    },
    async stop(chat) {
      const since = moment;
      const stopped = await client.send(routes.cancel, { id: chat });
      put({ type: "chats", chats: [stopped].filter(stillNews(since)) });
    },
    async earlier(chat, before) {
      const answer = await client.send(routes.messages, { id: chat, query: { before, limit: 1000 } });
      put({ type: "earlier", chat, messages: answer.messages, earlier: answer.earlier });
    },
    async answer(ask, answer) {
      try {
        const { ask: settled, kept, notKept } = await client.send(routes.answer, { id: ask.id, body: answer });
        put({ type: "asks", asks: [settled] });
        return { outcome: "stands", kept, notKept };
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        const settled = error.problem?.ask ?? null;
        if (settled !== null) put({ type: "asks", asks: [settled] });
        if (error.code === "request-closed") return { outcome: "too-late", ask: settled };
        // It was not taken (and may stand open: shown again, answered anew), or came to nothing, which its card says.
        return { outcome: "refused", message: error.message };
      }
    },
    async ask(id) {
      put({ type: "asks", asks: [await client.send(routes.ask, { id })] });
    },
    async revoke(grant) {
      const { session, allowedBy, within, unknownOn } = await client.send(routes.revoke, { id: grant });
      put({ type: "sessions", sessions: [await client.send(routes.session, { id: session })] });
      return { allowedBy, within, unknownOn };
    },
    async endSession(session) {
      put({ type: "sessions", sessions: [await client.send(routes.archiveSession, { id: session, query: {} })] });
    },
    session: (session) => put({ type: "sessions", sessions: [session] }),
  };
}
