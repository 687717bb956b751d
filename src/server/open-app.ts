// An app in this process: the same routes, asks, grants and record as the daemon's, without a port. For programs that put an agent behind a
// screen of their own, and for a chat, an editor or an MCP server where no daemon runs.

import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import type { Model } from "../agent/ports.ts";
import { randomIds } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { createMemoryStore } from "../store/memory.ts";
import { type AppConnection, connectApp } from "../wire/connection.ts";
import { assemble, type AssembleOptions } from "./assemble.ts";
import { machineIn, makeDir, placeOf } from "./daemon-place.ts";
import { takeLock } from "./lock.ts";

/** What `openApp` is told. Nothing is needed. */
export interface OpenAppOptions extends Partial<Pick<AssembleOptions, "env" | "platform" | "policyFor" | "clock" | "ids">> {
  /**
   * The directory that keeps chats, asks, grants and the record; absolute, and made where it is missing. It is for one process at a time, and
   * no agent can open it. Without one everything ends with the process.
   */
  readonly data?: string;
  /** The home directory of the user; by default the one of this process. */
  readonly home?: string;
  /** A model, or the name of one (`anthropic/claude-sonnet-5-5`), whose key is taken from `env`. By default the built-in agent, which needs no key. */
  readonly model?: Model | string;
  /** Where the person answers, for the record: `terminal`, `mcp`, the name of your program. `app` by default. */
  readonly via?: string;
}

/** An app in this process, and the only connection to it. */
export interface OwnApp extends AppConnection {
  /** Resolves when every chat is done, has failed or waits for a person. */
  settled(): Promise<void>;
}

/**
 * Open an app in this process, and go on with the chats that its data directory holds. Rejects with a `HallpassError` where another process
 * uses the directory (`io-error`), others may write to it (`os-denied`) or the model cannot be opened (`bad-request`).
 */
export async function openApp(options: OpenAppOptions = {}): Promise<OwnApp> {
  const model = await openNamed(options);
  const { release, ...opened } = await openData(options);
  try {
    const { start, ...app } = await openAppOn(opened, { ...options, model });
    start();
    return { ...app, close: () => app.close().finally(release) };
  } catch (error) {
    await opened.store.close();
    release();
    throw error;
  }
}

type OpenedStore = Pick<AssembleOptions, "store" | "storeKind" | "machine">;

/** The same on a store that is open already, which is closed with it. Its chats are left alone until it is started. */
export async function openAppOn(
  opened: OpenedStore,
  options: Omit<OpenAppOptions, "model"> & Pick<AssembleOptions, "model" | "models">,
): Promise<OwnApp & { start(): void }> {
  const { home = homedir(), env = process.env, platform = process.platform, ids = randomIds, via = "app", ...rest } = options;
  // Nobody but this process can reach it: its token is told to no one.
  const token = `${ids()}${ids()}`;
  const { app, agent, connect, mark, start, close } = await assemble({ ...rest, ...opened, home, env, platform, ids, token });
  const connection = connectApp({
    address: "http://127.0.0.1",
    token,
    fetch: (request) => app.fetch(request),
    via,
    connect,
    where: "process",
    durable: opened.storeKind !== "memory",
    // A database that others change too tells nothing here.
    mark: opened.storeKind === "postgres" ? () => null : mark,
    close,
  });
  return {
    ...connection, // Also what another process left, and nothing here has looked at yet.
    settled: () => agent.takeUp(),
    start,
  };
}

/** The store of the data directory, which no other process may use until it is released; one in memory where there is none. */
async function openData({
  data,
  home = homedir(),
  env = process.env,
  platform = process.platform,
}: OpenAppOptions): Promise<OpenedStore & { release(): void }> {
  if (data === undefined) return { store: createMemoryStore(), storeKind: "memory", release() {} };
  if (!isAbsolute(data)) throw new HallpassError("bad-request", `\`data\` must be an absolute path, and \`${show(data)}\` is not`);
  const place = placeOf({ home, env, platform, data });
  makeDir(place);
  const lock = takeLock(place.lock);
  if (lock === null)
    throw new HallpassError("io-error", `another process uses \`${show(data)}\`: stop it first, or choose another directory`);
  try {
    const { openSqliteStore } = await import("../store/sqlite.ts");
    const store = await openSqliteStore({ file: place.store });
    return { store, storeKind: "sqlite", machine: machineIn(place), release: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openNamed({ model = "offline", env = process.env }: OpenAppOptions): Promise<Model> {
  if (typeof model !== "string") return model;
  const { openModel } = await import("../agent/models/providers.ts");
  try {
    return openModel(model, { env });
  } catch (error) {
    throw new HallpassError("bad-request", error instanceof Error ? error.message : "the model cannot be opened");
  }
}
