// What every page is given: the state, the daemon, and the quiet that keeps a stray click from granting.

import { createContext, useContext, useSyncExternalStore } from "react";
import type { Client } from "../../src/wire/client.ts";
import type { Quiet } from "./ask/quiet.ts";
import type { State } from "./state/model.ts";
import type { Store } from "./state/store.ts";
import type { Daemon } from "./state/daemon.ts";

export interface App {
  readonly store: Store;
  readonly client: Client;
  readonly daemon: Daemon;
  readonly quiet: Quiet;
  /** The directory the daemon was started in, if it said so. */
  readonly directory: string | null;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error("outside the app");
  return app;
}

/** A part of the state; `select` must give the same thing as long as that part is the same. */
export function useStored<T>(select: (state: State) => T): T {
  const { store } = useApp();
  return useSyncExternalStore(store.listen, () => select(store.get()));
}
