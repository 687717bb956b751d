// hallpass shell -- COMMAND: a host's command in the sandbox. The host's bash reads bin/hallpass-shell first (BASH_ENV) and becomes this program. With a
// daemon it belongs to the session of the host's hook: it reports itself, sees that session's grants and asks through its inbox. Without one it
// is confined on its own. Where nothing can confine it, it runs only if its text was found fit.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { askDaemon } from "../../adapters/hook/ask-daemon.ts";
import { hookSocketFile, readHookSocket } from "../../adapters/hook/socket-file.ts";
import { parseRecord } from "../../adapters/hook/host-call.ts";
import { isConfiguredLine } from "../../adapters/hook/configured-lines.ts";
import type { HostName } from "../../adapters/hook/host-table.ts";
import { hookHosts } from "../../adapters/hook/hosts/all.ts";
import { judgeInProcess, mustNotBeMisled, withGrants } from "../../adapters/hook/in-process.ts";
import { SHELL_VARIABLE, shellCallIn, type ShellReply, shellReplyIn, shellReportText } from "../../adapters/hook/shell-words.ts";
import { shellToolOf } from "../../adapters/hook/wanted.ts";
import { HallpassError } from "../../core/errors.ts";
import { passedOn } from "../../sandbox/passed-environment.ts";
import type { Sandbox } from "../../sandbox/port.ts";
import { hostDirectory } from "../../server/host-processes.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { openPlace } from "../judge-flags.ts";
import { openRunAsking, type RunAsking } from "../run-asking.ts";
import { makeReportDirectory, openEnding, type ShellEnding } from "../shell-ending.ts";
import { type HostCommand, hostCommandOf } from "../host-command.ts";
import { type AttachedCommand, reachText, requireNoDirectory, runAttached, startIn } from "./run.ts";

/** Milliseconds to wait for the daemon's reply about a command. */
const PATIENCE = 5_000;

export async function shell({ values, rest }: Call<"shell">, host: Host): Promise<number> {
  const [text, ...more] = rest ?? [];
  const shellCall = shellCallIn(parseRecord(host.env[SHELL_VARIABLE] ?? ""));
  if (text === undefined || shellCall === null) throw new UsageError("this is started by a host's shell; see hallpass install");
  // Our own files are where they were at the installation.
  const own: Host = { ...host, home: shellCall.env["HOME"] ?? host.home, env: { ...host.env, ...shellCall.env } };
  const workspace = shellCall.workspace ?? hostDirectory(process.ppid) ?? host.cwd;
  if (values.configured === true)
    return isConfiguredLine(shellCall.host, text, { workspace, home: own.home, env: host.env }) ? exitCodes.done : exitCodes.fault;
  const hostCommand = hostCommandOf(shellCall, { text, more, workspace, env: host.env });
  const { call, framed } = hostCommand;
  requireNoDirectory();
  const { createSandbox } = await import("../../sandbox/sandbox.ts");
  const path = host.env["PATH"];
  const sandbox = createSandbox(path === undefined ? {} : { path });
  const unable = await sandbox.ready();
  const reply = await report(call, framed.command, unable === null, own);
  if (unable !== null) return runByText({ command: hostCommand.whole, text: framed.command, unable, call, reply }, host, own);
  const live = reply === null ? null : await openLive(call.host, reply, sandbox, own);
  const reportDirectory = framed.directoryFile === null ? null : makeReportDirectory(host.env);
  const ending = framed.directoryFile === null || reportDirectory === null ? null : openEnding(framed.directoryFile, reportDirectory);
  const plan = async () => {
    const session = live?.session ?? withGrants(await openPlace({ workspace: reply?.workspace ?? workspace }, own), call.grants);
    // A host's commands had the network before they were confined: what is confined is files, unless the policy says otherwise.
    const network = session.policy.policy.commands.network ?? "host";
    const asking = live === null || !session.attended ? {} : { asking: askingIn(live, ending) };
    return { session: ending?.withReportDirectory(session) ?? session, cwd: startIn(session, host.cwd, host), network, ...asking };
  };
  const ended: AttachedCommand["ended"] = (runPlan, ran) => {
    ending?.tell(runPlan.session);
    return reachText(ran, runPlan, framed.command);
  };
  try {
    return await runAttached(sandbox, hostCommand.inSandbox(ending), { env: passedOn(host.env), live, plan, isQuiet: true, ended }, host);
  } finally {
    if (reportDirectory !== null) rmSync(reportDirectory, { recursive: true, force: true });
  }
}

/** With the place for the command's last directory in every session that a person's yes makes. */
function askingIn({ asking }: RunAsking, ending: ShellEnding | null): RunAsking["asking"] {
  if (ending === null) return asking;
  return {
    ...asking,
    ask: async (reached) => {
      const after = await asking.ask(reached);
      return after === null ? null : ending.withReportDirectory(after);
    },
  };
}

type PlacedCall = HostCommand["call"];

/** Tell the daemon of the command before anything of it runs. Null where none answers: then nobody takes the session for verified. */
async function report(call: PlacedCall, command: string, isConfined: boolean, { home, env, platform }: Host): Promise<ShellReply | null> {
  const { workspace, host } = call;
  const hookSocket = readHookSocket(hookSocketFile({ home, env, platform }));
  if (hookSocket === null) return null;
  // A socket file that the workspace put there would answer what it likes.
  await mustNotBeMisled({ home, env, workspace, platform });
  const payload = shellReportText({ ...call, command, isConfined });
  const reply = await askDaemon(
    hookSocket,
    { host, payload, workspace, lets: [], ask: false, wait: null, attended: true, parent: null },
    PATIENCE,
  );
  return reply?.exit === 0 ? shellReplyIn(parseRecord(reply.stdout)) : null;
}

/** The session of the host's hook, with its grants; null where the daemon knows of none, or is gone meanwhile. */
function openLive(via: HostName, { hostSession, workspace }: ShellReply, sandbox: Sandbox, host: Host): Promise<RunAsking | null> {
  if (hostSession === null || workspace === null) return Promise.resolve(null);
  const visitor = { via, hostSession, workspace, label: via };
  return openRunAsking(host, visitor, sandbox, (session) => session).catch((error: unknown) => {
    if (error instanceof HallpassError && error.code === "io-error") return null;
    throw error;
  });
}

interface UnconfinedNotice {
  readonly command: string;
  readonly text: string;
  readonly unable: string;
  readonly call: PlacedCall;
  readonly reply: ShellReply | null;
}

/**
 * INVARIANT: what was let go because it would be confined is not run unconfined. The daemon says what was let go for its text; where it does not
 * know, the text is judged here.
 */
async function runByText({ command, text, unable, call, reply }: UnconfinedNotice, host: Host, own: Host): Promise<number> {
  if (reply?.isFitByText !== true) {
    const { home, env, platform, cwd } = own;
    const { workspace, sessionId, agentId, grants } = call;
    const [tool, argument] = shellToolOf(hookHosts[call.host].tools);
    const known = { sessionId: sessionId ?? "", callId: call.call, agentId, agentType: null };
    const hookCall = { event: "shell", tool, input: { [argument]: text }, ...known };
    const surroundings = { workspace, home, env, platform, lets: [], grants, attended: false, kept: null, isRecorded: true };
    const { verdict, reason } = await judgeInProcess(hookHosts[call.host], { ...hookCall, cwd, attended: false }, surroundings);
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
