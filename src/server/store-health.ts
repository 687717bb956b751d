// Does the store still take what is written to it? A full disk is found by writing alone: what is there can be read as before, and a
// daemon that is only asked how it is would look well.

import type { Store } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";

/** The same store. Agents that come, what is decided and what is asked are written all the time, so these tell. */
export function watchStore(store: Store) {
  let isWell = true;
  const watchWrites =
    <A extends readonly unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        const result = await write(...args);
        isWell = true;
        return result;
      } catch (error) {
        // What the store refuses for its content says nothing of the disk.
        if (!(error instanceof HallpassError) || error.code === "io-error") isWell = false;
        throw error;
      }
    };
  const [record, addSession, openAsk] = [watchWrites(store.record), watchWrites(store.addSession), watchWrites(store.openAsk)];
  return {
    /** False from the first thing that could not be kept until the next that could. */
    isWell: () => isWell,
    store: { ...store, record, addSession, openAsk },
  };
}
