// Grants whose time is over are ended in the store, so that a clock which is set back revives none of them, and whoever watches is told.
// Until then they count for nothing: whoever judges looks at the time too.

import type { Agent } from "../agent/agent.ts";
import type { Store } from "../agent/ports.ts";
import { isToCome } from "../core/clock.ts";
import type { AppPorts } from "./ports.ts";
import { repeat, type RepeatedWork } from "./repeating.ts";

interface ExpiryPorts extends Pick<AppPorts, "clock" | "log"> {
  readonly store: Pick<Store, "grantsEndingBy" | "audit">;
  readonly agent: Pick<Agent, "endGrant">;
}

const EVERY = 5000;

/** Look once. Gives how many ended. */
export async function endExpired({ store, agent, clock }: ExpiryPorts): Promise<number> {
  let ended = 0;
  for (const { id } of await store.grantsEndingBy(clock())) if (await agent.endGrant(id, "expired")) ended += 1;
  return ended;
}

/**
 * At the start: a clock that is behind what was recorded last was set back meanwhile, and nobody can tell how long it has been. Grants that end
 * by a time are ended then: a person can give them again.
 */
export async function endUncertain({ store, agent, clock, log }: ExpiryPorts): Promise<number> {
  const [last] = await store.audit({ newestFirst: true, limit: 1 });
  if (last === undefined || !isToCome(last.event.at, clock())) return 0;
  let ended = 0;
  for (const { id } of await store.grantsEndingBy(Number.MAX_SAFE_INTEGER)) if (await agent.endGrant(id, "clock-set-back")) ended += 1;
  log.warn(
    { last: last.event.at, now: clock(), ended },
    "the clock was set back since the last record: grants that end by a time were ended",
  );
  return ended;
}

export function watchExpiry(ports: ExpiryPorts, every = EVERY): RepeatedWork {
  return repeat(() => endExpired(ports), every, ports.log, "ending expired grants failed");
}
