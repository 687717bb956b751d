// Applies one frame of the daemon to the state of the pages. Pure. Two connections feed it: the one for all chats updates lists and asks,
// the one for the open chat updates its messages. A text that arrived on both would appear twice, so each updates only its part.

import type { Frame } from "../../../src/wire/frames.ts";
import type { WireProject, WireAsk, WireCall, WireChat, WireMessage, WireSession } from "../../../src/wire/values.ts";
import type { AppState, LoadedChat, Sample } from "./model.ts";

export type StateChange =
  | { readonly type: "frame"; readonly from: "all" | "chat"; readonly frame: Frame }
  | { readonly type: "connection"; readonly state: AppState["connection"] }
  | { readonly type: "projects"; readonly projects: readonly WireProject[] }
  | { readonly type: "sessions"; readonly sessions: readonly WireSession[] }
  /** `oldest`: of a page, as in the state. */
  | { readonly type: "chats"; readonly chats: readonly WireChat[]; readonly oldest?: string | null }
  | { readonly type: "missing"; readonly chat: string }
  | { readonly type: "asks"; readonly asks: readonly WireAsk[] }
  | { readonly type: "earlier"; readonly chat: string; readonly messages: readonly WireMessage[]; readonly earlier: boolean }
  | { readonly type: "leave"; readonly chat: string }
  | { readonly type: "looked"; readonly ask: string }
  | { readonly type: "sample"; readonly sample: Sample | null };

export function reduce(state: AppState, change: StateChange): AppState {
  switch (change.type) {
    case "frame":
      return reduceFrame(state, change.from, change.frame);
    case "connection":
      return state.connection === change.state || state.connection === "refused" ? state : { ...state, connection: change.state };
    case "projects":
      return { ...state, projects: change.projects };
    case "sessions":
      return { ...state, sessions: { ...state.sessions, ...byId(change.sessions) } };
    case "chats":
      return {
        ...state,
        chats: { ...state.chats, ...byId(change.chats) },
        ...(change.oldest === undefined ? {} : { oldestChat: change.oldest }),
      };
    case "missing":
      return { ...state, missing: { ...state.missing, [change.chat]: true } };
    case "asks":
      return change.asks.reduce(withAsk, state);
    case "earlier":
      return inConversation(state, change.chat, (old) => ({
        ...old,
        messages: [...change.messages.filter(({ id }) => !old.messages.some((one) => one.id === id)), ...old.messages],
        earlier: change.earlier,
      }));
    case "leave": {
      const { [change.chat]: _left, ...conversations } = state.conversations;
      return { ...state, conversations };
    }
    case "looked":
      return { ...state, looked: { ...state.looked, [change.ask]: true } };
    case "sample":
      return { ...state, sample: change.sample };
  }
}

/** Applies a frame: to lists from either connection, to a chat's messages only from the connection of the open chat. */
function reduceFrame(state: AppState, from: "all" | "chat", frame: Frame): AppState {
  const inChat = (chat: string, work: (old: LoadedChat) => LoadedChat): AppState =>
    from === "chat" ? inConversation(state, chat, work) : state;
  switch (frame.type) {
    case "snapshot": {
      const { chat, session, messages, earlier } = frame;
      const loaded = { ...state.conversations, [chat.id]: { messages, earlier, streaming: null } };
      return frame.asks.reduce(withAsk, {
        ...state,
        chats: { ...state.chats, [chat.id]: chat },
        sessions: { ...state.sessions, [session.id]: session },
        conversations: from === "chat" ? loaded : state.conversations,
      });
    }
    case "inbox": {
      // INVARIANT: the whole list. What we hold as open and is not in it was settled while we did not hear; the ask itself is fetched again.
      const open = new Set(frame.asks.map(({ id }) => id));
      const gone = Object.values(state.asks).filter((ask) => ask.state === "open" && !open.has(ask.id));
      const asks = { ...state.asks };
      for (const ask of gone) asks[ask.id] = { ...ask, state: "closed" };
      return frame.asks.reduce(withAsk, { ...state, asks });
    }
    case "ask_open":
    case "ask_settled":
      return withAsk(state, frame.ask);
    case "session_updated":
      return { ...state, sessions: { ...state.sessions, [frame.session.id]: frame.session } };
    case "chat_status": {
      const chat = state.chats[frame.chat];
      const why = { ...state.why, [frame.chat]: frame.why };
      return chat === undefined
        ? { ...state, why }
        : { ...state, why, chats: { ...state.chats, [chat.id]: { ...chat, status: frame.status } } };
    }
    case "chat_added":
    case "chat_changed":
      return { ...state, chats: { ...state.chats, [frame.chat.id]: frame.chat } };
    case "chat_deleted": {
      const { [frame.chat]: _gone, ...chats } = state.chats;
      return { ...state, chats, missing: { ...state.missing, [frame.chat]: true } };
    }
    case "rewound": {
      const gone = new Set(frame.messages);
      const before = inChat(frame.chat, (old) => ({
        ...old,
        messages: old.messages.filter(({ id }) => !gone.has(id)),
        streaming: old.streaming !== null && gone.has(old.streaming) ? null : old.streaming,
        retry: null,
      }));
      return frame.asks.reduce((now, id) => {
        const ask = now.asks[id];
        return ask === undefined ? now : { ...now, asks: { ...now.asks, [id]: { ...ask, rewound: true } } };
      }, before);
    }
    case "message":
      return inChat(frame.chat, (old) => ({ ...old, messages: putMessage(old.messages, frame.message) }));
    case "turn_start":
      return inChat(frame.chat, (old) => ({ ...withMessage(old, frame.message), streaming: frame.message, retry: null, delay: null }));
    case "text_delta":
      return inChat(frame.chat, (old) =>
        updateMessage({ ...withMessage(old, frame.message), retry: null }, frame.message, (message) => ({
          ...message,
          text: message.text + frame.text,
        })),
      );
    case "turn_end":
      return inChat(frame.chat, (old) => ({
        ...updateMessage(old, frame.message, (message) => ({ ...message, usage: frame.usage })),
        streaming: old.streaming === frame.message ? null : old.streaming,
        retry: null,
      }));
    case "tool_call":
      return inChat(frame.chat, (old) =>
        updateMessage(withMessage(old, frame.message), frame.message, (message) => ({
          ...message,
          calls: putCall(message.calls, frame.call),
        })),
      );
    case "tool_delay":
      return inChat(frame.chat, (old) => ({ ...old, delay: frame.delay }));
    case "tool_result":
      return inChat(frame.chat, (old) => {
        const agentMessage = old.messages.find((message) => message.role === "agent" && message.calls.some(({ id }) => id === frame.call));
        return updateMessage(old, agentMessage?.id ?? "", (message) => ({
          ...message,
          calls: message.calls.map((call) => (call.id === frame.call ? { ...call, state: { at: "done", outcome: frame.outcome } } : call)),
        }));
      });
    case "turn_wait":
      return inChat(frame.chat, (old) => ({ ...withMessage(old, frame.message), retry: { kind: frame.kind, until: frame.until } }));
    case "live":
    case "ping":
    case "problem":
      return state;
  }
}

type AgentMessage = Extract<WireMessage, { role: "agent" }>;

function inConversation(state: AppState, chat: string, work: (old: LoadedChat) => LoadedChat): AppState {
  const old = state.conversations[chat];
  return old === undefined ? state : { ...state, conversations: { ...state.conversations, [chat]: work(old) } };
}

/** The conversation with this message in it, empty if it was not there. Times are the daemon's; the real message brings its own. */
function withMessage(old: LoadedChat, id: string): LoadedChat {
  if (old.messages.some((message) => message.id === id)) return old;
  const last = old.messages.at(-1)?.at ?? 0;
  return { ...old, messages: putMessage(old.messages, { role: "agent", id, at: last, text: "", calls: [], usage: null, error: null }) };
}

function updateMessage(old: LoadedChat, id: string, work: (message: AgentMessage) => AgentMessage): LoadedChat {
  const index = old.messages.findLastIndex((message) => message.id === id);
  const message = old.messages[index];
  return message?.role === "agent" ? { ...old, messages: old.messages.with(index, work(message)) } : old;
}

/** In its place, or at the end. A message that still waits stays last, and takes its place when the agent has received it. */
function putMessage(messages: readonly WireMessage[], message: WireMessage): readonly WireMessage[] {
  const index = messages.findLastIndex(({ id }) => id === message.id);
  const old = messages[index];
  if (old !== undefined && isWaiting(old) === isWaiting(message)) return messages.with(index, message);
  const others = old === undefined ? messages : messages.toSpliced(index, 1);
  const below = isWaiting(message) ? -1 : others.findIndex(isWaiting);
  return below === -1 ? [...others, message] : others.toSpliced(below, 0, message);
}

const isWaiting = (message: WireMessage): boolean => message.role === "person" && message.waiting === true;

function putCall(calls: readonly WireCall[], call: WireCall): WireCall[] {
  const index = calls.findIndex(({ id }) => id === call.id);
  return index === -1 ? [...calls, call] : calls.with(index, call);
}

/** An ask that was settled never opens again, whatever order frames and answers come in. */
function withAsk(state: AppState, ask: WireAsk): AppState {
  const old = state.asks[ask.id];
  if (old !== undefined && old.state !== "open" && ask.state === "open") return state;
  return { ...state, asks: { ...state.asks, [ask.id]: ask } };
}

function byId<T extends { readonly id: string }>(values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value) => [value.id, value]));
}
