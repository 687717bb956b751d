// A whole server in this process over a world of its own, with a clock that the test moves.

import { onTestFinished } from "vitest";
import { liveSession } from "../../src/agent/live-session.ts";
import { createPolicyFor } from "../../src/config/policy-for.ts";
import { type Clock, randomIds } from "../../src/core/clock.ts";
import { sessionId } from "../../src/core/names.ts";
import type { Session } from "../../src/core/session/session.ts";
import { createNone } from "../../src/sandbox/none.ts";
import { assemble, type AssembledInside } from "../../src/server/assemble.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { type Client, createClient } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireChat } from "../../src/wire/values.ts";
import { walker } from "./walker.ts";
import { everyProbe, growWorld, type Probe, type World } from "./world.ts";

const TOKEN = "person-token-of-the-walk-0123456789";

export interface WalkStage {
  readonly world: World;
  /** Of the world as it was at first. */
  readonly probes: readonly Probe[];
  readonly inside: AssembledInside;
  readonly client: Client;
  /** The same person at another device. */
  device(via: string): Client;
  /** A new session in a workspace, with a chat. */
  chat(workspace?: string): Promise<WireChat>;
  /** The session as its next access is judged in it. Throws where it has ended. */
  live(session: string): Promise<Session>;
  /** So many milliseconds pass. */
  pass(milliseconds: number): void;
  readonly clock: Clock;
}

export interface WalkPlan {
  readonly policy?: object;
  readonly askLife?: number;
}

export async function walkStage({ policy, askLife }: WalkPlan = {}): Promise<WalkStage> {
  const world = growWorld(policy);
  let passed = 0;
  const clock = (): number => Date.now() + passed;
  const around = { home: world.home, env: {}, platform: "linux" as const };
  const policyFor = createPolicyFor(around);
  const inside = await assemble({
    ...around,
    store: createMemoryStore(),
    storeKind: "memory",
    token: TOKEN,
    model: walker,
    asking: "by-guard",
    asksPerMinute: 1_000_000,
    // Nothing confines a command here: each is a person's decision.
    sandbox: createNone("this is a walk"),
    clock,
    policyFor,
    ...(askLife === undefined ? {} : { askLife }),
  });
  onTestFinished(async () => {
    await inside.close();
    world.remove();
  });
  const device = (via: string): Client =>
    createClient({ address: "http://localhost", token: TOKEN, fetch: (request) => inside.app.fetch(request), via });
  const client = device("test");
  return {
    world,
    probes: everyProbe(world),
    inside,
    client,
    device,
    async chat(workspace = world.workspace) {
      const session = await client.send(routes.addSession, { body: { workspace } });
      return client.send(routes.addChat, { body: { session: session.id } });
    },
    async live(id) {
      const stored = await inside.store.session(sessionId(id));
      if (stored === null) throw new Error("there is no such session");
      return liveSession({ store: inside.store, home: world.home, policyFor, clock, ids: randomIds }, stored, null);
    },
    clock,
    pass: (milliseconds) => void (passed += milliseconds),
  };
}
