// One tool call from a client: the session as it is now, the tool, the record, the result; and a person asked where one is needed.
// Whatever goes wrong on the way, nothing is handed out.

import { LONGEST_COMMAND, lookupTool } from "../../core/access.ts";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { DENIAL, recentlyDenied } from "../../agent/asking.ts";
import { type KeyedAsk, storedKey } from "../../agent/stored-key.ts";
import type { AuditEvent } from "../../core/audit.ts";
import type { Clock, Ids } from "../../core/clock.ts";
import { isRequestable } from "../../core/guard/explain.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { type CallId, callId } from "../../core/names.ts";
import type { Delay, Sandbox } from "../../sandbox/port.ts";
import { type AskLookup, inSession } from "../../tools/bash-reaches.ts";
import { toolNamed } from "../../tools/registry.ts";
import type { Limits } from "../../tools/limits.ts";
import { createOutputs } from "../../tools/outputs.ts";
import { failed, type Failure, type ToolResult } from "../../tools/result.ts";
import { runTool } from "../../tools/run.ts";
import type { Searcher } from "../../tools/search/searcher.ts";
import { type Tool, wordsOf } from "../../tools/tool.ts";
import type { WireAsk } from "../../wire/values.ts";
import { delayWords } from "../../wire/delay-words.ts";
import type { HostSession, HostAccess } from "../host-session/host-session.ts";
import { type McpCaller, resumeAsk, type AskOutcome, type AskTimeouts, type Question, refusedLookup, waitFor } from "./asking.ts";
import type { DialogReply } from "./card.ts";
import { callResult, failure, plainText } from "./results.ts";

export interface McpCallPorts {
  readonly tools: Readonly<Record<string, Tool>>;
  readonly limits: Limits;
  readonly searcher: Searcher;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Who asks for a read outside scope: the model, with its reason, or the guard for the read itself. */
  readonly asking: "by-model" | "by-guard";
  readonly patience: AskTimeouts;
}

/** A call that was put to a person in an earlier half, and what came of its dialog. */
export interface EarlierAsk {
  readonly call: string;
  readonly ask: string;
  readonly reply: DialogReply | null;
  readonly elapsed: number;
}

export interface McpToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly hostSession: HostSession;
  /** Aborts when the client no longer wants it: a command is stopped then. */
  readonly signal?: AbortSignal;
}

export interface McpCall extends McpToolCall {
  readonly caller: McpCaller;
  readonly earlier: EarlierAsk | null;
  /** Where the client shows dialogs only between calls: end the call with this ask. Null: wait within the call. */
  readonly handOver: ((ask: WireAsk, call: string) => Promise<CallToolResult>) | null;
}

export function createCalls(ports: McpCallPorts): (call: McpCall) => Promise<CallToolResult> {
  const { tools, limits, searcher, sandbox, clock, ids, asking, patience } = ports;
  const outputs = createOutputs(ids);
  /** What the guard decided, by call: two calls under way at once do not record each other's. */
  const decided = new Map<CallId, AuditEvent[]>();
  const audit = (event: AuditEvent): void => void ("call" in event && decided.get(event.call)?.push(event));
  const guard = createGuard({ audit, clock, ids });

  /** Until when a person's no stands, by session and question. */
  const denials = new Map<string, number>();
  const noteDenial = (session: string, ask: QuestionParts, { code }: AskOutcome): void => {
    if (code !== "person-declined" && code !== "recently-denied") return;
    for (const [key, until] of denials) if (until <= clock()) denials.delete(key);
    denials.set(questionKey(session, ask), clock() + DENIAL);
  };
  /** The same, but where the model would be told to ask for what a person has just denied. */
  const heeding = (session: string, result: ToolResult): ToolResult => {
    if (result.ok || result.ask === null || (denials.get(questionKey(session, result.ask)) ?? 0) <= clock()) return result;
    const outcome = recentlyDenied(result.ask);
    return outcome.ok ? result : { ...result, code: outcome.code, hint: outcome.hint };
  };

  /**
   * Puts what a command reaches for before a person while it runs, as a call of its own: in a dialog that can be shown now, and in the inbox. Null where
   * neither is there. What is still open when `over` aborts is closed.
   */
  const createLookup = ({ hostSession, caller }: McpCall, over: AbortSignal): AskLookup | null => {
    if (!hostSession.shared && (caller.dialog === null || caller.put === null)) return null;
    const signal = AbortSignal.any([caller.signal, over]);
    return async ({ path, operation, who }) => {
      const access: HostAccess = { call: `mcp-${ids()}`, tool: lookupTool.ofHost, operation, path };
      const reason = `${who} reached for it`;
      const askResult = await hostSession.ask(access, reason);
      const question: Question = { hostSession, access, reason, caller: { ...caller, signal }, patience };
      const outcome = askResult.state === "done" ? askResult : await waitFor(question, askResult.ask);
      const wasAsked = askResult.state === "waiting";
      if (!outcome.ok) return refusedLookup(outcome.code, wasAsked);
      const session = await hostSession.session(access.call);
      const lastingSession = { ...session, grants: session.grants.filter(({ until }) => until === "session") };
      const real = wasAsked ? (askResult.ask.path ?? path) : path;
      return inSession(lastingSession, real, wasAsked) ?? { came: "in-scope" };
    };
  };

  /** Run the tool in the session as it is now; gives the events too, which are not recorded yet. */
  const run = async (request: McpCall, call: CallId): Promise<{ result: ToolResult; events: readonly AuditEvent[] }> => {
    const { name, input, hostSession, signal } = request;
    const session = await hostSession.session(call);
    const events: AuditEvent[] = [];
    decided.set(call, events);
    const over = toolNamed(name)?.kind === "execute" && session.attended ? new AbortController() : null;
    const ask = over === null ? null : createLookup(request, over.signal);
    const optional = { ...(signal === undefined ? {} : { signal }), ...(ask === null ? {} : { ask }) };
    const delayed = (delay: Delay | null): void => {
      if (delay !== null) request.caller.progress(delayWords(delay));
    };
    const toolPorts = { guard, session, call, limits, searcher, outputs, sandbox, delayed, ...optional };
    try {
      const result = await runTool(name, input, toolPorts, tools);
      if (!isUnconfined(result, events) || canAskCommand(result, hostSession)) return { result, events };
      // Nobody can be asked about it here, so the model is told that nobody is, and what its person can do.
      events.splice(0);
      const refused = await runTool(name, input, { ...toolPorts, session: { ...session, attended: false } }, tools);
      return { result: refused.ok ? refused : { ...refused, hint: `${refused.hint} ${WAYS}` }, events };
    } finally {
      over?.abort();
      decided.delete(call);
    }
  };

  /** The result, once what was decided on the way is kept. What cannot be recorded is not handed out. */
  const recordResult = async (
    { name, hostSession }: McpToolCall,
    result: ToolResult,
    events: readonly AuditEvent[],
  ): Promise<CallToolResult> => {
    await hostSession.record(events);
    return callResult(name, result);
  };

  const afterOutcome = async (request: McpCall, call: CallId, outcome: AskOutcome): Promise<CallToolResult> => {
    if (!outcome.ok) return failure(outcome.code ?? "person-declined", outcome.text);
    if (toolNamed(request.name)?.asks === "access") return plainText(outcome.text);
    // An answer opens nothing: the call is judged again, in the session the answer made.
    const { result, events } = await run(request, call);
    return recordResult(request, result, events);
  };

  /** What is to be put to a person before this can be done; null: nothing, or the model is told how to ask. */
  const accessToAsk = (result: ToolResult, name: string, input: unknown, id: CallId, events: readonly AuditEvent[]): HostAccess | null => {
    if (result.ok || result.ask === null) return null;
    if (isForNetwork(result)) return { call: id, tool: name, operation: "read", path: result.ask.requested, needsNetwork: true };
    if (!isUnconfined(result, events)) {
      const access = accessOf(result.ask, name, id, events, asking);
      return access === null || result.ask.right === "read" ? access : { ...access, writes: tools[name]?.plans(input) ?? [] };
    }
    return { call: id, tool: name, operation: "replace", path: result.ask.requested, isUnconfined: true };
  };

  return async (request) => {
    const { name, input, hostSession, earlier } = request;
    const id = callId(earlier?.call ?? `mcp-${ids()}`);
    const question = (access: HostAccess, caller = request.caller): Question => ({
      hostSession,
      access,
      reason: wordsOf(input),
      caller,
      patience,
    });

    if (earlier !== null) {
      const ask = await hostSession.wait(earlier.ask, 0);
      const network = ask.about?.what === "network" ? { needsNetwork: true as const } : {};
      const access: HostAccess = { call: id, tool: name, operation: "read", path: ask.requested[0] ?? ask.path ?? "", ...network };
      const outcome = await resumeAsk(question(access), ask, earlier.reply, earlier.elapsed);
      noteDenial(hostSession.id, ask, outcome);
      return afterOutcome(request, id, outcome);
    }

    const { result, events } = await run(request, id);
    const access = accessToAsk(result, name, input, id, events);
    if (access === null) return recordResult(request, heeding(hostSession.id, result), events);
    const settle = (outcome: AskOutcome): Promise<CallToolResult> => {
      if (!result.ok && result.ask !== null) noteDenial(hostSession.id, result.ask, outcome);
      return afterOutcome(request, id, outcome);
    };
    // From here on the host session judges and records; what was decided here only told that a person is needed.
    const askResult = await hostSession.ask(access, wordsOf(input));
    if (askResult.state === "done") return settle(askResult);
    // INVARIANT: a yes to an unconfined command is a yes to everything, so no client's dialog can give it; a person does, in the inbox.
    const byInbox = access.isUnconfined === true;
    if (request.handOver !== null && !byInbox) return request.handOver(askResult.ask, id);
    const caller = byInbox ? { ...request.caller, dialog: null, put: null } : request.caller;
    return settle(await waitFor(question(access, caller), askResult.ask));
  };
}

type QuestionParts = Omit<KeyedAsk, "proposal"> & Partial<Pick<KeyedAsk, "proposal">>;

const questionKey = (session: string, { proposal = null, ...rest }: QuestionParts): string =>
  JSON.stringify([session, storedKey({ ...rest, proposal })]);

/** An ask about the network for commands. */
const isForNetwork = (result: ToolResult): boolean =>
  !result.ok && result.ask !== null && "about" in result.ask && result.ask.about?.what === "network";

/** An ask that no guard raised about a path: a command that nothing on this machine confines. */
const isUnconfined = (result: ToolResult, events: readonly AuditEvent[]): boolean =>
  !result.ok && result.ask !== null && !events.some((event) => event.kind === "decision" && event.verdict === "ask");

/** Only in the inbox, and only what its card shows whole. */
const canAskCommand = (result: ToolResult, hostSession: HostSession): boolean =>
  hostSession.shared && !result.ok && result.ask !== null && result.ask.requested.length <= LONGEST_COMMAND;

const WAYS =
  "What they can do: install bubblewrap (`hallpass doctor` says what is missing), or start `hallpass serve`, whose inbox asks them about each command.";

/** What is to be put to a person; null where the model is told how to ask, or the host session could not ask it. */
function accessOf(
  ask: NonNullable<Failure["ask"]>,
  tool: string,
  call: CallId,
  events: readonly AuditEvent[],
  asking: McpCallPorts["asking"],
): HostAccess | null {
  if (isRequestable(ask) && toolNamed(tool)?.asks !== "access" && asking === "by-model") return null;
  const lastAsk = events.findLast((event) => event.kind === "decision" && event.verdict === "ask");
  return lastAsk?.kind === "decision" && lastAsk.operation !== "connect"
    ? { call, tool, operation: lastAsk.operation, path: lastAsk.requested }
    : null;
}

export const notOurs = (): CallToolResult =>
  failure(
    failed("bad-request", "").code,
    "this state was made for another call, or has been used; make the call again without it. Nobody was taken to have answered.",
  );
