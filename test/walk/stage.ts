// A whole server over a world of its own, with a clock that the test moves: in this process, or behind the door of a daemon for programs
// that look for one.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { liveSession } from "../../src/agent/live-session.ts";
import { createPolicyFor } from "../../src/config/policy-for.ts";
import { type Clock, randomIds } from "../../src/core/clock.ts";
import { callId, sessionId } from "../../src/core/names.ts";
import type { Session } from "../../src/core/session/session.ts";
import { createGuard } from "../../src/core/guard/guard.ts";
import { createBubblewrap } from "../../src/sandbox/bubblewrap.ts";
import { createNone } from "../../src/sandbox/none.ts";
import type { Sandbox } from "../../src/sandbox/port.ts";
import { detect } from "../../src/sandbox/sandbox.ts";
import { defaultLimits } from "../../src/tools/limits.ts";
import { createOutputs } from "../../src/tools/outputs.ts";
import { runTool } from "../../src/tools/run.ts";
import { createSearcher } from "../../src/tools/search/searcher.ts";
import { assemble, type AssembledServer } from "../../src/server/assemble.ts";
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
  readonly inside: AssembledServer;
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
  /** Are commands confined from now on? At first nothing confines them, and each is a person's decision. */
  confine(isConfined: boolean): void;
  /** Does a command of this session reach what listens on this machine, without anybody being asked? */
  connects(session: string): Promise<boolean>;
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

/** Can commands be confined here? On somebody's own machine what needs it is left out; where every commit is tried, nothing is. */
export const canConfine = (await detect()).why === null || process.env["CI"] !== undefined;
const bubblewrap = createBubblewrap(process.env["PATH"] === undefined ? {} : { path: process.env["PATH"] });
const searcher = createSearcher();

/** A command that ends well if it reaches what listens on this machine. */
export const connecting = ({ port }: Pick<World, "port">): string => `exec 3<>/dev/tcp/127.0.0.1/${port}`;

/** Nothing confines a command, or bubblewrap does. */
function switchable(): Sandbox & { confine(isConfined: boolean): void } {
  let now: Sandbox = createNone("this is a walk");
  return {
    name: "bubblewrap",
    ready: () => now.ready(),
    run: (command, options) => now.run(command, options),
    revoke: (grant) => bubblewrap.revoke(grant),
    endSession: (session) => bubblewrap.endSession(session),
    confine: (isConfined) => void (now = isConfined ? bubblewrap : createNone("this is a walk")),
  };
}

async function listener(): Promise<Server> {
  const server = createServer((socket) => void socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export async function walkStage({ policy, askLife, listens }: WalkPlan = {}): Promise<WalkStage> {
  const heard = await listener();
  const world = growWorld(policy, (heard.address() as AddressInfo).port);
  const sandbox = switchable();
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
    sandbox,
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
  const live: WalkStage["live"] = async (id) => {
    const stored = await inside.store.session(sessionId(id));
    if (stored === null) throw new Error("there is no such session");
    return liveSession({ store: inside.store, home: world.home, policyFor, clock, ids: randomIds }, stored, null);
  };
  const close = async (): Promise<void> => {
    heard.close();
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
    live,
    confine: sandbox.confine,
    async connects(id) {
      const call = callId("connects");
      const around = { guard: createGuard({ clock }), session: await live(id), call, limits: defaultLimits, searcher, sandbox: bubblewrap };
      const ran = await runTool("bash", { command: connecting(world) }, { ...around, outputs: createOutputs(randomIds) });
      return ran.ok && (ran.output as { readonly exit_code: number }).exit_code === 0;
    },
    pass(milliseconds) {
      passed += milliseconds;
      writeFileSync(clockFile, String(passed));
    },
    close,
  };
}
