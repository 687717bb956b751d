// hallpass stop: the daemon of a data directory is told to stop, and waited for.

import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type DaemonPlace, placeOf } from "../../server/daemon-place.ts";
import { takeLock } from "../../server/lock.ts";
import { findDaemon } from "../daemon-connection.ts";
import { STOPPED } from "../start-daemon.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, placeOptions } from "../host.ts";

const PATIENCE = 15_000;

export async function stop({ values }: Call<"stop">, host: Host): Promise<number> {
  const place = placeOptions(values, host);
  // Only a daemon that answers to our token is sent a signal: a number left behind by a crash may be anybody's by now.
  const found = await findDaemon(place);
  keepStopped(placeOf(place));
  if (found === null) {
    host.output.write("no daemon is running\n");
    return exitCodes.done;
  }
  process.kill(found.pid, "SIGTERM");
  const until = performance.now() + PATIENCE;
  while (!isFree(placeOf(place))) {
    if (performance.now() > until) {
      host.errors.write(`hallpass: timeout: process ${found.pid} has not stopped yet; it may be finishing a command\n`);
      return exitCodes.fault;
    }
    await pause(50);
  }
  host.output.write(`stopped (process ${found.pid})\n`);
  return exitCodes.done;
}

/** Hooks and MCP servers start no other one until somebody does. Where there is no directory there is nobody who would. */
function keepStopped({ dir }: DaemonPlace): void {
  try {
    closeSync(openSync(join(dir, STOPPED), "a", 0o600));
  } catch {
    // What cannot be kept is the worst that happens: it is started again.
  }
}

/** The lock ends with its process, or a little before it. */
function isFree({ lock }: DaemonPlace): boolean {
  const acquired = takeLock(lock);
  acquired?.release();
  return acquired !== null;
}
