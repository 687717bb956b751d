// The daemon: one a data directory, on its store, behind its port and its Unix socket. It says where it is in `daemon.json`, and takes
// itself away again when it is told to stop.

import type { Store, StoredAsk } from "../agent/ports.ts";
import type { WireAsk } from "../wire/values.ts";
import type { HostAgentOf } from "./host-processes.ts";
import type { Agent } from "../agent/agent.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { defined } from "../core/defined.ts";
import { messageOf } from "../core/record.ts";
import { HallpassError } from "../core/errors.ts";
import type { SessionId } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import { assemble, type AssembledServer, type AssembleOptions } from "./assemble.ts";
import {
  type DaemonFile,
  machineIn,
  makeDir,
  pushKeyIn,
  type DaemonPlace,
  placeOf,
  type PlaceOptions,
  readDaemonFile,
  removeDaemonFile,
  startFault,
  tokenFrom,
  tokenIn,
  writeDaemonFile,
} from "./daemon-place.ts";
import { makeChangeMark, removeChangeMark } from "./change-mark.ts";
import { endUncertain, watchExpiry } from "./expiry.ts";
import { watchIdle } from "./idle.ts";
import { listen, type HttpListener, type ListenOptions } from "./listen.ts";
import { type Lock, takeLock } from "./lock.ts";
import type { Metrics } from "./metrics.ts";
import type { Hub, Log } from "./ports.ts";
import { pushKey } from "./push-message.ts";
import { type HeadNotes, noteHeads } from "./record-head.ts";
import type { Sandbox } from "../sandbox/port.ts";
import type { ShellReports } from "./shell-reports.ts";
import { createSockets } from "./socket.ts";
import { withSpans } from "./telemetry.ts";
import { createWebhook, type WebhookPorts } from "./webhook.ts";

/** What a daemon is started with. */
export interface DaemonOptions
  extends
    PlaceOptions,
    Omit<ListenOptions, "socketPath">,
    Pick<AssembleOptions, "model" | "models" | "machine" | "asking" | "askLife" | "asksPerMinute"> {
  readonly version: string;
  readonly pages: string | null;
  readonly log: Log;
  readonly pid: number;
  /** PostgreSQL's address; null: SQLite in the data directory. */
  readonly databaseUrl: string | null;
  /** Who push services may write to, as a mailto: or https: address; without it no push notices are sent. */
  readonly pushContact?: string;
  /** Told of each ask that opens here, as a card, with the address that shows it. */
  readonly notice?: (ask: WireAsk, link: string) => void;
  /** The hook socket: opened once it is up, shut before it stops. Where it cannot be opened the daemon goes without. */
  readonly hookSocket?: {
    open(dir: string, inside: DaemonParts): Promise<void>;
    shut(dir: string): void;
    /** What programs decided before now and kept in the directory is in the record when this resolves. */
    catchUp(): Promise<void>;
    /** The agent of the host that started this process, or is it, if its hooks have called from this workspace. */
    hostAgent: HostAgentOf;
    /** Does a command of a host's shell run in this session? Then it is in use. */
    runsIn(session: SessionId): boolean;
  };
}

/** What the hook socket may use: sessions that hosts drive, the sandbox of their commands, whether their commands report, the record, the end of an ask, a count, and the log. */
export interface DaemonParts {
  readonly store: Pick<Store, "record" | "audit" | "sessionOfHost">;
  readonly log: Log;
  readonly clock: Clock;
  readonly hosted: Agent["hosted"];
  readonly sandbox: Sandbox;
  readonly shells: ShellReports;
  readonly settled: Hub["settled"];
  readonly called: Metrics["hookCall"];
}

/** A daemon that runs. */
export interface Daemon {
  readonly address: string;
  readonly socketPath: string | null;
  readonly token: string;
  readonly machine: string;
  readonly assembled: AssembledServer;
  /** Stop: take nothing new, let what is under way come to a point where it can go on, leave waiting chats waiting. */
  stop(): Promise<void>;
}

/** A daemon of this process, or the one that is there already. */
export type DaemonStart = { readonly state: "started"; readonly daemon: Daemon } | { readonly state: "there"; readonly file: DaemonFile };

/** How long a daemon that is just starting is waited for, on a machine that has much else to do. */
const PATIENCE = 15_000;
/** Requests and runs under way have so long to finish. */
const GRACE = 5000;

/** Throws where the directory is held by a process that does not answer, or something cannot be opened or listened on. */
export async function startDaemon(options: DaemonOptions, answers: (file: DaemonFile) => Promise<boolean>): Promise<DaemonStart> {
  const place = placeOf(options);
  const lock = lockOf(place);
  if (lock === null) return { state: "there", file: await other(place, answers) };
  const undo: (() => Promise<void> | void)[] = [() => lock.release()];
  try {
    const daemon = await begin(options, place, undo);
    return { state: "started", daemon };
  } catch (error) {
    for (const step of undo.toReversed()) await step();
    throw startFault(place, error);
  }
}

function lockOf(place: DaemonPlace): Lock | null {
  try {
    makeDir(place);
    return takeLock(place.lock);
  } catch (error) {
    throw startFault(place, error);
  }
}

/** The daemon that holds the directory, once it answers. */
async function other(place: DaemonPlace, answers: (file: DaemonFile) => Promise<boolean>): Promise<DaemonFile> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    const file = readDaemonFile(place);
    if (file !== null && (await answers(file))) return file;
    if (performance.now() > until) {
      const who = file === null ? "a process that has not said which it is" : `process ${file.pid}`;
      throw new HallpassError(
        "io-error",
        `${who} holds \`${show(place.dir)}\` and does not answer: wait for it, stop it, or choose another directory with --data`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function begin(options: DaemonOptions, place: DaemonPlace, undo: (() => Promise<void> | void)[]): Promise<Daemon> {
  const { home, env, platform, version, pages, log, pid, databaseUrl, pushContact } = options;
  const { model, models, asking, askLife, asksPerMinute } = options;
  const token = tokenFrom(env) ?? tokenIn(place);
  const machine = options.machine ?? machineIn(place);
  const stores = await openAll({ databaseUrl, place, log, machine }, undo);
  const clock = stores.shared?.leases.clock ?? systemClock;
  const heads: HeadNotes = await noteHeads({ store: stores.store, place, log, clock });
  undo.push(() => heads.stop());
  const mark = databaseUrl === null ? makeChangeMark(place.changes) : null;
  if (mark === null) removeChangeMark(place.changes);
  undo.push(() => mark?.remove());
  let listening: HttpListener | null = null;
  const tellOf = async (ask: StoredAsk, notice: NonNullable<DaemonOptions["notice"]>): Promise<void> => {
    try {
      notice(await assembled.views.ask(ask), `${listening?.address ?? ""}/#/asks/${ask.id}`);
    } catch (error) {
      log.warn({ ask: ask.id, error: messageOf(error) }, "a notice on the desktop failed");
    }
  };
  const webhook = webhookFor(
    options,
    (ask) => assembled.views.ask(ask),
    () => listening?.reachable ?? listening?.address ?? "",
  );
  const assembled = await assemble({
    ...stores,
    home,
    env,
    platform,
    data: place.dir,
    token,
    machine,
    clock,
    log,
    version,
    pages,
    hosts: () => listening?.hosts ?? [],
    catchUp: async () => options.hookSocket?.catchUp(),
    hostAgent: (process, workspace) => options.hookSocket?.hostAgent(process, workspace) ?? null,
    reachable: () => listening?.reachable ?? null,
    changed: (change) => {
      mark?.changed(change);
      if (change.type !== "ask-opened") return;
      webhook?.opened(change.ask, assembled.metrics.notified);
      if (options.notice !== undefined) void tellOf(change.ask, options.notice);
    },
    ...defined({ model, models, asking, askLife, asksPerMinute }),
    ...(pushContact === undefined
      ? {}
      : { push: { key: pushKey(pushKeyIn(place)), contact: pushContact, fetch: (request: Request) => fetch(request) } }),
  });
  undo.push(() => assembled.close());
  const { app, hub, store, agent, policyFor } = assembled;
  // Before anybody is let in.
  await endUncertain({ store: stores.store, agent, clock, log });
  // Put together here, so that no bundle looks for it.
  const traced = await withSpans(app, () => import(["@opentelemetry", "api"].join("/")));
  listening = await listen(
    { app: traced, sockets: (hosts) => createSockets({ hub, callerOf: app.callerOf, hosts, log }), log },
    { ...options, socketPath: place.socket },
  );
  const { address, socketPath } = listening;
  writeDaemonFile(place, { address, socket: socketPath, pid, version, started: Date.now(), takesSpool: options.hookSocket !== undefined });
  await openHookSocket(options, place, assembled, { audit: stores.store.audit, clock });
  assembled.start();
  const inUse = { hears: (session: SessionId) => hub.hears(session) || options.hookSocket?.runsIn(session) === true };
  const idle = watchIdle({ store, agent, hub: inUse, clock, log, machine, policyFor });
  const expiry = watchExpiry({ store, agent, clock, log });
  undo.push(
    () => idle.stop(),
    () => expiry.stop(),
  );
  log.info({ address, store: stores.storeKind, model: assembled.model(), pid }, "the daemon is up");

  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    log.info({}, "stopping");
    idle.stop();
    expiry.stop();
    await options.hookSocket?.catchUp();
    options.hookSocket?.shut(place.dir);
    const closed = listening?.close(GRACE);
    const late = new Promise((resolve) => setTimeout(resolve, GRACE).unref());
    await Promise.race([assembled.drain(), late]);
    await closed;
    // Nobody finds it any more before its store is closed.
    removeDaemonFile(place, pid);
    mark?.remove();
    const noteEnd = await heads.ending();
    await Promise.race([assembled.close().then(noteEnd), late]);
    await undo[0]?.();
    log.info({}, "stopped");
  };
  return { address, socketPath, token, machine, assembled, stop: () => (stopping ??= stop()) };
}

async function openHookSocket(
  { hookSocket, log }: DaemonOptions,
  { dir }: DaemonPlace,
  { agent, hub, metrics, sandbox, shells, store }: AssembledServer,
  { audit, clock }: Pick<Store, "audit"> & { readonly clock: Clock },
): Promise<void> {
  try {
    await hookSocket?.open(dir, {
      // Whoever takes the spool does not wait for it.
      store: { ...store, audit },
      clock,
      log,
      hosted: agent.hosted,
      sandbox,
      shells,
      settled: (ask, time, signal) => hub.settled(ask, time, signal),
      called: (host) => metrics.hookCall(host),
    });
  } catch (error) {
    log.warn({ error: messageOf(error) }, "hooks judge by themselves: the hook socket could not be opened");
  }
}

type OpenedStoreParts = Pick<AssembleOptions, "store" | "storeKind" | "shared">;

interface StoreOpening {
  readonly databaseUrl: string | null;
  readonly place: DaemonPlace;
  readonly log: Log;
  readonly machine: string;
}

async function openAll(
  { databaseUrl, place, log, machine }: StoreOpening,
  undo: (() => Promise<void> | void)[],
): Promise<OpenedStoreParts> {
  const { openStore } = await import("../store/open.ts");
  const store = await openStore({ databaseUrl, file: place.store });
  undo.push(() => store.close());
  if (databaseUrl === null) return { store, storeKind: "sqlite" };
  const { openPostgresSignals } = await import("../store/postgres-signals.ts");
  const { openLeases } = await import("./leases.ts");
  const signals = await openPostgresSignals({ url: databaseUrl });
  undo.push(() => signals.close());
  const leases = await openLeases({ url: databaseUrl, log, machine });
  undo.push(() => leases.close());
  return { store, storeKind: "postgres", shared: { signals, leases } };
}

function webhookFor({ env, log }: DaemonOptions, card: WebhookPorts["card"], address: () => string) {
  const url = env["HALLPASS_WEBHOOK_URL"];
  if (url === undefined || url === "") return null;
  const settings = { url, format: env["HALLPASS_WEBHOOK_FORMAT"], secret: env["HALLPASS_WEBHOOK_SECRET"] ?? null };
  return createWebhook({ ...settings, address, card, fetch: globalThis.fetch, log });
}
