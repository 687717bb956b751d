// Waits for an ask to be settled without polling: a change wakes the waiting callers, and each then reads the ask once.

import type { Store, StoredAsk } from "../agent/ports.ts";
import { sleep } from "../agent/waiting.ts";
import type { AskId } from "../core/names.ts";

export function createSettling(store: Pick<Store, "ask">) {
  const waiting = new Map<string, Set<() => void>>();
  let closed = false;
  /** It may be settled now: who waits for it looks. */
  const look = (ask: string): void => waiting.get(ask)?.forEach((wake) => wake());
  /** Something may have been missed: everybody looks. */
  const lookAll = (): void => waiting.forEach((wakes) => wakes.forEach((wake) => wake()));
  return {
    /** The ask as soon as it is no longer open; as it is after so many milliseconds, or once the signal aborts. Null: no such ask. */
    async settled(id: AskId, milliseconds: number, signal?: AbortSignal): Promise<StoredAsk | null> {
      const until = performance.now() + milliseconds;
      for (;;) {
        // RACE: the waiting begins before the look, so that what is settled in between wakes it.
        const woken = new AbortController();
        const wake = (): void => woken.abort();
        const wakes = waiting.get(id) ?? new Set();
        waiting.set(id, wakes.add(wake));
        try {
          const ask = await store.ask(id);
          const remaining = until - performance.now();
          if (ask === null || ask.state !== "open" || remaining <= 0 || signal?.aborted === true || closed) return ask;
          await sleep(remaining, woken.signal, ...(signal === undefined ? [] : [signal]));
        } finally {
          wakes.delete(wake);
          if (wakes.size === 0) waiting.delete(id);
        }
      }
    },
    look,
    lookAll,
    /** Nobody waits any longer. */
    close(): void {
      closed = true;
      lookAll();
    },
  };
}
