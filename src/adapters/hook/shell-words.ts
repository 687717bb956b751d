// What the wrapper of a host's shell receives from the host, and what it sends to the hook socket. Its own top-level key distinguishes a
// report from every host's payload: no host uses that key, and a model cannot write at the top level.

import { isRecord, textOf } from "./host-call.ts";
import { type HostName, isHostName } from "./host-table.ts";

/** The variable by which the wrapper is told whose command it runs. The shell has not started yet: no model can set it. */
export const SHELL_VARIABLE = "HALLPASS_SHELL";

/** Whose command it is. What the host's shell is not told is null: then the daemon finds it by what its hook noted. */
export interface ShellCall {
  readonly host: HostName;
  readonly workspace: string | null;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly call: string | null;
  /** Directories a person granted in the host's own dialog, as the hook is told them. */
  readonly grants: readonly string[];
  /** Words of the environment that lead to our own files, as they were at the installation: a project may set the host's. */
  readonly env: Readonly<Record<string, string>>;
}

/** Null for anything that is not whole. */
export function shellCallIn(value: unknown): ShellCall | null {
  if (!isRecord(value)) return null;
  const { host, grants = [], env = {} } = value;
  const [workspace, sessionId, call] = [textOf(value["workspace"]), textOf(value["session"]), textOf(value["call"])];
  if (!isHostName(host) || workspace?.startsWith("/") === false || call === "") return null;
  if (!Array.isArray(grants) || !grants.every((grant) => typeof grant === "string")) return null;
  if (!isRecord(env)) return null;
  const variables = Object.entries(env).flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []));
  return { host, workspace, sessionId, agentId: textOf(value["agent"]), call, grants, env: Object.fromEntries(variables) };
}

/** A command is about to run. */
export interface ShellReport extends Pick<ShellCall, "sessionId" | "agentId" | "call"> {
  /** What the model wrote; null where the call is known by its name. */
  readonly command: string | null;
  readonly isConfined: boolean;
}

const KEY = "hallpass";

export const shellReportText = ({ sessionId, agentId, call, command, isConfined }: ShellReport): string =>
  JSON.stringify({ [KEY]: "shell", session: sessionId, agent: agentId, call, command, confined: isConfined });

/** Null where the payload is no report. */
export function shellReportIn(payload: Readonly<Record<string, unknown>>): ShellReport | null {
  if (payload[KEY] !== "shell") return null;
  const [sessionId, agentId, call, command] = ["session", "agent", "call", "command"].map((key) => textOf(payload[key]));
  const fields = { sessionId: sessionId ?? null, agentId: agentId ?? null, call: call ?? null, command: command ?? null };
  return { ...fields, isConfined: payload["confined"] === true };
}

/** The daemon's answer to a report. */
export interface ShellReply {
  /** The name of the session, for whoever opens it; null where the daemon knows of none. */
  readonly hostSession: string | null;
  /** Where that session works. */
  readonly workspace: string | null;
  /** Was it let go for its text alone? Only then may it run unconfined. */
  readonly isFitByText: boolean;
}

export function shellReplyIn(value: Readonly<Record<string, unknown>> | null): ShellReply | null {
  if (value === null || typeof value["isFitByText"] !== "boolean") return null;
  return { hostSession: textOf(value["hostSession"]), workspace: textOf(value["workspace"]), isFitByText: value["isFitByText"] };
}
