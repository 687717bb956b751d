// What every page is given: the state, the daemon, and the quiet that keeps a stray click from granting.

import { createContext, useContext, useSyncExternalStore } from "react";
import type { Client } from "../../src/wire/client.ts";
import type { QuietPeriod } from "./ask/quiet.ts";
import type { AppState } from "./state/model.ts";
import type { StateStore } from "./state/store.ts";
import type { PageClient } from "./state/daemon.ts";

export interface WebApp {
  readonly store: StateStore;
  readonly client: Client;
  readonly daemon: PageClient;
  readonly quiet: QuietPeriod;
  /** The directory the daemon was started in, if it said so. */
  readonly directory: string | null;
}

export const AppContext = createContext<WebApp | null>(null);

export function useApp(): WebApp {
  const app = useContext(AppContext);
  if (app === null) throw new Error("outside the app");
  return app;
}

/** A part of the state; `select` must give the same thing as long as that part is the same. */
export function useStored<T>(select: (state: AppState) => T): T {
  const { store } = useApp();
  return useSyncExternalStore(store.listen, () => select(store.get()));
}
