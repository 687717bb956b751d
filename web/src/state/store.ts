// Holds the one state and notifies listeners. The reducer computes each new state.

import { empty, type AppState } from "./model.ts";
import { type StateChange, reduce } from "./reduce.ts";

export interface StateStore {
  readonly get: () => AppState;
  readonly put: (change: StateChange) => void;
  readonly listen: (listener: () => void) => () => void;
}

export function createStore(): StateStore {
  let state = empty;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    put(change) {
      const next = reduce(state, change);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
