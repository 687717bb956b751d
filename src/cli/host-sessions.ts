// Where the sessions of a host are kept: with the daemon of this user where one runs, else in an app of this process's own, which is made
// with the first of them. What `hallpass mcp` and `hallpass acp` open their host sessions at.

import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { randomIds, systemClock } from "../core/clock.ts";
import type { SessionId } from "../core/names.ts";
import { realHome } from "../core/session/session.ts";
import type { HostSession, HostIdentity } from "../adapters/host-session/host-session.ts";
import type { GrantEndListener } from "../adapters/host-session/kept-state.ts";
import type { PolicyFor } from "../config/policy-for.ts";
import type { AppConnection } from "../wire/connection.ts";
import type { Host } from "./host.ts";

export interface HostSessionsPlan {
  /** `mcp` or `acp`: which host it is, and where its person answers, for the record. */
  readonly via: string;
  /** Never use a daemon. */
  readonly alone: boolean;
  /** Start a daemon where none runs, unless this workspace could have a say in it. */
  readonly start?: { readonly workspace: string };
  /** Told of each grant that has ended, and how: what still runs under it is to be stopped. */
  readonly ended?: GrantEndListener;
  /** Told of a session that has ended: what still runs in it is to be stopped. */
  readonly over?: (session: SessionId) => void;
}

export interface HostSessions {
  /** Are they the daemon's? Else they end with this process. */
  readonly shared: boolean;
  open(identity: Omit<HostIdentity, "host">): Promise<HostSession>;
  /** A key for one purpose that is the same after a restart and that no client can know; null where nothing outlives this process. */
  readonly keyFor: ((purpose: string) => Uint8Array) | null;
  /** After the host sessions: let go of the daemon, or end the app. */
  close(): Promise<void>;
}

/** Milliseconds to wait for a daemon that was just started: hosts wait longer for a server's first reply. */
const STARTING = 8_000;

/** Looks for the daemon once, now, and starts it where that is wanted: a host that started without one stays without. */
export async function findHostSessions(host: Host, { via, alone, start, ended, over }: HostSessionsPlan): Promise<HostSessions> {
  const { env, platform } = host;
  const home = realHome(host.home);
  const opened: AppConnection[] = [];
  let isClosed = false;
  const reach = async (): Promise<AppConnection | null> => {
    const { reachDaemon } = await import("./daemon-connection.ts");
    const daemon = await reachDaemon(host, via);
    if (daemon === null) return null;
    opened.push(daemon);
    if (!isClosed) return daemon;
    // Nobody else would close it.
    await daemon.close();
    return null;
  };
  const started = async (workspace: string): Promise<AppConnection | null> => {
    const [{ startDaemon }, { placeOf }] = await Promise.all([import("./start-daemon.ts"), import("../server/daemon-place.ts")]);
    const { dir: data } = placeOf({ home, env, platform });
    if (!startDaemon({ data, home, env, platform, workspace, from: process.argv[1] ?? "" })) return null;
    for (const until = performance.now() + STARTING; performance.now() < until; await pause(100)) {
      const daemon = await reach();
      if (daemon !== null) return daemon;
    }
    return null;
  };
  const daemon = alone ? null : ((await reach()) ?? (start === undefined ? null : await started(start.workspace)));
  let own: Promise<AppConnection> | null = null;
  const openOwn = async (): Promise<AppConnection> => {
    const { openApp } = await import("../server/open-app.ts");
    return openApp({ home, env, platform, via });
  };
  let policyFor: PolicyFor | null = null;
  return {
    shared: daemon !== null,
    keyFor: daemon === null ? null : (purpose) => createHmac("sha256", daemon.client.token).update(purpose).digest(),
    // Loaded with the first host session, so that a host's greeting is answered at once.
    async open(identity) {
      const { openHostSession } = await import("../adapters/host-session/open.ts");
      const { createPolicyFor } = await import("../config/policy-for.ts");
      policyFor ??= createPolicyFor({ home, env, platform });
      return openHostSession({
        connection: daemon ?? (await (own ??= openOwn())),
        home,
        clock: systemClock,
        ids: randomIds,
        policyFor,
        identity: { ...identity, host: via },
        ...(daemon === null ? {} : { reconnect: reach }),
        ...(ended === undefined ? {} : { ended }),
        ...(over === undefined ? {} : { over }),
      });
    },
    async close() {
      isClosed = true;
      for (const one of opened) await one.close();
      await (await own)?.close();
    },
  };
}
