// Grants whose time is over are ended in the store, so that a clock which is set back revives none of them, and whoever watches is told.
// Until then they count for nothing: whoever judges looks at the time too.

import type { Agent } from "../agent/agent.ts";
import type { Store } from "../agent/ports.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "./ports.ts";
import { repeat, type Repeating } from "./repeating.ts";

export interface ExpiryPorts {
  readonly store: Pick<Store, "grants">;
  readonly agent: Pick<Agent, "revoke">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who ended them, in the record. */
export const EXPIRED = "hallpass (its time is over)";
const EVERY = 5000;

/** Look once. Gives how many ended. */
export async function endExpired({ store, agent, clock }: ExpiryPorts): Promise<number> {
  let ended = 0;
  for (const { id, expires } of await store.grants(null))
    if (expires !== null && expires <= clock() && (await agent.revoke(id, EXPIRED))) ended += 1;
  return ended;
}

export function watchExpiry(ports: ExpiryPorts, every = EVERY): Repeating {
  return repeat(() => endExpired(ports), every, ports.log, "grants whose time is over could not be ended");
}
