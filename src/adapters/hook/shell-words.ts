// What the wrapper of a host's shell is told by the host's side, and what it says at the daemon's door. Its own top-level key tells a report from every
// host's payload: no host has such a key, and a model writes none at the top.

import { isRecord, textOf } from "./host-call.ts";
import { type HostName, isHostName } from "./host-table.ts";

/** The variable by which the wrapper is told whose command it runs. The shell has not started yet: no model can set it. */
export const SHELL_VARIABLE = "HALLPASS_SHELL";

/** Whose command it is. */
export interface ShellCall {
  readonly host: HostName;
  readonly workspace: string;
  readonly sessionId: string;
  readonly agentId: string | null;
  readonly call: string;
  /** Directories a person granted in the host's own dialog, as the hook is told them. */
  readonly grants: readonly string[];
}

/** Null for anything that is not whole. */
export function shellCallIn(value: unknown): ShellCall | null {
  if (!isRecord(value)) return null;
  const { host, grants } = value;
  const [workspace, sessionId, call] = [textOf(value["workspace"]), textOf(value["session"]), textOf(value["call"])];
  if (!isHostName(host) || workspace === null || !workspace.startsWith("/") || sessionId === null || call === null || call === "")
    return null;
  if (!Array.isArray(grants) || !grants.every((one) => typeof one === "string")) return null;
  return { host, workspace, sessionId, agentId: textOf(value["agent"]), call, grants };
}

/** A command is about to run. */
export interface ShellReport extends Pick<ShellCall, "sessionId" | "agentId" | "call"> {
  readonly isConfined: boolean;
}

const KEY = "hallpass";

export const shellReportText = ({ sessionId, agentId, call, isConfined }: ShellReport): string =>
  JSON.stringify({ [KEY]: "shell", session: sessionId, agent: agentId, call, confined: isConfined });

/** Null where the payload is no report. */
export function shellReportIn(payload: Readonly<Record<string, unknown>>): ShellReport | null {
  const [sessionId, call] = [textOf(payload["session"]), textOf(payload["call"])];
  if (payload[KEY] !== "shell" || sessionId === null || call === null) return null;
  return { sessionId, agentId: textOf(payload["agent"]), call, isConfined: payload["confined"] === true };
}

/** The daemon's answer to a report. */
export interface ShellReply {
  /** The name of the session, for whoever opens a desk in it. */
  readonly hostSession: string;
  /** Was it let go for its text alone? Only then may it run unconfined. */
  readonly isFitByText: boolean;
}

export function shellReplyIn(value: Readonly<Record<string, unknown>> | null): ShellReply | null {
  const hostSession = textOf(value?.["hostSession"]);
  return hostSession === null ? null : { hostSession, isFitByText: value?.["isFitByText"] === true };
}
