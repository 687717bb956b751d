// Turns changes of rows and events of the loop into frames, in the order in which they happened, each after its rows were committed.

import type { AgentEvent } from "../agent/events.ts";
import type { Store, StoredChat, StoredSaid } from "../agent/ports.ts";
import type { CallChanges, CallOutcome, CallState, ChatStatus, Message } from "../agent/transcript.ts";
import { createQueue } from "../agent/waiting.ts";
import { messageOf } from "../core/record.ts";
import { categoryOf } from "../core/errors.ts";
import { askId, type AskId, sessionId, type SessionId } from "../core/names.ts";
import { toolNamed } from "../tools/registry.ts";
import type { Frame } from "../wire/frames.ts";
import type { WireAsk, WireCall, WireMessage, WireOutcome } from "../wire/values.ts";
import type { StoreChange } from "./changes.ts";
import type { Log, Views } from "./ports.ts";
import type { Audience } from "./ring.ts";
import { wireChat } from "./views/views.ts";

type WithoutCursor<F> = F extends { readonly cursor: string } ? Omit<F, "cursor"> : never;
/** A frame before it has its place in the order. */
export type BareFrame = WithoutCursor<Frame>;

export interface FramePublisherPorts {
  readonly store: Store;
  readonly views: Views;
  readonly log: Log;
  /** To everybody, here and in other processes. */
  readonly publish: (frame: BareFrame, audience: Audience) => void;
  /** To those who listen here. */
  readonly show: (frame: BareFrame, audience: Audience) => void;
}

/** How many calls and chats are remembered so as not to be looked up; the oldest are forgotten. */
const REMEMBERED = 10_000;

export function createFramePublisher({ store, views, log, publish, show }: FramePublisherPorts) {
  const calls = new Map<string, { readonly message: string; readonly name: string; readonly input: unknown }>();
  const statuses = new Map<string, ChatStatus>();
  /** Turns of a model that were begun and are not stored yet. */
  const turns = new Map<string, true>();
  /** Messages of people that were heard. RACE: that one waits may be told, here or elsewhere, after it was heard: it never waits again. */
  const heardMessages = new Map<string, true>();
  const pendingSessions = new Set<SessionId>();
  const queue = createQueue();

  /** Do it after everything before it. */
  const inOrder = (work: () => Promise<void> | void): void => {
    queue.add(work).catch((error: unknown) => {
      // A frame that could not be made is missed by those who listen now; the rows are right, and the next snapshot shows them.
      log.warn({ error: messageOf(error) }, "making a frame failed");
    });
  };
  /** As above for what needs no look at the store: nothing is waited for where nothing is before it. */
  const atOnce = (work: () => void): void => (queue.isIdle ? work() : inOrder(work));

  const remember = <V>(map: Map<string, V>, key: string, value: V): void => {
    map.set(key, value);
    const oldest = map.size > REMEMBERED ? map.keys().next().value : undefined;
    if (oldest !== undefined) map.delete(oldest);
  };

  const publishStatus = (chat: string, to: ChatStatus, why: string): void => {
    if (statuses.get(chat) === to) return;
    remember(statuses, chat, to);
    publish({ type: "chat_status", chat, status: to, why }, { chat });
  };

  const findCall = async (chat: string, call: string): Promise<{ message: string; name: string; input: unknown } | null> => {
    const remembered = calls.get(`${chat} ${call}`);
    if (remembered !== undefined) return remembered;
    for (const message of await store.transcript(chat)) {
      const toolCall = message.role === "agent" ? message.calls.find(({ id }) => id === call) : undefined;
      if (toolCall !== undefined) return { message: message.id, name: toolCall.name, input: toolCall.input };
    }
    return null;
  };
  const publishCall = async (chat: string, id: string, to: CallState): Promise<void> => {
    if (to.at === "done") {
      calls.delete(`${chat} ${id}`);
      return publish({ type: "tool_result", chat, call: id, outcome: wireOutcome(to.outcome) }, { chat });
    }
    const toolCall = await findCall(chat, id);
    if (toolCall === null) return;
    remember(calls, `${chat} ${id}`, toolCall);
    publish(
      { type: "tool_call", chat, message: toolCall.message, call: { ...namedCall({ ...toolCall, id }), state: { ...to } } },
      { chat },
    );
  };
  const cardOf = async (ask: AskId): Promise<WireAsk | null> => {
    const stored = await store.ask(ask);
    return stored === null ? null : views.ask(stored);
  };
  const publishOpenCard = async (ask: AskId, publishTo: FramePublisherPorts["publish"]): Promise<void> => {
    const card = await cardOf(ask);
    if (card?.state === "open") publishTo({ type: "ask_open", chat: card.chat, ask: card }, { chat: card.chat });
  };
  const publishSettled = async (ask: AskId, changes: CallChanges): Promise<void> => {
    const card = await cardOf(ask);
    if (card === null) return;
    const { chat } = card;
    publish({ type: "ask_settled", chat, ask: card }, { chat });
    for (const change of changes) await publishCall(chat, change.call, change.to);
  };
  const publishSession = async (id: SessionId): Promise<void> => {
    pendingSessions.delete(id);
    const view = await views.session(id);
    if (view !== null) publish({ type: "session_updated", session: view }, { session: id });
  };
  const sessionChanged = (id: SessionId): void => {
    // One frame says it all, however much has changed before it is made.
    if (pendingSessions.has(id)) return;
    pendingSessions.add(id);
    inOrder(() => publishSession(id));
  };

  const messageAdded = (chat: string, message: Message, to: ChatStatus | null): void => {
    if (message.role === "agent")
      for (const { id, name, input } of message.calls) remember(calls, `${chat} ${id}`, { message: message.id, name, input });
    if (message.role === "person") remember(heardMessages, message.id, true);
    publish({ type: "message", chat, message: wireMessage(message) }, { chat });
    if (to !== null) publishStatus(chat, to, "message");
    if (message.role === "agent" && turns.delete(message.id))
      publish({ type: "turn_end", chat, message: message.id, usage: message.usage }, { chat });
  };
  const chatAdded = (chat: StoredChat): void => {
    remember(statuses, chat.id, chat.status);
    publish({ type: "chat_added", chat: wireChat(chat) }, { session: chat.session });
  };

  /** A frame of another machine's, as it is seen from this one: by its card and its session alone. */
  const remakeFrame = async (frame: BareFrame): Promise<BareFrame | null> => {
    if (frame.type === "session_updated") {
      const session = await views.session(sessionId(frame.session.id));
      return session === null ? null : { ...frame, session };
    }
    if (frame.type !== "ask_open" && frame.type !== "ask_settled") return frame;
    const ask = await cardOf(askId(frame.ask.id));
    return ask === null || (frame.type === "ask_open" && ask.state !== "open") ? null : { ...frame, ask };
  };

  return {
    /** Show the card of an open ask again to those who listen here: the machine that it waits for has come or gone. */
    showAgain: (ask: AskId): void => inOrder(() => publishOpenCard(ask, show)),
    /** Show a frame that another machine made, as things are seen from this one. */
    showRemade(frame: BareFrame, audience: Audience): void {
      if (!["session_updated", "ask_open", "ask_settled"].includes(frame.type)) return atOnce(() => show(frame, audience));
      inOrder(async () => {
        const localFrame = await remakeFrame(frame);
        if (localFrame !== null) show(localFrame, audience);
      });
    },
    /** A frame that another process made: what it says of a chat is known here too. False where it comes too late to be told. */
    follow(frame: BareFrame): boolean {
      if (frame.type === "chat_status") remember(statuses, frame.chat, frame.status);
      if (frame.type !== "message" || frame.message.role !== "person") return true;
      if (frame.message.waiting === true) return !heardMessages.has(frame.message.id);
      remember(heardMessages, frame.message.id, true);
      return true;
    },
    changed(change: StoreChange): void {
      switch (change.type) {
        case "chat-added":
          return atOnce(() => chatAdded(change.chat));
        case "chat-changed":
          return atOnce(() => publish({ type: "chat_changed", chat: wireChat(change.chat) }, { session: change.chat.session }));
        case "chat-deleted":
          return inOrder(async () => {
            const { chat, asks } = change;
            for (const ask of asks) await publishSettled(ask, []);
            publish({ type: "chat_deleted", chat: chat.id }, { session: chat.session });
          });
        case "rewound":
          // After what was told of its asks.
          return inOrder(() => {
            const { messages, asks } = change.rewound;
            publish({ type: "rewound", chat: change.chat, messages: [...messages], asks: [...asks] }, { chat: change.chat });
          });
        case "message-added":
          return atOnce(() => messageAdded(change.chat, change.message, change.status));
        case "said":
          return atOnce(() => {
            const { said } = change;
            if (!heardMessages.has(said.id))
              publish({ type: "message", chat: said.chat, message: waitingMessage(said) }, { chat: said.chat });
          });
        case "call-changed":
          // Put back for a moment before it is asked about: what comes next says what it is then.
          if (change.to.at === "proposed") return;
          return inOrder(() => publishCall(change.chat, change.call, change.to));
        case "ask-opened":
          return inOrder(async () => {
            const { ask } = change;
            for (const id of ask.calls) await publishCall(ask.chat, id, { at: "waiting", ask: ask.id, kind: ask.kind });
            publish({ type: "ask_open", chat: ask.chat, ask: await views.ask(ask) }, { chat: ask.chat });
            publishStatus(ask.chat, "waiting_for_input", "asked");
          });
        case "ask-joined":
          return inOrder(async () => {
            const ask = await store.ask(change.ask);
            if (ask === null) return;
            await publishCall(ask.chat, change.call, { at: "waiting", ask: ask.id, kind: ask.kind });
            if (ask.state === "open") publish({ type: "ask_open", chat: ask.chat, ask: await views.ask(ask) }, { chat: ask.chat });
          });
        case "ask-changed":
          return inOrder(() => publishOpenCard(change.ask, publish));
        case "ask-settled":
          return inOrder(() => publishSettled(change.ask, change.calls));
        case "session-changed":
        case "grant-revoked":
          return sessionChanged(change.session);
        case "session-archived":
          return inOrder(async () => {
            for (const ask of change.asks) await publishSettled(ask, []);
            for (const chat of change.chats) publishStatus(chat, "archived", "archived");
            await publishSession(change.session);
          });
        case "recorded":
        case "project-added":
          return;
      }
    },
    heard(event: AgentEvent): void {
      switch (event.type) {
        case "turn-start":
          return atOnce(() => {
            remember(turns, event.message, true);
            publish({ type: "turn_start", chat: event.chat, message: event.message }, event);
          });
        case "text-delta":
          return atOnce(() => publish({ type: "text_delta", chat: event.chat, message: event.message, text: event.text }, event));
        case "turn-wait":
          return atOnce(() => {
            const { chat, message, kind, until } = event;
            publish({ type: "turn_wait", chat, message, kind, until }, { chat });
          });
        case "call-delay":
          return atOnce(() => {
            const { chat, call: id, delay } = event;
            publish({ type: "tool_delay", chat, call: id, delay }, { chat });
          });
        case "status-change":
          return atOnce(() => {
            // Compared and set by the loop: it is a change, whatever was known here.
            statuses.delete(event.chat);
            publishStatus(event.chat, event.status, event.why);
          });
      }
    },
    /** Resolves when everything that has happened so far has been said; not what comes meanwhile: in a busy daemon there is always something. */
    flushed: (): Promise<void> => queue.done(),
    /** There is nothing left to say. */
    get isQuiet(): boolean {
      return queue.isIdle;
    },
  };
}

/** What was said and is not heard yet, as the message it will be. */
export const waitingMessage = ({ chat: _chat, ...said }: StoredSaid): WireMessage => ({
  ...wireMessage({ role: "person", ...said }),
  role: "person",
  waiting: true,
});

/** An outcome as clients see it: a refusal with its category, which its code tells. */
function wireOutcome(outcome: CallOutcome): WireOutcome {
  if (outcome.ok) {
    const { undo, ...rest } = outcome;
    return undo === undefined ? rest : { ...rest, undo: undo.state };
  }
  const { ok, code, hint } = outcome;
  return { ok, code, hint, category: categoryOf(code) };
}

const wireState = (state: CallState): WireCall["state"] =>
  state.at === "done" ? { at: "done", outcome: wireOutcome(state.outcome) } : { ...state };

/** A call with what its tool says of itself. */
function namedCall({ id, name, input }: Pick<WireCall, "id" | "name" | "input">): Omit<WireCall, "state"> {
  const tool = toolNamed(name);
  return { id, name, ...(tool === undefined ? {} : { verb: tool.verb, kind: tool.kind }), input };
}

/** A message as clients see it: as it is stored. */
export function wireMessage(message: Message): WireMessage {
  if (message.role === "person") {
    const { pictures, ...rest } = message;
    if (pictures === undefined) return rest;
    return { ...rest, pictures: pictures.map(({ type, data }) => ({ type, bytes: Math.floor((data.length * 3) / 4) })) };
  }
  if (message.role !== "agent") return { ...message };
  const calls = message.calls.map((call): WireCall => ({ ...namedCall(call), state: wireState(call.state) }));
  return { ...message, calls, usage: message.usage === null ? null : { ...message.usage } };
}
