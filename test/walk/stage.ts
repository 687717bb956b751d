// A whole server over a world of its own, with a clock that the test moves: in this process, or behind the door of a daemon for programs
// that look for one.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { liveSession } from "../../src/agent/live-session.ts";
import { createPolicyFor } from "../../src/config/policy-for.ts";
import { type Clock, randomIds } from "../../src/core/clock.ts";
import { sessionId } from "../../src/core/names.ts";
import type { Session } from "../../src/core/session/session.ts";
import { createNone } from "../../src/sandbox/none.ts";
import { assemble, type AssembledInside } from "../../src/server/assemble.ts";
import { makeDir, placeOf, tokenIn, writeDaemonFile } from "../../src/server/daemon-place.ts";
import { listen, type HttpListener } from "../../src/server/listen.ts";
import { silentLog } from "../../src/server/log.ts";
import { createSockets } from "../../src/server/socket.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { type Client, createClient } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireChat } from "../../src/wire/values.ts";
import { walker } from "./walker.ts";
import { everyProbe, growWorld, type Probe, type World } from "./world.ts";

export interface WalkStage {
  readonly world: World;
  /** Of the world as it was at first. */
  readonly probes: readonly Probe[];
  readonly inside: AssembledInside;
  readonly client: Client;
  readonly clock: Clock;
  /** Where it listens, and what programs need in their environment to find it; null where it does not. */
  readonly door: { readonly address: string; readonly token: string; readonly env: Readonly<Record<string, string>> } | null;
  /** The same person at another device. */
  device(via: string): Client;
  /** A new session in a workspace, with a chat. */
  chat(workspace?: string): Promise<WireChat>;
  /** The session as its next access is judged in it. Throws where it has ended. */
  live(session: string): Promise<Session>;
  /** So many milliseconds pass. */
  pass(milliseconds: number): void;
  /** Only where it listens: else the end of the test does it. */
  close(): Promise<void>;
}

export interface WalkPlan {
  readonly policy?: object;
  readonly askLife?: number;
  /** Listen as a daemon does; with these pages. */
  readonly listens?: { readonly pages: string | null };
}

/** What makes a program of its own go by the clock of the walk. */
const sameClock = (file: string) => ({ WALK_CLOCK: file, NODE_OPTIONS: `--import=${new URL("clock.mjs", import.meta.url).href}` });

export async function walkStage({ policy, askLife, listens }: WalkPlan = {}): Promise<WalkStage> {
  const world = growWorld(policy);
  const data = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "hallpass-walk-"));
  const env = { HALLPASS_DATA: data };
  let passed = 0;
  const clockFile = join(data, "passed");
  writeFileSync(clockFile, "0");
  // A machine's own clock may be set back a little at any time.
  const clock = (): number => Math.floor(performance.timeOrigin + performance.now()) + passed;
  const around = { home: world.home, env, platform: "linux" as const };
  const policyFor = createPolicyFor({ ...around, data });
  const place = placeOf(around);
  makeDir(place);
  const token = tokenIn(place);
  let listening: HttpListener | null = null;
  const inside = await assemble({
    ...around,
    store: createMemoryStore(),
    storeKind: "memory",
    token,
    model: walker,
    asking: "by-guard",
    asksPerMinute: 1_000_000,
    // Nothing confines a command here: each is a person's decision.
    sandbox: createNone("this is a walk"),
    clock,
    policyFor,
    pages: listens?.pages ?? null,
    hosts: () => listening?.hosts ?? null,
    ...(askLife === undefined ? {} : { askLife }),
  });
  const { app, hub } = inside;
  if (listens !== undefined) {
    const sockets = (hosts: () => readonly string[]) => createSockets({ hub, callerOf: app.callerOf, hosts, log: silentLog });
    listening = await listen({ app, sockets, log: silentLog }, { port: 0, socketPath: place.socket });
    const { address, socketPath } = listening;
    writeDaemonFile(place, { address, socket: socketPath, pid: process.pid, version: "test", started: Date.now(), takesSpool: false });
  }
  const device = (via: string): Client =>
    createClient({
      address: listening?.address ?? "http://localhost",
      token,
      fetch: (request) => (listening === null ? app.fetch(request) : fetch(request)),
      via,
    });
  const client = device("test");
  const close = async (): Promise<void> => {
    await listening?.close(0);
    await inside.close();
    world.remove();
    rmSync(data, { recursive: true, force: true });
  };
  if (listens === undefined) onTestFinished(close);
  return {
    world,
    probes: everyProbe(world),
    inside,
    client,
    clock,
    door: listening === null ? null : { address: listening.address, token, env: { ...env, ...sameClock(clockFile), HOME: world.home } },
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
    pass(milliseconds) {
      passed += milliseconds;
      writeFileSync(clockFile, String(passed));
    },
    close,
  };
}
