// The daemon's app within this process, for a desk where no daemon runs: the same routes, asks and grants, in memory, and gone with it.

import type { Clock, Ids } from "../core/clock.ts";
import type { Environment } from "../config/locations.ts";
import { assemble } from "../server/assemble.ts";
import { createMemoryStore } from "../store/memory.ts";
import { type ClientPorts, createClient } from "../wire/client.ts";
import type { FramePorts } from "../wire/socket.ts";
import type { Way } from "../adapters/desk/wire-desk.ts";

export interface OwnAppOptions {
  readonly home: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Where the host's person answers, for the record: `mcp`, `acp` … */
  readonly via: string;
}

/** An app within reach, and how to let go of it. */
export interface Reached extends Way {
  readonly connect: FramePorts["connect"];
  close(): Promise<void>;
}

/** Nobody but this process can reach it: its token is made here and told to no one. */
export async function openOwnApp({ home, env, platform, clock, ids, via }: OwnAppOptions): Promise<Reached> {
  const token = `${ids()}${ids()}`;
  const assembled = await assemble({ store: createMemoryStore(), storeKind: "memory", home, env, platform, token, clock, ids });
  const fetch: ClientPorts["fetch"] = (request) => assembled.app.fetch(request);
  return {
    client: createClient({ address: "http://127.0.0.1", token, fetch, via }),
    fetch,
    connect: assembled.connect,
    close: () => assembled.close(),
  };
}
