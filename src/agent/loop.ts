// Do what `next` says until it says wait or stop. Writes before acting: a turn is stored before its calls run, a call is marked
// started before it is done, an ask is a row before anybody waits. So the process may die anywhere and another one goes on.

import { HallpassError, waysOn } from "../core/errors.ts";
import { isRequestable } from "../core/guard/explain.ts";
import type { Guard } from "../core/guard/guard.ts";
import { alerting, scopeAlert } from "../core/guard/scope-alert.ts";
import { askId, type CallId, callId, type SessionId } from "../core/names.ts";
import type { Session } from "../core/session/session.ts";
import type { Delay, Sandbox } from "../sandbox/port.ts";
import { changesOf, type ShownChange, wholeDiff } from "../tools/change.ts";
import { questionInput } from "../tools/ask-person.ts";
import type { Limits } from "../tools/limits.ts";
import type { Outputs } from "../tools/outputs.ts";
import type { ToolResult } from "../tools/result.ts";
import { runTool } from "../tools/run.ts";
import type { Searcher } from "../tools/search/searcher.ts";
import { pathOf, type Tool, wordsOf } from "../tools/tool.ts";
import { type AskingPorts, lastSpoke, questionAsk, raise, recentlyDenied, type PendingDecisions, wasDenied } from "./asking.ts";
import { SESSION_ENDED, STOPPED_BY_PERSON } from "./driving.ts";
import { canBeShorter, compact } from "./compaction.ts";
import type { Listener } from "./events.ts";
import { liveSession, type LivePorts } from "./live-session.ts";
import { type Lookups, openLookups, type Settlements } from "./lookups.ts";
import { type Budget, next, refusedBefore, sincePerson } from "./next.ts";
import { isRequest } from "./once-grant.ts";
import { type Model, ModelFault, type StoredChat, type StoredSession } from "./ports.ts";
import { startChild, stateAfterChild } from "./spawning.ts";
import { specifications } from "./specifications.ts";
import type { CallState, ChatStatus, Message, CallOutcome, ToolCall, Transcript } from "./transcript.ts";
import { sizeOf, visibleTranscript } from "./visible.ts";
import { sleep } from "./waiting.ts";

export interface LoopPorts extends LivePorts, AskingPorts {
  /** The model of a chat. */
  readonly modelFor: (chat: StoredChat) => Model;
  readonly guard: Guard;
  /** Judges what is only looked at, for the person. It records nothing. */
  readonly trial: Guard;
  /** Write out what the guard recorded, but for the decisions to ask. */
  readonly flush: () => Promise<void>;
  readonly undecided: PendingDecisions;
  /** Write out that a call was let through by a yes for once, if it was. False where another call was quicker, unless it `wasCarriedOut`. */
  readonly recordUses: (call: CallId, wasCarriedOut: boolean) => Promise<boolean>;
  readonly listener: Listener;
  /** Who waits for the end of an ask. */
  readonly settlements: Settlements;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly limits: Limits;
  readonly budget: Budget;
  readonly searcher: Searcher;
  readonly sandbox: Sandbox;
  readonly outputs: Outputs;
  readonly system: string;
  readonly compactAt: number;
  /** Is this fault transient, a store that was away or another process that was quicker? Then it is thrown, and tried again. */
  readonly isTransient: (error: unknown) => boolean;
  /** Drive another chat, the one way in which chats are driven, until it is not driven here any more; ends it when the signal aborts. */
  readonly runChat: (chat: string, signal: AbortSignal) => Promise<void>;
  /** End the session of an agent that another started: nobody drives it, and nothing of it is open. */
  readonly endAgent: (session: SessionId) => Promise<boolean>;
}

export interface Loop {
  /** Drive a chat until a person is needed or nothing is left to do. Throws what is transient; another fault ends in status `failed`. */
  run(chat: string, signal: AbortSignal): Promise<void>;
  /**
   * Where a chat was started by another agent's call: bring that call up to date, and end the session of the agent if its task is over. Gives
   * the parent's chat if it can go on.
   */
  tellParent(chat: string): Promise<string | null>;
  /** End what is open in a chat that nobody drives, for the reason given. */
  close(chat: string, why: DOMException): Promise<void>;
  /** Put a chat that rests, and that nobody drives, in short. False where it does not rest, or has nothing to be put in short. */
  compact(chat: string, signal: AbortSignal): Promise<boolean>;
}

export function createLoop(ports: LoopPorts): Loop {
  const { store, listener } = ports;
  const setStatus = async (chat: string, from: readonly ChatStatus[], to: ChatStatus, why: string): Promise<void> => {
    if (await store.setStatus(chat, from, to)) listener({ type: "status-change", chat, status: to, why });
  };
  return {
    async run(id, signal) {
      try {
        const chatInSession = await store.chatInSession(id);
        if (chatInSession === null) return;
        const { chat, session, transcript, said } = chatInSession;
        if (chat.status === "archived" || session.archivedAt !== null) return;
        if (session.host !== null) {
          // Its host drives it; here it only waits, or no longer does.
          const open = await store.asks({ chat: id, state: "open" });
          if (open.length === 0) await setStatus(id, ["waiting_for_input", "running"], "idle", "answered");
          return;
        }
        // Idle is at rest, also where it was stopped in the middle: only the person's word sets it going.
        if (chat.status === "idle" && said.length === 0) return;
        await drive(ports, chat, session, { transcript, spoken: said.length > 0 }, signal, setStatus);
      } catch (error) {
        if (ports.isTransient(error)) throw error;
        await setStatus(id, ["running", "waiting_for_input"], "failed", error instanceof Error ? error.message : "fault");
      } finally {
        await ports.flush();
      }
    },
    async tellParent(id) {
      const parent = (await store.chat(id))?.startedBy;
      if (parent === undefined) return null;
      const state = await childState(ports, id);
      if (state === null) return null;
      const changed = await store.setCall(parent.chat, parent.call, ["waiting"], state);
      return changed && state.at === "done" ? parent.chat : null;
    },
    async close(id, why) {
      const transcript = await store.transcript(id);
      for (const call of transcript.flatMap((message) => (message.role === "agent" ? message.calls : []))) {
        if (call.state.at !== "done") await finish(ports, id, call, endOf(why) ?? CANCELLED);
      }
      await setStatus(id, ["running", "waiting_for_input", "failed"], "idle", "cancelled");
    },
    async compact(id, signal) {
      const chatInSession = await store.chatInSession(id);
      if (
        chatInSession === null ||
        chatInSession.session.host !== null ||
        chatInSession.session.archivedAt !== null ||
        chatInSession.said.length > 0
      )
        return false;
      if ((chatInSession.chat.status !== "idle" && chatInSession.chat.status !== "failed") || !canBeShorter(chatInSession.transcript))
        return false;
      return (await compact(ports, chatInSession.chat, chatInSession.transcript, signal, false)) !== chatInSession.transcript;
    },
  };
}

/** The transcript, and whether the person has said something that is not in it yet. */
interface ReadChat {
  readonly transcript: Transcript;
  readonly spoken: boolean;
}

type SetStatus = (chat: string, from: readonly ChatStatus[], to: ChatStatus, why: string) => Promise<void>;

async function drive(
  ports: LoopPorts,
  chat: StoredChat,
  session: StoredSession,
  read: ReadChat,
  signal: AbortSignal,
  setStatus: SetStatus,
): Promise<void> {
  const { store, budget } = ports;
  // Read once a turn. What the loop writes itself it knows; what others write (answers, revocations) counts from the next reading on,
  // and every call opens its session anew.
  let { transcript, spoken } = read;
  const readAgain = async (): Promise<void> => {
    const [now, said] = await Promise.all([store.transcript(chat.id), store.said(chat.id)]);
    [transcript, spoken] = [now, said.length > 0];
  };
  // Said once there is something to do: a chat that only goes on waiting is left as it is.
  const markRunning = (): Promise<void> => setStatus(chat.id, ["idle", "failed", "waiting_for_input"], "running", "run");
  for (;;) {
    if (signal.aborted) return;
    const step = next(transcript, budget, spoken);
    switch (step.do) {
      case "hear": {
        const messages = await store.hear(chat.id, "running");
        // Nothing left to hear: another process that had the right to this chat until now was quicker, and has written.
        if (messages.length === 0) await readAgain();
        else [transcript, spoken] = [[...transcript, ...messages], false];
        break;
      }
      case "call-model":
        if (sizeOf(transcript) > ports.compactAt && ports.modelFor(chat).isUnlimited !== true)
          transcript = await compact(ports, chat, transcript, signal, true);
        transcript = await callModel(ports, chat, transcript, signal, markRunning);
        break;
      case "run-calls":
        await markRunning();
        await runCalls(ports, chat, session, transcript, step.calls, signal);
        await readAgain();
        break;
      case "wait":
        await setStatus(chat.id, ["running"], "waiting_for_input", "asked");
        return;
      case "stop":
        // Said during the last turn: it goes on without having come to rest.
        spoken = (await store.said(chat.id)).length > 0;
        if (spoken) break;
        await setStatus(chat.id, ["running", "waiting_for_input"], step.why === "failed" ? "failed" : "idle", step.why);
        return;
    }
  }
}

/** One turn of the model, written whole before anything in it is done. Gives the transcript with it. */
async function callModel(
  ports: LoopPorts,
  chat: StoredChat,
  transcript: Transcript,
  signal: AbortSignal,
  markRunning: () => Promise<void>,
): Promise<Transcript> {
  const { store, listener, clock, ids, tools, system } = ports;
  const model = ports.modelFor(chat);
  const id = turnAfter(transcript) ?? ids();
  listener({ type: "turn-start", chat: chat.id, message: id });
  // The model is at work while it is noted that the chat runs. A crash before the note is a chat that was answered and has not gone on.
  const pendingTurn = model.turn(
    { system, transcript: visibleTranscript(transcript), tools: specifications(tools) },
    {
      signal,
      delta: (text) => listener({ type: "text-delta", chat: chat.id, message: id, text }),
      waits: ({ kind }, until) => listener({ type: "turn-wait", chat: chat.id, message: id, kind, until }),
    },
  );
  pendingTurn.catch(() => {});
  await markRunning();
  let message: Message;
  try {
    const turn = await pendingTurn;
    // RACE: who was called off, or has lost the right to the chat, adds nothing to what another one goes on with.
    if (signal.aborted) return transcript;
    const calls = turn.calls.map(({ name, input }): ToolCall => ({ id: callId(ids()), name, input, state: { at: "proposed" } }));
    const counted = turn.usage === null ? {} : { model: model.name };
    message = { role: "agent", id, at: clock(), text: turn.text, calls, usage: turn.usage, ...counted, error: null };
  } catch (error) {
    if (signal.aborted) return transcript;
    if (error instanceof ModelFault && error.kind === "context-full" && canBeShorter(transcript))
      return compact(ports, chat, transcript, signal, true);
    const fault = error instanceof ModelFault ? { kind: error.kind, retryAt: error.retryAt } : null;
    const why = error instanceof ModelFault || error instanceof HallpassError ? error.message : "the model's turn failed";
    message = { role: "agent", id, at: clock(), text: "", calls: [], usage: null, error: why, ...(fault === null ? {} : { fault }) };
  }
  await store.append(chat.id, message, "running");
  return [...transcript, message];
}

/**
 * The id of the turn that follows: the person's message and a number. RACE: two processes that drive one chat for a moment, because one
 * of them has lost the right to it and does not know yet, make the same turn, and the store takes it once.
 */
function turnAfter(transcript: Transcript): string | null {
  const person = transcript.findLastIndex(({ role }) => role === "person");
  const personMessage = transcript[person];
  if (personMessage === undefined) return null;
  const turns = transcript.slice(person).filter(({ role }) => role === "agent");
  return `${personMessage.id}.${turns.length + 1}`;
}

/** Judge and do each call; those that need a person are put to them last, when everything else of the turn is done. */
async function runCalls(
  ports: LoopPorts,
  chat: StoredChat,
  session: StoredSession,
  transcript: Transcript,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, ids } = ports;
  const asking: { readonly call: ToolCall; readonly result: Refusal }[] = [];
  const questions: { readonly call: ToolCall; readonly question: string; readonly options: readonly string[] }[] = [];
  for (const call of calls) {
    if (Object.hasOwn(ports.tools, call.name) && ports.tools[call.name]?.asks === "person") {
      const parsed = questionInput.safeParse(call.input);
      if (parsed.success && session.attended) {
        questions.push({ call, ...parsed.data });
        continue;
      }
    }
    const result = await runCall(ports, chat, session, transcript, call, signal);
    if (result !== null) asking.push({ call, result });
  }
  for (const { call, result } of asking) {
    if (result.ask === null) continue;
    // Nothing was done: should the process die here, the call is judged again rather than taken for interrupted.
    await store.setCall(chat.id, call.id, ["started"], { at: "proposed" });
    const raised = await raise(ports, chat, lastSpoke(transcript), result.ask, wordsOf(call.input));
    if ("outcome" in raised) await finish(ports, chat.id, call, raised.outcome);
  }
  for (const { call, question, options } of questions)
    await store.openAsk(questionAsk(chat, call.id, { id: askId(ids()), at: clock(), question, options }));
}

type Refusal = Extract<ToolResult, { ok: false }>;

/** Run one call to its end. Gives the refusal when a person is to be asked; then nothing has been done. */
async function runCall(
  ports: LoopPorts,
  chat: StoredChat,
  stored: StoredSession,
  transcript: Transcript,
  call: ToolCall,
  signal: AbortSignal,
): Promise<Refusal | null> {
  const { store, guard, limits, searcher, sandbox, outputs, tools } = ports;
  const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
  if (call.state.at === "started" && (await store.chatStartedBy(chat.id, call.id)) !== null) {
    // Interrupted while its agent ran: the agent goes on, and the call with it.
    await runChild(ports, chat, stored, call, null, signal);
    return null;
  }
  // An agent that was not even made has done nothing: it is made now.
  if (call.state.at === "started" && tool?.writes === true && tool.starts !== "agent") {
    await finish(ports, chat.id, call, INTERRUPTED);
    return null;
  }
  if (call.state.at === "proposed" && !(await store.setCall(chat.id, call.id, ["proposed"], { at: "started" }))) return null;
  let session: Session;
  try {
    // INVARIANT: read anew for each call. A workspace that was moved, or a session that was ended, while this run goes on counts now.
    session = await liveSession(ports, (await store.session(stored.id)) ?? stored, { chat: chat.id, call: call.id });
  } catch (error) {
    const code = error instanceof HallpassError ? error.code : "guard-fault";
    await finish(ports, chat.id, call, {
      ok: false,
      code,
      hint: error instanceof HallpassError ? error.message : "the session could not be opened",
    });
    return null;
  }
  const changes = await changesOf(call.name, tool?.plans(call.input) ?? [], { guard: ports.trial, session, call: call.id, limits });
  // What a command reaches for while it runs is asked about while it runs.
  const lookups: Lookups | null =
    tool?.kind === "execute" && session.attended ? openLookups(ports, { chat, session: stored, transcript, call }) : null;
  const delayed = (delay: Delay | null): void => ports.listener({ type: "call-delay", chat: chat.id, call: call.id, delay });
  const context = { guard, session, call: call.id, limits, searcher, sandbox, outputs, delayed };
  const asking = lookups === null ? { signal } : { signal: AbortSignal.any([signal, lookups.stopped]), ask: lookups.ask };
  let isGood = true;
  let isPut = false;
  let result: ToolResult;
  try {
    result = await runTool(call.name, call.input, { ...context, ...asking }, tools);
    isPut = !result.ok && result.ask !== null && isPutToPerson(stored, call, result.ask);
  } finally {
    await lookups?.close();
    isGood = await ports.recordUses(call.id, tool?.writes === true);
    isPut &&= isGood && lookups?.stopped.aborted !== true;
    await ports.flush();
    if (!isPut) await ports.undecided.record(stored.id, call.id, null);
  }
  // The person's no has ended the call.
  if (lookups?.stopped.aborted === true) return null;
  if (!isGood) {
    // INVARIANT: a yes for once shows one thing once. What was read by one that another call has used is not told.
    await finish(ports, chat.id, call, USED_UP);
    return null;
  }
  if (!result.ok && isPut) return result;
  if (result.ok && tool?.starts === "agent") {
    await runChild(ports, chat, stored, call, result.output, signal);
    return null;
  }
  const end = !result.ok && signal.aborted ? endOf(signal.reason) : null;
  if (end !== null) {
    await finish(ports, chat.id, call, end);
    return null;
  }
  if (!result.ok && result.ask !== null && (await wasDenied(store, chat, lastSpoke(transcript), ports.clock(), result.ask))) {
    // The hint would say to ask, and whoever asked was told no.
    await finish(ports, chat.id, call, recentlyDenied(result.ask));
    return null;
  }
  const outcome = outcomeOf(ports, transcript, call, result);
  await finish(ports, chat.id, call, outcome.ok ? { ...outcome, ...changedBy(changes) } : outcome);
  if (!result.ok) await alert(ports, chat, transcript, session, call, result);
  return null;
}

/** What a call that was done has changed, and whether that can be undone. */
function changedBy(changes: readonly ShownChange[]): Pick<Extract<CallOutcome, { ok: true }>, "diff" | "undo"> {
  const diff = wholeDiff(changes);
  const unshown = changes.find(({ undo }) => undo === null)?.unshown;
  if (unshown !== undefined) {
    const state = unshown === "too-large" || unshown === "not-text" ? unshown : "not-readable";
    return { ...(diff === null ? {} : { diff }), undo: { state, files: [] } };
  }
  if (diff === null) return {};
  const files = changes.flatMap(({ undo }) => (undo === null || undo.before === undo.after ? [] : [undo]));
  return files.length === 0 ? { diff } : { diff, undo: { state: "possible", files } };
}

/** Is the call itself put to a person? Else the model is told how to ask. */
function isPutToPerson({ asking }: StoredSession, { name }: ToolCall, ask: NonNullable<Refusal["ask"]>): boolean {
  return asking === "by-guard" || isRequest({ tool: name }) || !isRequestable(ask);
}

/** Start an agent in the repository that was allowed and let it run; the call is done when it is, or waits while it waits. */
async function runChild(
  ports: LoopPorts,
  chat: StoredChat,
  stored: StoredSession,
  call: ToolCall,
  output: unknown,
  signal: AbortSignal,
): Promise<void> {
  const workspace = typeof output === "object" && output !== null && "workspace" in output ? String(output.workspace) : stored.workspace;
  const { store, runChat } = ports;
  const child = await startChild(ports, stored, chat.id, call, workspace);
  for (let pause = LOOK; ; pause = Math.min(2 * pause, LONGEST_LOOK)) {
    await runChat(child, signal);
    // Called off in the middle: whoever called it off closes it, or it goes on with its parent later.
    if (signal.aborted) return;
    const state = await childState(ports, child);
    if (state === null) {
      // Another process drives it, whose person has answered it there.
      await sleep(pause, signal);
      continue;
    }
    await store.setCall(chat.id, call.id, ["started", "waiting"], state);
    if (state.at === "done") return;
    // RACE: the answer may have come before the call waited for it: then nobody tells this call, so it is looked at once more.
    const after = await childState(ports, child);
    if (after?.at === "waiting" && state.at === "waiting" && after.ask === state.ask) return;
  }
}

/** As `stateAfterChild` says. INVARIANT: the session of an agent ends before its parent's call: who finds that done finds no grant of the agent's. */
async function childState(ports: LoopPorts, child: string): Promise<CallState | null> {
  const { store, budget, endAgent } = ports;
  const state = await stateAfterChild(store, child, budget);
  const chat = state?.at === "done" ? await store.chat(child) : null;
  if (chat !== null && chat.status !== "archived") await endAgent(chat.session);
  return state;
}

function outcomeOf(ports: LoopPorts, transcript: Transcript, call: ToolCall, result: ToolResult): CallOutcome {
  if (result.ok) {
    const text = typeof result.output === "string" ? result.output : JSON.stringify(result.output);
    if (text.length <= SHOWN) return { ok: true, output: text };
    const handle = ports.outputs.keep(text);
    return {
      ok: true,
      output: `${text.slice(0, SHOWN)}\n… (${text.length - SHOWN} more characters: view_truncated_output({"handle": "${handle}"}))`,
    };
  }
  const refusals = refusedBefore(sincePerson(transcript), call);
  const repeatNote = refusals === 0 ? "" : "\nYou made this same call before and it was refused; it will not be different next time.";
  return { ok: false, code: result.code, hint: result.hint + repeatNote };
}

/** A scope alert beside the refusal: once per tool and path, for three turns. */
async function alert(
  { store, ids, clock }: LoopPorts,
  chat: StoredChat,
  transcript: Transcript,
  session: Session,
  call: ToolCall,
  result: Refusal,
): Promise<void> {
  if (!alerting.has(result.code)) return;
  const right = result.code === "write-out-of-scope" ? "write" : "read";
  const remedies = { ways: waysOn(result.code, right), right, spawns: true } as const;
  const { body, dedupeKey, turns } = scopeAlert(call.name, pathOf(call.input), result.code, session, remedies);
  if (visibleTranscript(transcript).some((message) => message.role === "reminder" && message.dedupeKey === dedupeKey)) return;
  await store.append(chat.id, { role: "reminder", id: ids(), at: clock(), text: body, dedupeKey, turns }, "running");
}

async function finish({ store }: LoopPorts, chat: string, call: ToolCall, outcome: CallOutcome): Promise<void> {
  await store.setCall(chat, call.id, ["proposed", "started", "waiting"], { at: "done", outcome });
}

/** Milliseconds between two looks at an agent that another process drives. */
const LOOK = 25;
const LONGEST_LOOK = 400;
/** As much of an output as goes to the model at once. */
const SHOWN = 100_000;
const INTERRUPTED: CallOutcome = {
  ok: false,
  code: "io-error",
  hint: "The program was interrupted while this was being done; it may or may not have happened. Check before you do it again.",
};
const USED_UP: CallOutcome = {
  ok: false,
  code: "request-closed",
  hint: "Another call has used the yes that this one went by; it was for once. Ask again if you still need it.",
};
const CANCELLED: CallOutcome = { ok: false, code: "stopped", hint: "The person stopped this." };
const ENDED: CallOutcome = { ok: false, code: "session-closed", hint: "This was stopped, since its session has ended." };

/** What a call is told that was called off for this reason; null where its program ended, and another one goes on with it. */
function endOf(why: unknown): CallOutcome | null {
  return why === STOPPED_BY_PERSON ? CANCELLED : why === SESSION_ENDED ? ENDED : null;
}
