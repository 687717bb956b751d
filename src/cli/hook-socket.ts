// The hook socket of the daemon: where a host's hook is answered in the host's own words, by whoever knows its secret. The file
// that tells it is written when somebody listens there and removed when the daemon stops; both secrets are made anew at each start.

import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { randomIds } from "../core/clock.ts";
import { askId } from "../core/names.ts";
import { createHookHandler } from "../adapters/hook/socket-handler.ts";
import { hostTable, isHostName } from "../adapters/hook/host-table.ts";
import { hookSocketName, hookSocketLine } from "../adapters/hook/socket-file.ts";
import { listenForHooks } from "../adapters/hook/socket-listener.ts";
import { SPOOL } from "../adapters/hook/spool.ts";
import { type SpoolPorts, takeSpool } from "../adapters/hook/take-spool.ts";
import type { DaemonOptions, DaemonParts } from "../server/daemon.ts";
import type { PlaceOptions } from "../server/daemon-place.ts";
import { createHostProcesses } from "../server/host-processes.ts";
import { createShellEntrance, type ShellEntrance } from "./shell-entrance.ts";

export interface HookSocketPlace extends Pick<PlaceOptions, "home" | "env" | "platform"> {
  /** How often it is looked whether the socket file, and the hosts that have called, are still there. */
  readonly milliseconds?: number;
}

export function createHookSocket({ home, env, platform, milliseconds = 5_000 }: HookSocketPlace): NonNullable<DaemonOptions["hookSocket"]> {
  const secret = (): string => randomBytes(24).toString("base64url");
  const cleanups = new Set<() => void>();
  let catchUp = (): Promise<void> => Promise.resolve();
  const hosts = createHostProcesses();
  let entrance: ShellEntrance | null = null;
  return {
    runsIn: (session) => entrance?.runsIn(session) === true,
    catchUp: () => catchUp(),
    hostAgent(process, workspace) {
      const agent = hosts.agentOf(process, workspace);
      return agent !== null && isHostName(agent.host) && hostTable[agent.host].oneSession === true ? agent : null;
    },

    async open(dir, { hosted, sandbox, shells, settled, called, store, log, clock }) {
      const { take, settled: isTaken } = takingSpool(dir, { ...store, clock }, log);
      void take();
      // Moved away and not read to its end, it is not in the record either.
      catchUp = () => (existsSync(join(dir, SPOOL.dir, SPOOL.file)) ? take() : isTaken());
      const leave: typeof hosted.leave = (agent) => {
        hosts.left(agent);
        return hosted.leave(agent);
      };
      const sessions = { ...hosted, leave, register: (plan: Parameters<typeof hosted.enter>[0]) => hosted.enter(plan) };
      const answer = createHookHandler({
        sessions,
        shells,
        home,
        data: dir,
        settled: (ask, milliseconds, gone) => settled(askId(ask), milliseconds, gone),
        around: { env, platform },
        ids: randomIds,
        heardFrom: (agent, parent) => hosts.heardFrom(agent, parent),
      });
      const secrets = { token: secret(), proof: secret() };
      const shellEntrance = createShellEntrance({ hosted, sandbox, shells, settled, log, sessions, data: dir, env, proof: secrets.proof });
      entrance = shellEntrance;
      cleanups.add(() => shellEntrance.close());
      const listening = await listenForHooks(
        secrets,
        (request, gone) => {
          called(request.host);
          return answer(request, gone);
        },
        (shell) => {
          called(shell.host);
          shellEntrance.enter(shell);
        },
      );
      cleanups.add(() => listening.close());
      const line = hookSocketLine({ port: listening.port, ...secrets });
      writeSocketFile(dir, line);
      // A hook that waited in vain removes the file, so that no other does; whoever is awake to look puts it back.
      const look = setInterval(() => {
        reopen(dir, line);
        void take();
        // A store that is away: the agent is gone all the same, and its session ends when nobody has used it for long.
        hosts.look((agent) => hosted.leave(agent)).catch(() => {});
      }, milliseconds);
      look.unref();
      cleanups.add(() => clearInterval(look));
    },

    shut(dir) {
      for (const one of cleanups) one();
      rmSync(join(dir, hookSocketName), { force: true });
    },
  };
}

/** Adds to the record what was decided before now. One at a time; what fails is tried again at the next look. */
function takingSpool(dir: string, record: Omit<SpoolPorts, "damaged">, log: DaemonParts["log"]): SpoolTaking {
  const damaged = (file: string, end: number): void =>
    log.error({ file, end }, end === 0 ? "a spool is not a file of this user alone, and was not read" : "a line of a spool is damaged");
  const ports: SpoolPorts = { ...record, damaged };
  const takeOnce = async (): Promise<void> => {
    try {
      const addedCount = await takeSpool(dir, ports);
      if (addedCount > 0) log.info({ late: addedCount }, "decisions that hooks made without the daemon were added to the record");
    } catch (error) {
      log.warn(
        { error: error instanceof Error ? error.message : "unknown" },
        "what was decided elsewhere could not be added to the record yet",
      );
    }
  };
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  return {
    // One that is under way may have moved the file before now; whoever comes meanwhile shares the one after it.
    take: () =>
      (next ??= running.then(() => {
        next = null;
        return (running = takeOnce());
      })),
    settled: () => next ?? running,
  };
}

interface SpoolTaking {
  take(): Promise<void>;
  /** Resolves when nothing is being taken. */
  settled(): Promise<void>;
}

function reopen(dir: string, line: string): void {
  try {
    if (!existsSync(join(dir, hookSocketName))) writeSocketFile(dir, line);
  } catch {
    // A directory that is gone, or full: the hooks judge by themselves meanwhile.
  }
}

function writeSocketFile(dir: string, line: string): void {
  const aside = join(dir, `${hookSocketName}.${process.pid}`);
  rmSync(aside, { force: true });
  const handle = openSync(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  writeSync(handle, line);
  closeSync(handle);
  renameSync(aside, join(dir, hookSocketName));
}
