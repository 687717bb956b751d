// The longest that this thread works without letting anybody else have a turn. Processor time, so that a busy machine changes nothing.

import { readFileSync } from "node:fs";

/** Milliseconds of processor time that this thread has had. Linux alone. */
export const worked = (): number => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;

/** The most that this thread works in one turn of the event loop while `act` is done. */
export async function longest(act: () => unknown): Promise<number> {
  let most = 0;
  let isOver = false;
  let last = worked();
  const turn = (): void => {
    const now = worked();
    most = Math.max(most, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  await new Promise<void>((resolve) => setImmediate(resolve));
  last = worked();
  setImmediate(turn);
  await act();
  await new Promise<void>((resolve) => setImmediate(resolve));
  isOver = true;
  turn();
  return most;
}
