// Remembers which states of MCP clients were used, where states outlive the server's process. Each used state is an empty file, created
// exclusively, so that a state is accepted once, whichever process it reaches.

import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { errnoOf } from "../core/errno.ts";
import { HallpassError } from "../core/errors.ts";

/** No state is good for longer: a call waits a day at the most. */
const LIFE = 2 * 24 * 60 * 60_000;

/** `dir` is made when it is first needed, for its owner alone. Throws `io-error` where it cannot be written: then nothing is taken. */
export function takenOnDisk(dir: string, clock: Clock): { take(nonce: string): boolean } {
  let swept = false;
  return {
    take(nonce) {
      if (!/^[\w-]{8,100}$/u.test(nonce)) return false;
      try {
        mkdirSync(dir, { recursive: true, mode: 0o700 });
        if (!swept) sweep(dir, clock() - LIFE);
        swept = true;
        closeSync(openSync(join(dir, nonce), "wx", 0o600));
        return true;
      } catch (cause) {
        if (errnoOf(cause) === "EEXIST") return false;
        throw new HallpassError("io-error", "which call states were used cannot be stored", { cause });
      }
    },
  };
}

function sweep(dir: string, before: number): void {
  for (const name of readdirSync(dir)) {
    const file = join(dir, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined && stat.mtimeMs < before) rmSync(file, { force: true });
  }
}
