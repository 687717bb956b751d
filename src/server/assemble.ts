// A whole server in this process, not listening: store, agent, hub, views and app, each told of the others. The daemon puts a listener
// in front of it; a terminal chat and the tests use it as it is.

import type { HostAgentOf } from "./host-processes.ts";
import { type Agent, createAgent, type NewSession } from "../agent/agent.ts";
import type { Model, Store } from "../agent/ports.ts";
import { createPolicyFor, type PolicyFor } from "../config/policy-for.ts";
import type { Environment } from "../config/locations.ts";
import { defined } from "../core/defined.ts";
import { messageOf } from "../core/record.ts";
import { type Clock, type Ids, randomIds, systemClock } from "../core/clock.ts";
import type { Sandbox } from "../sandbox/port.ts";
import type { Routes } from "../wire/http.ts";
import type { SocketLike } from "../wire/socket.ts";
import { createModelSettings, type ModelSettings } from "../model-settings/model-settings.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createApp } from "./app.ts";
import { caughtUp } from "./caught-up.ts";
import { isOfAgents } from "./change-mark.ts";
import { digestOf } from "./auth.ts";
import { type StoreChange, observeStore } from "./changes.ts";
import { createElsewhere } from "./elsewhere.ts";
import { createHub } from "./hub.ts";
import type { Leases } from "./leases.ts";
import { silentLog } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import type { App, AppPorts, Hub, Log, Signals, Views } from "./ports.ts";
import { createPushNotices, type PushPorts } from "./push-notices.ts";
import { askRoutes } from "./routes/asks.ts";
import type { ResponseOf } from "./routes/handler.ts";
import { keepAndRecord } from "./routes/keep-grant.ts";
import { lookingHere } from "./routes/looking.ts";
import { ownRuns, sharedRuns } from "./runs.ts";
import { createShellReports, type ShellReports } from "./shell-reports.ts";
import { socketWithin } from "./socket.ts";
import { createViews } from "./views/views.ts";
import { watchStore } from "./store-health.ts";
import { watchWaitingYeses } from "./waiting-yeses.ts";

/** What a server is made with. */
export interface AssembleOptions {
  readonly store: Store;
  readonly storeKind: ResponseOf<Routes["health"]>["store"];
  /** Absolute. */
  readonly home: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The person's token. */
  readonly token: string;
  /** Our own data directory, which no agent may read. */
  readonly data?: string;
  /** The model of chats that name none; default: the one that is set. */
  readonly model?: Model;
  /** What is set about models; default: nothing, and what is entered ends with the process. */
  readonly models?: ModelSettings;
  /** This machine; sessions made here have their files here. */
  readonly machine?: string;
  /** Who raises an ask in a session that does not say. */
  readonly asking?: NewSession["asking"];
  /** How long an ask stays answerable, in milliseconds; null, the default, for ever. */
  readonly askLife?: number | null;
  readonly asksPerMinute?: number;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly log?: Log;
  readonly version?: string;
  /** The built web pages; null where there are none. */
  readonly pages?: string | null;
  /** `host:port` as a client may name us; null, the default: not looked at. */
  readonly hosts?: () => readonly string[] | null;
  /** The address at which another device reaches us; null, the default: none. */
  readonly reachable?: () => string | null;
  /** Push notices to browsers that ask for them; none, the default. */
  readonly push?: Pick<PushPorts, "key" | "contact" | "fetch">;
  readonly sandbox?: Sandbox;
  /** The policy of a workspace; default: of the files on disk. */
  readonly policyFor?: PolicyFor;
  /** For a store that several processes share: what tells them of each other. */
  readonly shared?: { readonly signals: Signals; readonly leases: Leases };
  /** Told of every change, after it was committed and before whoever made it is answered. */
  readonly changed?: (change: StoreChange) => void;
  /** Resolves when what programs have decided and kept beside the store is in it. */
  readonly catchUp?: () => Promise<void>;
  /** The agent of the host that this process is or belongs to, if its hooks have called from this workspace; default: none is known. */
  readonly hostAgent?: HostAgentOf;
  /** Milliseconds between two looks whether a client is still there. */
  readonly beat?: number;
}

/** A whole server in this process, not listening. */
export interface AssembledServer {
  readonly app: App;
  readonly agent: Agent;
  readonly hub: Hub;
  readonly store: Store;
  readonly views: Views;
  readonly metrics: Metrics;
  readonly shells: ShellReports;
  /** Where commands run; the end of a grant or session is told to it. */
  readonly sandbox: Sandbox;
  /** The person's token. */
  readonly token: string;
  /** The policy of a workspace, as its files say it now. */
  readonly policyFor: PolicyFor;
  /** The name of the model of chats that name none. */
  readonly model: () => string;
  /** Another word after each change of what agents may do. */
  mark(): string;
  /** A socket within the process, for a client in it. */
  connect(protocols: readonly string[]): SocketLike;
  /** Go on with unfinished chats. Until then nothing is taken up by itself. */
  start(): void;
  /** The first half of closing: runs come to a point where they can go on, everybody who listens or waits is let go. */
  drain(): Promise<void>;
  /** Stop: no new work, what runs is let finish or left where it can go on, waiting chats stay waiting. */
  close(): Promise<void>;
}

/** Put one together. */
export async function assemble(options: AssembleOptions): Promise<AssembledServer> {
  const { storeKind, home, env, platform, token, shared } = options;
  const caughtUpStore = options.catchUp === undefined ? options.store : caughtUp(options.store, options.catchUp);
  const { machine = "local", clock = systemClock, ids = randomIds, log = silentLog } = options;
  const models =
    options.models ?? createModelSettings({ file: null, keyring: null, env, fixed: options.model === undefined ? null : "offline", clock });
  const model = options.model ?? models.model;
  const askLife = options.askLife ?? null;
  const metrics = createMetrics();
  const sandbox = options.sandbox ?? createSandbox(defined({ lasting: true, env, path: env["PATH"] }));
  const runs = shared === undefined ? ownRuns(log) : sharedRuns({ ...shared, store: options.store, machine, sandbox, log });
  const shells = createShellReports((session) => hub.changed({ type: "session-changed", session }));
  const views = createViews({
    store: caughtUpStore,
    askLife,
    machine,
    shells,
    isThere: (other) => shared?.leases.isThere(other) ?? false,
    changes: (ask) => agent.changes(ask),
    elsewhere: () => elsewhere,
  });
  const elsewhere =
    shared === undefined
      ? null
      : createElsewhere({ ...shared, machine, ids, log, here: () => ({ ...lookingHere(appPorts), ask: askRoutes(appPorts).ask }) });
  const hub = createHub({
    store: options.store,
    views,
    ids,
    log,
    signals: shared?.signals ?? null,
    machine,
    signedIn: async () => new Set((await options.store.browsers(digestOf(token))).map(({ id }) => id)),
    asked: (ask) => waiting?.look(ask),
    onSignal: (what, id) => runs.onSignal(what, id),
    gap() {
      runs.gap();
      waiting?.lookAll();
    },
    ...defined({ beat: options.beat }),
  });
  const push =
    options.push === undefined ? null : createPushNotices({ ...options.push, store: options.store, owner: digestOf(token), clock, log });
  const watched = watchStore(caughtUpStore);
  let changes = 0;
  const store = observeStore(watched.store, (change) => {
    if (isOfAgents(change)) changes += 1;
    hub.changed(change);
    metrics.changed(change);
    if (change.type === "session-archived") shells.forget(change.session);
    // What sees the grant may run on another machine: it is told by name, and looks in the record.
    if (change.type === "grant-revoked" || change.type === "session-archived") tell("session", change.session);
    if (change.type === "ask-changed") tell("ask", change.ask);
    if (change.type === "ask-opened") push?.opened(change.ask.id);
    options.changed?.(change);
  });
  const tell = (kind: "session" | "ask", id: string): void => {
    shared?.signals.send({ kind, id }).catch((error: unknown) => {
      log.warn({ kind, id, error: messageOf(error) }, "telling other processes of a change failed");
    });
  };
  const policyFor = options.policyFor ?? createPolicyFor(defined({ home, env, platform, data: options.data }));
  const agent = createAgent({
    store,
    model,
    modelNamed: (name) => models.open(name),
    home,
    machine,
    isShared: shared !== undefined,
    policyFor,
    clock,
    ids,
    sandbox,
    askLife,
    listener: (event) => hub.heard(event),
    fault: (chat, error) => runs.fault(chat, error),
    ...defined({ lease: runs.lease, asksPerMinute: options.asksPerMinute, asking: options.asking }),
  });
  const appPorts: AppPorts = {
    hostAgent: options.hostAgent ?? (() => null),
    store,
    storeKind,
    isStoreWell: watched.isWell,
    agent,
    hub,
    views,
    policyFor,
    home,
    env,
    platform,
    clock,
    ids,
    machine,
    shells,
    elsewhere,
    model: () => model.name,
    models,
    version: options.version ?? "0",
    startedAt: clock(),
    token,
    hosts: options.hosts ?? (() => null),
    reachable: options.reachable ?? (() => null),
    pushKey: options.push?.key.publicKey ?? null,
    pages: options.pages ?? null,
    log,
    metrics: () =>
      metrics.text({
        openAsks: () => store.openAsks(),
        sockets: () => hub.listeners,
        runs: () => agent.runs,
        dropped: () => hub.dropped,
      }),
  };
  const inner = createApp(appPorts);
  const waiting =
    shared === undefined
      ? null
      : watchWaitingYeses({
          store,
          agent,
          machine,
          log,
          clock,
          keep: (grant, workspace, by) => keepAndRecord(appPorts, { grant, workspace }, by),
          showAgain: (ask) => hub.showAgain(ask),
        });
  const app: App = {
    ...inner,
    async fetch(request) {
      const began = performance.now();
      const response = await inner.fetch(request);
      metrics.request(request.method, new URL(request.url).pathname, response.status, (performance.now() - began) / 1000);
      return response;
    },
  };
  let closing: Promise<void> | null = null;
  let draining: Promise<void> | null = null;
  const drain = async (): Promise<void> => {
    await agent.close();
    await hub.close();
  };
  const close = async (): Promise<void> => {
    waiting?.close();
    await (draining ??= drain());
    await runs.close();
    await elsewhere?.close();
    metrics.close();
    await shared?.signals.close();
    await options.store.close();
  };
  return {
    app,
    agent,
    hub,
    views,
    store,
    token,
    metrics,
    shells,
    sandbox,
    policyFor,
    mark: () => String(changes),
    model: appPorts.model,
    start() {
      runs.start(agent);
      shared?.leases.onChange(() => waiting?.lookAll());
      waiting?.lookAll();
    },
    connect: (protocols) => socketWithin({ hub, callerOf: app.callerOf }, protocols),
    drain: () => (draining ??= drain()),
    close: () => (closing ??= close()),
  };
}
