// createAgent(ports) → sessions, chats, and the runs that drive them. One run a chat; a run ends when a person is needed, and goes on
// when somebody answers, in this process or in another one.

import { type AuditEvent } from "../core/audit.ts";
import { HallpassError } from "../core/errors.ts";
import { type Clock, type Ids, randomIds, systemClock } from "../core/clock.ts";
import { type AskId, type GrantId, type SessionId, sessionId } from "../core/names.ts";
import { createGuard, type Guard } from "../core/guard/guard.ts";
import type { CompiledPolicy } from "../core/policy/compile.ts";
import type { MountMode } from "../core/session/root.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { defaultLimits, type Limits } from "../tools/limits.ts";
import { createOutputs } from "../tools/outputs.ts";
import { createSearcher, type Searcher } from "../tools/search/searcher.ts";
import type { Tool } from "../tools/tool.ts";
import { tools as allTools } from "../tools/registry.ts";
import { type Answered, answerAsk, closed, type GivenAnswer } from "./answering.ts";
import type { Listener } from "./events.ts";
import { createHosted, type Hosted } from "./hosted.ts";
import { createLoop } from "./loop.ts";
import { childChatOf } from "./spawning.ts";
import { lastCalls } from "./transcript.ts";
import { type Budget, defaultBudget, next } from "./next.ts";
import type { Model, Store, StoredAsk, StoredChat, StoredSession } from "./ports.ts";

export interface AgentPorts {
  readonly store: Store;
  readonly model: Model;
  readonly home: string;
  /** The machine this runs on; sessions made here are its own. */
  readonly machine?: string;
  readonly policyFor: (workspace: string, inherited: readonly string[]) => CompiledPolicy;
  readonly listener?: Listener;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly limits?: Limits;
  readonly budget?: Budget;
  /** An agent's definition may narrow the tools; request_read_access is there unless it is left out by name. */
  readonly tools?: Readonly<Record<string, Tool>>;
  readonly searcher?: Searcher;
  /** Where commands run; default: what this machine has. */
  readonly sandbox?: Sandbox;
  readonly system?: string;
  /** Who raises an ask in a session that does not say; default: the model. */
  readonly asking?: NewSession["asking"];
  readonly asksPerMinute?: number;
  readonly askLife?: number | null;
  /** The transcript is put in short when it is longer than this, in characters. */
  readonly compactAt?: number;
  /**
   * Where several processes share a store: the right to a chat, which one of them has at a time. To `run` it: null where another one has
   * it, or its files are elsewhere; whoever it is has then been told to look. To `speak` in it: waits until it does not run. To `stop`
   * it: ends its run wherever that is, and waits for that. `session` is the chat's, where it is at hand. Default: always given.
   */
  readonly lease?: (chat: string, purpose: "run" | "speak" | "stop", session?: StoredSession | null) => Promise<Lease | null>;
  /**
   * The store was away, or another process was quicker: the run stopped where it was, and the chat can be woken again. Without this port
   * such a chat fails.
   */
  readonly fault?: (chat: string, error: unknown) => void;
}

export interface Lease {
  /** Aborts when the right is lost. */
  readonly signal: AbortSignal;
  end(): Promise<void>;
}

export interface NewSession {
  readonly workspace: string;
  readonly asking?: "by-model" | "by-guard";
  readonly attended?: boolean;
  readonly mounts?: readonly { readonly path: string; readonly mode: MountMode }[];
  readonly project?: string;
  readonly parent?: SessionId;
  /** The program that drives it from elsewhere, and its own name for this run: then our loop leaves its chats alone. */
  readonly host?: string;
  readonly hostSession?: string;
  readonly label?: string;
}

export interface Agent {
  /** Sessions that other programs drive. */
  readonly hosted: Hosted;
  newSession(plan: NewSession): Promise<StoredSession>;
  newChat(session: SessionId, title?: string): Promise<StoredChat>;
  /** The person says something; the chat runs until it is done or needs them. */
  say(chat: string, text: string): Promise<void>;
  /** As `say`, and resolves as soon as it is stored; the chat runs by itself. Waits for a run of the chat that is under way. */
  hear(chat: string, text: string): Promise<void>;
  /** A person answers an ask, named or as it was just read. Chats that can go on do. */
  answer(ask: AskId | StoredAsk, answer: GivenAnswer): Promise<Answered>;
  /** End a grant; every chat of the session is told. False if it had ended before. */
  revoke(grant: GrantId, by: string): Promise<boolean>;
  /** Stop what a chat is doing and close what is open. */
  cancel(chat: string): Promise<void>;
  /** End what this process does in a chat, soon; nothing in it is closed. */
  interrupt(chat: string): void;
  /** Go on with a chat, if there is anything to go on with. */
  wake(chat: string): Promise<void>;
  /** After a restart: go on with every chat that was interrupted or whose asks were answered meanwhile. */
  takeUp(): Promise<void>;
  /** Resolves when no chat is running in this process. */
  settled(): Promise<void>;
  /** How many chats run in this process now. */
  readonly runs: number;
  close(): Promise<void>;
}

export function createAgent(ports: AgentPorts): Agent {
  const { store, home, policyFor, listener = () => {}, clock = systemClock, ids = randomIds } = ports;
  const events: AuditEvent[] = [];
  const guard: Guard = createGuard({ audit: (event) => events.push(event), clock, ids });
  const flush = async (): Promise<void> => {
    if (events.length > 0) await store.record(events.splice(0));
  };
  const searcher = ports.searcher ?? createSearcher();
  const sandbox = ports.sandbox ?? createSandbox();
  const base = {
    store,
    home,
    policyFor,
    clock,
    ids,
    guard,
    trial: createGuard({ clock, ids }),
    askLife: ports.askLife ?? null,
    unwritten: events,
  };
  const perMinute = ports.asksPerMinute ?? 30;
  const loop = createLoop({
    ...base,
    model: ports.model,
    listener,
    flush,
    tools: ports.tools ?? allTools,
    limits: ports.limits ?? defaultLimits,
    budget: ports.budget ?? defaultBudget,
    searcher,
    sandbox,
    outputs: createOutputs(ids),
    system: ports.system ?? SYSTEM,
    perMinute,
    compactAt: ports.compactAt ?? 400_000,
    passes: (error) => ports.fault !== undefined && error instanceof HallpassError,
  });

  // One run a chat: a wake while it runs makes it look once more before it ends.
  const running = new Map<string, { again: boolean; readonly abort: AbortController; readonly done: Promise<void> }>();
  const { lease, fault = () => {} } = ports;
  let isClosed = false;
  /** `session` is the chat's, where somebody has just read it: then it is known where to look. */
  const wake = (chat: string, session: StoredSession | null = null): void => {
    if (isClosed) return;
    const active = running.get(chat);
    if (active !== undefined) {
      active.again = true;
      return;
    }
    const abort = new AbortController();
    const drive = async (): Promise<void> => {
      try {
        for (let entry = running.get(chat); ; entry = running.get(chat)) {
          if (entry !== undefined) entry.again = false;
          const held = lease === undefined ? ALWAYS : await lease(chat, "run", session);
          if (held !== null) {
            try {
              const signal = held === ALWAYS ? abort.signal : AbortSignal.any([abort.signal, held.signal]);
              await loop.run(chat, signal, session?.id);
              const parent = await loop.tellParent(chat);
              if (parent !== null) wake(parent);
            } finally {
              await held.end();
            }
          }
          if (running.get(chat)?.again !== true || isClosed) break;
        }
      } catch (error) {
        fault(chat, error);
      } finally {
        running.delete(chat);
      }
    };
    // The run begins after it is entered, so that it finds itself there.
    running.set(chat, { again: false, abort, done: Promise.resolve().then(drive) });
  };

  const closeAsks = async (chat: string): Promise<void> => {
    for (const ask of await store.asks({ chat, state: "open" })) {
      if (await store.closeAsk(ask.id, closed(ask, "request-closed"))) listener({ type: "ask-settled", chat, ask: ask.id, answer: null });
    }
  };

  const agent: Agent = {
    hosted: createHosted({
      ...base,
      perMinute,
      flush,
      listener,
      newSession: (plan) => agent.newSession(plan),
      newChat: (session, title) => agent.newChat(session, title),
    }),

    async newSession({
      workspace,
      asking = ports.asking ?? "by-model",
      attended = true,
      mounts = [],
      project,
      parent,
      host,
      hostSession,
      label,
    }) {
      const id = sessionId(ids());
      const session: StoredSession = {
        id,
        project: project ?? null,
        parent: parent ?? null,
        workspace,
        asking,
        attended,
        host: host ?? null,
        hostSession: hostSession ?? null,
        label: label ?? null,
        machine: ports.machine ?? "local",
        allowedReadPaths: [],
        at: clock(),
        archivedAt: null,
      };
      await store.addSession(
        session,
        mounts.map(({ path, mode }) => ({ session: id, path, mode })),
      );
      return session;
    },

    async newChat(session, title = "") {
      const chat: StoredChat = { id: ids(), session, title, status: "idle", at: clock() };
      await store.addChat(chat);
      return chat;
    },

    async say(chat, text) {
      await agent.hear(chat, text);
      await agent.settled();
    },

    async hear(chat, text) {
      await running.get(chat)?.done;
      const held = (await lease?.(chat, "speak")) ?? null;
      try {
        // Whoever speaks instead of answering has closed the question: no call is left half done behind the new message.
        await closeAsks(chat);
        await store.append(chat, { role: "person", id: ids(), at: clock(), text }, "idle");
      } finally {
        await held?.end();
      }
      wake(chat);
    },

    async answer(ask, answer) {
      // The chat that asked goes on at once; whoever else waited for the same thing is looked for meanwhile.
      const answered = await answerAsk(base, ask, answer, ({ ask: { chat, id, answer: given }, grant, session }) => {
        listener({ type: "ask-settled", chat, ask: id, answer: given });
        if (grant !== null) listener({ type: "grant-start", chat, grant: grant.id, path: grant.path });
        wake(chat, session);
      });
      await flush();
      if (!answered.ok) return answered;
      for (const { chat, id, answer: given } of answered.also) {
        listener({ type: "ask-settled", chat, ask: id, answer: given });
        wake(chat);
      }
      return answered;
    },

    async revoke(grant, by) {
      const at = clock();
      const held = await store.grant(grant);
      if (held === null || !(await store.revokeGrant(grant, at, [{ kind: "revocation", at, session: held.session, grant, by }])))
        return false;
      sandbox.revoke(grant);
      const text = `The grant for reading ${held.path} has been revoked. Do not read there any more; ask again if you need it.`;
      for (const { id, status } of await store.chats(held.session)) {
        await store.append(id, { role: "reminder", id: ids(), at, text, dedupeKey: `revoked:${grant}`, turns: null }, status);
      }
      return true;
    },

    async cancel(chat) {
      agent.interrupt(chat);
      await running.get(chat)?.done;
      // What it started ends with it.
      for (const { id, state } of lastCalls(await store.transcript(chat)))
        if (state.at !== "done" && (await store.chat(childChatOf(id))) !== null) await agent.cancel(childChatOf(id));
      const held = (await lease?.(chat, "stop")) ?? null;
      try {
        await closeAsks(chat);
        await loop.close(chat);
      } finally {
        await held?.end();
      }
    },

    interrupt(chat) {
      running.get(chat)?.abort.abort();
    },

    async wake(chat) {
      wake(chat);
      await agent.settled();
    },

    async takeUp() {
      for (const { id, status } of await store.chats(null, ["running", "waiting_for_input", "idle"])) {
        if (isClosed) return;
        if (status === "running") {
          wake(id);
          continue;
        }
        // Idle with something to do: the process died between hearing the person and beginning. Waiting with nothing to wait for: it was
        // answered meanwhile. The many that truly wait are left alone.
        if (next(await store.transcript(id)).do !== (status === "idle" ? "stop" : "wait")) wake(id);
      }
      await agent.settled();
    },

    get runs() {
      return running.size;
    },

    async settled() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
    },

    async close() {
      isClosed = true;
      for (const { abort } of running.values()) abort.abort();
      await agent.settled();
      if (ports.searcher === undefined) await searcher.close();
    },
  };
  return agent;
}

/** Alone on a store: nobody takes a chat away. */
const ALWAYS: Lease = { signal: new AbortController().signal, end: () => Promise.resolve() };

const SYSTEM = [
  "You work on files inside one workspace through the tools you are given.",
  "What lies elsewhere is refused with a reason; where the refusal names request_read_access you may ask the person, saying why.",
  "A no is final until the person speaks again. Secrets stay shut everywhere; do not look for ways around.",
].join(" ");
