// Which sandbox this machine has, and the port to it.

import { type BubblewrapOptions, createBubblewrap } from "./bubblewrap.ts";
import { createNone } from "./none.ts";
import type { Sandbox } from "./port.ts";

export type SandboxOptions = BubblewrapOptions;

/** The sandbox for this platform. Nothing is looked for before the first command, so that making one costs nothing. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return process.platform === "linux" ? createBubblewrap(options) : createNone("commands are confined on Linux only, for now");
}

export interface SandboxDetection {
  readonly sandbox: Sandbox;
  /** Null where commands are confined; else a sentence why they are not. */
  readonly why: string | null;
}

/** Look now. Where nothing can confine, the sandbox is the one that never runs. */
export async function detect(options: SandboxOptions = {}): Promise<SandboxDetection> {
  const sandbox = createSandbox(options);
  const why = await sandbox.ready();
  return why === null ? { sandbox, why } : { sandbox: createNone(why), why };
}
