// Asks of the store in memory: open, then answered or closed, once.

import type { Store, StoredAsk } from "../agent/ports.ts";
import { storedKey } from "../agent/stored-key.ts";
import { HallpassError } from "../core/errors.ts";
import type { CallId } from "../core/names.ts";
import { record } from "./memory-audit.ts";
import { findCall, putCall } from "./memory-calls.ts";
import { give, grantFor, isLive } from "./memory-grants.ts";
import { already, firstOf, type Memory, missing } from "./memory-rows.ts";
import { closeAll, refuseWaiting, settle } from "./memory-settling.ts";
import { exact } from "./text.ts";

export function asksIn(memory: Memory) {
  const { sessions, chats, asks, grants } = memory;
  const isFree = (chat: string, id: CallId): boolean => {
    const at = findCall(memory, chat, id)?.state.at;
    return at === "proposed" || at === "started";
  };
  const wait = (chat: string, id: CallId, ask: StoredAsk): void => {
    putCall(memory, chat, id, { at: "waiting", ask: ask.id, kind: ask.kind });
    const waiting = chats.get(chat);
    if (waiting !== undefined) chats.set(chat, { ...waiting, status: "waiting_for_input" });
  };
  return {
    async openAsk(ask) {
      if (ask.state !== "open" || ask.answer !== null || ask.calls.length === 0)
        throw new HallpassError("bad-request", "a new ask is open, and a call waits for it");
      const chat = chats.get(ask.chat);
      if (chat === undefined) throw missing();
      if (chat.session !== ask.session) throw new HallpassError("wrong-session", "the ask's chat belongs to another session");
      if (chat.status === "archived") throw new HallpassError("session-closed", "the chat is archived: nobody is asked in it any more");
      exact(ask.id);
      if (asks.has(ask.id)) throw already();
      if (!ask.calls.every((id) => isFree(ask.chat, id)) || new Set(ask.calls).size < ask.calls.length)
        throw new HallpassError("not-found", "a call that should wait for the ask is not in the chat, or waits or is done already");
      asks.set(ask.id, ask);
      for (const id of ask.calls) wait(ask.chat, id, ask);
    },

    async joinAsk(id, call, requested) {
      const ask = asks.get(id);
      if (ask?.state !== "open" || !isFree(ask.chat, call)) return false;
      asks.set(id, { ...ask, calls: [...ask.calls, call], requested: [...ask.requested, requested] });
      wait(ask.chat, call, ask);
      return true;
    },
    ask: async (id) => asks.get(id) ?? null,
    async askInSession(id) {
      const ask = asks.get(id);
      const session = ask === undefined ? undefined : sessions.get(ask.session);
      if (ask === undefined || session === undefined) return null;
      const live = [...grants.values()].filter((grant) => isLive(grant, session.id));
      return {
        ask,
        session,
        roots: { projects: [...memory.projects.values()], mounts: memory.mounts.get(session.id) ?? [], grants: live },
      };
    },
    asks: async ({ session, chat, state, since = -Infinity, deniedSince, limit, newestFirst = false }) =>
      firstOf(
        [...asks.values()].filter(
          (ask) =>
            (session === undefined || ask.session === session) &&
            (chat === undefined || ask.chat === chat) &&
            (state === undefined || ask.state === state) &&
            ask.at >= since &&
            (deniedSince === undefined || (ask.answer?.verdict === "deny" && ask.answer.at >= deniedSince)),
        ),
        newestFirst,
        limit,
      ),

    earlierAsks: async (ask, limit) =>
      [...asks.values()]
        .filter(
          (other) =>
            other.session === ask.session &&
            other.state === "answered" &&
            other.kind === "pending_grant" &&
            other.id !== ask.id &&
            other.at <= ask.at &&
            storedKey(other) === storedKey(ask),
        )
        .toReversed()
        .slice(0, limit),
    openAsks: async () => [...asks.values()].filter(({ state }) => state === "open").length,

    async keepYes(id, yes) {
      const ask = asks.get(id);
      if (ask?.state !== "open" || (yes !== null && ask.waitingYes !== undefined)) return false;
      const { waitingYes: _, ...rest } = ask;
      asks.set(id, yes === null ? rest : { ...rest, waitingYes: yes });
      return true;
    },
    waitingYeses: async () => [...asks.values()].filter(({ state, waitingYes }) => state === "open" && waitingYes !== undefined),

    async answerAsk(id, answer, { grant, calls, events }) {
      const ask = asks.get(id);
      if (ask?.state !== "open") return false;
      const given = grant === null ? null : grantFor(memory, ask, grant);
      refuseWaiting(calls);
      if (given !== null) give(memory, given);
      asks.set(id, { ...ask, state: "answered", answer });
      settle(memory, ask, calls);
      record(memory, events);
      return true;
    },

    closeAsk: async (id, calls) => closeAll(memory, [{ ask: id, calls }]).length > 0,
    closeAsks: async (_session, closing) => closeAll(memory, closing),
  } satisfies Partial<Store>;
}
