// Keeps long outputs for a while, so that a tool can show the beginning and give the rest later. In memory, and bounded in size.

/** The rest of outputs that were cut off, for a later call that asks for them by handle. */
export interface Outputs {
  /** Keep a text; gives the handle to ask for it by. */
  keep(text: string): string;
  /** The kept text; null if the handle is unknown or was dropped since. */
  get(handle: string): string | null;
}

const CHARACTERS = 32 * 1_048_576;

/** Keeps the rest of long outputs in memory, a bounded number of them. */
export function createOutputs(newHandle: () => string): Outputs {
  const stored = new Map<string, string>();
  let size = 0;
  return {
    keep(text) {
      const handle = newHandle();
      stored.set(handle, text);
      size += text.length;
      for (const [oldest, old] of stored) {
        if (size <= CHARACTERS || oldest === handle) break;
        stored.delete(oldest);
        size -= old.length;
      }
      return handle;
    },
    get: (handle) => stored.get(handle) ?? null,
  };
}
