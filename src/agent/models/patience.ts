// Trying again: a bounded number of times, with pauses that double and differ, for as long as the service asks where that is
// reasonable, and never once the caller has gone.

import { sleep } from "../waiting.ts";
import { settleBefore } from "./silence.ts";
import type { ModelFault } from "../ports.ts";
import type { ServiceError } from "./faults.ts";

export interface RetryLimits {
  /** How often at most, the first time included. */
  readonly tries: number;
  /** The first pause, in milliseconds; doubled each time. */
  readonly pause: number;
  /** A service that asks for a longer wait than this is not waited for. */
  readonly longestWait: number;
  /** How long a turn may go without a byte. */
  readonly silence: number;
  /** From 0 up to 1, for pauses that differ. */
  readonly random: () => number;
  /** Need not come back once the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

export const defaultPatience: RetryLimits = {
  tries: 3,
  pause: 500,
  longestWait: 30_000,
  silence: 60_000,
  random: Math.random,
  sleep,
  now: Date.now,
};

/**
 * Do `attempt` until it succeeds or `troubleWith` says that it is no use. `troubleWith` may throw by itself. `waits` is told before each pause.
 * Throws the fault of the last trouble; the signal's reason once it is aborted.
 */
export async function persist<T>(
  attempt: () => Promise<T>,
  troubleWith: (error: unknown) => ServiceError,
  { tries, pause, longestWait, random, sleep, now }: RetryLimits,
  signal: AbortSignal,
  waits: (fault: ModelFault, until: number) => void = () => {},
): Promise<T> {
  for (let failed = 1; ; failed += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      const { passing, wait, fault } = troubleWith(error);
      if (!passing || failed >= tries || (wait ?? 0) > longestWait) throw fault;
      const pausing = wait ?? pause * 2 ** (failed - 1) * (0.5 + random());
      waits(fault, now() + pausing);
      await settleBefore(sleep(pausing, signal), signal);
    }
  }
}
