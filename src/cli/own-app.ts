// The daemon's app within this process: the same routes, asks and grants, for a chat, an editor or a desk where no daemon runs. On a store
// in memory it ends with the process; the commands that look at the record give it the store on disk.

import { randomIds, systemClock } from "../core/clock.ts";
import type { Way } from "../adapters/desk/wire-desk.ts";
import { assemble, type AssembleOptions } from "../server/assemble.ts";
import { createMemoryStore } from "../store/memory.ts";
import { type ClientPorts, createClient } from "../wire/client.ts";
import type { FramePorts } from "../wire/socket.ts";

/** `model`, `policyFor`, `clock` and `ids` as for any app; the built-in agent and the policy of the files on disk without them. */
export interface OwnAppOptions extends Pick<AssembleOptions, "home" | "env" | "platform" | "model" | "policyFor" | "clock" | "ids"> {
  /** Where the person answers, for the record: `terminal`, `mcp`, `acp` … */
  readonly via: string;
  /** Default: a store in memory. Closed with the app. */
  readonly kept?: { readonly store: AssembleOptions["store"]; readonly kind: AssembleOptions["storeKind"] };
}

/** An app within reach, and how to let go of it. */
export interface Reached extends Way {
  readonly connect: FramePorts["connect"];
  close(): Promise<void>;
}

/** Nobody but this process can reach it: its token is made here and told to no one. */
export async function openOwnApp(options: OwnAppOptions): Promise<Reached> {
  const { home, env, platform, via, clock = systemClock, ids = randomIds, model, policyFor } = options;
  const { store, kind } = options.kept ?? { store: createMemoryStore(), kind: "memory" };
  const token = `${ids()}${ids()}`;
  const assembled = await assemble({
    store,
    storeKind: kind,
    home,
    env,
    platform,
    token,
    clock,
    ids,
    ...(model === undefined ? {} : { model }),
    ...(policyFor === undefined ? {} : { policyFor }),
  });
  const fetch: ClientPorts["fetch"] = (request) => assembled.app.fetch(request);
  return {
    client: createClient({ address: "http://127.0.0.1", token, fetch, via }),
    fetch,
    connect: assembled.connect,
    close: () => assembled.close(),
  };
}
