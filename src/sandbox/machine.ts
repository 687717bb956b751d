// What a command needs of the machine to run programs at all, and no more: programs and libraries read-only, a handful of files of
// /etc, fresh /proc, /dev and /tmp. Not the home directories, not the rest of /etc, no /sys, /run or /var.

import { readdirSync } from "node:fs";
import { isEmpty } from "../core/fs/at.ts";
import { type Pin, pin } from "../core/fs/pin.ts";
import { resolveTarget } from "../core/fs/resolve.ts";
import { isInside } from "../core/path/contain.ts";
import { type DirState, stateAt } from "./disk.ts";

/** Programs and libraries. Owned by root, so they may be bound by name. */
const PROGRAMS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store", "/run/current-system"];
/** Parts of /usr in which people keep work and settings. */
const NOT_PROGRAMS = ["/usr/src", "/usr/local/src", "/usr/local/etc", "/usr/local/var", "/usr/home"];
/** Who is who, where libraries are, which program is meant by a name, the time zone, how keys are made. */
const SETTINGS = [
  "/etc/passwd",
  "/etc/group",
  "/etc/ld.so.cache",
  "/etc/alternatives",
  "/etc/localtime",
  "/etc/os-release",
  "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/openssl.cnf",
  "/etc/crypto-policies/back-ends",
];
/** Settings without which programs of /usr do not start. What else lies beside them may hold passwords (Maven's `settings.xml`). */
const PROGRAM_SETTINGS = ["/etc/maven/m2.conf", "/etc/maven/logging"];
/** The same of each Java. `management` is where passwords for remote control are kept. */
const JAVA_SETTINGS = /^java-[\w.-]+$/;
const JAVA_PRIVATE = "management";
/** Only where the command has the network: how machines are found, and whom to believe. */
const NETWORK_SETTINGS = [
  "/etc/nsswitch.conf",
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/services",
  "/etc/ssl/certs",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
];

export interface Machine {
  /** Arguments for bubblewrap, by what the command has of the network. */
  args(network: "none" | "host"): readonly string[];
  /** Directories that programs may be run from. */
  readonly programs: readonly string[];
  /** An absolute path, or null where there is no bash. */
  readonly bash: string | null;
}

/** Look at the machine once. */
export function lookAtMachine(bash: readonly string[] = ["/bin/bash", "/usr/bin/bash", "/run/current-system/sw/bin/bash"]): Machine {
  const programs = PROGRAMS.flatMap(showingArguments);
  const settings = [...[...SETTINGS, ...PROGRAM_SETTINGS].flatMap(showingArguments), ...javaSettings()];
  const networkSettings = NETWORK_SETTINGS.flatMap(showingArguments);
  const places = NOT_PROGRAMS.filter((path) => realOf(path) === path).map((path) => ({ path, empty: stateIfEmpty(path) }));
  return {
    args(network) {
      // Usually they hold nothing, and a mount less is a mount less. Whether they still do is told by when they last changed.
      const hidden = places.filter(({ path, empty }) => empty === null || stateAt(path)?.changed !== empty.changed);
      const masks = hidden.flatMap(({ path }) => emptyDir(path));
      return [...programs, ...masks, ...settings, ...(network === "host" ? networkSettings : [])];
    },
    programs: PROGRAMS.filter((path) => realOf(path) !== null),
    bash: bash.find((path) => isTrusted(path)) ?? null,
  };
}

const emptyDir = (path: string): readonly string[] => ["--perms", "0555", "--tmpfs", path, "--remount-ro", path];

function javaSettings(): readonly string[] {
  const dirs = namesIn("/etc").filter((name) => JAVA_SETTINGS.test(name));
  return dirs.flatMap((name) => {
    const dir = `/etc/${name}`;
    const hidden = namesIn(dir).includes(JAVA_PRIVATE) ? emptyDir(`${dir}/${JAVA_PRIVATE}`) : [];
    return realOf(dir) === dir ? [...showingArguments(dir), ...hidden] : [];
  });
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** The state of a directory with nothing in it; null if there is something, or it cannot be told. */
function stateIfEmpty(path: string): DirState | null {
  const state = stateAt(path);
  try {
    const at = pin(path);
    try {
      return isEmpty(at) ? state : null;
    } finally {
      at.close();
    }
  } catch {
    return null;
  }
}

/** Is it a program that root put there, and nobody else may change? Or our own user's, where that is who installs programs. */
export function isTrusted(path: string): boolean {
  const real = realOf(path);
  if (real === null) return false;
  let file: Pin;
  try {
    file = pin(real);
  } catch {
    return false;
  }
  const { mode, uid } = file.facts;
  const { kind } = file;
  file.close();
  return kind === "file" && (mode & 0o111) !== 0 && (mode & 0o022) === 0 && (uid === 0 || uid === process.geteuid?.());
}

/** Arguments that show the path as it is on the machine: a link into /usr as a link, everything else bound read-only. */
function showingArguments(path: string): readonly string[] {
  const real = realOf(path);
  if (real === null) return [];
  return real !== path && isInside("/usr", real) ? ["--symlink", real, path] : ["--ro-bind", real, path];
}

function realOf(path: string): string | null {
  const { target } = resolveTarget(path);
  target.pin?.close();
  return target.state === "present" && target.kind !== "other" ? target.path : null;
}
