// Records in groups: while one is being kept, what comes meanwhile gathers and is kept together in the next. Each call still waits until
// its own is kept; calls that are under way at once share one request and one write to the disk.

/** The most the daemon takes at once. */
const MOST = 500;

interface Waiting<T> {
  readonly values: readonly T[];
  readonly kept: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * A keeper over `keep`, which is never run twice at once. What it gives resolves when all its values are kept. A group that could not be
 * kept fails every call in it: none of them may go on.
 */
export function gathered<T>(keep: (values: readonly T[]) => Promise<unknown>): (values: readonly T[]) => Promise<void> {
  let waiting: Waiting<T>[] = [];
  let busy = false;

  /** The next group: as many as go together, and at least one. */
  const next = (): Waiting<T>[] => {
    let size = 0;
    const over = waiting.findIndex(({ values }, index) => (size += values.length) > MOST && index > 0);
    const group = over === -1 ? waiting : waiting.slice(0, over);
    waiting = over === -1 ? [] : waiting.slice(over);
    return group;
  };
  const work = async (): Promise<void> => {
    busy = true;
    while (waiting.length > 0) {
      const group = next();
      try {
        const values = group.flatMap((one) => one.values);
        // More than one only where a single call brings more than the daemon takes.
        for (let from = 0; from < values.length; from += MOST) await keep(values.slice(from, from + MOST));
        for (const { kept } of group) kept();
      } catch (error) {
        for (const { failed } of group) failed(error);
      }
    }
    busy = false;
  };

  return (values) =>
    new Promise((kept, failed) => {
      waiting.push({ values, kept, failed });
      if (!busy) void work();
    });
}
