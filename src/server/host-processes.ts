// The processes of hosts whose hooks have called: when one is gone, so are its agents, and their sessions end. Known on Linux, from the
// process that started the hook upwards; elsewhere nothing is known, and the idle time counts. Kept in memory: a daemon that starts anew
// learns of a host with its next call.

import { readlinkSync } from "node:fs";
import type { Hosted } from "../agent/hosted.ts";
import { isThere, processAbove, type ProcessId } from "../sandbox/processes.ts";

/** An agent by the names that its host has for it. */
type HostAgent = Parameters<Hosted["leave"]>[0];

export interface HostProcesses {
  /** A hook that this process started has called for the agent. */
  heardFrom(agent: HostAgent, parent: number): void;
  /** Tell of every agent whose host is gone, once. */
  look(gone: (agent: HostAgent) => Promise<void>): Promise<void>;
}

/** What hosts start their hooks with: such a process ends with the hook. */
const BETWEEN: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "env", "timeout", "hallpass-hook"]);

export function createHostProcesses(): HostProcesses {
  const known = new Map<string, { readonly agent: HostAgent; readonly process: ProcessId }>();
  return {
    heardFrom(agent, parent) {
      const name = JSON.stringify([agent.host, agent.hostSession, agent.workspace]);
      const before = known.get(name);
      // One look a call. A host that came back under the same name is another process.
      if (before !== undefined && isThere(before.process)) return;
      const process = processAbove(parent, BETWEEN);
      if (process === null) known.delete(name);
      else known.set(name, { agent, process });
    },
    async look(gone) {
      for (const [name, one] of known) {
        if (isThere(one.process)) continue;
        known.delete(name);
        await gone(one.agent);
      }
    },
  };
}

/** Where the host works that started this process, itself or through a shell; null where that is not known. */
export function hostDirectory(parent: number): string | null {
  const host = processAbove(parent, BETWEEN);
  try {
    return host === null ? null : readlinkSync(`/proc/${host.pid}/cwd`);
  } catch {
    return null;
  }
}
