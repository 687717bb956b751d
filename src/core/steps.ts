// Long work in small steps, for whoever must not be held up: a server that has other agents to answer. The work is written once, as a
// generator that yields wherever it may be interrupted; whether it is, is for the caller to say.

/** Work that yields between its steps, each of which takes a millisecond or so at the most. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Milliseconds of work after which others have a turn. */
const TURN = 8;

/** All of it now. */
export function doAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** All of it, with a turn for everybody else after every few milliseconds. Always comes to its end: what it holds is let go by itself. */
export async function doInTurns<T>(steps: Steps<T>): Promise<T> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < TURN) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}

/**
 * For many small pieces of work that follow each other by promises alone, whoever they are for: without a turn of the event loop in between
 * they would be one long one. Asked before each piece: null, or what to wait for first, where this turn has lasted long enough.
 */
export function createTurns(): () => Promise<void> | null {
  let since: number | null = null;
  return () => {
    if (since === null) {
      since = performance.now();
      setImmediate(() => (since = null));
      return null;
    }
    return performance.now() - since < TURN ? null : new Promise((resolve) => setImmediate(resolve));
  };
}

/** The first `most` of very many, in order. */
export function* firstInOrder<T>(all: readonly T[], most: number, order: (one: T, other: T) => number): Steps<readonly T[]> {
  let first: readonly T[] = [];
  const piece = Math.max(most, LEAST_PIECE);
  for (let from = 0; from < all.length; from += piece) {
    first = [...first, ...all.slice(from, from + piece)].toSorted(order).slice(0, most);
    yield;
  }
  return first;
}

/** Sorting fewer at a time would take longer on the whole. */
const LEAST_PIECE = 1000;
