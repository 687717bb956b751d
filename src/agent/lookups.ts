// A command that runs reaches for another directory: its system call waits while a person is asked here. The ask is a row like any other, and its call waits
// with it; whatever the answer is, the call goes on, since its command runs.

import { lookupTool } from "../core/access.ts";
import type { Guard } from "../core/guard/guard.ts";
import type { AskId, CallId } from "../core/names.ts";
import type { Session } from "../core/session/session.ts";
import { type AskLookup, inSession, type LookupEnd } from "../tools/bash-reaches.ts";
import { type AskingPorts, lastSpoke, raise, type Undecided, whyNotGranted } from "./asking.ts";
import type { Listener } from "./events.ts";
import { liveSession, type LivePorts } from "./live-session.ts";
import type { ClosingAsk, StoredAsk, StoredChat, StoredSession } from "./ports.ts";
import type { CallState, ToolCall, Transcript } from "./transcript.ts";

/** Was it raised by a command that runs? */
export const isLookup = ({ tool }: Pick<StoredAsk, "tool">): boolean => tool === lookupTool.ofChat;

/** What becomes of the calls of such an ask: their commands run. */
export const goesOn = ({ calls }: Pick<StoredAsk, "calls">): readonly { readonly call: CallId; readonly to: CallState }[] =>
  calls.map((call) => ({ call, to: { at: "started" } }));

/** Who waits for the end of an ask in this process. */
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
  readonly undecided: Undecided;
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
export function openLookups(ports: LookupPorts, { chat, session, transcript, call }: LookupsOf): Lookups {
  const { store, guard, clock, flush, undecided, listener, settlements } = ports;
  const over = new AbortController();
  const stopped = new AbortController();
  const open = new Set<AskId>();

  const live = async (): Promise<Session> => {
    const now = await liveSession(ports, (await store.session(session.id)) ?? session, null);
    return { ...now, grants: now.grants.filter(({ until }) => until === "session") };
  };
  const settled = async (id: AskId): Promise<StoredAsk | null> => {
    for (;;) {
      await settlements.over(id, over.signal);
      const ask = await store.ask(id);
      if (ask === null || ask.state !== "open" || over.signal.aborted) return ask;
    }
  };
  /** The chats above whose status says that they wait, since this one does. */
  const waitAbove: string[] = [];
  /** An agent that another started asks in its parent's chat as well, and in every chat above that. */
  const waiting = async ({ id: ask, kind }: StoredAsk): Promise<void> => {
    for (let above = chat.startedBy; above !== undefined; above = (await store.chat(above.chat))?.startedBy) {
      if (!(await store.setCall(above.chat, above.call, ["started", "waiting"], { at: "waiting", ask, kind }))) return;
      if (!(await store.setStatus(above.chat, ["running"], "waiting_for_input"))) continue;
      waitAbove.push(above.chat);
      listener({ type: "status-change", chat: above.chat, status: "waiting_for_input", why: "asked" });
    }
  };
  const running = async (): Promise<void> => {
    for (const id of [chat.id, ...waitAbove.splice(0)])
      if (await store.setStatus(id, ["waiting_for_input"], "running"))
        listener({ type: "status-change", chat: id, status: "running", why: "answered" });
  };
  const endOf = async (asked: StoredAsk): Promise<LookupEnd> => {
    if (asked.answer?.verdict === "deny") return { came: "denied" };
    // Answered, or settled by a yes to another ask: what the session may read now tells.
    const found = inSession(await live(), asked.path ?? "", true);
    if (found !== null) return found;
    if (asked.answer !== null) return { came: "not-granted", code: await whyNotGranted(store, asked) };
    return { came: asked.closed === "withdrawn" ? "withdrawn" : "closed" };
  };
  const ask: Lookups["ask"] = async ({ path, operation, who }) => {
    if (over.signal.aborted) return { came: "unanswered" };
    const now = await live();
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
    open.add(id);
    await waiting(raised.ask);
    const end = await settled(id);
    if (end === null || end.state === "open") return { came: "unanswered" };
    open.delete(id);
    await running();
    if (end.answer?.verdict === "deny" && end.answer.stop) stopped.abort();
    return endOf(end);
  };
  // INVARIANT: one at a time, since a call waits for one ask at a time.
  let last: Promise<unknown> = Promise.resolve();
  return {
    stopped: stopped.signal,
    ask(reached) {
      const next = last.then(() => ask(reached));
      last = next.catch(() => {});
      return next;
    },
    async close() {
      over.abort();
      await last;
      for (const id of open) {
        const left = await store.ask(id);
        if (left === null) continue;
        const closing: ClosingAsk = { ask: id, why: "not-needed", at: clock(), calls: goesOn(left) };
        if ((await store.closeAsks(session.id, [closing])).length > 0) await running();
      }
    },
  };
}

export interface LookupsOf {
  readonly chat: StoredChat;
  readonly session: StoredSession;
  readonly transcript: Transcript;
  readonly call: ToolCall;
}
