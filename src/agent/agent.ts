// createAgent(ports) → sessions, chats, and the runs that drive them. One run a chat; a run ends when a person is needed, and goes on
// when somebody answers, in this process or in another one.

import type { AuditEvent, SessionEnd } from "../core/audit.ts";
import { NETWORK } from "../core/access.ts";
import { HallpassError } from "../core/errors.ts";
import { type Clock, type Ids, randomIds, systemClock } from "../core/clock.ts";
import { type AskId, type CallId, callId, type GrantId, type SessionId, sessionId } from "../core/names.ts";
import { createGuard, type Guard } from "../core/guard/guard.ts";
import type { MountMode } from "../core/session/root.ts";
import type { Session } from "../core/session/session.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { type ShownChange, changesOf } from "../tools/change.ts";
import { defaultLimits, type Limits } from "../tools/limits.ts";
import { createOutputs } from "../tools/outputs.ts";
import { createSearcher, type Searcher } from "../tools/search/searcher.ts";
import type { Tool } from "../tools/tool.ts";
import { undoChanges } from "../tools/undo.ts";
import { tools as allTools } from "../tools/registry.ts";
import { type AnswerResult, answerAsk, closed, type GivenAnswer } from "./answering.ts";
import { createDriving, type Lease, SESSION_ENDED, STOPPED_BY_PERSON, type TakeLease } from "./driving.ts";
import type { Listener } from "./events.ts";
import { createHosted, type HostedSessions } from "./hosted.ts";
import { createUndecided, isAsking } from "./asking.ts";
import { plannedIn } from "./hosted-asking.ts";
import { type LivePolicy, liveSession } from "./live-session.ts";
import { createSettlements } from "./lookups.ts";
import { createLoop } from "./loop.ts";
import { isOnceUse, type OnceUse, recordOnceUse } from "./once-grant.ts";
import { lastCalls, type Picture } from "./transcript.ts";
import { type Budget, defaultBudget, next } from "./next.ts";
import type { AskInSession, ClosingAsk, Model, Store, StoredAsk, StoredChat, StoredSession } from "./ports.ts";

/** What an agent is made with. Store, model, home and policy are needed. */
export interface AgentPorts {
  readonly store: Store;
  readonly model: Model;
  /** The model that a chat names. Without this port every chat has `model`. */
  readonly modelNamed?: (name: string) => Model;
  readonly home: string;
  /** The machine this runs on; sessions made here are its own. */
  readonly machine?: string;
  /** Do several machines share the store? Then a yes given here for files elsewhere waits for the machine that has them. */
  readonly isShared?: boolean;
  readonly policyFor: LivePolicy;
  /** Told what happens in a chat and no row says. */
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
  /** Where several processes share a store: the right to a chat, which one of them has at a time. Default: always given. */
  readonly lease?: TakeLease;
  /**
   * The store was away, or another process was quicker: the run stopped where it was, and the chat can be woken again. Without this port
   * such a chat fails.
   */
  readonly fault?: (chat: string, error: unknown) => void;
}

export type { Lease };

/** What a session is begun with. */
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

/** Sessions and chats with a model: what it says is stored, its calls are judged, its asks wait for a person. */
export interface Agent {
  /** Sessions that other programs drive. */
  readonly hosted: HostedSessions;
  newSession(plan: NewSession): Promise<StoredSession>;
  newChat(session: SessionId, title?: string, model?: string): Promise<StoredChat>;
  /** The person says something; the chat runs until it is done or needs them. */
  say(chat: string, text: string): Promise<void>;
  /**
   * As `say`, and resolves as soon as it is stored, whatever the chat is doing; it hears it before its next turn, by itself. Whoever speaks
   * instead of answering closes what the chat asks. Throws `session-closed` where nobody will hear it, and `bad-request` where there are
   * pictures and the chat's model takes none, or the chat has as many as it takes.
   */
  hear(chat: string, text: string, pictures?: readonly Picture[]): Promise<void>;
  /** A person answers an ask, named or as it was just read. Chats that can go on do. */
  answer(ask: AskId | AskInSession, answer: GivenAnswer): Promise<AnswerResult>;
  /** What the call of an open ask would make of files as they are now. Empty where it writes none; null where they are on another machine. */
  changes(ask: StoredAsk): Promise<readonly ShownChange[] | null>;
  /**
   * A person undoes what a call changed, and the chat is told. Gives the files, as the agent wrote them. Throws a HallpassError that says why
   * where it cannot be done.
   */
  undo(chat: string, call: CallId, by: string): Promise<readonly string[]>;
  /** The files below a directory that the session may know of, by their paths below it, without what git ignores. Not recorded. */
  filesIn(dir: string, session: Session): Promise<readonly string[]>;
  /** A person takes a grant back; every chat of the session is told. False if it had ended before. */
  revoke(grant: GrantId, by: string): Promise<boolean>;
  /** The same for a grant that ends by itself. */
  endGrant(grant: GrantId, why: "expired" | "clock-set-back"): Promise<boolean>;
  /** End a session and those below it: what runs there is stopped, what they ask is closed, their grants end. False if it had ended before. */
  endSession(session: SessionId, by: string, why: SessionEnd): Promise<boolean>;
  /**
   * Stop what a chat is doing and close what is open. What was said meanwhile is heard next, and the chat goes on with it: not where
   * `rests` is so, since the session is about to end.
   */
  cancel(chat: string, rests?: boolean): Promise<void>;
  /**
   * Put the conversation of a chat that rests in short, as is done by itself when the model's context is full. False where the chat is at
   * work or waits, or where nothing was answered in it since the last time.
   */
  compact(chat: string): Promise<boolean>;
  /**
   * Go back to before something that the person said, and say `text` instead, or the same again where it is null; the chat goes on with that. What it
   * does is stopped, what it asks is withdrawn; what was granted stays granted, and what was done to files stays done. False: there is no
   * such message of the person's. Throws `session-closed` where nobody will hear it.
   */
  rewind(chat: string, message: string, text: string | null): Promise<boolean>;
  /** Stop a chat, close what it asks, and remove its messages for good. False: no such chat. */
  deleteChat(chat: string, by: string): Promise<boolean>;
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

/** An agent over a store. Several processes may have one on the same store. */
export function createAgent(ports: AgentPorts): Agent {
  const { store, home, policyFor, clock = systemClock, ids = randomIds } = ports;
  const settlements = createSettlements();
  const listener: Listener = (event) => ports.listener?.(event);
  const events: AuditEvent[] = [];
  const uses: OnceUse[] = [];
  const undecided = createUndecided(store);
  const audit = (event: AuditEvent): void => {
    if (isAsking(event)) undecided.keep(event);
    else if (isOnceUse(event)) uses.push(event);
    else events.push(event);
  };
  const guard: Guard = createGuard({ audit, clock, ids });
  const flush = async (): Promise<void> => {
    if (events.length > 0) await store.record(events.splice(0));
  };
  /** Write out that a call was let through by yeses for once, if it was. False where one of them was gone: see `recordOnceUse`. */
  const recordUses = async (call: CallId, wasCarriedOut: boolean): Promise<boolean> => {
    let isGood = true;
    for (const use of removeMatching(uses, (one) => one.call === call)) isGood = (await recordOnceUse(store, use, wasCarriedOut)) && isGood;
    return isGood;
  };
  const { tools = allTools, limits = defaultLimits, machine = "local" } = ports;
  const searcher = ports.searcher ?? createSearcher();
  const sandbox = ports.sandbox ?? createSandbox({ lasting: true });
  const base = {
    store,
    home,
    policyFor,
    clock,
    ids,
    guard,
    machine: ports.machine ?? "local",
    isShared: ports.isShared ?? false,
    trial: createGuard({ clock, ids }),
    askLife: ports.askLife ?? null,
  };
  const perMinute = ports.asksPerMinute ?? 30;
  const modelFor = ({ model }: StoredChat): Model => (model === undefined ? ports.model : (ports.modelNamed?.(model) ?? ports.model));
  const loop = createLoop({
    ...base,
    modelFor,
    listener,
    settlements,
    flush,
    undecided,
    recordUses,
    tools,
    limits,
    budget: ports.budget ?? defaultBudget,
    searcher,
    sandbox,
    outputs: createOutputs(ids),
    system: ports.system ?? SYSTEM,
    perMinute,
    compactAt: ports.compactAt ?? 400_000,
    isTransient: (error) => ports.fault !== undefined && error instanceof HallpassError,
    runChat: (chat, signal) => driving.run(chat, signal),
    endAgent: (session) => archive(session, "hallpass", "task-ended"),
  });
  const { lease = null, fault = () => {} } = ports;
  const driving = createDriving({
    lease,
    fault,
    async drive(chat, signal) {
      await loop.run(chat, signal);
      return loop.tellParent(chat);
    },
  });
  const { wake } = driving;

  /** End a session; whoever started the agent in it is not woken. */
  const endQuietly = async (id: SessionId, by: string, why: SessionEnd): Promise<boolean> => {
    // What runs is stopped first, so that nothing is done in a session that has ended, and everybody who waits is told.
    for (const chat of await store.chats(id)) if (chat.status !== "archived") await agent.cancel(chat.id, true);
    return archive(id, by, why);
  };
  /** The agents that another program started below this one: no call of ours started them, so `halt` does not find them. */
  const endHostedBelow = async (id: SessionId, by: string, why: SessionEnd): Promise<void> => {
    if ((await store.sessionSettings(id))?.host === null) return;
    for (const { id: child } of await store.sessions({ archived: false, parent: id }))
      await (why === "agent-left" ? agent.endSession(child, by, why) : agent.endSession(child, "hallpass", "starter-ended"));
  };
  /** Nothing runs in it. */
  const archive = (id: SessionId, by: string, why: SessionEnd): Promise<boolean> => {
    sandbox.endSession(id);
    return store.archiveSession({ kind: "session-ended", at: clock(), session: id, by, why });
  };

  /** End a grant, record it and tell every chat of its session: `how` is what happened to it. */
  const endGrant = async (
    grant: GrantId,
    how: { readonly by: string } | { readonly why: "expired" | "clock-set-back" },
  ): Promise<boolean> => {
    const at = clock();
    const storedGrant = await store.grant(grant);
    if (storedGrant === null) return false;
    const { session, path, ask } = storedGrant;
    const common = { at, session, grant, path, ask };
    const event: AuditEvent = "by" in how ? { kind: "revocation", ...common, ...how } : { kind: "grant-ended", ...common, ...how };
    if (!(await store.revokeGrant(grant, at, [event]))) return false;
    sandbox.revoke(grant);
    const named = path === NETWORK ? "of the network for commands" : `for reading ${path}`;
    const next = "by" in how && path !== NETWORK ? "Do not read there any more; ask again if you need it." : "Ask again if you need it.";
    const text = `The grant ${named} ${endWords["by" in how ? "revoked" : how.why]}. ${next}`;
    for (const { id } of await store.chats(session)) {
      // RACE: the chat may come to rest, or start, at this moment. Its status is not ours to set.
      await store.append(id, { role: "reminder", id: ids(), at, text, dedupeKey: `revoked:${grant}`, turns: null }, null);
    }
    return true;
  };

  const closeAsks = async (chat: string): Promise<void> => {
    for (const ask of await store.asks({ chat, state: "open" }))
      await store.closeAsks(ask.session, [{ ask: ask.id, path: ask.path, why: "stopped", at: clock(), calls: closed(ask, "stopped") }]);
  };

  const withdrawal = (ask: StoredAsk): ClosingAsk => ({
    ask: ask.id,
    path: ask.path,
    why: "withdrawn",
    at: clock(),
    calls: closed(ask, "request-withdrawn"),
  });

  /** What a chat asks, to be closed by whoever says something else. */
  const openAsksToWithdraw = async (chat: string) => (await store.asks({ chat, state: "open" })).map(withdrawal);

  /** End what a chat does, and the agents it started, wherever that is; then do `work` before anybody can drive it again. */
  const halt = (chat: string, why: DOMException, work: () => Promise<void>): Promise<void> =>
    driving.alone(chat, why, async () => {
      // What it started ends with it.
      for (const { id, state } of lastCalls(await store.transcript(chat)))
        if (state.at !== "done") {
          const child = await store.chatStartedBy(chat, id);
          if (child === null) continue;
          // Stopped first where the person stopped this one: then what it asked says so.
          if (why !== SESSION_ENDED) await agent.cancel(child.id);
          await endQuietly(child.session, "hallpass", "starter-ended");
        }
      const stopLease = (await lease?.(chat, "stop")) ?? null;
      try {
        await work();
      } finally {
        await stopLease?.end();
      }
    });

  /** Close what the agents ask that a chat has started and waits with: else it could not hear before that is answered. */
  const closeAsksOfStartedAgents = async (chat: string): Promise<void> => {
    if ((await store.chat(chat))?.status !== "waiting_for_input") return;
    for (const { state } of lastCalls(await store.transcript(chat))) {
      const ask = state.at === "waiting" ? await store.ask(state.ask) : null;
      if (ask === null || ask.chat === chat || (await store.closeAsks(ask.session, [withdrawal(ask)])).length === 0) continue;
      wake(ask.chat);
    }
  };

  const agent: Agent = {
    hosted: createHosted({
      ...base,
      perMinute,
      newSession: (plan) => agent.newSession(plan),
      newChat: (session, title) => agent.newChat(session, title),
      endSession: (id, by, why) => agent.endSession(id, by, why),
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
        machine,
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

    async newChat(session, title = "", model) {
      const chat: StoredChat = { id: ids(), session, title, status: "idle", at: clock(), ...(model === undefined ? {} : { model }) };
      await store.addChat(chat);
      return chat;
    },

    async say(chat, text) {
      await agent.hear(chat, text);
      await agent.settled();
    },

    async hear(chat, text, pictures = []) {
      const storedChat = pictures.length === 0 ? null : await store.chat(chat);
      const model = storedChat === null ? null : modelFor(storedChat);
      if (model?.isBlind === true)
        throw new HallpassError(
          "bad-request",
          `the model of this chat (${model.name}) cannot see pictures: choose another one, or send the message without them`,
        );
      if (storedChat !== null) {
        const messages = (await Promise.all([store.transcript(chat), store.said(chat)])).flat();
        const count = messages.reduce((sum, one) => sum + ("pictures" in one ? (one.pictures?.length ?? 0) : 0), pictures.length);
        if (count > PICTURES)
          throw new HallpassError(
            "bad-request",
            `a chat takes ${PICTURES} pictures, and this one would have ${count}: begin a new chat for more`,
          );
      }
      // Whoever speaks instead of answering has closed the question. What is asked after this was not seen by them, and stays.
      const message = { chat, id: ids(), at: clock(), text, ...(pictures.length === 0 ? {} : { pictures }) };
      await store.say(message, await openAsksToWithdraw(chat));
      await closeAsksOfStartedAgents(chat);
      wake(chat);
    },

    async answer(which, answer) {
      const result = await answerAsk({ ...base, wake }, which, answer);
      if (result.ok) settlements.ended(result.ask.id);
      return result;
    },

    async changes({ session: id, chat, calls: [call], right, state }) {
      if (right !== "write" || state !== "open" || call === undefined) return [];
      const [session, calls] = await Promise.all([store.session(id), store.calls(chat, [call])]);
      const toolCall = calls.get(call);
      if (session === null || toolCall === undefined) return [];
      const tool = Object.hasOwn(tools, toolCall.name) ? tools[toolCall.name] : undefined;
      const planned = session.host === null ? (tool?.plans(toolCall.input) ?? []) : plannedIn(toolCall.input);
      if (planned.length === 0) return [];
      if (session.machine !== machine) return null;
      try {
        return await changesOf(toolCall.name, planned, {
          guard: base.trial,
          session: await liveSession(base, session, null),
          call,
          limits,
        });
      } catch (error) {
        // A session that has ended, or a policy that cannot be read: nothing is shown, and nothing will be done.
        if (error instanceof HallpassError) return [];
        throw error;
      }
    },

    async undo(chat, call, by) {
      const [storedChat, calls] = await Promise.all([store.chat(chat), store.calls(chat, [call])]);
      const session = storedChat === null ? null : await store.session(storedChat.session);
      const toolCall = calls.get(call);
      if (session === null || toolCall === undefined) throw new HallpassError("not-found", "there is no such call");
      const outcome = toolCall.state.at === "done" && toolCall.state.outcome.ok ? toolCall.state.outcome : null;
      if (outcome?.undo?.state === "done") throw new HallpassError("bad-request", "it was undone already");
      if (outcome?.undo?.state !== "possible" || outcome.diff === undefined)
        throw new HallpassError(
          "bad-request",
          "what this call did cannot be undone: only changes of text files that are not too large can",
        );
      if (session.machine !== machine) throw new HallpassError("files-elsewhere", "its files are on another machine; undo it there");
      const recorded: AuditEvent[] = [];
      const files = outcome.undo.files.map(({ path }) => path);
      try {
        await undoChanges(outcome.undo.files, outcome.diff, by, {
          guard: createGuard({ audit: (event) => recorded.push(event), clock, ids }),
          // Also where the session has ended, as that of an agent that another started has: in its workspace and mounts. Its grants are gone.
          session: await liveSession(base, { ...session, archivedAt: null }, null),
          call,
          limits,
        });
      } finally {
        // Nobody was asked.
        await store.record(recorded.map(withoutAsk));
      }
      await store.setCall(chat, call, ["done"], { at: "done", outcome: { ...outcome, undo: { ...outcome.undo, state: "done" } } });
      const text = `The person has undone what you did with ${toolCall.name} to ${files.join(", ")}: it is as it was before. Do not do it again unless they ask for it; read the file before you change it.`;
      await store.append(chat, { role: "reminder", id: ids(), at: clock(), text, dedupeKey: `undone:${call}`, turns: null }, null);
      return files;
    },

    async filesIn(dir, session) {
      const used = await base.trial.use({ call: LOOK, tool: "find_files", operation: "search", path: dir }, session, (start) =>
        searcher.search(start, { kind: "find", pattern: "**", ignored: false, most: FILES, time: FILES_TIME }),
      );
      return used.verdict === "allow" && used.done.ok && used.done.value.ok ? used.done.value.files : [];
    },

    revoke: (grant, by) => endGrant(grant, { by }),

    endGrant: (grant, why) => endGrant(grant, { why }),

    async endSession(id, by, why) {
      // Those below first: where one cannot be ended, this one stays open, and the next try finds all of them.
      await endHostedBelow(id, by, why);
      const ended = await endQuietly(id, by, why);
      for (const { startedBy } of ended ? await store.chats(id) : []) if (startedBy !== undefined) wake(startedBy.chat);
      return ended;
    },

    async cancel(chat, rests = false) {
      const why = rests ? SESSION_ENDED : STOPPED_BY_PERSON;
      await halt(chat, why, async () => {
        // Those of a session that is about to end are closed with it, so that whoever is told of them is told why.
        if (!rests) await closeAsks(chat);
        await loop.close(chat, why);
      });
      if (rests) return;
      // Whoever started it waits for its end.
      const parent = await loop.tellParent(chat);
      if (parent !== null) wake(parent);
      if ((await store.said(chat)).length > 0) wake(chat);
    },

    async rewind(chat, message, text) {
      const chatInSession = await store.chatInSession(chat);
      // Nothing is stopped for a message that is not there.
      const isThatMessage = (one: { readonly id: string; readonly role?: string }): boolean =>
        one.id === message && (one.role ?? "person") === "person";
      if (chatInSession === null || ![...chatInSession.transcript, ...chatInSession.said].some(isThatMessage)) return false;
      let isDone = false;
      await halt(chat, STOPPED_BY_PERSON, async () => {
        await store.closeAsks(chatInSession.session.id, await openAsksToWithdraw(chat));
        await loop.close(chat, STOPPED_BY_PERSON);
        isDone = (await store.rewind(chat, message, { id: ids(), at: clock(), text })) !== null;
      });
      wake(chat);
      return isDone;
    },

    async deleteChat(chat, by) {
      const storedChat = await store.chat(chat);
      if (storedChat === null) return false;
      let isDone = false;
      await halt(chat, STOPPED_BY_PERSON, async () => {
        await closeAsks(chat);
        await loop.close(chat, STOPPED_BY_PERSON);
        // Whoever started it waits for its end, and cannot ask it any more.
        const parent = await loop.tellParent(chat);
        if (parent !== null) wake(parent);
        const at = clock();
        isDone = await store.deleteChat(chat, at, [{ kind: "chat-deleted", at, session: storedChat.session, chat, by }]);
      });
      return isDone;
    },

    async compact(chat) {
      let isDone = false;
      await driving.resting(chat, async (signal) => {
        isDone = await loop.compact(chat, signal);
      });
      return isDone;
    },

    interrupt: (chat) => driving.interrupt(chat),

    async wake(chat) {
      wake(chat);
      await agent.settled();
    },

    async takeUp() {
      for (const { chat } of await store.said(null)) wake(chat);
      for (const { id } of await store.chats(null, ["running"])) wake(id);
      for (const { id } of await store.chats(null, ["waiting_for_input"])) {
        const transcript = await store.transcript(id);
        // Waiting with nothing to wait for: it was answered meanwhile. The many that truly wait are left alone.
        if (next(transcript).do !== "wait") wake(id);
        // One that waits with an agent it started is told by it, which may have been forgotten.
        for (const { id: call, state } of lastCalls(transcript))
          if (state.at === "waiting") {
            const child = await store.chatStartedBy(id, call);
            if (child !== null) wake(child.id);
          }
      }
      await agent.settled();
    },

    get runs() {
      return driving.runs;
    },

    settled: () => driving.settled(),

    async close() {
      await driving.close();
      if (ports.searcher === undefined) await searcher.close();
    },
  };
  return agent;
}

/** How an agent is told that a grant ended. */
const endWords = {
  revoked: "has been revoked",
  expired: "has ended: its time is over",
  "clock-set-back": "has ended: the clock was set back, so nobody can tell whether its time is over",
} as const;

/** As many pictures a chat keeps: all of it is read with each turn. */
const PICTURES = 20;
const LOOK = callId("look");

/** What a person did themselves: nobody asked them, so it names no ask. */
const withoutAsk = (event: AuditEvent): AuditEvent =>
  event.kind === "decision" || event.kind === "answer" || event.kind === "grant" ? { ...event, ask: null } : event;

/** As many files, and as many milliseconds, whoever types a name waits for. */
const FILES = 20_000;
const FILES_TIME = 2_000;

/** Those that fit are no longer in the list. */
function removeMatching<T>(list: T[], matches: (one: T) => boolean): readonly T[] {
  const removed = list.filter(matches);
  list.splice(0, list.length, ...list.filter((one) => !matches(one)));
  return removed;
}

const SYSTEM = [
  "You work on files inside one workspace through the tools you are given.",
  "Files elsewhere are refused with a reason. If the refusal names request_read_access, you may ask the person, and say why.",
  "A no is final until the person speaks again. Secrets stay hidden everywhere; do not look for ways around that.",
].join(" ");
