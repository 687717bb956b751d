// The files of a scene, and an app in this process that keeps its sessions, for doors that an agent's host or an editor speaks to.

import { openHostSession } from "../../src/adapters/host-session/open.ts";
import type { HostSession } from "../../src/adapters/host-session/host-session.ts";
import { scriptedModel, type Script } from "../../src/agent/models/scripted.ts";
import { openApp, type OwnApp } from "../../src/server/open-app.ts";
import { createPolicyFor } from "../../src/config/policy-for.ts";
import { randomIds, systemClock } from "../../src/core/clock.ts";
import { openScene, type Scene } from "./scene.ts";

export const ports = { clock: systemClock, ids: randomIds };

export interface AppScene extends Scene {
  readonly own: OwnApp;
  hostSession(host: string, workspace: string, hostSession: string): Promise<HostSession>;
  end(): Promise<void>;
}

export async function openAppScene(script: Script): Promise<AppScene> {
  const scene = openScene();
  const around = { home: scene.home, env: {}, platform: process.platform };
  const own = await openApp({ ...around, ...ports, via: "fuzz", model: scriptedModel(script) });
  const policyFor = createPolicyFor(around);
  return {
    ...scene,
    own,
    hostSession: (host, workspace, hostSession) =>
      openHostSession({ ...ports, connection: own, home: scene.home, policyFor, identity: { host, hostSession, workspace, leaves: true } }),
    async end() {
      await own.close();
      scene.close();
    },
  };
}
