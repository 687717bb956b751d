// A store that reports each change after it was committed and not before. It sees every write (of the loop, an answer, another program or
// a route), so that no caller has to remember to report it.

import type { AuditEvent } from "../core/audit.ts";
import type { AskId, CallId, GrantId, SessionId } from "../core/names.ts";
import type { ClosingAsk, RewindResult, Store, StoredAnswer, StoredAsk, StoredChat, StoredSaid } from "../agent/ports.ts";
import type { CallChanges, CallState, ChatStatus, Message } from "../agent/transcript.ts";

export type StoreChange =
  | { readonly type: "project-added" }
  | { readonly type: "chat-added"; readonly chat: StoredChat }
  | { readonly type: "chat-changed"; readonly chat: StoredChat }
  | { readonly type: "chat-deleted"; readonly chat: StoredChat; readonly asks: readonly AskId[] }
  | { readonly type: "rewound"; readonly chat: string; readonly rewound: RewindResult }
  | { readonly type: "message-added"; readonly chat: string; readonly message: Message; readonly status: ChatStatus | null }
  /** Said, and not heard yet. */
  | { readonly type: "said"; readonly said: StoredSaid }
  | { readonly type: "call-changed"; readonly chat: string; readonly call: CallId; readonly to: CallState }
  | { readonly type: "ask-opened"; readonly ask: StoredAsk }
  | { readonly type: "ask-joined"; readonly ask: AskId; readonly call: CallId }
  /** A yes waits with it for another machine, or no longer does. */
  | { readonly type: "ask-changed"; readonly ask: AskId }
  | { readonly type: "ask-settled"; readonly ask: AskId; readonly answer: StoredAnswer | null; readonly calls: CallChanges }
  | { readonly type: "session-changed"; readonly session: SessionId }
  | { readonly type: "session-archived"; readonly session: SessionId; readonly asks: readonly AskId[]; readonly chats: readonly string[] }
  | { readonly type: "grant-revoked"; readonly session: SessionId; readonly grant: GrantId }
  /** Decisions were recorded, among these events. */
  | { readonly type: "recorded"; readonly events: readonly AuditEvent[] };

/** The same store; `tell` is called after each method that changed something. It must not throw. */
export function observeStore(store: Store, tell: (change: StoreChange) => void): Store {
  const tellClosed = (asks: readonly ClosingAsk[]): void => {
    for (const { ask, calls } of asks) tell({ type: "ask-settled", ask, answer: null, calls });
  };
  return {
    ...store,
    async addProject(project) {
      await store.addProject(project);
      tell({ type: "project-added" });
    },
    async addSession(session, mounts) {
      await store.addSession(session, mounts);
      tell({ type: "session-changed", session: session.id });
    },
    async addChat(chat) {
      await store.addChat(chat);
      tell({ type: "chat-added", chat });
    },
    async changeChat(id, change) {
      const chat = await store.changeChat(id, change);
      if (chat !== null) tell({ type: "chat-changed", chat });
      return chat;
    },
    async deleteChat(id, at, events) {
      // Looked up before: afterwards it is not there.
      const [chat, asks] = await Promise.all([store.chat(id), store.asks({ chat: id, state: "open" })]);
      const isDeleted = await store.deleteChat(id, at, events);
      if (isDeleted && chat !== null) tell({ type: "chat-deleted", chat, asks: asks.map((ask) => ask.id) });
      return isDeleted;
    },
    async append(chat, message, status) {
      await store.append(chat, message, status);
      tell({ type: "message-added", chat, message, status });
    },
    async say(said, instead) {
      const closed = new Set(await store.say(said, instead));
      tellClosed(instead.filter(({ ask }) => closed.has(ask)));
      tell({ type: "said", said });
      return [...closed];
    },
    async rewind(chat, message, said) {
      const rewound = await store.rewind(chat, message, said);
      if (rewound === null) return null;
      tell({ type: "rewound", chat, rewound });
      tell({ type: "said", said: rewound.said });
      return rewound;
    },
    async hear(chat, status) {
      const messages = await store.hear(chat, status);
      for (const message of messages) tell({ type: "message-added", chat, message, status });
      return messages;
    },
    async setCall(chat, call, from, to) {
      const changed = await store.setCall(chat, call, from, to);
      if (changed) tell({ type: "call-changed", chat, call, to });
      return changed;
    },
    async openAsk(ask, events = []) {
      await store.openAsk(ask, events);
      tell({ type: "recorded", events });
      tell({ type: "ask-opened", ask });
    },
    async joinAsk(ask, call, requested, events = []) {
      const joined = await store.joinAsk(ask, call, requested, events);
      if (!joined) return false;
      tell({ type: "recorded", events });
      tell({ type: "ask-joined", ask, call });
      return true;
    },
    async keepYes(ask, yes) {
      const changed = await store.keepYes(ask, yes);
      if (changed) tell({ type: "ask-changed", ask });
      return changed;
    },
    async answerAsk(ask, answer, effects) {
      const isAccepted = await store.answerAsk(ask, answer, effects);
      if (!isAccepted) return false;
      tell({ type: "ask-settled", ask, answer, calls: effects.calls });
      if (effects.grant !== null) tell({ type: "session-changed", session: effects.grant.session });
      return true;
    },
    async closeAsks(session, asks) {
      const closed = new Set(await store.closeAsks(session, asks));
      tellClosed(asks.filter(({ ask }) => closed.has(ask)));
      return [...closed];
    },
    async changeRoots(session, workspace, mounts, events) {
      const changed = await store.changeRoots(session, workspace, mounts, events);
      if (changed) tell({ type: "session-changed", session });
      return changed;
    },
    async archiveSession(ended) {
      const { session } = ended;
      // Looked up before: afterwards nothing tells which of its asks it was that closed.
      const asks = (await store.asks({ session, state: "open" })).map(({ id }) => id);
      const chats = (await store.chats(session)).map(({ id }) => id);
      const said = (await store.said(null)).filter(({ chat }) => chats.includes(chat));
      const archived = await store.archiveSession(ended);
      if (!archived) return false;
      for (const { chat, id, at: when, text } of said)
        tell({ type: "message-added", chat, message: { role: "person", id, at: when, text }, status: "archived" });
      tell({ type: "session-archived", session, asks, chats });
      return true;
    },
    async revokeGrant(id, at, events) {
      const revoked = await store.revokeGrant(id, at, events);
      if (!revoked) return false;
      const grant = await store.grant(id);
      if (grant !== null) tell({ type: "grant-revoked", session: grant.session, grant: id });
      tell({ type: "recorded", events });
      return true;
    },
    async useOnce(ask, call, use, again) {
      const isUsed = await store.useOnce(ask, call, use, again);
      if (isUsed) tell({ type: "recorded", events: [use] });
      return isUsed;
    },
    async endOnceGrants(session, at, by) {
      const ended = await store.endOnceGrants(session, at, by);
      if (ended.length > 0) tell({ type: "session-changed", session });
      return ended;
    },
    async record(events) {
      await store.record(events);
      tell({ type: "recorded", events });
    },
  };
}
