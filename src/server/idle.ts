// Sessions whose agent left without a word: a host that cannot say so, or a program that was killed. Nobody used one for long and nobody
// listens to it: it is ended, and its grants with it. Sessions of our own chats stay: their person ends them,
// or, for an agent that another started, the end of its task.

import type { Agent } from "../agent/agent.ts";
import type { Store, StoredSession } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import type { AppPorts, Hub } from "./ports.ts";
import { repeat, type RepeatedWork } from "./repeating.ts";

interface IdlePorts extends Pick<AppPorts, "store" | "clock" | "log" | "machine" | "policyFor"> {
  readonly agent: Pick<Agent, "endSession">;
  readonly hub: Pick<Hub, "hears">;
}

const HOUR = 60 * 60_000;
const ONE_DAY = 24 * HOUR;
const EVERY = 10 * 60_000;
const PAGE = 200;

/** Look through the sessions once. Gives how many ended. */
export async function endIdle(ports: IdlePorts): Promise<number> {
  const { store, agent, hub, clock, log, machine } = ports;
  let ended = 0;
  for await (const session of openSessions(store)) {
    if (session.host === null || session.machine !== machine) continue;
    const idle = idleOf(ports, session);
    if (clock() - session.at <= idle) continue;
    // Those below it end with it, so it is in use while one of them is.
    const all = [session, ...(await store.sessions({ archived: false, parent: session.id }))];
    if (all.some(({ id }) => hub.hears(id))) continue;
    const used = await Promise.all(all.map((one) => lastUse(store, one)));
    if (clock() - Math.max(...used) <= idle) continue;
    if (!(await agent.endSession(session.id, "hallpass", "idle"))) continue;
    ended += 1;
    log.info({ session: session.id, host: session.host }, "an idle session was ended");
  }
  return ended;
}

/** Page by page: there may be tens of thousands, and others wait while one page is read. */
async function* openSessions(store: Store): AsyncGenerator<StoredSession, void, undefined> {
  for (let last: StoredSession | undefined; ;) {
    const before = last === undefined ? {} : { before: last.id };
    const page = await store.sessions({ archived: false, newestFirst: true, limit: PAGE, ...before });
    yield* page;
    last = page.at(-1);
    if (page.length < PAGE) return;
  }
}

/** As the policy of its workspace says; where that cannot be read, as where none says anything. */
function idleOf({ policyFor }: IdlePorts, { workspace }: StoredSession): number {
  try {
    return policyFor(workspace, []).policy.sessions.idleHours * HOUR;
  } catch (error) {
    if (!(error instanceof HallpassError)) throw error;
    return ONE_DAY;
  }
}

/** Whatever an agent does is recorded; an ask of its is there besides. */
async function lastUse(store: Store, { id, at }: StoredSession): Promise<number> {
  const [record] = await store.audit({ session: id, newestFirst: true, limit: 1 });
  const [ask] = await store.asks({ session: id, newestFirst: true, limit: 1 });
  return Math.max(at, record?.event.at ?? 0, ask?.at ?? 0);
}

export function watchIdle(ports: IdlePorts, every = EVERY): RepeatedWork {
  return repeat(() => endIdle(ports), every, ports.log, "looking for idle sessions failed");
}
