// The processes of hosts whose hooks have called: when one is gone, so are its agents, and their sessions end. Known on Linux, from the
// process that started the hook upwards; elsewhere nothing is known, and the idle time counts. Kept in memory: a daemon that starts anew
// learns of a host with its next call.

import { readlinkSync, statSync } from "node:fs";
import type { HostedSessions } from "../agent/hosted.ts";
import { bornAt, isThere, processAbove, type ProcessId, terminalOf } from "../sandbox/processes.ts";

/** An agent by the names that its host has for it. */
type HostAgent = Parameters<HostedSessions["leave"]>[0];

/** Null where none is known. */
export type HostAgentOf = (process: ProcessId, workspace: string) => HostAgent | null;

/** What hosts start their hooks with: such a process ends with the hook. */
const BETWEEN: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "env", "timeout", "hallpass-hook"]);

export function createHostProcesses() {
  /** The last one heard from is the last. */
  const entries = new Map<string, { readonly agent: HostAgent; readonly process: ProcessId }>();
  const nameOf = ({ host, hostSession, workspace }: HostAgent): string => JSON.stringify([host, hostSession, workspace]);
  return {
    /** A hook that this process started has called for the agent. */
    heardFrom(agent: HostAgent, parent: number): void {
      const name = nameOf(agent);
      const earlier = entries.get(name);
      entries.delete(name);
      // One look a call. A host that came back under the same name is another process.
      const process = earlier !== undefined && isThere(earlier.process) ? earlier.process : processAbove(parent, BETWEEN);
      if (process !== null) entries.set(name, { agent, process });
    },
    /** The agent has left by its own word. */
    left: (agent: HostAgent): void => void entries.delete(nameOf(agent)),
    /** The last agent in this workspace that was heard from, of the host that started this process, or is it. */
    agentOf(starter: ProcessId, workspace: string): HostAgent | null {
      // INVARIANT: known by the kernel's word alone. Nothing that a project could set is asked.
      const host = bornAt(starter.pid) === starter.born ? processAbove(starter.pid, BETWEEN) : null;
      const candidates = [...entries.values()].filter(
        ({ agent, process }) => agent.workspace === workspace && process.pid === host?.pid && process.born === host.born,
      );
      return candidates.at(-1)?.agent ?? null;
    },
    /** Tell of every agent whose host is gone, once. */
    async look(gone: (agent: HostAgent) => Promise<void>): Promise<void> {
      for (const [name, entry] of entries) {
        if (isThere(entry.process)) continue;
        entries.delete(name);
        await gone(entry.agent);
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

/**
 * Has the process, which `parent` started, a terminal of the host above it? Not one that the host made for its command. Yes, where that cannot be told. In a session
 * of its own it may have the host's terminal without being controlled by it: then the kernel keeps nobody there from reading it.
 */
export function hasHostsTerminal(pid: number, parent: number): boolean {
  const own = terminalsOf(pid);
  if (own === null || own.has(ANY_TERMINAL)) return true;
  if (own.size === 0) return false;
  const host = processAbove(parent, BETWEEN);
  const hosts = host === null ? null : terminalsOf(host.pid);
  return hosts === null || [...own].some((terminal) => hosts.has(terminal));
}

/** `/dev/tty`, opened by whoever had a terminal then. */
const ANY_TERMINAL = 0x500;
/** The kernel's number of devices like `/dev/null`. */
const MEMORY_DEVICES = 1;

/** The terminals of a process, by the kernel's numbers: that which controls it, and its input and outputs. Null where that cannot be told. */
function terminalsOf(pid: number): ReadonlySet<number> | null {
  const controlling = terminalOf(pid);
  if (controlling === null) return null;
  try {
    const files = [0, 1, 2].map((number) => statSync(`/proc/${pid}/fd/${number}`, { throwIfNoEntry: false }));
    const devices = files.flatMap((file) => (file?.isCharacterDevice() === true && file.rdev >> 8 !== MEMORY_DEVICES ? [file.rdev] : []));
    return new Set(controlling === "0" ? devices : [Number(controlling), ...devices]);
  } catch {
    return null;
  }
}
