// Commands of one process that can write to the same directory take turns, so that what is new afterwards was made by the one that ran.
// That nothing moves while a sandbox is set up is another matter (`quiet.ts`).

import { isInside } from "../core/path/contain.ts";

interface Turn {
  readonly dirs: readonly string[];
  readonly over: Promise<void>;
}

export class Turns {
  readonly #turns = new Set<Turn>();

  /** Wait until all who came before and can write to one of `dirs`, above or below it, are done. Gives what to call when done; null if `signal` came first. */
  async take(dirs: readonly string[], signal?: AbortSignal): Promise<(() => void) | null> {
    const before = [...this.#turns].filter((turn) =>
      turn.dirs.some((one) => dirs.some((other) => isInside(one, other) || isInside(other, one))),
    );
    let end = (): void => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const turn: Turn = { dirs, over };
    this.#turns.add(turn);
    const leave = (): void => {
      this.#turns.delete(turn);
      end();
    };
    if (before.length > 0) await Promise.race([Promise.all(before.map((one) => one.over)), aborted(signal)]);
    if (signal?.aborted !== true) return leave;
    leave();
    return null;
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
