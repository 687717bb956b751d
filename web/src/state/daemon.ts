// The daemon, as the pages use it: two connections for what happens, calls for what a person does. Whatever a call brings back goes into
// the state, so that a page never keeps a copy of its own.

import { type Client, type Input, WireError } from "../../../src/wire/client.ts";
import type { Frame } from "../../../src/wire/frames.ts";
import { type AnswerBody, routes } from "../../../src/wire/http.ts";
import { type FramePorts, subscribe } from "../../../src/wire/socket.ts";
import type { ruleAtSchema, WireAfterRevoke, WireAsk, WireChat, WireSession } from "../../../src/wire/values.ts";
import type { z } from "zod";
import type { StateStore } from "./store.ts";

/** The outcome of an answer: it holds; another came first; or it was refused and nothing changed. */
export type AnswerOutcome =
  | { readonly outcome: "stands"; readonly kept: z.infer<typeof ruleAtSchema> | null; readonly notKept: string | null }
  | { readonly outcome: "too-late"; readonly ask: WireAsk | null }
  | { readonly outcome: "refused"; readonly message: string };

/** So many sessions and chats are fetched at a time. */
const PAGE = 100;

export type PageClient = ReturnType<typeof createDaemon>;

export function createDaemon(client: Client, store: StateStore, frames: FramePorts) {
  const put = store.put;
  // RACE: an answer to a request may be older than a frame that arrived before it. What a frame told of since the request was sent stays.
  let moment = 0;
  const lastFrameAt = new Map<string, number>();
  const receive = (from: "all" | "chat", frame: Frame): void => {
    moment += 1;
    if (frame.type === "chat_status") lastFrameAt.set(frame.chat, moment);
    if (frame.type === "session_updated") lastFrameAt.set(frame.session.id, moment);
    if (frame.type === "snapshot") for (const id of [frame.chat.id, frame.session.id]) lastFrameAt.set(id, moment);
    put({ type: "frame", from, frame });
  };
  const isNewerThanFrames =
    (since: number) =>
    ({ id }: { readonly id: string }) =>
      (lastFrameAt.get(id) ?? 0) <= since;
  /** The sessions of these chats that are not known yet. */
  const learnSessions = async (chats: readonly WireChat[]): Promise<void> => {
    const unknown = new Set(chats.map(({ session }) => session).filter((id) => store.get().sessions[id] === undefined));
    const since = moment;
    const sessions = await Promise.all([...unknown].map((id) => client.send(routes.session, { id })));
    if (sessions.length > 0) put({ type: "sessions", sessions: sessions.filter(isNewerThanFrames(since)) });
  };
  const chatsBefore = async (last: string | null): Promise<void> => {
    const since = moment;
    const chats = await client.send(routes.listChats, { query: { limit: PAGE, ...(last === null ? {} : { before: last }) } });
    await learnSessions(chats);
    const oldest = chats.length < PAGE ? null : (chats.at(-1)?.id ?? null);
    put({ type: "chats", chats: chats.filter(isNewerThanFrames(since)), oldest });
  };
  const refresh = async (): Promise<void> => {
    const since = moment;
    const [projects, sessions] = await Promise.all([
      client.send(routes.listProjects, {}),
      client.send(routes.listSessions, { query: { archived: "false", limit: PAGE } }),
    ]);
    put({ type: "sessions", sessions: sessions.filter(isNewerThanFrames(since)) });
    await chatsBefore(null);
    put({ type: "projects", projects });
  };
  /** Store the answer to a request about a chat, unless a frame has brought newer data since. */
  const takeChat = async (work: () => Promise<WireChat>): Promise<void> => {
    const since = moment;
    put({ type: "chats", chats: [await work()].filter(isNewerThanFrames(since)) });
  };
  const takeSession = async (work: Promise<WireSession>): Promise<WireSession> => {
    const session = await work;
    put({ type: "sessions", sessions: [session] });
    return session;
  };
  return {
    refresh,
    /** The next page of chats. */
    earlierChats: (): Promise<void> => chatsBefore(store.get().oldestChat),
    /** Listen to everything; ends with the page. */
    listen: () =>
      subscribe(frames, {
        chats: "all",
        frame: (frame) => {
          receive("all", frame);
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
      }),
    /** Listen to one chat with its messages. */
    follow(chat: string): { close(): void } {
      const subscription = subscribe(frames, {
        chats: [chat],
        frame: (frame) => {
          if (frame.type === "problem" && frame.code === "not-found") put({ type: "missing", chat });
          receive("chat", frame);
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
    async begin(workspace: string): Promise<WireSession> {
      const known = store.get().projects?.find(({ path }) => path === workspace);
      const project = known ?? (await client.send(routes.addProject, { body: { path: workspace } }));
      const session = await takeSession(client.send(routes.addSession, { body: { workspace: project.path, project: project.id } }));
      const others = (store.get().projects ?? []).filter(({ id }) => id !== project.id);
      if (known === undefined) put({ type: "projects", projects: [...others, project] });
      return session;
    },
    /** A sample is made, and a chat begun in it. */
    async beginSample(): Promise<WireChat> {
      const { session, ...files } = await client.send(routes.addSample, {});
      put({ type: "sessions", sessions: [session] });
      put({ type: "sample", sample: { session: session.id, ...files } });
      const body = { session: session.id, title: "Trying it on a sample", model: "offline" };
      const chat = await client.send(routes.addChat, { body });
      put({ type: "chats", chats: [await client.send(routes.say, { id: chat.id, body: { text: "List the files here" } })] });
      return chat;
    },
    /** `model`: null for the usual one. */
    async beginChat(session: string, title: string, model: string | null): Promise<WireChat> {
      const chat = await client.send(routes.addChat, { body: { session, title, model: model ?? undefined } });
      put({ type: "chats", chats: [chat] });
      return chat;
    },
    changeChat: (id: string, body: Input<typeof routes.changeChat>["body"]): Promise<void> =>
      takeChat(() => client.send(routes.changeChat, { id, body })),
    /** `pictures`: in base64. */
    say: (id: string, text: string, pictures: readonly string[] = []): Promise<void> =>
      takeChat(() => client.send(routes.say, { id, body: { text, pictures: pictures.length === 0 ? undefined : [...pictures] } })),
    /** Go back to before what the person said, and say this instead; null: the same again. */
    rewind: (id: string, message: string, text: string | null): Promise<void> =>
      takeChat(() => client.send(routes.rewind, { id, body: { message, text: text ?? undefined } })),
    /** With its messages, for good. */
    async deleteChat(chat: string): Promise<void> {
      await client.send(routes.deleteChat, { id: chat });
      put({ type: "frame", from: "all", frame: { type: "chat_deleted", cursor: "", chat } });
    },
    stop: (id: string): Promise<void> => takeChat(() => client.send(routes.cancel, { id })),
    async earlier(chat: string, before: string): Promise<void> {
      const { messages, earlier } = await client.send(routes.messages, { id: chat, query: { before, limit: 1000 } });
      put({ type: "earlier", chat, messages, earlier });
    },
    async answer(ask: WireAsk, answer: AnswerBody): Promise<AnswerOutcome> {
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
    /** Look one up. Throws `not-found` where there is none. */
    async ask(id: string): Promise<void> {
      put({ type: "asks", asks: [await client.send(routes.ask, { id })] });
    },
    async revoke(grant: string): Promise<WireAfterRevoke> {
      const ended = await client.send(routes.revoke, { id: grant });
      await takeSession(client.send(routes.session, { id: ended.session }));
      return ended;
    },
    /** Its commands are stopped, its asks closed, its grants end. */
    async endSession(id: string): Promise<void> {
      await takeSession(client.send(routes.archiveSession, { id, query: {} }));
    },
    session: (session: WireSession): void => put({ type: "sessions", sessions: [session] }),
  };
}
