// The daemon as what a chat or an inbox talks to, where one runs.

import { HallpassError } from "../core/errors.ts";
import type { Backend } from "../repl/backend.ts";
import { routes } from "../wire/http.ts";
import type { Host } from "./host.ts";

/** The daemon of this data directory; null where none answers. `via` says where the person sits, for the record. */
export async function findDaemon({ home, env, platform }: Host, via: string): Promise<Backend | null> {
  const { daemonClient, findDaemon: find } = await import("./daemon-client.ts");
  const found = await find({ home, env, platform });
  if (found === null) return null;
  const client = daemonClient(found, via);
  const { model } = await client.send(routes.health, {});
  return { client, connect: client.connect, where: "daemon", model, remark: null, close: async () => client.close() };
}

/** The same for what cannot do without it. Throws a sentence that says how to start one. */
export async function needDaemon(host: Host, via: string): Promise<Backend> {
  const daemon = await findDaemon(host, via);
  if (daemon === null)
    throw new HallpassError("io-error", "no daemon runs, and asks of other agents come to it; start one with `hallpass serve`");
  return daemon;
}
