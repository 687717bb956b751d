// What the commands that look at sessions, grants and the record talk to: the daemon, or its store where no daemon runs. Nothing is made
// by looking: without a store there is nothing to see.

import { existsSync } from "node:fs";
import { show } from "../core/path/show.ts";
import type { Backend } from "../repl/backend.ts";
import { findDaemon } from "./daemon-backend.ts";
import type { Host } from "./host.ts";

/** Does the work with the daemon or its store, and closes what was opened. */
export async function withRecords<T>(host: Host, work: (backend: Backend) => Promise<T>): Promise<T> {
  const backend = (await findDaemon(host, "terminal")) ?? (await openStoreBackend(host));
  try {
    return await work(backend);
  } finally {
    await backend.close();
  }
}

/** The store on disk within this process: nothing in it is driven on, no listener is told. */
async function openStoreBackend({ home, env, platform, errors }: Host): Promise<Backend> {
  const [{ openOwnApp }, { placeOf }] = await Promise.all([import("./own-app.ts"), import("../server/daemon-place.ts")]);
  const { store: file } = placeOf({ home, env, platform });
  const databaseUrl = env["HALLPASS_DATABASE_URL"] ?? null;
  const there = databaseUrl !== null || existsSync(file);
  errors.write(`no daemon runs; ${there ? "this is what its store holds" : `there is no store at ${show(file)} either`}\n`);
  const kept = there
    ? {
        store: await (await import("../store/open.ts")).openStore({ databaseUrl, file }),
        kind: databaseUrl === null ? ("sqlite" as const) : ("postgres" as const),
      }
    : null;
  const { client, connect, close } = await openOwnApp({ home, env, platform, via: "terminal", ...(kept === null ? {} : { kept }) });
  return { client, connect, where: "process", model: "", remark: null, close };
}

/** The one thing whose id begins like this. `none` and `several` where it is not one. */
export function byPrefix<T extends { readonly id: string }>(all: readonly T[], prefix: string): T | "none" | "several" {
  const exact = all.find(({ id }) => id === prefix);
  if (exact !== undefined) return exact;
  const fits = all.filter(({ id }) => id.startsWith(prefix));
  const [first] = fits;
  return first === undefined ? "none" : fits.length > 1 ? "several" : first;
}
