// Commands of one process that can write to the same directory take turns, so that what is new afterwards was made by the one that ran. While
// a command waits for a person's answer, those of other sessions need not wait for it. That nothing moves while a sandbox is set up is
// another matter (`quiet.ts`).

import { isInside } from "../core/path/contain.ts";

export interface CommandTurn {
  /** It waits for a person from now on. Gives what to call when that is over; only the first call counts. */
  rest(): () => void;
  leave(): void;
}

interface Place {
  readonly dirs: readonly string[];
  readonly room: string;
  /** For how many answers it waits. */
  rests: number;
}

export class Turns {
  readonly #places = new Set<Place>();
  #changed = signalOnce();

  /**
   * Wait until all who came before and can write to one of `dirs`, above or below it, are done or rest; those of the same room must be done. Null
   * if `signal` came first.
   */
  async take(dirs: readonly string[], room: string, signal?: AbortSignal): Promise<CommandTurn | null> {
    const before = [...this.#places].filter((other) =>
      other.dirs.some((one) => dirs.some((dir) => isInside(one, dir) || isInside(dir, one))),
    );
    const place: Place = { dirs, room, rests: 0 };
    this.#places.add(place);
    const leave = (): void => {
      if (this.#places.delete(place)) this.#tell();
    };
    const isInTheWay = (other: Place): boolean => this.#places.has(other) && (other.rests === 0 || other.room === room);
    const called = whenAborted(signal);
    const isCalledOff = (): boolean => signal?.aborted === true;
    while (!isCalledOff() && before.some(isInTheWay)) await Promise.race([this.#changed.over, called]);
    if (isCalledOff()) {
      leave();
      return null;
    }
    return {
      leave,
      rest: () => {
        let isOver = false;
        place.rests += 1;
        this.#tell();
        return () => {
          if (!isOver) place.rests -= 1;
          isOver = true;
        };
      },
    };
  }

  #tell(): void {
    const { end } = this.#changed;
    this.#changed = signalOnce();
    end();
  }
}

function signalOnce(): { readonly over: Promise<void>; readonly end: () => void } {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { over, end };
}

function whenAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
