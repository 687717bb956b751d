// Asks a person when a running command reaches for another directory; the command's system call waits meanwhile. The ask is a row like any
// other, and its call waits with it. Whatever the answer is, the call goes on, because its command is still running.

import { lookupTool } from "../core/access.ts";
import type { Guard } from "../core/guard/guard.ts";
import type { AskId, CallId } from "../core/names.ts";
import type { Session } from "../core/session/session.ts";
import { type AskLookup, inSession, type LookupEnd } from "../tools/bash-reaches.ts";
import { type AskingPorts, lastSpoke, raise, type PendingDecisions, whyNotGranted } from "./asking.ts";
import type { Listener } from "./events.ts";
import { liveSession, type LivePorts } from "./live-session.ts";
import type { ClosingAsk, StoredAsk, StoredChat, StoredSession } from "./ports.ts";
import type { CallState, ToolCall, Transcript } from "./transcript.ts";

/** Was it raised by a running command? */
export const isLookup = ({ tool }: Pick<StoredAsk, "tool">): boolean => tool === lookupTool.ofChat;

/** The calls of such an ask go back to started: their commands are still running. */
export const goesOn = ({ calls }: Pick<StoredAsk, "calls">): readonly { readonly call: CallId; readonly to: CallState }[] =>
  calls.map((call) => ({ call, to: { at: "started" } }));

/** Lets code in this process wait for the end of an ask. */
export interface Settlements {
  /** An ask has ended. */
  readonly ended: (ask: AskId) => void;
  /** Resolves when it has ended, or may have: whoever waits looks. */
  over(ask: AskId, signal: AbortSignal): Promise<void>;
}

/** Milliseconds after which whoever waits looks by itself: the answer may be given in another process. */
const LOOK = 250;

export function createSettlements(): Settlements {
  const waiting = new Map<AskId, Set<() => void>>();
  return {
    ended(ask) {
      for (const wake of waiting.get(ask) ?? []) wake();
    },
    over: (ask, signal) =>
      new Promise((resolve) => {
        const wakes = waiting.get(ask) ?? new Set();
        waiting.set(ask, wakes);
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          wakes.delete(wake);
          if (wakes.size === 0) waiting.delete(ask);
          resolve();
        };
        const timer = setTimeout(wake, LOOK);
        wakes.add(wake);
        signal.addEventListener("abort", wake);
        if (signal.aborted) wake();
      }),
  };
}

export interface LookupPorts extends LivePorts, AskingPorts {
  readonly guard: Guard;
  readonly flush: () => Promise<void>;
  readonly undecided: PendingDecisions;
  readonly listener: Listener;
  readonly settlements: Settlements;
}

export interface Lookups {
  readonly ask: AskLookup;
  /** Aborts when the person said no and stopped the agent. */
  readonly stopped: AbortSignal;
  /** The command has ended: what it asked and nobody answered is closed. */
  close(): Promise<void>;
}

/** The lookups of one call's command. */
export function openLookups(ports: LookupPorts, { chat, session, transcript, call }: LookupContext): Lookups {
  const { store, guard, clock, flush, undecided, listener, settlements } = ports;
  const commandEnded = new AbortController();
  const stopped = new AbortController();
  const openAsks = new Set<AskId>();

  const currentSession = async (): Promise<Session> => {
    const now = await liveSession(ports, (await store.session(session.id)) ?? session, null);
    return { ...now, grants: now.grants.filter(({ until }) => until === "session") };
  };
  const waitUntilSettled = async (id: AskId): Promise<StoredAsk | null> => {
    for (;;) {
      await settlements.over(id, commandEnded.signal);
      const ask = await store.ask(id);
      if (ask === null || ask.state !== "open" || commandEnded.signal.aborted) return ask;
    }
  };
  /** The chats above whose status says that they wait, since this one does. */
  const waitingParents: string[] = [];
  /** An agent that another started asks in its parent's chat as well, and in every chat above that. */
  const markParentsWaiting = async ({ id: ask, kind }: StoredAsk): Promise<void> => {
    for (let above = chat.startedBy; above !== undefined; above = (await store.chat(above.chat))?.startedBy) {
      if (!(await store.setCall(above.chat, above.call, ["started", "waiting"], { at: "waiting", ask, kind }))) return;
      if (!(await store.setStatus(above.chat, ["running"], "waiting_for_input"))) continue;
      waitingParents.push(above.chat);
      listener({ type: "status-change", chat: above.chat, status: "waiting_for_input", why: "asked" });
    }
  };
  const markRunning = async (): Promise<void> => {
    for (const id of [chat.id, ...waitingParents.splice(0)])
      if (await store.setStatus(id, ["waiting_for_input"], "running"))
        listener({ type: "status-change", chat: id, status: "running", why: "answered" });
  };
  const endOf = async (settledAsk: StoredAsk): Promise<LookupEnd> => {
    if (settledAsk.answer?.verdict === "deny") return { came: "denied" };
    // Answered, or settled by a yes to another ask: what the session may read now tells.
    const granted = inSession(await currentSession(), settledAsk.path ?? "", true);
    if (granted !== null) return granted;
    if (settledAsk.answer !== null) return { came: "not-granted", code: await whyNotGranted(store, settledAsk, clock()) };
    return { came: settledAsk.closed === "withdrawn" ? "withdrawn" : "closed" };
  };
  const ask: Lookups["ask"] = async ({ path, operation, who }) => {
    if (commandEnded.signal.aborted) return { came: "unanswered" };
    const now = await currentSession();
    const decision = guard.judge({ call: call.id, tool: lookupTool.ofChat, operation, path }, now);
    if (decision.verdict === "allow") decision.pass.close();
    await flush();
    if (decision.verdict === "deny") return { came: "not-asked", code: decision.reason };
    if (decision.verdict === "allow") return inSession(now, decision.real ?? path, false) ?? { came: "in-scope" };
    // What a rule asks about is asked for one access, and a command cannot be shown one.
    if (decision.ask.offers !== "session") {
      await undecided.record(session.id, call.id, null);
      return { came: "not-asked", code: decision.reason };
    }
    const raised = await raise(ports, chat, lastSpoke(transcript), decision.ask, `${who} reached for it`);
    if ("outcome" in raised) return raised.denial === null ? { came: "not-asked", code: "rate-limited" } : { came: "denied-before" };
    const { id } = raised.ask;
    openAsks.add(id);
    await markParentsWaiting(raised.ask);
    const end = await waitUntilSettled(id);
    if (end === null || end.state === "open") return { came: "unanswered" };
    openAsks.delete(id);
    await markRunning();
    if (end.answer?.verdict === "deny" && end.answer.stop) stopped.abort();
    return endOf(end);
  };
  // INVARIANT: one at a time, since a call waits for one ask at a time.
  let last: Promise<unknown> = Promise.resolve();
  return {
    stopped: stopped.signal,
    ask(lookup) {
      const next = last.then(() => ask(lookup));
      last = next.catch(() => {});
      return next;
    },
    async close() {
      commandEnded.abort();
      await last;
      for (const id of openAsks) {
        const unanswered = await store.ask(id);
        if (unanswered === null) continue;
        const closing: ClosingAsk = { ask: id, path: unanswered.path, why: "not-needed", at: clock(), calls: goesOn(unanswered) };
        if ((await store.closeAsks(session.id, [closing])).length > 0) await markRunning();
      }
    },
  };
}

export interface LookupContext {
  readonly chat: StoredChat;
  readonly session: StoredSession;
  readonly transcript: Transcript;
  readonly call: ToolCall;
}
