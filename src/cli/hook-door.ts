// The hook's door at the daemon: where a host's hook is answered in the host's own words, by whoever knows the door's secret. The file
// that tells it is written when somebody listens there and removed when the daemon stops; both secrets are made anew at each start.

import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { randomIds, systemClock } from "../core/clock.ts";
import { askId } from "../core/names.ts";
import { createHookDoor } from "../adapters/hook/at-daemon.ts";
import { doorFileName, doorLine } from "../adapters/hook/door.ts";
import { judgeInProcess } from "../adapters/hook/in-process.ts";
import { listenAtDoor } from "../adapters/hook/listen-at-door.ts";
import { type SpoolPorts, takeSpool } from "../adapters/hook/take-spool.ts";
import type { DaemonOptions, InsideDoor } from "../server/daemon.ts";
import type { PlaceOptions } from "../server/daemon-place.ts";
import { createHostProcesses } from "../server/host-processes.ts";

export interface HookDoorPlace extends Pick<PlaceOptions, "home" | "env" | "platform"> {
  /** How often it is looked whether the door, and the hosts that have called, are still there. */
  readonly milliseconds?: number;
}

export function openHookDoor({ home, env, platform, milliseconds = 5_000 }: HookDoorPlace): NonNullable<DaemonOptions["door"]> {
  const secret = (): string => randomBytes(24).toString("base64url");
  const undo = new Set<() => void>();
  return {
    async open(dir, { hosted, shells, settled, called, store, log }) {
      const hosts = createHostProcesses();
      const answer = createHookDoor({
        desk: { ...hosted, register: (plan) => hosted.enter(plan) },
        shells,
        home,
        data: dir,
        settled: (ask, milliseconds) => settled(askId(ask), milliseconds),
        tried: (host, call, around) => judgeInProcess(host, call, { ...around, home, env, platform, kept: null, isRecorded: false }),
        ids: randomIds,
        heardFrom: (agent, parent) => hosts.heardFrom(agent, parent),
      });
      const secrets = { token: secret(), proof: secret() };
      const listening = await listenAtDoor(secrets, (request) => {
        called(request.host);
        return answer(request);
      });
      undo.add(() => listening.close());
      const line = doorLine({ port: listening.port, ...secrets });
      writeDoor(dir, line);
      const take = takingSpool(dir, store, log);
      void take();
      // A hook that waited in vain takes the door away, so that no other does; whoever is awake to look puts it back.
      const look = setInterval(() => {
        reopen(dir, line);
        void take();
        // A store that is away: the agent is gone all the same, and its session ends when nobody has used it for long.
        hosts.look((agent) => hosted.leave(agent)).catch(() => {});
      }, milliseconds);
      look.unref();
      undo.add(() => clearInterval(look));
    },

    shut(dir) {
      for (const one of undo) one();
      rmSync(join(dir, doorFileName), { force: true });
    },
  };
}

/** Adds to the record what hooks decided meanwhile. One at a time; what fails is tried again at the next look. */
function takingSpool(dir: string, store: InsideDoor["store"], log: InsideDoor["log"]): () => Promise<void> {
  let isUnderWay = false;
  const damaged = (file: string, end: number): void =>
    log.error({ file, end }, end === 0 ? "a spool is not a file of this user alone, and was not read" : "a line of a spool is damaged");
  const ports: SpoolPorts = { ...store, clock: systemClock, damaged };
  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      const added = await takeSpool(dir, ports);
      if (added > 0) log.info({ added }, "decisions that hooks made without the daemon were added to the record");
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.message : "unknown" }, "what hooks decided could not be added to the record yet");
    } finally {
      isUnderWay = false;
    }
  };
}

function reopen(dir: string, line: string): void {
  try {
    if (!existsSync(join(dir, doorFileName))) writeDoor(dir, line);
  } catch {
    // A directory that is gone, or full: the hooks judge by themselves meanwhile.
  }
}

function writeDoor(dir: string, line: string): void {
  const aside = join(dir, `${doorFileName}.${process.pid}`);
  rmSync(aside, { force: true });
  const handle = openSync(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  writeSync(handle, line);
  closeSync(handle);
  renameSync(aside, join(dir, doorFileName));
}
