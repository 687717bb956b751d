// Proves that an installed hook is armed: the installed command is started as the host would start it, once with a call that must be
// stopped and once with one that must not, and its words are read as the host reads them.

import { show } from "../../core/path/show.ts";
import type { HookHost, ProcessEnd, Words } from "./host-call.ts";
import { isHostName } from "./host-table.ts";
import { hookHosts } from "./hosts/all.ts";

export interface CanaryPorts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** This very program, where no command is given. */
  readonly self: readonly string[];
}

export interface Canary {
  readonly armed: boolean;
  readonly why: string;
}

export const ARMED = "a secret is stopped, a file in the workspace is not";

/** `--canary <host> [-- command…]`: exit 0 and `armed`, or exit 2 and why not. */
export async function runCanary(args: readonly string[], ports: CanaryPorts): Promise<Words> {
  const [name, dashes, ...command] = args;
  if (!isHostName(name) || (dashes !== undefined && (dashes !== "--" || command.length === 0)))
    return { exit: 2, stderr: "hallpass: hook --canary <host> [-- <the installed command>]\n" };
  const { armed, why } = await fireCanary(hookHosts[name], command.length === 0 ? [...ports.self, name] : command, ports);
  return armed ? { exit: 0, stdout: `armed: ${name}: ${why}\n` } : { exit: 2, stderr: `not armed: ${name}: ${why}\n` };
}

/** One word is a shell's command line, as hosts keep it; several are a program and its words. */
export async function fireCanary(
  host: HookHost,
  command: readonly string[],
  { cwd, env }: Pick<CanaryPorts, "cwd" | "env">,
  milliseconds = 15_000,
): Promise<Canary> {
  // A key that need not exist: secrets are shut by their name, whatever the policy.
  const shut = `${env["HOME"] ?? ""}/.ssh/id_hallpass_canary`;
  const stopped = await run(command, JSON.stringify(host.sample({ path: shut, cwd })), { cwd, env, milliseconds });
  if (!host.blocks(stopped)) return { armed: false, why: `reading a secret was not stopped (${describeEnd(stopped)})` };
  const plain = await run(command, JSON.stringify(host.sample({ path: `${cwd}/hallpass-canary.txt`, cwd })), { cwd, env, milliseconds });
  if (host.blocks(plain)) return { armed: false, why: `reading inside the workspace is stopped too (${describeEnd(plain)})` };
  return { armed: true, why: ARMED };
}

function describeEnd({ exit, stdout, stderr }: ProcessEnd): string {
  const text = (stderr.trim() === "" ? stdout : stderr).trim().slice(0, 300);
  return `exit ${exit ?? "by a signal, or it did not start"}${text === "" ? ", no words" : `: ${show(text)}`}`;
}

/** One word is a shell's command line; several are a program and its words. */
export async function run(
  command: readonly string[],
  input: string,
  { cwd, env, milliseconds }: { readonly cwd: string; readonly env: CanaryPorts["env"]; readonly milliseconds: number },
): Promise<ProcessEnd> {
  // Loaded where it is used: hooks start no program, and this stands in one file with what they need.
  const { execFile } = await import("node:child_process");
  return new Promise((resolve) => {
    const [program = "", ...args] = command;
    const options = { cwd, env, shell: command.length === 1, timeout: milliseconds, killSignal: "SIGKILL" } as const;
    const child = execFile(program, args, options, (_error, stdout, stderr) => resolve({ exit: child.exitCode, stdout, stderr }));
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
