// Sessions that another program drives: an MCP client, an editor, the hooks of somebody else's agent. The program registers once, has
// its accesses judged, and puts asks before a person; its calls are rows of a chat like ours, so that one inbox, one set of grants and
// one record serve all. Our loop never runs such a chat, and nothing the program says is an answer.

import type { Operation, PlannedWrite } from "../core/access.ts";
import { type Code, HallpassError } from "../core/errors.ts";
import type { Decision } from "../core/guard/decision.ts";
import type { AuditEvent } from "../core/audit.ts";
import { createGuard } from "../core/guard/guard.ts";
import { isJudgedBy, namesOf } from "../core/guard/resolve-access.ts";
import { type AskId, type CallId, callId, type SessionId } from "../core/names.ts";
import type { StoredOnce } from "../core/session/grant.ts";
import type { Session } from "../core/session/session.ts";
import type { Agent, NewSession } from "./agent.ts";
import { type AskingPorts, createUndecided, isAsking, whyNotGranted } from "./asking.ts";
import { closed } from "./answering.ts";
import { hostedAsking } from "./hosted-asking.ts";
import { type Asker, type KnownRoots, liveSession, type LivePorts, rootsAround, rootsOf } from "./live-session.ts";
import { type ClaimableGrant, claimableBy, describeAll, isOnceUse, recordForeignUse, OnceGrantConflict } from "./once-grant.ts";
import type { SessionSettings, StoredAsk, StoredChat, StoredGrant, StoredMount, StoredSession } from "./ports.ts";
import { inheritedWorkspaces } from "./spawning.ts";
import type { CallOutcome } from "./transcript.ts";
import { createQueues } from "./waiting.ts";

export interface HostedPorts extends LivePorts, AskingPorts {
  readonly newSession: Agent["newSession"];
  readonly newChat: Agent["newChat"];
  readonly endSession: Agent["endSession"];
  /** How long an ask stays answerable, in milliseconds; null for ever. */
  readonly askLife: number | null;
}

/** One access a program wants judged or asked about. `call` is its own name for the call, unique in its session. */
export interface HostedAccess {
  readonly call: string;
  readonly tool: string;
  readonly operation: Operation;
  readonly path: string;
  /** Does the program wait for a person so briefly that the call is made again, under another name, while its ask is open? */
  readonly retriesUnderNewId?: true;
  /** A command that nothing on the program's machine confines; `path` is its text. */
  readonly isUnconfined?: true;
  /** A command that needs the network, which a person is asked about; `path` is its text. */
  readonly needsNetwork?: true;
  /** For a write: what the call would make of files, for the card. */
  readonly writes?: readonly PlannedWrite[];
  /** For a write: a digest of all that the call would write. A yes for once is good for a call of the same content alone. */
  readonly content?: string;
}

/** Everything a program needs to judge an access of its own: roots, grants and the yeses for one call. */
export interface HostedState {
  readonly session: StoredSession;
  readonly mounts: readonly StoredMount[];
  readonly inherited: readonly string[];
  readonly projects: readonly string[];
  readonly grants: readonly StoredGrant[];
  readonly once: readonly StoredOnce[];
}

export type HostedAsk = { readonly state: "waiting"; readonly ask: StoredAsk } | { readonly state: "done"; readonly outcome: CallOutcome };

export interface HostedSessions {
  /** The same host, name and workspace give the same session. Throws where the workspace cannot be one. */
  register(plan: NewSession & { readonly host: string; readonly hostSession: string }): Promise<{
    readonly session: SessionSettings;
    readonly chat: StoredChat;
  }>;
  /** As `register`, for whoever has no use for the chat: a session that is known costs one look. */
  enter(plan: NewSession & { readonly host: string; readonly hostSession: string }): Promise<{ readonly session: SessionSettings }>;
  state(session: SessionId, call: string | null): Promise<HostedState>;
  /** The session as it stands now, with the grants that last; for a program that runs in our own process. */
  live(session: SessionId): Promise<Session>;
  /**
   * Judge one access, in the session of this name or as it was just read; it is recorded. An allow's pass is closed: the program opens for
   * itself, which is why a hook is no wall. A yes for once is used up by it, also for the same call: the program chose the call's name.
   * One given to the same call made earlier, which was given up, is transferred (`claimableBy`).
   */
  decide(session: SessionId | SessionSettings, access: HostedAccess): Promise<Decision>;
  /**
   * Put an access before a person, or say at once why nobody need be asked. The same call asked again gives where it stands, and of a
   * program that waits briefly the same access the ask that is open. Uses nothing; a yes for once that it tells of is kept for this call.
   */
  ask(session: SessionId, access: HostedAccess, words: string | null): Promise<HostedAsk>;
  /** An ask of this session. Null where there is none, or it is another session's. */
  find(session: SessionId, ask: AskId): Promise<StoredAsk | null>;
  /** Why a yes for the session opens nothing now: it made no grant, its time is over, or it was taken back. Null for all else. */
  whyNoGrant(ask: AskId): Promise<Code | null>;
  /** The program's agent has left: its session ends, and those of the agents below it. Nothing where there is none. */
  leave(who: { readonly host: string; readonly hostSession: string; readonly workspace: string }): Promise<void>;
  /** The program no longer needs it. */
  cancel(session: SessionId, ask: AskId): Promise<void>;
}

export function createHosted(ports: HostedPorts): HostedSessions {
  const { store, clock, ids } = ports;
  const events: AuditEvent[] = [];
  const undecided = createUndecided(store);
  const guard = createGuard({ audit: (event) => events.push(event), clock, ids });

  const sessionNotEnded = async (id: SessionId): Promise<SessionSettings> => {
    const session = await store.sessionSettings(id);
    if (session === null || session.archivedAt !== null) throw ended();
    return session;
  };
  const registeredSession = (plan: Parameters<HostedSessions["register"]>[0]): Promise<SessionSettings | null> =>
    store.sessionOfHost(plan.host, plan.hostSession, plan.workspace);
  const chatOf = async (session: SessionSettings): Promise<StoredChat> => {
    const [chat] = await store.chats(session.id);
    return chat ?? (await ports.newChat(session.id, session.label ?? session.host ?? ""));
  };
  /** The grants for once of a call whose program judges for itself. INVARIANT: whoever is told of one has claimed it, and may act on it at once. */
  const claimForProgram = async (session: SessionSettings, call: CallId): Promise<readonly StoredOnce[]> => {
    const claimed: ClaimableGrant[] = [];
    for (const grant of await claimableBy(store, session.id, { chat: (await chatOf(session)).id, call, now: clock(), wants: null }))
      if (await grant.claim()) claimed.push(grant);
    return describeAll(claimed, call);
  };
  const [judgeQueue, askQueue] = [createQueues(), createQueues()];
  /** By the roots that hold one of these names, or by all of them. Null where it was judged by other names: then nothing has come of it. */
  const judgeBy = async (
    names: readonly string[] | null,
    stored: SessionSettings,
    access: HostedAccess,
    isTrial: boolean,
  ): Promise<Decision | null> => {
    const call = callId(access.call);
    const path = names?.[0];
    const judgeIn = async (session: Session): Promise<Decision | null> => {
      const decision = guard.judge({ call, tool: access.tool, operation: access.operation, path: access.path }, session);
      if (decision.verdict === "allow") decision.pass.close();
      // INVARIANT: in the same breath, so that what is found there is of this judgement alone, and the fault comes to whoever it concerns.
      const recorded = events.splice(0);
      if (names !== null && !isJudgedBy(decision, names)) return null;
      const others = recorded.filter((event) => !isOnceUse(event) && !isAsking(event));
      if (others.length > 0) await store.record(others);
      for (const event of recorded.filter(isAsking)) undecided.keep(event);
      // By being judged nobody is asked. Whoever looks in order to ask records what came of it.
      if (!isTrial) await undecided.record(stored.id, call, null);
      // Nothing passes by a look, so nothing is used.
      if (!isTrial) for (const use of recorded.filter(isOnceUse)) await recordForeignUse(store, use, clock(), access.content);
      return decision;
    };
    const readRoots = (): Promise<KnownRoots> => (names === null ? rootsOf(store, stored.id) : rootsAround(ports, stored.id, names));
    const [grants, roots] = await Promise.all([store.onceGrants(stored.id, null, path), readRoots()]);
    // Hardly ever is there a grant for once; then nobody need know which chat it would be in.
    if (grants.length === 0) return judgeIn(await liveSession(ports, stored, null, roots));
    const chat = (await chatOf(stored)).id;
    const wanted = { chat, call, wants: access, ...(path === undefined ? {} : { path }) };
    const once = async () => describeAll(await claimableBy(store, stored.id, { ...wanted, now: clock() }), call);
    const asker: Asker = { chat, call, once };
    const session = await liveSession(ports, stored, asker, await readRoots());
    if (!session.grants.some(({ until }) => until === "call")) return judgeIn(session);
    // RACE: a grant for once is used up by the record of the call it let through. Until that is kept another call would find it unused, so
    // whoever could use one looks again and is recorded before the next may look.
    return judgeQueue(stored.id, async () => judgeIn(await liveSession(ports, await sessionNotEnded(stored.id), asker, await readRoots())));
  };
  const judgeAccess = async (stored: SessionSettings, access: HostedAccess, isTrial: boolean): Promise<Decision> => {
    const named = { call: callId(access.call), tool: access.tool, operation: access.operation, path: access.path };
    for (let names = namesOf(named, stored.workspace, ports.home); ; names = null) {
      const decision = await judgeBy(names, stored, access, isTrial);
      if (decision !== null) return decision;
    }
  };
  const askNow = hostedAsking({
    ...ports,
    undecided,
    sessionNotEnded,
    chatOf,
    look: (session, access) => judgeAccess(session, access, true),
  });

  const register: HostedSessions["register"] = async (plan) => {
    const registered = await registeredSession(plan);
    if (registered !== null) return { session: registered, chat: await chatOf(registered) };
    const session = await ports.newSession(plan);
    // Opening it shows at once that the workspace is one and the policy can be read. Every access opens it again.
    await liveSession(ports, session, null);
    return { session, chat: await chatOf(session) };
  };

  return {
    register,

    async enter(plan) {
      const registered = await registeredSession(plan);
      return registered === null ? register(plan) : { session: registered };
    },

    async state(id, call) {
      const session = await store.session(id);
      if (session === null || session.archivedAt !== null) throw ended();
      return {
        session,
        mounts: await store.mounts(id),
        inherited: await inheritedWorkspaces(store, session),
        projects: (await store.projects()).map(({ path }) => path),
        grants: await store.grants(id),
        once: call === null ? [] : await claimForProgram(session, callId(call)),
      };
    },

    async live(id) {
      const session = await liveSession(ports, await sessionNotEnded(id), null);
      return { ...session, grants: session.grants.filter(({ until }) => until === "session") };
    },

    decide: (session, access) =>
      retryIfUsedByAnother(async () => judgeAccess(typeof session === "string" ? await sessionNotEnded(session) : session, access, false)),

    // RACE: two calls that ask at once for the same root would each find no card to be put to, and a person would be shown two.
    ask: (id, access, words) => retryIfUsedByAnother(() => askQueue(id, () => askNow(id, access, words))),

    async find(session, id) {
      const ask = await store.ask(id);
      return ask === null || ask.session !== session ? null : ask;
    },

    async whyNoGrant(id) {
      const ask = await store.ask(id);
      if (ask?.answer?.verdict !== "allow" || ask.answer.until !== "session") return null;
      const isGranted = (await store.grants(ask.session)).some((grant) => grant.ask === id);
      return isGranted ? null : whyNotGranted(store, ask, clock());
    },

    async leave({ host, hostSession, workspace }) {
      const session = await store.sessionOfHost(host, hostSession, workspace);
      if (session !== null) await ports.endSession(session.id, host, "agent-left");
    },

    async cancel(session, id) {
      const ask = await store.ask(id);
      if (ask === null || ask.session !== session) return;
      await store.closeAsks(session, [{ ask: id, path: ask.path, why: "not-needed", at: clock(), calls: closed(ask, "request-closed") }]);
    },
  };
}

/** Where the grant for once that it went by was used by another call at the last moment, it is done again, as things are then. */
async function retryIfUsedByAnother<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OnceGrantConflict)) throw error;
    return work();
  }
}

const ended = (): HallpassError => new HallpassError("session-closed", "the session has ended; register again");
