// No sandbox. Commands are not run: what cannot be confined is a person's decision, each time. `runUnconfined` is what happens after a
// person decided so, for one call, and says so in its result.

import { resolveDir } from "../core/fs/resolve.ts";
import type { RealPath } from "../core/names.ts";
import { startChild } from "./child.ts";
import { endOf, type CommandOutcome, type RunOptions, type Sandbox, stopped, type CommandStop } from "./port.ts";

/** A sandbox that never runs anything, and says why. */
export function createNone(why: string): Sandbox {
  return {
    name: "none",
    ready: () => Promise.resolve(why),
    run: () => Promise.resolve(stopped("sandbox-unavailable", why)),
    revoke() {},
    endSession() {},
  };
}

/** What a yes to an unconfined command is a yes to: writing anywhere. Null where the machine has no such place. */
export function filesystemRoot(): RealPath | null {
  const resolved = resolveDir("/");
  return resolved.ok ? resolved.dir : null;
}

/**
 * Run a command with everything the user may do. Only after a person said yes to exactly this call.
 * It gets none of our environment and is stopped with all of its process group; what leaves the group is not found.
 */
export async function runUnconfined(command: string, options: RunOptions): Promise<CommandOutcome> {
  const { session, cwd, time, outputBytes, signal } = options;
  if (signal?.aborted === true) return stopped("session-closed", "the command was called off before it began");
  const child = startChild({
    file: "/bin/bash",
    args: ["-c", "--", command],
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: session.home, LANG: "C.UTF-8", TERM: "dumb" },
    cwd,
    channels: 0,
    inputs: [],
    descriptors: [],
    group: true,
    attached: false,
    outputBytes,
  });
  const cuts: CommandStop[] = [];
  const stop = (why: CommandStop) => (): void => {
    cuts.push(why);
    child.kill();
  };
  const late = stop(stopped("timeout", `the command did not end within ${time ?? 0} ms and was stopped`));
  const timer = time === null ? undefined : setTimeout(late, time);
  const abort = stop(stopped("session-closed", "the command was called off"));
  signal?.addEventListener("abort", abort, { once: true });
  const ended = await child.ended;
  const { exitCode, stdout, stderr, truncated, endless } = ended;
  clearTimeout(timer);
  signal?.removeEventListener("abort", abort);
  const [cut] = cuts;
  if (cut !== undefined) return { ...cut, printed: endOf(ended) };
  if (endless) return { ...stopped("output-truncated", "the command printed without end and was stopped"), printed: endOf(ended) };
  if (exitCode === null) return stopped("sandbox-unavailable", "bash could not be started");
  return { ok: true, exitCode, stdout, stderr, truncated, setAside: [], leftOut: [] };
}
