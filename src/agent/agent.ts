// createAgent(ports) → sessions, chats, and the runs that drive them. One run a chat; a run ends when a person is needed, and goes on
// when somebody answers, in this process or in another one.

import { type AuditEvent } from "../core/audit.ts";
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
import { createLoop } from "./loop.ts";
import { type Budget, defaultBudget, next } from "./next.ts";
import type { Model, Store, StoredChat, StoredSession } from "./ports.ts";

export interface AgentPorts {
  readonly store: Store;
  readonly model: Model;
  readonly home: string;
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
  readonly asksPerMinute?: number;
  readonly askLife?: number | null;
  /** The transcript is put in short when it is longer than this, in characters. */
  readonly compactAt?: number;
}

export interface NewSession {
  readonly workspace: string;
  readonly asking?: "by-model" | "by-guard";
  readonly attended?: boolean;
  readonly mounts?: readonly { readonly path: string; readonly mode: MountMode }[];
  readonly project?: string;
  readonly parent?: SessionId;
}

export interface Agent {
  newSession(plan: NewSession): Promise<StoredSession>;
  newChat(session: SessionId, title?: string): Promise<StoredChat>;
  /** The person says something; the chat runs until it is done or needs them. */
  say(chat: string, text: string): Promise<void>;
  /** A person answers an ask. Chats that can go on do. */
  answer(ask: AskId, answer: GivenAnswer): Promise<Answered>;
  /** End a grant; every chat of the session is told. False if it had ended before. */
  revoke(grant: GrantId, by: string): Promise<boolean>;
  /** Stop what a chat is doing and close what is open. */
  cancel(chat: string): Promise<void>;
  /** Go on with a chat, if there is anything to go on with. */
  wake(chat: string): Promise<void>;
  /** After a restart: go on with every chat that was interrupted or whose asks were answered meanwhile. */
  takeUp(): Promise<void>;
  /** Resolves when no chat is running in this process. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function createAgent(ports: AgentPorts): Agent {
  const { store, home, policyFor, listener = () => {}, clock = systemClock, ids = randomIds } = ports;
  const events: AuditEvent[] = [];
  const guard: Guard = createGuard({ audit: (event) => events.push(event), clock, ids });
  const record = async (event: AuditEvent): Promise<void> => store.record(event);
  const flush = async (): Promise<void> => {
    for (const event of events.splice(0)) await store.record(event);
  };
  const searcher = ports.searcher ?? createSearcher();
  const sandbox = ports.sandbox ?? createSandbox();
  const base = { store, home, policyFor, clock, ids, guard, record, askLife: ports.askLife ?? null };
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
    perMinute: ports.asksPerMinute ?? 30,
    compactAt: ports.compactAt ?? 400_000,
  });

  // One run a chat: a wake while it runs makes it look once more before it ends.
  const running = new Map<string, { again: boolean; readonly abort: AbortController; readonly done: Promise<void> }>();
  const wake = (chat: string): void => {
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
          await loop.run(chat, abort.signal);
          const parent = await loop.tellParent(chat);
          if (parent !== null) wake(parent);
          if (running.get(chat)?.again !== true) break;
        }
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
    async newSession({ workspace, asking = "by-model", attended = true, mounts = [], project, parent }) {
      const id = sessionId(ids());
      const session: StoredSession = {
        id,
        project: project ?? null,
        parent: parent ?? null,
        workspace,
        asking,
        attended,
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
      await running.get(chat)?.done;
      // Whoever speaks instead of answering has closed the question: no call is left half done behind the new message.
      await closeAsks(chat);
      await store.append(chat, { role: "person", id: ids(), at: clock(), text }, "idle");
      wake(chat);
      await agent.settled();
    },

    async answer(ask, answer) {
      const answered = await answerAsk(base, ask, answer);
      await flush();
      if (!answered.ok) return answered;
      listener({ type: "ask-settled", chat: answered.ask.chat, ask, answer: answered.ask.answer });
      if (answered.grant !== null)
        listener({ type: "grant-start", chat: answered.ask.chat, grant: answered.grant.id, path: answered.grant.path });
      for (const chat of answered.chats) wake(chat);
      return answered;
    },

    async revoke(grant, by) {
      const at = clock();
      const session = await ownerOf(store, grant);
      if (session === null || !(await store.revokeGrant(grant, at))) return false;
      sandbox.revoke(grant);
      await record({ kind: "revocation", at, session: session.id, grant, by });
      const text = `The grant for reading ${session.path} has been revoked. Do not read there any more; ask again if you need it.`;
      for (const { id, status } of await store.chats(session.id)) {
        await store.append(id, { role: "reminder", id: ids(), at, text, dedupeKey: `revoked:${grant}`, turns: null }, status);
      }
      return true;
    },

    async cancel(chat) {
      running.get(chat)?.abort.abort();
      await running.get(chat)?.done;
      await closeAsks(chat);
      await loop.close(chat);
    },

    async wake(chat) {
      wake(chat);
      await agent.settled();
    },

    async takeUp() {
      for (const { id, status } of await store.chats(null)) {
        // Idle with something to do: the process died between hearing the person and beginning.
        if (status === "running" || status === "waiting_for_input" || (status === "idle" && next(await store.transcript(id)).do !== "stop"))
          wake(id);
      }
      await agent.settled();
    },

    async settled() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
    },

    async close() {
      for (const { abort } of running.values()) abort.abort();
      await agent.settled();
      if (ports.searcher === undefined) await searcher.close();
    },
  };
  return agent;
}

async function ownerOf(store: Store, grant: GrantId): Promise<{ readonly id: SessionId; readonly path: string } | null> {
  for (const { id } of await store.sessions()) {
    const found = (await store.grants(id)).find((one) => one.id === grant);
    if (found !== undefined) return { id, path: found.path };
  }
  return null;
}

const SYSTEM = [
  "You work on files inside one workspace through the tools you are given.",
  "What lies elsewhere is refused with a reason; where the refusal names request_read_access you may ask the person, saying why.",
  "A no is final until the person speaks again. Secrets stay shut everywhere; do not look for ways around.",
].join(" ");
