// The store in memory: for tests, and for a chat without a daemon. It keeps and refuses exactly what a database would (one suite and
// one random comparison hold it to that) and lives as long as its process. A method runs through before another begins, so each of
// them looks first and changes afterwards: whatever it throws was thrown before the first change.

import type {
  AuditFilter,
  AuditRecord,
  Store,
  StoredAsk,
  StoredChat,
  StoredCredential,
  StoredGrant,
  StoredMount,
  StoredProject,
  StoredSaid,
  StoredSession,
} from "../agent/ports.ts";
import { isGoodFor, isOnce, recordsOfOnce } from "../agent/once-yes.ts";
import { storedKey } from "../agent/stored-key.ts";
import { type CallState, type Message, type ToolCall, type Transcript, withCallState } from "../agent/transcript.ts";
import type { AuditEvent } from "../core/audit.ts";
import { HallpassError } from "../core/errors.ts";
import type { AskId, CallId, GrantId, SessionId } from "../core/names.ts";
import { canonical, chained, follow, START } from "./chain.ts";
import { exact, legible } from "./text.ts";
import { archivedWhileWaiting } from "./transcripts.ts";

interface Memory {
  readonly projects: Map<string, StoredProject>;
  readonly sessions: Map<SessionId, StoredSession>;
  readonly mounts: Map<SessionId, readonly StoredMount[]>;
  readonly chats: Map<string, StoredChat>;
  readonly transcripts: Map<string, Transcript>;
  /** In the order they came, of all chats. */
  readonly said: StoredSaid[];
  readonly asks: Map<AskId, StoredAsk>;
  readonly grants: Map<GrantId, StoredGrant>;
  readonly records: AuditRecord[];
  readonly credentials: Map<string, StoredCredential>;
}

export function createMemoryStore(): Store {
  const memory: Memory = {
    projects: new Map(),
    sessions: new Map(),
    mounts: new Map(),
    chats: new Map(),
    transcripts: new Map(),
    said: [],
    asks: new Map(),
    grants: new Map(),
    records: [],
    credentials: new Map(),
  };
  return {
    ...sessionsIn(memory),
    ...chatsIn(memory),
    ...saidIn(memory),
    ...asksIn(memory),
    ...grantsIn(memory),
    ...auditIn(memory),
    ...credentialsIn(memory),
    close: async () => {},
  };
}

// ── Projects, sessions, mounts ────────────────────────────────────────────────────────────────────────────────────────────────

function sessionsIn(memory: Memory) {
  const { projects, sessions, mounts, chats, asks, grants } = memory;
  const placed = (session: SessionId, given: readonly StoredMount[]): readonly StoredMount[] => {
    if (new Set(given.map(({ path }) => path)).size < given.length) throw already();
    return given.map(({ path, mode }) => ({ session, path: exact(path), mode }));
  };
  return {
    async addProject({ id, path, name, at }) {
      const project = { id: exact(id), path: exact(path), name: legible(name), at };
      if (projects.has(id) || [...projects.values()].some((other) => other.path === path)) throw already();
      projects.set(id, project);
    },
    projects: async () => [...projects.values()],

    async addSession(session, given) {
      const kept = {
        ...session,
        id: exact(session.id),
        workspace: exact(session.workspace),
        host: session.host === null ? null : exact(session.host),
        hostSession: session.hostSession === null ? null : exact(session.hostSession),
        label: session.label === null ? null : legible(session.label),
        machine: exact(session.machine),
        allowedReadPaths: [...new Set(session.allowedReadPaths.map(exact))],
      };
      if (sessions.has(session.id) || session.parent === session.id) throw already();
      if (session.archivedAt !== null && session.allowedReadPaths.length > 0) throw already();
      const unknown =
        (session.project !== null && !projects.has(session.project)) || (session.parent !== null && !sessions.has(session.parent));
      if (unknown) throw missing();
      mounts.set(session.id, placed(session.id, given));
      sessions.set(session.id, kept);
    },
    session: async (id) => sessions.get(id) ?? null,
    sessions: async ({ archived, limit, newestFirst = false } = {}) =>
      firstOf(
        [...sessions.values()].filter(({ archivedAt }) => archived === undefined || (archivedAt !== null) === archived),
        newestFirst,
        limit,
      ),
    sessionOfHost: async (host, hostSession, workspace) =>
      [...sessions.values()].find(
        (one) => one.archivedAt === null && one.host === host && one.hostSession === hostSession && one.workspace === workspace,
      ) ?? null,

    async changeRoots(id, workspace, given) {
      const session = sessions.get(id);
      const moved = exact(workspace);
      if (session === undefined || session.archivedAt !== null) return false;
      mounts.set(id, placed(id, given));
      sessions.set(id, { ...session, workspace: moved });
      return true;
    },
    mounts: async (id) => mounts.get(id) ?? [],

    async archiveSession(id, at) {
      const session = sessions.get(id);
      if (session === undefined || session.archivedAt !== null) return false;
      sessions.set(id, { ...session, archivedAt: at, allowedReadPaths: [] });
      const own = [...asks.values()].filter((ask) => ask.session === id && ask.state === "open");
      for (const ask of own) asks.set(ask.id, { ...ask, state: "closed" });
      for (const grant of grants.values()) if (isLive(grant, id)) grants.set(grant.id, { ...grant, revokedAt: at });
      for (const { chat, call } of allCalls(memory)) {
        const { state } = call;
        if (state.at === "waiting" && (chats.get(chat)?.session === id || own.some((ask) => ask.id === state.ask)))
          putCall(memory, chat, call.id, archivedWhileWaiting);
      }
      for (const chat of chats.values())
        if (chat.session === id) {
          chats.set(chat.id, { ...chat, status: "archived" });
          heard(memory, chat.id);
        }
      return true;
    },
  } satisfies Partial<Store>;
}

// ── Chats and transcripts ─────────────────────────────────────────────────────────────────────────────────────────────────────

function chatsIn(memory: Memory) {
  const { sessions, chats, transcripts, asks } = memory;
  return {
    async addChat(chat) {
      const session = sessions.get(chat.session);
      if (session === undefined) throw missing();
      if (session.archivedAt !== null) throw new HallpassError("session-closed", "the session is archived: it takes no more chats");
      const kept = { ...chat, id: exact(chat.id), title: legible(chat.title) };
      if (chats.has(chat.id)) throw already();
      chats.set(chat.id, kept);
    },
    chat: async (id) => chats.get(id) ?? null,
    async chatInSession(id) {
      const chat = chats.get(id);
      const session = chat === undefined ? undefined : sessions.get(chat.session);
      if (chat === undefined || session === undefined) return null;
      return { chat, session, transcript: transcripts.get(id) ?? [], said: memory.said.filter((one) => one.chat === id) };
    },
    chats: async (session, states) =>
      [...chats.values()].filter((chat) => (session === null || chat.session === session) && (states?.includes(chat.status) ?? true)),

    async setStatus(id, from, to) {
      const chat = chats.get(id);
      if (chat === undefined || !from.includes(chat.status)) return false;
      chats.set(id, { ...chat, status: to });
      return true;
    },

    transcript: async (chat) => transcripts.get(chat) ?? [],
    callNames: async (chat, ids) =>
      new Map((transcripts.get(chat) ?? []).flatMap(callsIn).flatMap(({ id, name }) => (ids.includes(id) ? [[id, name]] : []))),

    async append(id, message, status) {
      const kept = copyOf(message);
      const chat = chats.get(id);
      if (chat === undefined) throw missing();
      const before = transcripts.get(id) ?? [];
      if (before.some((other) => other.id === message.id)) throw already();
      const calls = [...before, message].flatMap(callsIn);
      if (new Set(calls.map((call) => call.id)).size < calls.length) throw already();
      if (callsIn(message).some(({ state }) => state.at === "waiting" && !asks.has(state.ask))) throw missing();
      transcripts.set(id, [...before, kept]);
      if (chat.status !== "archived") chats.set(id, { ...chat, status });
    },

    async setCall(chat, id, from, to) {
      const call = findCall(memory, chat, id);
      if (call === undefined || !from.includes(call.state.at) || (to.at === "waiting" && !asks.has(to.ask))) return false;
      putCall(memory, chat, id, to);
      return true;
    },
  } satisfies Partial<Store>;
}

function saidIn(memory: Memory) {
  const { chats, transcripts, said } = memory;
  return {
    async say({ chat, id, at, text }, instead) {
      const its = chats.get(chat);
      if (its === undefined) throw missing();
      if (its.status === "archived") throw new HallpassError("session-closed", "the chat is archived: nobody hears it any more");
      const kept = { chat, id: exact(id), at, text };
      if (said.some((one) => one.chat === chat && one.id === id) || transcripts.get(chat)?.some((one) => one.id === id)) throw already();
      const closed = closeAll(memory, instead);
      said.push(kept);
      return closed;
    },
    said: async (chat) => said.filter((one) => chat === null || one.chat === chat),
    async hear(id, status) {
      const messages = heard(memory, id);
      const chat = chats.get(id);
      if (messages.length > 0 && chat !== undefined && chat.status !== "archived") chats.set(id, { ...chat, status });
      return messages;
    },
  } satisfies Partial<Store>;
}

/** What was said in a chat, now in its transcript. */
function heard({ transcripts, said }: Memory, chat: string): readonly Message[] {
  const before = transcripts.get(chat) ?? [];
  const messages = said.filter((one) => one.chat === chat).map(({ id, at, text }): Message => ({ role: "person", id, at, text }));
  if (messages.some(({ id }) => before.some((one) => one.id === id))) throw already();
  if (messages.length === 0) return [];
  transcripts.set(chat, [...before, ...messages]);
  said.splice(0, said.length, ...said.filter((one) => one.chat !== chat));
  return messages;
}

/** The message as JSON keeps it, so that nobody holds on to a part of it and changes it. */
function copyOf(message: Message): Message {
  const id = exact(message.id);
  if (message.role !== "agent") return { ...message, id };
  const calls = message.calls.map((call) => {
    const input: unknown = JSON.parse(JSON.stringify(call.input) ?? "null");
    return { ...call, id: exact(call.id), name: legible(call.name), input };
  });
  return { ...message, id, calls };
}

const callsIn = (message: Message): readonly ToolCall[] => (message.role === "agent" ? message.calls : []);

function allCalls({ transcripts }: Memory): readonly { readonly chat: string; readonly call: ToolCall }[] {
  return [...transcripts].flatMap(([chat, transcript]) => transcript.flatMap(callsIn).map((call) => ({ chat, call })));
}

function findCall({ transcripts }: Memory, chat: string, id: CallId): ToolCall | undefined {
  return transcripts
    .get(chat)
    ?.flatMap(callsIn)
    .find((call) => call.id === id);
}

function putCall({ transcripts }: Memory, chat: string, id: CallId, state: CallState): void {
  transcripts.set(chat, withCallState(transcripts.get(chat) ?? [], id, state));
}

// ── Asks ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Changes = Parameters<Store["closeAsk"]>[1];

function refuseWaiting(changes: Changes): void {
  if (changes.some(({ to }) => to.at === "waiting")) throw new HallpassError("bad-request", "an ask is over: its calls cannot wait on");
}

function settle(memory: Memory, ask: StoredAsk, changes: Changes): void {
  const calls = (memory.transcripts.get(ask.chat) ?? []).flatMap(callsIn);
  for (const call of calls.filter(({ state }) => state.at === "waiting" && state.ask === ask.id))
    putCall(memory, ask.chat, call.id, changes.find((change) => change.call === call.id)?.to ?? { at: "proposed" });
}

function closeAll(memory: Memory, closing: Parameters<Store["closeAsks"]>[1]): readonly AskId[] {
  const { asks } = memory;
  const open = closing.filter(({ ask }, at) => asks.get(ask)?.state === "open" && closing.findIndex((one) => one.ask === ask) === at);
  for (const { calls } of open) refuseWaiting(calls);
  for (const { ask: id, calls } of open) {
    const ask = asks.get(id);
    if (ask === undefined) continue;
    asks.set(id, { ...ask, state: "closed" });
    settle(memory, ask, calls);
  }
  return open.map(({ ask }) => ask);
}

function asksIn(memory: Memory) {
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

    async answerAsk(id, answer, { grant, calls, events }) {
      const ask = asks.get(id);
      if (ask?.state !== "open") return false;
      if (grant !== null) {
        if (grant.session !== ask.session || grant.ask !== id)
          throw new HallpassError("wrong-session", "a grant is for the session and the ask that it answers");
        const kept = { ...grant, id: exact(grant.id), path: exact(grant.path), by: legible(grant.by), revokedAt: null };
        if (grants.has(grant.id)) throw already();
        if (sessions.get(ask.session)?.archivedAt !== null)
          throw new HallpassError("session-closed", "the session is archived: nothing is granted in it any more");
        refuseWaiting(calls);
        for (const other of grants.values())
          if (isLive(other, ask.session) && other.path === grant.path) grants.set(other.id, { ...other, revokedAt: grant.at });
        grants.set(grant.id, kept);
        const session = sessions.get(ask.session);
        if (session !== undefined && !session.allowedReadPaths.includes(grant.path))
          sessions.set(session.id, { ...session, allowedReadPaths: [...session.allowedReadPaths, grant.path] });
      }
      refuseWaiting(calls);
      asks.set(id, { ...ask, state: "answered", answer });
      settle(memory, ask, calls);
      record(memory, events);
      return true;
    },

    closeAsk: async (id, calls) => closeAll(memory, [{ ask: id, calls }]).length > 0,
    closeAsks: async (_session, closing) => closeAll(memory, closing),
  } satisfies Partial<Store>;
}

// ── Grants and the record ─────────────────────────────────────────────────────────────────────────────────────────────────────

const isLive = (grant: StoredGrant, session: SessionId | null): boolean =>
  grant.revokedAt === null && (session === null || grant.session === session);

function grantsIn(memory: Memory) {
  const { sessions, grants } = memory;
  return {
    grants: async (session) => [...grants.values()].filter((grant) => isLive(grant, session)),
    grant: async (id) => grants.get(id) ?? null,
    async revokeGrant(id, at, events) {
      const grant = grants.get(id);
      if (grant === undefined || grant.revokedAt !== null) return false;
      grants.set(id, { ...grant, revokedAt: at });
      const session = sessions.get(grant.session);
      if (session !== undefined)
        sessions.set(session.id, { ...session, allowedReadPaths: session.allowedReadPaths.filter((path) => path !== grant.path) });
      record(memory, events);
      return true;
    },
  } satisfies Partial<Store>;
}

function firstOf<T>(all: readonly T[], newestFirst: boolean, limit = all.length): readonly T[] {
  return (newestFirst ? all.toReversed() : all).slice(0, limit);
}

/** At the end of the chain, all or none. */
function record({ records }: Memory, events: readonly AuditEvent[]): void {
  const added: AuditRecord[] = [];
  for (const event of events) {
    const { sequence, hash } = chained(added.at(-1) ?? records.at(-1) ?? START, canonical(event));
    added.push({ sequence, event: structuredClone(event), hash });
  }
  records.push(...added);
}

function auditIn(memory: Memory) {
  const { records } = memory;
  return {
    record: async (events) => record(memory, events),
    async useOnce(id, call, use) {
      const ask = memory.asks.get(id);
      if (ask === undefined || !isOnce(ask)) return false;
      const filters = recordsOfOnce(ask.session, ask.answer.at);
      const events = records.flatMap(({ event }) => (filters.some((filter) => fits(event, filter)) ? [event] : []));
      if (!isGoodFor(ask, call, events)) return false;
      record(memory, [use]);
      return true;
    },
    async audit({ after = 0, before = Infinity, limit, newestFirst = false, ...filter }) {
      const found = records.filter(({ sequence, event }) => sequence > after && sequence < before && fits(event, filter));
      return (newestFirst ? found.toReversed() : found).slice(0, limit);
    },
    async readsUnder(asked) {
      const reads = new Map<GrantId, { readonly reads: number; readonly last: number }>();
      for (const { event } of records) {
        if (event.kind !== "decision" || event.verdict !== "allow" || event.grant === null || !asked.includes(event.grant)) continue;
        const before = reads.get(event.grant) ?? { reads: 0, last: -Infinity };
        reads.set(event.grant, { reads: before.reads + 1, last: Math.max(before.last, event.at) });
      }
      return reads;
    },
    async verifyAudit() {
      const reached = follow(
        START,
        records.map(({ sequence, event, hash }) => ({ sequence, event: canonical(event), hash })),
      );
      return typeof reached === "number" ? reached : null;
    },
  } satisfies Partial<Store>;
}

function fits(event: AuditEvent, { session, kind, verdict, reason, grant, since }: AuditFilter): boolean {
  return (
    (session === undefined || event.session === session) &&
    (kind === undefined || event.kind === kind) &&
    (verdict === undefined || ((event.kind === "decision" || event.kind === "answer") && event.verdict === verdict)) &&
    (reason === undefined || (event.kind === "decision" && event.reason === reason)) &&
    (grant === undefined || (event.kind === "decision" && event.grant === grant)) &&
    (since === undefined || event.at >= since)
  );
}

function credentialsIn({ sessions, credentials }: Memory) {
  return {
    async addCredential({ digest, session, at }) {
      const home = sessions.get(session);
      if (home === undefined) throw missing();
      if (home.archivedAt !== null) throw new HallpassError("session-closed", "the session is archived: nobody acts in it any more");
      const kept = { digest: exact(digest), session, at };
      if (credentials.has(digest)) throw already();
      credentials.set(digest, kept);
    },
    async credential(digest) {
      const credential = credentials.get(digest);
      return credential !== undefined && sessions.get(credential.session)?.archivedAt === null ? credential : null;
    },
  } satisfies Partial<Store>;
}

const already = (): HallpassError => new HallpassError("bad-request", "the store has it already, or must not have it so");
const missing = (): HallpassError => new HallpassError("not-found", "what this would belong to is not in the store");
