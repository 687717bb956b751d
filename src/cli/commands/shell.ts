// hallpass shell -- COMMAND: a host's command in the sandbox. The host's bash reads bin/hallpass-shell first (BASH_ENV) and becomes this program. With a
// daemon it belongs to the session of the host's hook: it reports itself, sees that session's grants and asks through its inbox. Without one it
// is confined on its own. Where nothing can confine it, it runs only if its text was found fit.

import { spawn } from "node:child_process";
import { askDaemon } from "../../adapters/hook/ask-daemon.ts";
import { doorFile, readDoor } from "../../adapters/hook/door.ts";
import { parseRecord } from "../../adapters/hook/host-call.ts";
import { hookHosts } from "../../adapters/hook/hosts/all.ts";
import { judgeInProcess, mustNotBeMisled, withGrants } from "../../adapters/hook/in-process.ts";
import {
  SHELL_VARIABLE,
  type ShellCall,
  shellCallIn,
  type ShellReply,
  shellReplyIn,
  shellReportText,
} from "../../adapters/hook/shell-words.ts";
import { HallpassError } from "../../core/errors.ts";
import { passedOn } from "../../sandbox/passed-environment.ts";
import type { Sandbox } from "../../sandbox/port.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { openPlace } from "../judge-flags.ts";
import { openRunAsking, type RunAsking } from "../run-asking.ts";
import { listenToSignals, quoted, said, startIn, tellAside } from "./run.ts";

/** Milliseconds for which the daemon's word about a command is waited for. */
const PATIENCE = 5_000;

export async function shell({ rest }: Call<"shell">, host: Host): Promise<number> {
  const [text, ...more] = rest ?? [];
  const call = shellCallIn(parseRecord(host.env[SHELL_VARIABLE] ?? ""));
  if (text === undefined || call === null) throw new UsageError("this is started by a host's shell; see hallpass install");
  const command = more.length === 0 ? text : ["bash", "-c", text, ...more].map(quoted).join(" ");
  const { createSandbox } = await import("../../sandbox/sandbox.ts");
  const path = host.env["PATH"];
  const sandbox = createSandbox(path === undefined ? {} : { path });
  const unable = await sandbox.ready();
  const reply = await report(call, unable === null, host);
  if (unable !== null) return runByText({ command, text, unable, call, reply }, host);
  const live = reply === null ? null : await openLive(call, reply, sandbox, host);
  const signals = listenToSignals();
  host.errors.on("error", () => {});
  try {
    const session = live?.session ?? withGrants(await openPlace({ workspace: call.workspace }, host), call.grants);
    const ran = await sandbox.run(command, {
      session,
      cwd: startIn(session, host.cwd, host),
      network: session.policy.policy.commands.network,
      time: null,
      outputBytes: 0,
      signal: signals.ending,
      attached: { env: passedOn(host.env), told: (left) => tellAside(left, host) },
      ...(live === null || !session.attended ? {} : { asking: live.asking }),
    });
    tellAside(
      ran.setAside.filter(({ left }) => left !== true),
      host,
    );
    return signals.exitCode() ?? said(ran, host);
  } finally {
    await live?.close();
    signals.close();
  }
}

/** Tell the daemon of the command before anything of it runs. Null where none answers: then nobody takes the session for verified. */
async function report(call: ShellCall, isConfined: boolean, { home, env, platform }: Host): Promise<ShellReply | null> {
  const { workspace, host } = call;
  const door = readDoor(doorFile({ home, env, platform }));
  if (door === null) return null;
  // A door that the workspace put there would answer what it likes.
  await mustNotBeMisled({ home, env, workspace, platform });
  const asking = { host, payload: shellReportText({ ...call, isConfined }), workspace, lets: [], ask: false, attended: true, parent: null };
  const words = await askDaemon(door, asking, PATIENCE);
  return words?.exit === 0 ? shellReplyIn(parseRecord(words.stdout)) : null;
}

/** The session of the host's hook, with its grants; null where the daemon is gone meanwhile. */
function openLive(
  { host: via, workspace }: ShellCall,
  { hostSession }: ShellReply,
  sandbox: Sandbox,
  host: Host,
): Promise<RunAsking | null> {
  const visitor = { via, hostSession, workspace, label: via };
  return openRunAsking(host, visitor, sandbox, (session) => session).catch((error: unknown) => {
    if (error instanceof HallpassError && error.code === "io-error") return null;
    throw error;
  });
}

interface Unconfined {
  readonly command: string;
  readonly text: string;
  readonly unable: string;
  readonly call: ShellCall;
  readonly reply: ShellReply | null;
}

/**
 * INVARIANT: what was let go because it would be confined is not run unconfined. The daemon says what was let go for its text; where it does not
 * know, the text is judged here.
 */
async function runByText({ command, text, unable, call, reply }: Unconfined, host: Host): Promise<number> {
  if (reply?.isFitByText !== true) {
    const { home, env, platform, cwd } = host;
    const { workspace, sessionId, agentId, grants } = call;
    const its = { event: "shell", tool: "bash", input: { command: text }, sessionId, callId: call.call, agentId, agentType: null };
    const around = { workspace, home, env, platform, lets: [], grants, attended: false, kept: null, isRecorded: true };
    const { verdict, reason } = await judgeInProcess(hookHosts[call.host], { ...its, cwd, attended: false }, around);
    if (verdict !== "pass" && verdict !== "allow") {
      host.errors.write(`hallpass: sandbox-unavailable: ${unable}; the command was not run: ${reason}\n`);
      return exitCodes.fault;
    }
  }
  host.errors.write(`hallpass: sandbox-unavailable: ${unable}; the command is not confined\n`);
  const { [SHELL_VARIABLE]: _ours, ...env } = host.env;
  const child = spawn("/bin/bash", ["-c", command], { cwd: host.cwd, env, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) => resolve(exit ?? exitCodes.fault));
  });
}
