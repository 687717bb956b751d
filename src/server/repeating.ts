// Repeats background work of the daemon at an interval until it is stopped. A fault is logged, and the work is tried again the next time.

import type { Log } from "./ports.ts";
import { messageOf } from "../core/record.ts";

export interface RepeatedWork {
  stop(): void;
}

/** Do `work` every so many milliseconds; `failed` is what the log says where it throws. Keeps no process alive. */
export function repeat(work: () => Promise<unknown>, every: number, log: Log, failed: string): RepeatedWork {
  const ticking = setInterval(() => {
    work().catch((error: unknown) => log.warn({ error: messageOf(error) }, failed));
  }, every);
  ticking.unref();
  return { stop: () => clearInterval(ticking) };
}
