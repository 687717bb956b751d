// A host session over the wire, the same for a daemon and for an app in this process, which differ only in `fetch`. The agent's own
// credential does everything an agent may. The person's client registers the agent, fetches what judgements and cards need, and sends
// what a person answered in the host's dialog; the agent sees none of that.

import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { type PlannedWrite, shortEnough } from "../../core/access.ts";
import { type Clock, type Ids, randomIds, systemClock } from "../../core/clock.ts";
import { HallpassError, isCode } from "../../core/errors.ts";
import { type SessionId, sessionId } from "../../core/names.ts";
import { realHome } from "../../core/session/session.ts";
import { createPolicyFor, type PolicyFor } from "../../config/policy-for.ts";
import { type Client, createClient, WireError } from "../../wire/client.ts";
import type { AppConnection, SpoolableEvent } from "../../wire/connection.ts";
import { routes } from "../../wire/http.ts";
import type { WireAgentAsk, WireAsk } from "../../wire/values.ts";
import type { HostSession, HostIdentity } from "./host-session.ts";
import { type KeptState, keepState, type GrantEndListener } from "./kept-state.ts";
import { type OnceRead, partsOf, recordable, usesOnce } from "./records.ts";
import { createSessions } from "./session-of.ts";

/** What a host session is opened with. Connection and identity are needed. */
export interface HostSessionPorts {
  readonly connection: AppConnection;
  /** Looks for the daemon again after it was lost: it may come back at another address. */
  readonly reconnect?: () => Promise<AppConnection | null>;
  readonly identity: HostIdentity;
  /** The home directory of the user; by default the one of this process. */
  readonly home?: string;
  /** The policy of a workspace; by default the one of the files on disk. */
  readonly policyFor?: PolicyFor;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Told of each grant that has ended, and how: what still runs under it is to be stopped. */
  readonly ended?: GrantEndListener;
  /** Told that the session has ended: what still runs in it is to be stopped. */
  readonly over?: (session: SessionId) => void;
}

/** How long to let the daemon be before it is tried again while somebody waits for an answer. */
const RETRY_DELAY = 500;
/** The longest the daemon holds one question for an ask's end, in seconds. */
const LONGEST_POLL = 50;

/** How long a program that leaves waits for the daemon to take that in, in milliseconds. */
const LEAVE_TIMEOUT = 2_000;

interface Place {
  readonly id: string;
  readonly agent: Client;
  readonly state: KeptState;
  /** It is the session of the host's hooks, which ends and begins anew without a word of ours. */
  readonly isJoined: boolean;
}

/** Register the agent with the app and open its session. Throws `io-error` where it cannot be reached, and what it says where it refuses. */
export async function openHostSession(ports: HostSessionPorts): Promise<HostSession> {
  const { identity, ended } = ports;
  let app = ports.connection;
  const shared = app.durable;

  /** `before`: the grants that were known to hold; those that have ended since are told. */
  const register = async (before: ReadonlySet<string>): Promise<Place> => {
    const { host, hostSession, workspace, label, parent, attended, startedBy } = identity;
    const { client, fetch, connect } = app;
    const body = {
      host,
      hostSession,
      workspace,
      ...(label === undefined ? {} : { label }),
      ...(parent === undefined ? {} : { parent: parent.id }),
      ...(attended === undefined ? {} : { attended }),
      ...(startedBy === undefined ? {} : { startedBy: { ...startedBy } }),
    };
    const { session, chat, credential } = await client.send(routes.register, { body });
    const agent = createClient({ address: client.address, token: credential, fetch, via: host });
    const fetchState = (call: string) => client.send(routes.agentState, { id: session.id, query: { call } });
    const frames = { connect, token: credential, chat: chat.id, mark: app.mark };
    const state = keepState(fetchState, session.id, frames, { before, ended, over: () => ports.over?.(sessionId(session.id)) });
    return { id: session.id, agent, state, isJoined: session.host !== host };
  };
  let closed = false;
  const mustBeOpen = (): void => {
    if (closed) throw new HallpassError("session-closed", "the host session has been closed");
  };
  // INVARIANT: nothing is opened once it is closed: nobody would close it, and the program would not end.
  const registerAgain = async (): Promise<void> => {
    const registered = await register(place.state.grants());
    place.state.close();
    place = registered;
    if (!closed) return;
    place.state.close();
    mustBeOpen();
  };

  let place = await register(new Set()).catch(rethrow);
  // Was the daemon away since it last answered? Only then may a credential it does not know mean that it begins afresh; otherwise a
  // person has ended the session, and it stays ended.
  let lost = false;

  /** After a failure: find the daemon again and register again, which gives the same session. Throws why not. */
  const recover = async (error: WireError): Promise<void> => {
    // Its connection is cut when it is closed; that is no daemon that was lost.
    mustBeOpen();
    const gone = error.code === "unreachable" || error.code === "bad-host";
    if (gone) lost = true;
    else if (error.code !== "unauthenticated" && error.code !== "session-closed") throw error;
    else if (!lost && !place.state.wasLost() && !place.isJoined)
      throw new HallpassError("session-closed", "the session has been ended", { cause: error });
    const reconnected = (await ports.reconnect?.()) ?? null;
    mustBeOpen();
    if (gone && reconnected === null) throw error;
    app = reconnected ?? app;
    await registerAgain();
  };
  const asAgent = async <T>(work: (place: Place) => Promise<T>): Promise<T> => {
    mustBeOpen();
    try {
      const result = await work(place).catch(async (error: unknown) => {
        if (!(error instanceof WireError)) throw error;
        await recover(error);
        return work(place);
      });
      lost = false;
      return result;
    } catch (error) {
      return rethrow(error);
    }
  };
  const { home = realHome(homedir()), clock = systemClock, ids = randomIds } = ports;
  const policyFor = ports.policyFor ?? createPolicyFor({ home, env: process.env, platform: process.platform });
  const sessions = createSessions({ home, policyFor, clock, ids });
  const waiters = createWaiters();
  const send = async (events: readonly SpoolableEvent[]): Promise<void> => {
    for (const batch of partsOf(events))
      await asAgent(({ agent }) => agent.send(routes.agentRecord, { body: { events: batch.map((event) => ({ ...event })) } }));
  };
  const claim = async ({ call, tool, operation, requested: path }: OnceRead): Promise<void> => {
    const { verdict } = await asAgent(({ agent }) => agent.send(routes.decide, { body: { call, tool, operation, path } }));
    place.state.changed();
    if (verdict !== "allow") throw new HallpassError("out-of-scope", "the yes was for one read, and another call has used it; ask again");
  };
  const record: HostSession["record"] = async (events) => {
    // INVARIANT: a yes for once lets one call through. Which one is for the daemon to say, who judges such reads one after another and
    // records them itself; a call that comes too late is not handed what it has read.
    // What one call judged twice it uses once.
    const uses = new Map(events.filter(usesOnce).map((event) => [event.real ?? event.requested, event]));
    for (const use of uses.values()) await claim(use);
    // INVARIANT: kept before what was decided is told. In the spool it outlives this process and the daemon's, and no other process is waited for.
    // What a yes for once let through is told to the daemon itself, which counts it.
    const [direct, spoolable] = recordable(events, shared);
    if (spoolable.length > 0) {
      if (app.spool === null) await send(spoolable);
      else app.spool(place.id, spoolable);
    }
    if (direct.length > 0) await send(direct);
  };
  /** The card, for the person whose program this is. */
  const cardOf = (ask: string): Promise<WireAsk> => asAgent(() => app.client.send(routes.ask, { id: ask }));
  const look = (ask: string, wait: number, signal?: AbortSignal): Promise<WireAgentAsk> =>
    asAgent(({ agent }) => agent.send(routes.agentWait, { id: ask, query: { wait }, ...(signal === undefined ? {} : { signal }) }));

  return {
    shared,
    get id() {
      return place.id;
    },

    session: (call) =>
      asAgent(async ({ state, isJoined }) => {
        const current = await state.read(call);
        if (!isJoined || current.session.archivedAt === null) return sessions(current);
        await registerAgain();
        return sessions(await place.state.read(call));
      }),

    async ask({ call, tool, operation, path, isUnconfined, needsNetwork, writes }, reason) {
      const written =
        writes === undefined
          ? {}
          : {
              writes: shortEnough(writes, path).map(sentWrite),
              content: createHash("sha256").update(JSON.stringify(writes)).digest("hex"),
            };
      const about = {
        ...(isUnconfined === true ? { unconfined: true as const } : {}),
        ...(needsNetwork === true ? { network: true as const } : {}),
      };
      const access = { call, tool, operation, path, ...about, ...written };
      const askResult = await asAgent(({ agent }) => agent.send(routes.agentAsk, { body: { ...access, reason } }));
      place.state.changed();
      if (askResult.state === "done") return askResult;
      waiters.put(askResult.ask.id, call);
      return { state: "waiting", ask: await cardOf(askResult.ask.id) };
    },

    async wait(ask, milliseconds, signal) {
      const until = performance.now() + milliseconds;
      const aborted = (): boolean => signal?.aborted === true;
      for (;;) {
        const left = until - performance.now();
        const over = left <= 0 || aborted();
        try {
          const current = await look(ask, over ? 0 : Math.min(LONGEST_POLL, left / 1000), over ? undefined : signal);
          if (current.state !== "open" || over) return await cardOf(ask);
        } catch (error) {
          // Whoever waits is not sent away because the daemon starts again; an end of the session is an end.
          if (over || (!aborted() && !(error instanceof HallpassError && error.code === "io-error"))) throw error;
          if (!aborted()) await pause(Math.min(RETRY_DELAY, left), undefined, { signal }).catch(() => {});
        } finally {
          place.state.changed();
        }
      }
    },

    async answer(ask, body) {
      try {
        return (await app.client.send(routes.answer, { id: ask, body })).ask;
      } catch (error) {
        if (error instanceof WireError && error.problem?.ask !== undefined) return error.problem.ask;
        // Not taken, and perhaps settled by that: what was shown is no longer what a yes would open.
        if (error instanceof WireError && error.code === "grant-changed") return await cardOf(ask);
        return rethrow(error);
      } finally {
        place.state.changed();
      }
    },

    async cancel(ask) {
      await asAgent(({ agent }) => agent.send(routes.agentCancel, { id: ask }));
    },

    leave: (ask, call) => void waiters.left(ask, call),

    async withdraw(ask, call) {
      if (waiters.left(ask, call)) return;
      const current = await look(ask, 0);
      // Put to it from elsewhere too (a second program of the same session)? Then it is not ours alone to close.
      if (current.state !== "open" || current.requested.length > waiters.all(ask)) return;
      await asAgent(({ agent }) => agent.send(routes.agentCancel, { id: ask }));
    },

    record,

    addressOf: () => (app.where === "daemon" ? `${app.client.address}/#/inbox` : null),

    async close() {
      closed = true;
      place.state.close();
      if (!shared || identity.leaves !== true || place.isJoined) return;
      // A daemon that is gone by now ends it when nobody has used it for long.
      const timeout = AbortSignal.timeout(LEAVE_TIMEOUT);
      await app.client.send(routes.archiveSession, { id: place.id, query: { why: "agent-left" }, signal: timeout }).catch(() => {});
    },
  };
}

/** With lists that may be written to, as the wire has them. */
function sentWrite(write: PlannedWrite) {
  if (write.what === "edits") return { ...write, edits: write.edits.map((edit) => ({ ...edit })) };
  if (write.what !== "sections") return { ...write };
  return {
    ...write,
    sections: write.sections.map(({ after, old, new: added }) => ({ after: [...after], old: [...old], new: [...added] })),
  };
}

/** What went wrong on the wire, in our codes. */
function rethrow(error: unknown): never {
  if (!(error instanceof WireError)) throw error;
  throw new HallpassError(isCode(error.code) ? error.code : "io-error", error.message, { cause: error });
}

/** Which calls of this process were put to an ask, and which of them still wait: a card is of use until the last of them is gone. */
interface Waiters {
  put(ask: string, call: string): void;
  /** This call no longer waits. Does another? */
  left(ask: string, call: string): boolean;
  /** How many calls were put to it, waiting or not. */
  all(ask: string): number;
}

/** As many asks as are remembered; an older one is taken for somebody else's, and stays open. */
const MAX_ASKS = 1_000;

function createWaiters(): Waiters {
  const asks = new Map<string, { readonly all: Set<string>; readonly waiting: Set<string> }>();
  return {
    put(ask, call) {
      const known = asks.get(ask) ?? { all: new Set(), waiting: new Set() };
      known.all.add(call);
      known.waiting.add(call);
      asks.set(ask, known);
      const [oldest] = asks.keys();
      if (asks.size > MAX_ASKS && oldest !== undefined) asks.delete(oldest);
    },
    left(ask, call) {
      const known = asks.get(ask);
      known?.waiting.delete(call);
      return (known?.waiting.size ?? 0) > 0;
    },
    all: (ask) => asks.get(ask)?.all.size ?? 0,
  };
}
