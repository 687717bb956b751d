// Opens what the commands about sessions, grants and the record read from: the daemon, or its store where no daemon runs. Creates
// nothing: without a store there is nothing to list.

import { existsSync } from "node:fs";
import { show } from "../core/path/show.ts";
import type { AppConnection } from "../wire/connection.ts";
import { reachDaemon } from "./daemon-connection.ts";
import { type Host, UsageError } from "./host.ts";

/** Does the work with the daemon or its store, and closes what was opened. */
export async function withRecords<T>(host: Host, work: (connection: AppConnection) => Promise<T>): Promise<T> {
  const connection = (await reachDaemon(host, "terminal")) ?? (await openStored(host));
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** The store on disk, in this process: no chat is run, no listener is notified. */
async function openStored({ home, env, platform, errors }: Host): Promise<AppConnection> {
  const [{ openApp, openAppOn }, { placeOf }] = await Promise.all([import("../server/open-app.ts"), import("../server/daemon-place.ts")]);
  const { store: file, changes } = placeOf({ home, env, platform });
  const databaseUrl = env["HALLPASS_DATABASE_URL"] ?? null;
  const exists = databaseUrl !== null || existsSync(file);
  errors.write(`no daemon is running; ${exists ? "this is what its store holds" : `there is no store at ${show(file)} either`}\n`);
  const options = { home, env, platform, via: "terminal" };
  if (!exists) return openApp(options);
  const [{ openStore }, { isReadOnly }, { removeChangeMark }] = await Promise.all([
    import("../store/open.ts"),
    import("../store/read-only.ts"),
    import("../server/change-mark.ts"),
  ]);
  // A daemon that is there and does not answer would not know what is changed here.
  if (databaseUrl !== null || !isReadOnly(file)) removeChangeMark(changes);
  const store = await openStore({ databaseUrl, file, mayBeReadOnly: true });
  return openAppOn({ store, storeKind: databaseUrl === null ? "sqlite" : "postgres" }, options);
}

/** The same for what must be one. Throws a UsageError that names the command which lists them. */
export function needByPrefix<T extends { readonly id: string }>(all: readonly T[], prefix: string, what: string, command: string): T {
  const found = byPrefix(all, prefix);
  if (typeof found !== "string") return found;
  throw new UsageError(
    `${found === "none" ? "no" : "more than one"} ${what}'s id begins with ${show(prefix)}; \`hallpass ${command}\` lists them`,
  );
}

/** The one thing whose id begins like this. `none` and `several` where it is not one. */
export function byPrefix<T extends { readonly id: string }>(all: readonly T[], prefix: string): T | "none" | "several" {
  const exact = all.find(({ id }) => id === prefix);
  if (exact !== undefined) return exact;
  const matches = all.filter(({ id }) => id.startsWith(prefix));
  const [first] = matches;
  return first === undefined ? "none" : matches.length > 1 ? "several" : first;
}
