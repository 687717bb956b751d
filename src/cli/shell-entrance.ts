// Lets a host's shell into its session's sandbox, in the daemon. The shell asks on the hook socket (`bin/hallpass-enter`) and starts what it is told; here the
// command's session is found, the sandbox set up, the command reported, its lookups asked about, and the workspace looked through when it has ended.
// Whatever stands in the way before the command has begun, the shell is turned away and confines the command by itself (`commands/shell.ts`).

import { readFileSync, readlinkSync } from "node:fs";
import { type AskId, askId, type SessionId } from "../core/names.ts";
import { isInside } from "../core/path/contain.ts";
import type { Session } from "../core/session/session.ts";
import { realOf } from "../adapters/hook/disk.ts";
import { parseRecord } from "../adapters/hook/host-call.ts";
import type { HookHandlerPorts, LocatedCommand } from "../adapters/hook/socket-handler.ts";
import { locateCommand } from "../adapters/hook/socket-handler.ts";
import type { EnteringShell } from "../adapters/hook/socket-listener.ts";
import { type ShellCall, shellCallIn } from "../adapters/hook/shell-words.ts";
import { passedOn } from "../sandbox/passed-environment.ts";
import { parentOf, type ProcessId, processOf } from "../sandbox/processes.ts";
import type { DaemonParts } from "../server/daemon.ts";
import { hasHostsTerminal, hostDirectory } from "../server/host-processes.ts";
import { asideText, endOfRun, hiddenText, reachText, startIn } from "./commands/run.ts";
import { type HostCommand, hostCommandOf } from "./host-command.ts";
import { type AskingPort, openAsking } from "./lookup-asking.ts";
import { hasDirectory, isHeldBy, openShellConnection, type ShellConnection } from "./shell-connection.ts";
import { makeReportDirectory, openEnding, removeReportDirectory } from "./shell-ending.ts";

export interface ShellEntrancePorts extends Pick<DaemonParts, "hosted" | "sandbox" | "shells" | "settled" | "log"> {
  readonly sessions: HookHandlerPorts["sessions"];
  /** Our data directory. */
  readonly data: string;
  readonly proof: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ShellEntrance {
  enter(shell: EnteringShell): void;
  /** Does a command that entered run in this session? */
  runsIn(session: SessionId): boolean;
  close(): void;
}

/** A command that is in its session's sandbox. `isEnding`: it has ended, and is being settled. */
interface RunningCommand {
  isEnding: boolean;
  readonly over: Promise<void>;
}

/** So often in a row something that never got as far as the sandbox is started: the shell may be where it cannot be entered. */
const MOST_FAILURES = 2;

/** So many sessions have a directory of their own for what their commands report; those that were used longest ago lose it. */
const MOST_DIRECTORIES = 64;

export function createShellEntrance(ports: ShellEntrancePorts): ShellEntrance {
  const { hosted, sandbox, shells, log } = ports;
  const running = new Map<SessionId, RunningCommand>();
  const directories = new Map<SessionId, string>();

  /** The same for all commands of a session: what goes on after one must see no other roots than the next. */
  const reportDirectory = (session: SessionId): string => {
    const dir = directories.get(session) ?? makeReportDirectory(ports.env);
    directories.delete(session);
    directories.set(session, dir);
    for (const [oldest, left] of directories) {
      if (directories.size <= MOST_DIRECTORIES) break;
      directories.delete(oldest);
      removeReportDirectory(left);
    }
    return dir;
  };

  const runIn = async (
    connection: ShellConnection,
    { command, located, cwd, env, hasTerminal }: ShellFacts & { readonly located: LocatedCommand & { readonly call: string } },
    state: RunningCommand,
  ): Promise<void> => {
    const { directoryFile } = command.framed;
    const ending = directoryFile === null ? null : openEnding(directoryFile, reportDirectory(located.session));
    const runSessionOf = (kept: Session): Session => ending?.withReportDirectory(kept) ?? kept;
    const kept = await hosted.live(located.session);
    const session = runSessionOf(kept);
    const lookups = kept.attended ? openAsking(askingPort(ports, located.session), runSessionOf) : null;
    let [isBegun, failures, text] = [false, 0, ""];
    try {
      const started = startIn(kept, cwd, { cwd });
      const ran = await sandbox.run(command.inSandbox(ending), {
        session,
        cwd: started,
        // A host's commands had the network before they were confined: what is confined is files, unless the policy says otherwise.
        network: kept.policy.policy.commands.network ?? "host",
        time: null,
        outputBytes: 0,
        signal: connection.gone,
        ...(lookups === null ? {} : { asking: lookups.asking }),
        attached: {
          env: passedOn(env),
          ...(env["PATH"] === undefined ? {} : { path: env["PATH"] }),
          // What is left running would go on reading what the person types.
          leavesNothing: hasTerminal,
          start: (program) => {
            if (failures >= MOST_FAILURES) throw new Error("the shell cannot start it");
            failures += 1;
            const child = connection.start(program);
            child.channels[0]?.once("data", () => (failures = 0));
            void child.ended.then(() => (state.isEnding = isBegun));
            return child;
          },
          told: (left) => (text += asideText(left)),
          starts(hiddenDirs) {
            // INVARIANT: reported from inside: the command's own first process waits in the sandbox, which was found to be as it should.
            isBegun = true;
            shells.report(located.session, located.call, true, command.framed.command);
            text += hiddenText(hiddenDirs);
          },
        },
      });
      // Nothing has run, and the shell may be able to do it by itself.
      if (!isBegun && !ran.ok && ran.code === "sandbox-unavailable") return connection.turnAway();
      if (ran.ok) ending?.tell(session);
      const endedText = ran.ok ? (ran.ended ?? []).map((why) => `hallpass: programs that earlier commands left were ended: ${why}\n`) : [];
      const { code, text: why } = endOfRun(ran);
      const reached = reachText(ran, { session: kept, cwd: started }, command.framed.command);
      connection.end(code, [text, asideText(ran.setAside.filter(({ left }) => left !== true)), ...endedText, reached, why].join(""));
    } finally {
      await lookups?.close();
      ending?.close();
    }
  };

  const enter = async (connection: ShellConnection, entering: ShellFacts): Promise<void> => {
    const { call, framed } = entering.command;
    const place = { name: call.host, workspace: call.workspace, attended: true };
    const located = await locateCommand(ports, { ...call, command: framed.command }, place);
    // What is not surely one session's, or was never noted, is in no session's sandbox. A workspace that holds our own files could lie to the shell.
    if (located === null || located.call === null || !located.isAlone || isInside(located.workspace, ports.data))
      return connection.turnAway();
    const release = shells.claim(located.session, located.call);
    try {
      const before = running.get(located.session);
      // One at a time: they share the session's processes, /tmp and home directory. Another that runs may run for hours.
      if (before !== undefined && !before.isEnding) return connection.turnAway();
      await before?.over;
      if (running.has(located.session)) return connection.turnAway();
      let over = (): void => {};
      const state: RunningCommand = { isEnding: false, over: new Promise((resolve) => (over = resolve)) };
      running.set(located.session, state);
      try {
        await runIn(connection, { ...entering, located: { ...located, call: located.call } }, state);
      } finally {
        running.delete(located.session);
        over();
      }
    } finally {
      release();
    }
  };

  return {
    enter({ host, payload, pid, socket }) {
      const shell = processOf(pid);
      if (shell === null || !isHeldBy(pid, socket)) return void socket.destroy();
      const connection = openShellConnection(socket, ports.proof, shell, ports.data);
      Promise.resolve()
        .then(() => {
          const entering = hasDirectory(pid) ? null : readShell(shell, payload);
          return entering === null || entering.command.call.host !== host ? connection.turnAway() : enter(connection, entering);
        })
        .catch((error: unknown) => {
          // Where the command has begun, the shell has lost us: it says so, and its session's next command looks through what was left.
          log.warn({ error: error instanceof Error ? error.message : "unknown" }, "a host's shell could not enter the sandbox");
          connection.turnAway();
        });
    },
    runsIn: (session) => running.has(session),
    close() {
      for (const dir of directories.values()) removeReportDirectory(dir);
      directories.clear();
    },
  };
}

interface ShellFacts {
  readonly command: HostCommand;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Has it the terminal at which the host's person sits? */
  readonly hasTerminal: boolean;
}

/** What the shell says, and what the kernel tells of it: where it is and what it was started with. Null where it says nothing that is understood. */
function readShell({ pid }: ProcessId, payload: string): ShellFacts | null {
  const bytes = Buffer.from(payload, "utf8");
  const [head = "", length = ""] = /^(\d{1,7}) /u.exec(payload) ?? [];
  const from = head.length + Number(length);
  const shellCall: ShellCall | null = head === "" ? null : shellCallIn(parseRecord(bytes.toString("utf8", head.length, from)));
  if (shellCall === null) return null;
  const cwd = readlinkSync(`/proc/${pid}/cwd`);
  const env = environmentIn(readFileSync(`/proc/${pid}/environ`, "utf8"));
  const starter = parentOf(pid) ?? 0;
  const workspace = shellCall.workspace ?? hostDirectory(starter) ?? cwd;
  const command = hostCommandOf(shellCall, {
    text: bytes.toString("utf8", from),
    more: [],
    workspace: realOf(workspace) ?? workspace,
    env,
  });
  return { command, cwd, env, hasTerminal: hasHostsTerminal(pid, starter) };
}

const environmentIn = (text: string): ShellFacts["env"] =>
  Object.fromEntries(
    text.split("\0").flatMap((entry) => {
      const at = entry.indexOf("=");
      return at < 1 ? [] : [[entry.slice(0, at), entry.slice(at + 1)]];
    }),
  );

/** The session in this very process. */
function askingPort({ hosted, settled }: ShellEntrancePorts, session: SessionId): AskingPort {
  /** The calls of this command. */
  const own = new Set<string>();
  const isOpen = async (ask: AskId): Promise<boolean> => (await hosted.find(session, ask))?.state === "open";
  return {
    session: () => hosted.live(session),
    async ask(access, words) {
      own.add(access.call);
      const asked = await hosted.ask(session, access, words);
      return asked.state === "waiting" ? asked.ask.id : null;
    },
    async isOpenAfter(ask, milliseconds, signal) {
      await settled(askId(ask), milliseconds, signal);
      return isOpen(askId(ask));
    },
    async withdraw(ask) {
      const found = await hosted.find(session, askId(ask));
      if (found?.state === "open" && found.calls.every((call) => own.has(call))) await hosted.cancel(session, found.id);
    },
  };
}
