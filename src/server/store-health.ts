// Does the store still take what is written to it? A full disk is found by writing alone: what is there can be read as before, and a
// daemon that is only asked how it is would look well.

import type { Store } from "../agent/ports.ts";

export interface WatchedStore {
  readonly store: Store;
  /** False from a record that could not be kept until the next that could. */
  isWell(): boolean;
}

/** The same store. Everything that is decided is recorded, so the record's writes tell. */
export function watchStore(store: Store): WatchedStore {
  let isWell = true;
  return {
    isWell: () => isWell,
    store: {
      ...store,
      async record(events) {
        try {
          await store.record(events);
          isWell = true;
        } catch (error) {
          isWell = false;
          throw error;
        }
      },
    },
  };
}
