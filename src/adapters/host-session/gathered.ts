// Records in groups: while one is being kept, what comes meanwhile gathers and is kept together in the next. Each call still waits until
// its own is kept; calls that are under way at once share one request and one write to the disk.

/** The most the daemon takes at once; of the bytes, what leaves room for what is around them. */
const [MOST, MOST_BYTES] = [500, 48 * 1024];

interface Waiting<T> {
  readonly values: readonly T[];
  readonly bytes: number;
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
    let [size, bytes] = [0, 0];
    const over = waiting.findIndex((one, index) => {
      size += one.values.length;
      bytes += one.bytes;
      return (size > MOST || bytes > MOST_BYTES) && index > 0;
    });
    const group = over === -1 ? waiting : waiting.slice(0, over);
    waiting = over === -1 ? [] : waiting.slice(over);
    return group;
  };
  const work = async (): Promise<void> => {
    busy = true;
    while (waiting.length > 0) {
      const group = next();
      try {
        // More than one part where a single call brings more than the daemon takes.
        for (const part of partsOf(group.flatMap((one) => one.values))) await keep(part);
        for (const { kept } of group) kept();
      } catch (error) {
        for (const { failed } of group) failed(error);
      }
    }
    busy = false;
  };

  return (values) =>
    new Promise((kept, failed) => {
      waiting.push({ values, bytes: bytesOf(values), kept, failed });
      if (!busy) void work();
    });
}

const bytesOf = (values: unknown): number => Buffer.byteLength(JSON.stringify(values));

function partsOf<T>(values: readonly T[]): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let bytes = 0;
  for (const value of values) {
    const own = bytesOf(value) + 1;
    const last = parts.at(-1);
    bytes += own;
    if (last !== undefined && last.length < MOST && bytes <= MOST_BYTES) last.push(value);
    else {
      parts.push([value]);
      bytes = own;
    }
  }
  return parts;
}
