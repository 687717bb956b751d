// What the commands that look at sessions, grants and the record talk to: the daemon, or its store where no daemon runs. Nothing is made
// by looking: without a store there is nothing to see.

import { existsSync } from "node:fs";
import { randomIds } from "../core/clock.ts";
import type { Backend } from "../repl/backend.ts";
import { createClient } from "../wire/client.ts";
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
async function openStoreBackend(host: Host): Promise<Backend> {
  const { home, env, platform } = host;
  const [{ assemble }, { placeOf }] = await Promise.all([import("../server/assemble.ts"), import("../server/daemon-place.ts")]);
  const { store: file } = placeOf({ home, env, platform });
  const databaseUrl = env["HALLPASS_DATABASE_URL"] ?? null;
  const there = databaseUrl !== null || existsSync(file);
  const store = there
    ? await (await import("../store/open.ts")).openStore({ databaseUrl, file })
    : (await import("../store/memory.ts")).createMemoryStore();
  const token = randomIds();
  const kind = there ? (databaseUrl === null ? "sqlite" : "postgres") : "memory";
  const assembled = await assemble({ store, storeKind: kind, home, env, platform, token });
  return {
    client: createClient({ address: "http://hallpass.invalid", token, fetch: (request) => assembled.app.fetch(request), via: "terminal" }),
    connect: (protocols) => assembled.connect(protocols),
    where: "process",
    model: "",
    remark: null,
    close: () => assembled.close(),
  };
}

/** The one thing whose id begins like this. `none` and `several` where it is not one. */
export function byPrefix<T extends { readonly id: string }>(all: readonly T[], prefix: string): T | "none" | "several" {
  const exact = all.find(({ id }) => id === prefix);
  if (exact !== undefined) return exact;
  const fits = all.filter(({ id }) => id.startsWith(prefix));
  const [first] = fits;
  return first === undefined ? "none" : fits.length > 1 ? "several" : first;
}
