// Answers a hook's call in the daemon: a raw payload in, the host's exact output out. Independent of connections and stores: the listener
// passes in the sessions (the agent's `Hosted`, for example) and admits only callers that present the token.

import { createHash } from "node:crypto";
import { needs, type Operation, type PlannedWrite, shortEnough } from "../../core/access.ts";
import { categoryOf } from "../../core/errors.ts";
import type { Decision } from "../../core/guard/decision.ts";
import { type AskId, askId, type SessionId } from "../../core/names.ts";
import { show } from "../../core/path/show.ts";
import type { HookRequest } from "./socket-protocol.ts";
import {
  type HookAnswer,
  blocked,
  CANARY,
  cut,
  type HookHost,
  json,
  parseRecord,
  textOf,
  type HostCall,
  type ToolOutput,
  type Words,
} from "./host-call.ts";
import { type HostName, hostTable } from "./host-table.ts";
import { hookHosts } from "./hosts/all.ts";
import { createLateAnswers, type LateAnswers, type SettledAsk } from "./late-answers.ts";
import { foreignServer } from "./own-server.ts";
import { realOf } from "./disk.ts";
import { type InProcessJudge, judgeInProcess } from "./in-process.ts";
import { type CallPlan, plannedBy } from "./planned.ts";
import { type AskReply, type HookJudgePorts, type JudgedAccess, judgeCall, judgedOf } from "./judge-call.ts";
import { openSieve, siftOutput } from "./sift-output.ts";
import { isShellLed, startLine, withoutStart } from "./shell-file.ts";
import { commandAsRun } from "./shell-frame.ts";
import { type ShellReply, type ShellReport, shellReportIn } from "./shell-words.ts";
import { toolIn } from "./wanted.ts";

interface HookAccess {
  readonly call: string;
  readonly tool: string;
  readonly operation: Operation;
  readonly path: string;
  /** The host makes the call again, under another name, while its ask is open: that is the same ask. */
  readonly retriesUnderNewId?: true;
  /** For a write: what the call would make of files, and a digest of all that it would write. */
  readonly writes?: readonly PlannedWrite[];
  readonly content?: string;
}

/** A session as the daemon keeps it. */
export interface HookSession {
  readonly id: SessionId;
}

/** What the handler needs of the daemon; `Hosted` fits. */
export interface HookSessions<S extends HookSession = HookSession> {
  register(plan: {
    readonly host: string;
    readonly hostSession: string;
    readonly workspace: string;
    readonly label?: string;
    readonly parent?: SessionId;
    readonly attended?: boolean;
  }): Promise<{ readonly session: S }>;
  /** The agent has left: its session ends, and those of the agents below it. Nothing where there is none. */
  leave(who: HookAgent): Promise<void>;
  /** Why a yes for the session to this ask opens nothing now; null where it does, or is none. */
  whyNoGrant(ask: AskId): Promise<string | null>;
  /** The session by its name, or as `register` has just given it: then it is not looked up once more. */
  decide(session: SessionId | S, access: HookAccess): Promise<Decision>;
  ask(
    session: SessionId,
    access: HookAccess,
    words: string | null,
  ): Promise<
    | { readonly state: "waiting"; readonly ask: { readonly id: string } }
    | {
        readonly state: "done";
        readonly outcome: { readonly ok: true } | { readonly ok: false; readonly code: string; readonly hint: string };
      }
  >;
}

/** Whether the commands of a session run confined; the daemon's `ShellReports` fits. */
export interface HookShells {
  begin(session: SessionId, call: string, noted: NotedText & { readonly mustBeFit: boolean }): boolean;
  find(sought: Pick<NotedText, "host" | "command" | "workspace"> & { readonly sessionId: string | null }): {
    readonly session: SessionId;
    readonly call: string;
    readonly noted: NotedText;
    readonly isAlone: boolean;
  } | null;
  drop(session: SessionId, call: string): void;
  report(session: SessionId, call: string, isConfined: boolean, command: string): boolean;
}

/** A command as a hook notes it. */
interface NotedText extends HookAgent {
  readonly sessionId: string;
  readonly command: string;
}

/** An agent by the names that its host has for it. */
export interface HookAgent {
  readonly host: string;
  readonly hostSession: string;
  readonly workspace: string;
}

export interface HookHandlerPorts<S extends HookSession = HookSession> {
  readonly sessions: HookSessions<S>;
  readonly shells: HookShells;
  readonly home: string;
  /** Our data directory. */
  readonly data: string;
  /** The ask when it is settled; as it is after so many milliseconds, or once the caller is gone. Null where it is not known. */
  readonly settled: (ask: string, milliseconds: number, gone?: AbortSignal) => Promise<SettledAsk | null>;
  /** For what is judged by the policy files alone, in no session that is kept: a canary's call, and what a search found. */
  readonly around: Pick<InProcessJudge, "env" | "platform">;
  /** A call of this agent came from a hook that this process started: when the host is gone, so is its agent. */
  readonly heardFrom?: (agent: HookAgent, parent: number) => void;
  /** A fresh id, for calls whose host names none. */
  readonly ids: () => string;
}

/**
 * How long a call waits for a person, all of its asks together, where its hook does not say how long its host allows: under the hook's own
 * deadline, and before it removes the socket file.
 */
const PATIENCE = 3_500;
/** Calls that may wait longer at one time: each holds a connection, and there are only so many. */
const WAITERS = 128;

/** What the calls share. */
interface LongWaits {
  readonly late: LateAnswers;
  /** How many wait longer than `PATIENCE`. */
  count: number;
}

/** It never throws: what goes wrong is the host's blocking words. `gone` aborts when nobody is there to be answered. */
export function createHookHandler<S extends HookSession>(
  ports: HookHandlerPorts<S>,
): (request: HookRequest, gone?: AbortSignal) => Promise<Words> {
  const waiting: LongWaits = {
    late: createLateAnswers(
      (ask) => ports.settled(ask, 0),
      (ask) => ports.sessions.whyNoGrant(askId(ask)),
    ),
    count: 0,
  };
  return async (request, gone = new AbortController().signal) => {
    try {
      return await answerHook(ports, request, waiting, gone);
    } catch (error) {
      return blocked(show(error instanceof Error ? error.message : String(error)));
    }
  };
}

async function answerHook<S extends HookSession>(
  ports: HookHandlerPorts<S>,
  { host: name, workspace: reportedPlace, lets, ask, wait, attended, parent, payload }: HookRequest,
  waiting: LongWaits,
  gone: AbortSignal,
): Promise<Words> {
  const host = hookHosts[name];
  // A shell may tell it through a link. The session, and what is kept for its workspace, go by its own name.
  const workspace = realOf(reportedPlace) ?? reportedPlace;
  const record = parseRecord(payload);
  if (record === null) return blocked("the payload is no JSON object");
  const ended = host.ended?.(record) ?? null;
  if (ended !== null) {
    if (ended !== CANARY) await ports.sessions.leave({ host: name, hostSession: shortenName(ended), workspace });
    return { exit: 0, stdout: "" };
  }
  const prompted = host.prompted?.(record) ?? null;
  if (prompted !== null) {
    const agent = { host: name, hostSession: shortenName(prompted.sessionId), workspace };
    if (parent !== null) ports.heardFrom?.(agent, parent);
    const news = await waiting.late.take(agent);
    return {
      exit: 0,
      stdout: news === null ? "" : json({ hookSpecificOutput: { hookEventName: prompted.event, additionalContext: cut(news) } }),
    };
  }
  const shell = shellReportIn(record);
  if (shell !== null) return takeReport(ports, shell, { name, workspace, attended });
  const output = host.output?.(record) ?? null;
  if (output !== null) return takeOutput(ports, host, output, { name, workspace, attended });
  const decoded = host.decode(record);
  if (!decoded.ok) return blocked(decoded.why);
  const start = startLine(name, { data: ports.data, workspace });
  const command = toolIn(host.tools, decoded.call.tool)?.command;
  const call = withoutStart(decoded.call, command, start);
  // Only to see whether the hook is armed: nobody's session, and nothing to record.
  if (call.sessionId === CANARY) return host.encode(await judgeInProcess(host, call, byPolicy(ports, { workspace, lets, attended })), call);
  // RACE: before there is a session, so that none outlives a host that is gone a moment later.
  if (parent !== null) ports.heardFrom?.({ host: name, hostSession: mainAgentName(call, workspace), workspace }, parent);
  const session = await registerAgent(ports.sessions, { name, call, workspace, attended });
  const callName = call.callId ?? ports.ids();
  const agent: HookAgent = { host: name, hostSession: hostSessionOf(call, workspace), workspace };
  const isLong = wait !== null && host.waits?.(call) !== false && waiting.count < WAITERS;
  const until = performance.now() + (isLong ? wait * 1000 : PATIENCE);
  // What was read a moment ago serves the first access. Whatever comes after it may come much later, and is judged in what is kept then.
  let known: S | null = session;
  // Made when something is written: of reads nothing is to be told.
  let plan: CallPlan | null = null;
  const withPlan = (access: HookAccess): HookAccess => {
    if (needs[access.operation] === "read") return access;
    plan ??= plannedBy(call, host);
    const writes = plan.writes.length > 0 ? plan.writes : [{ what: "untold", path: access.path, why: "not-told" } as const];
    return { ...access, writes: shortEnough(writes, access.path), content: plan.content };
  };
  // A call may name a path twice. A yes for once that it has just used is used for both.
  const used = new Map<string, JudgedAccess>();
  const judge: HookJudgePorts["judge"] = async (access) => {
    const accessKey = JSON.stringify([access.operation, access.path]);
    const usedYes = used.get(accessKey);
    if (usedYes !== undefined) return usedYes;
    const current = known ?? session.id;
    known = null;
    const judged = judgedOf(await ports.sessions.decide(current, withPlan({ call: callName, ...access })));
    if (judged.verdict === "allow" && judged.reason === "answered") used.set(accessKey, judged);
    return judged;
  };
  const callPorts: HookJudgePorts = {
    workspace,
    home: ports.home,
    lets,
    session: null,
    judge,
    foreignServer: (host) => foreignServer(host, { workspace, home: ports.home, data: ports.data }),
    ask: ask
      ? (access) => askThrough(ports, { session: session.id, agent, until, isLong, waiting, gone }, withPlan({ call: callName, ...access }))
      : null,
  };
  const encode = async (answer: HookAnswer, line: string | null = null): Promise<Words> => {
    const news = host.tellsLate === true && !gone.aborted ? await waiting.late.take(agent) : null;
    return host.encode(news === null ? answer : { ...answer, news }, call, line);
  };
  if (command === undefined) return encode(await judgeCall(host, call, callPorts));
  const isConfined = ports.shells.begin(session.id, callName, {
    host: name,
    sessionId: call.sessionId,
    command: commandAsRun(name, textOf(call.input[command]) ?? ""),
    hostSession: agent.hostSession,
    workspace,
    mustBeFit: hostTable[name].shell?.anyShell === true || !isShellLed(name, { data: ports.data, workspace }),
  });
  let isLetGo = false;
  try {
    const answer = await judgeCall(host, call, { ...callPorts, isConfined });
    isLetGo = answer.verdict !== "deny";
    return await encode(answer, start);
  } finally {
    if (!isLetGo) ports.shells.drop(session.id, callName);
  }
}

const byPolicy = <S extends HookSession>(
  { home, around }: HookHandlerPorts<S>,
  call: Pick<InProcessJudge, "workspace" | "lets" | "attended">,
): InProcessJudge => ({ ...call, ...around, home, kept: null, isRecorded: false });

/** A command that a host's shell is about to run, and whose it is. */
export interface LocatedCommand {
  readonly session: SessionId;
  /** As the hook noted it; null where it noted none. */
  readonly call: string | null;
  readonly hostSession: string;
  readonly workspace: string;
  /** No other session waits for the same words. */
  readonly isAlone: boolean;
}

interface CallerPlace {
  readonly name: HostName;
  readonly workspace: string;
  readonly attended: boolean;
}

/** Null where it is of no session that is known. */
export async function locateCommand<S extends HookSession>(
  { sessions, shells }: Pick<HookHandlerPorts<S>, "sessions" | "shells">,
  { call, command, sessionId, agentId }: Omit<ShellReport, "isConfined">,
  { name, workspace, attended }: CallerPlace,
): Promise<LocatedCommand | null> {
  const match = call === null && command !== null ? shells.find({ host: name, sessionId, workspace, command: command.trim() }) : null;
  if (match !== null) {
    const { session, call: noted, isAlone } = match;
    return { session, call: noted, isAlone, hostSession: match.noted.hostSession, workspace: match.noted.workspace };
  }
  if (sessionId === null) return null;
  const agent = { sessionId, agentId, agentType: null };
  const session = await registerAgent(sessions, { name, call: agent, workspace, attended });
  return { session: session.id, call, isAlone: true, hostSession: hostSessionOf(agent, workspace), workspace };
}

/** The wrapper of a host's shell says that a command is about to run, and is told which session it belongs to. */
async function takeReport<S extends HookSession>(ports: HookHandlerPorts<S>, report: ShellReport, place: CallerPlace): Promise<Words> {
  const { isConfined } = report;
  const answer = (reply: ShellReply): Words => ({ exit: 0, stdout: json(reply) });
  const located = await locateCommand(ports, report, place);
  if (located === null) return answer({ hostSession: null, workspace: null, isFitByText: false });
  const { session, call, hostSession, workspace, isAlone } = located;
  // A command that nobody noted, or that somebody changed since, is in its session, and vouches for nothing.
  const command = report.command?.trim() ?? "";
  const isFit = (call !== null || !isConfined) && ports.shells.report(session, call ?? "", isConfined, command);
  // Two sessions wait for the same words: it runs with the grants of neither.
  return answer({ hostSession: isAlone ? hostSession : null, workspace, isFitByText: isAlone && isFit });
}

/** As many files are recorded of one search. */
const RECORDED = 20;

/** A host's search has found something: what is shut is taken out, and recorded as refused in the session that searched. */
function takeOutput<S extends HookSession>(
  ports: HookHandlerPorts<S>,
  host: HookHost,
  output: ToolOutput,
  { name, workspace, attended }: { readonly name: HostName; readonly workspace: string; readonly attended: boolean },
): Promise<Words> {
  const { call } = output;
  const { sessions, ids } = ports;
  return siftOutput(host, output, async () => {
    const opened = await openSieve(host, call, byPolicy(ports, { workspace, lets: [], attended }));
    const record = async (): Promise<void> => {
      const session = await registerAgent(sessions, { name, call, workspace, attended });
      const known = { call: call.callId ?? ids(), tool: call.tool, operation: "read" } as const;
      for (const path of opened.shut.slice(0, RECORDED)) {
        const decision = await sessions.decide(session.id, { ...known, path });
        if (decision.verdict === "allow") decision.pass.close();
      }
    };
    return { ...opened, record };
  });
}

/** Our session of the agent that calls; below the session's first agent one for each agent, with its parent. */
async function registerAgent<S extends HookSession>(
  sessions: HookSessions<S>,
  {
    name,
    call,
    workspace,
    attended,
  }: { readonly name: string; readonly call: CallingAgent; readonly workspace: string; readonly attended: boolean },
): Promise<S> {
  const { session } = await sessions.register({
    host: name,
    hostSession: mainAgentName(call, workspace),
    workspace,
    label: name,
    attended,
  });
  if (call.agentId === null || call.agentId === "") return session;
  const hostSession = hostSessionOf(call, workspace);
  const label = (call.agentType ?? call.agentId).slice(0, 120);
  return (await sessions.register({ host: name, hostSession, workspace, label, parent: session.id, attended })).session;
}

type CallingAgent = Pick<HostCall, "sessionId" | "agentId" | "agentType">;

/** The name under which the daemon keeps the session of the agent that calls. */
export function hostSessionOf({ sessionId, agentId }: Pick<HostCall, "sessionId" | "agentId">, workspace: string): string {
  return agentId === null || agentId === "" ? mainAgentName({ sessionId }, workspace) : shortenName(`${sessionId}/${agentId}`);
}

/** The name of a session's first agent. */
const mainAgentName = ({ sessionId }: Pick<HostCall, "sessionId">, workspace: string): string =>
  shortenName(sessionId === "" ? `in ${workspace}` : sessionId);

/** A person's no is told apart from a refusal of the guard's: hosts take one text and no field beside it. */
function refusalReply({ code, hint }: { readonly code: string; readonly hint: string }): AskReply {
  const category = categoryOf(code);
  const isDeclined = category === "denied-by-person";
  return { granted: false, text: isDeclined ? `${category}: ${hint}` : hint, isDeclined };
}

/** Names too long to be kept are kept by their digest. */
function shortenName(text: string): string {
  return text.length <= 200 ? text : `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

interface AskingCall {
  readonly session: SessionId;
  readonly agent: HookAgent;
  /** When the hook must have its answer. */
  readonly until: number;
  readonly isLong: boolean;
  readonly waiting: LongWaits;
  readonly gone: AbortSignal;
}

async function askThrough<S extends HookSession>(
  ports: HookHandlerPorts<S>,
  { session, agent, until, isLong, waiting, gone }: AskingCall,
  access: HookAccess,
): Promise<AskReply> {
  const repeatable: HookAccess = { ...access, retriesUnderNewId: true };
  const askResult = await ports.sessions.ask(session, repeatable, null);
  if (askResult.state === "done") return askResult.outcome.ok ? { granted: true } : refusalReply(askResult.outcome);
  const { id } = askResult.ask;
  if (isLong) waiting.count += 1;
  let settled: SettledAsk | null;
  try {
    settled = await ports.settled(id, Math.max(0, until - performance.now()), gone);
  } finally {
    if (isLong) waiting.count -= 1;
  }
  // Nobody has answered, or nobody is there to be told: nothing is taken that belongs to the next call.
  const answered = settled?.state === "open" || gone.aborted ? null : await ports.sessions.ask(session, repeatable, null);
  if (answered?.state === "done") {
    waiting.late.forget(agent, id);
    return answered.outcome.ok ? { granted: true } : refusalReply(answered.outcome);
  }
  waiting.late.remember(agent, id);
  const path = `\`${show(access.path)}\``;
  return {
    granted: false,
    text: `a person has been asked about ${path}; do something else, and make the same call again after the answer`,
    isDeclined: false,
  };
}
