// Sessions that another program drives: an MCP client, an editor, the hooks of somebody else's agent. The program registers once, has
// its accesses judged, and puts asks before a person; its calls are rows of a chat like ours, so that one inbox, one set of grants and
// one record serve all. Our loop never runs such a chat, and nothing the program says is an answer.

import type { Operation } from "../core/access.ts";
import { HallpassError } from "../core/errors.ts";
import type { Decision } from "../core/guard/decision.ts";
import type { Guard } from "../core/guard/guard.ts";
import { hint, meanings } from "../core/guard/explain.ts";
import { type AskId, type CallId, callId, type SessionId } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import type { Ask } from "../core/session/ask.ts";
import type { StoredOnce } from "../core/session/grant.ts";
import type { Session } from "../core/session/session.ts";
import type { Agent, NewSession } from "./agent.ts";
import { type AskingPorts, raise } from "./asking.ts";
import { closed } from "./answering.ts";
import type { Listener } from "./events.ts";
import { type Asker, liveSession, type LivePorts, rootsOf } from "./live-session.ts";
import { isOnce, onceFor } from "./once-yes.ts";
import type { StoredAsk, StoredChat, StoredGrant, StoredMount, StoredSession } from "./ports.ts";
import { inheritedWorkspaces } from "./spawning.ts";
import type { Outcome } from "./transcript.ts";
import { allowsUnconfined, UNCONFINED, unconfinedAsk } from "./unconfined.ts";

export interface HostedPorts extends LivePorts, AskingPorts {
  readonly newSession: Agent["newSession"];
  readonly newChat: Agent["newChat"];
  readonly guard: Guard;
  /** Write out what the guard recorded; where it `isLook`, without using up a yes for once. */
  readonly flush: (isLook: boolean) => Promise<void>;
  readonly listener: Listener;
}

/** One access a program wants judged or asked about. `call` is its own name for the call, unique in its session. */
export interface HostedAccess {
  readonly call: string;
  readonly tool: string;
  readonly operation: Operation;
  readonly path: string;
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

export type HostedAsk = { readonly state: "waiting"; readonly ask: StoredAsk } | { readonly state: "done"; readonly outcome: Outcome };

export interface Hosted {
  /** The same host, name and workspace give the same session. Throws where the workspace cannot be one. */
  register(plan: NewSession & { readonly host: string; readonly hostSession: string }): Promise<{
    readonly session: StoredSession;
    readonly chat: StoredChat;
  }>;
  /** As `register`, for whoever has no use for the chat: a session that is known costs one look. */
  enter(plan: NewSession & { readonly host: string; readonly hostSession: string }): Promise<{ readonly session: StoredSession }>;
  state(session: SessionId, call: string | null): Promise<HostedState>;
  /**
   * Judge one access, in the session of this name or as it was just read; it is recorded. An allow's pass is closed: the program opens for
   * itself, which is why a hook is no wall. A yes for once is used up by it, also for the same call: the program chose the call's name.
   */
  decide(session: SessionId | StoredSession, access: HostedAccess): Promise<Decision>;
  /** Put an access before a person, or say at once why nobody need be asked. The same call asked again gives where it stands; uses nothing. */
  ask(session: SessionId, access: HostedAccess, words: string | null): Promise<HostedAsk>;
  /** An ask of this session. Null where there is none, or it is another session's. */
  find(session: SessionId, ask: AskId): Promise<StoredAsk | null>;
  /** The program no longer needs it. */
  cancel(session: SessionId, ask: AskId): Promise<void>;
}

type CommandDecision = { readonly verdict: "allow" } | { readonly verdict: "ask"; readonly ask: Ask };

/** How long a no stands for a program that cannot tell when its person has spoken again. */
const DENIAL = 5 * 60_000;

export function createHosted(ports: HostedPorts): Hosted {
  const { store, clock, guard, flush, listener } = ports;

  const opened = async (id: SessionId): Promise<StoredSession> => {
    const session = await store.session(id);
    if (session === null || session.archivedAt !== null) throw new HallpassError("session-closed", "the session has ended; register again");
    return session;
  };
  const knownOf = (plan: Parameters<Hosted["register"]>[0]): Promise<StoredSession | null> =>
    store.sessionOfHost(plan.host, plan.hostSession, plan.workspace);
  const chatOf = async (session: StoredSession): Promise<StoredChat> => {
    const [chat] = await store.chats(session.id);
    return chat ?? (await ports.newChat(session.id, session.label ?? session.host ?? ""));
  };
  const [oneAtATime, oneAsk] = [createTurns(), createTurns()];
  const judged = async (stored: StoredSession, access: HostedAccess, isLook: boolean): Promise<Decision> => {
    const call = callId(access.call);
    const judgeIn = async (session: Session): Promise<Decision> => {
      const decision = guard.judge({ call, tool: access.tool, operation: access.operation, path: access.path }, session);
      if (decision.verdict === "allow") decision.pass.close();
      await flush(isLook);
      return decision;
    };
    const [answered, roots] = await Promise.all([store.asks({ session: stored.id, state: "answered" }), rootsOf(store, stored.id)]);
    // Hardly ever is there a yes for once; then nobody need know which chat it would be in.
    if (!answered.some(isOnce)) return judgeIn(await liveSession(ports, stored, null, roots));
    const asker: Asker = { chat: (await chatOf(stored)).id, call, isForeign: true };
    const session = await liveSession(ports, stored, asker);
    if (!session.grants.some(({ until }) => until === "call")) return judgeIn(session);
    // RACE: a yes for once is used up by the record of the call it let through. Until that is kept another call would find it unused, so
    // whoever could use one looks again and is recorded before the next may look.
    return oneAtATime(stored.id, async () => judgeIn(await liveSession(ports, await opened(stored.id), asker)));
  };
  /** A command that the program cannot confine: done only after a yes for this very call. */
  const command = async (session: StoredSession, chat: StoredChat, { call: name, path }: HostedAccess): Promise<CommandDecision> => {
    const call = callId(name);
    if ((await onceFor(store, session, { chat: chat.id, call })).some(allowsUnconfined)) return { verdict: "allow" };
    if (!session.attended) throw new HallpassError("no-prompt-channel", `the command ${meanings["no-prompt-channel"]}`);
    return { verdict: "ask", ask: unconfinedAsk({ session: session.id, call, command: path }, { id: ports.ids(), at: clock() }) };
  };
  /** Where a call stands that was asked about before; `new`, or `again` where an answer has it judged once more. */
  const before = async (chat: StoredChat, call: CallId): Promise<HostedAsk | "new" | "again"> => {
    const calls = (await store.transcript(chat.id)).flatMap((message) => (message.role === "agent" ? message.calls : []));
    const known = calls.find(({ id }) => id === call);
    if (known?.state.at === "done") return { state: "done", outcome: known.state.outcome };
    const ask = known?.state.at === "waiting" ? await store.ask(known.state.ask) : null;
    if (ask !== null) return { state: "waiting", ask };
    return known === undefined ? "new" : "again";
  };

  const askNow: Hosted["ask"] = async (id, access, words) => {
    const session = await opened(id);
    const chat = await chatOf(session);
    const call = callId(access.call);
    const known = await before(chat, call);
    if (known !== "new" && known !== "again") return known;
    // INVARIANT: "granted" is said only of what passes now, whatever was answered.
    const decision = access.tool === UNCONFINED ? await command(session, chat, access) : await judged(session, access, true);
    if (decision.verdict === "allow") {
      if (known === "again") return { state: "done", outcome: { ok: true, output: "granted" } };
      const output = `\`${show(access.path)}\` ${meanings["already-in-scope"]}`;
      return { state: "done", outcome: access.tool === "request_read_access" ? inScope(output) : { ok: true, output } };
    }
    if (decision.verdict === "deny") return { state: "done", outcome: { ok: false, code: decision.reason, hint: hint(decision) } };
    if (known === "new") {
      const input = { path: access.path, ...(words === null ? {} : { reason: words }) };
      const message = { id: ports.ids(), at: clock(), text: "", usage: null, error: null };
      const calls = [{ id: call, name: access.tool, input, state: { at: "proposed" as const } }];
      await store.append(chat.id, { role: "agent", ...message, calls }, chat.status);
    }
    const raised = await raise(ports, chat, clock() - DENIAL, decision.ask, words);
    if ("outcome" in raised) {
      await store.setCall(chat.id, call, ["proposed"], { at: "done", outcome: raised.outcome });
      return { state: "done", outcome: raised.outcome };
    }
    if (raised.isNew) listener({ type: "ask-open", chat: chat.id, ask: raised.ask });
    return { state: "waiting", ask: raised.ask };
  };

  const register: Hosted["register"] = async (plan) => {
    const known = await knownOf(plan);
    if (known !== null) return { session: known, chat: await chatOf(known) };
    const session = await ports.newSession(plan);
    // Opening it shows at once that the workspace is one and the policy can be read. Every access opens it again.
    await liveSession(ports, session, null);
    return { session, chat: await chatOf(session) };
  };

  return {
    register,

    async enter(plan) {
      const known = await knownOf(plan);
      return known === null ? register(plan) : { session: known };
    },

    async state(id, call) {
      const session = await opened(id);
      const asker: Asker | null = call === null ? null : { chat: (await chatOf(session)).id, call: callId(call), isForeign: true };
      return {
        session,
        mounts: await store.mounts(id),
        inherited: await inheritedWorkspaces(store, session),
        projects: (await store.projects()).map(({ path }) => path),
        grants: await store.grants(id),
        once: asker === null ? [] : await onceFor(store, session, asker),
      };
    },

    async decide(session, access) {
      return judged(typeof session === "string" ? await opened(session) : session, access, false);
    },

    // RACE: two calls that ask at once for the same root would each find no card to be put to, and a person would be shown two.
    ask: (id, access, words) => oneAsk(id, () => askNow(id, access, words)),

    async find(session, id) {
      const ask = await store.ask(id);
      return ask === null || ask.session !== session ? null : ask;
    },

    async cancel(session, id) {
      const ask = await store.ask(id);
      if (ask === null || ask.session !== session) return;
      if (await store.closeAsk(id, closed(ask, "request-closed"))) listener({ type: "ask-settled", chat: ask.chat, ask: id, answer: null });
    },
  };
}

/** Work of the same name one after another, in the order it came; of different names at once. */
function createTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name);
    const mine = (before ?? Promise.resolve()).then(work, work);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}

const inScope = (output: string): Outcome => ({ ok: false, code: "already-in-scope", hint: `${output}; read it directly` });
