// What this machine has to confine commands with: which bubblewrap, what it can do, and whether it works at all. Found out once, by trying.

import { show } from "../core/path/show.ts";
import { startChild } from "./child.ts";
import { confinement, scratch } from "./command-line.ts";
import { isTrusted, lookAtMachine, type Machine } from "./machine.ts";
import { callFilter } from "./system-calls.ts";

export interface Ability {
  readonly bwrap: string;
  readonly bash: string;
  readonly machine: Machine;
  /** Can it forbid further namespaces inside? */
  readonly disableUserns: boolean;
  /** Can it limit the size of a temporary file system? */
  readonly sizes: boolean;
  /** What system calls it lets pass; null where this processor's are not known, or the kernel does not filter. */
  readonly filter: Buffer | null;
}

export interface AbilityOptions {
  /** Where bubblewrap is, absolute; it is never looked up in PATH. */
  readonly bwrap?: string;
}

const PLACES = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** What there is, or a sentence why commands cannot be confined, without a full stop. */
export async function lookForAbility({ bwrap: given }: AbilityOptions): Promise<Ability | string> {
  if (process.platform !== "linux") return "commands are confined on Linux only, for now";
  const bwrap = given ?? PLACES.find(isTrusted);
  if (bwrap === undefined) return "bubblewrap is not installed (on Debian and Ubuntu: apt install bubblewrap)";
  if (!bwrap.startsWith("/") || !isTrusted(bwrap)) return `${show(bwrap)} is not a program that only its owner can change`;
  const machine = lookAtMachine();
  const { bash } = machine;
  if (bash === null) return "there is no bash on this machine";
  const plain = { file: bwrap, env: {}, cwd: "/", channels: 0, descriptors: [], group: false, attached: false, outputBytes: 64 * 1024 };
  const { stdout: help } = await startChild({ ...plain, args: ["--help"], inputs: [] }).ended;
  const has = (option: string): boolean => help.includes(`${option} `);
  const able: Ability = {
    bwrap,
    bash,
    machine,
    disableUserns: has("--disable-userns"),
    sizes: has("--size"),
    filter: callFilter(process.arch),
  };
  const setting = [...confinement(able, "none"), "--new-session", ...machine.args("none"), ...scratch("/tmp", able), "--remount-ro", "/"];
  const attempt = async (filter: Buffer | null): Promise<string | null> => {
    const args = [...setting, ...(filter === null ? [] : ["--seccomp", "3"]), "--", bash, "-c", "echo ready"];
    const { stdout, stderr } = await startChild({ ...plain, args, inputs: [filter ?? ""] }).ended;
    return stdout === "ready\n" ? null : firstLine(stderr);
  };
  if ((await attempt(able.filter)) === null) return able;
  const wrong = await attempt(null);
  return wrong === null ? { ...able, filter: null } : `bubblewrap does not work here (${wrong}); are user namespaces turned off?`;
}

/** The first line of what a program complained about, fit to be shown. */
export function firstLine(text: string): string {
  return show(text.split("\n").find((line) => line !== "") ?? "it said nothing").replace(/^bwrap: /, "");
}
