// Builds the command line of bubblewrap from a profile, and what runs first inside. Order matters: the machine, then roots, outer ones
// first, then what is read-only in them, then what is hidden in them.

import type { Identity } from "../core/fs/identity.ts";
import { isInside, parent } from "../core/path/contain.ts";
import { isSystemPlace } from "../core/policy/system-places.ts";
import type { Session } from "../core/session/session.ts";
import type { Ability } from "./ability.ts";
import type { Keeper, SessionProcesses } from "./keeper.ts";
import type { Area } from "./keeper-messages.ts";
import type { LaidCover } from "./laid-covers.ts";
import type { Machine } from "./machine.ts";
import type { RunOptions } from "./port.ts";
import type { CoveredEntry, SandboxMount } from "./mount-draft.ts";
import { bytesOf, isClosedToRoot, textOf } from "./disk.ts";
import { passedOn } from "./passed-environment.ts";

/**
 * Descriptors inside: 3 is the prelude's channel, 4 brings the arguments, 5 the filter, then come texts, files, the variables that only the command gets,
 * orders to lay covers, pins in the order of their mounts, and the directories of covers.
 */
const FIRST_TEXT = 6;

/** Bytes of the private /tmp and home directory. They are memory. */
export const SCRATCH_BYTES = 2 * 1024 ** 3;
/** The same of what programs share memory through, and of what must stay empty. */
const SHARED_BYTES = 256 * 1024 ** 2;
const EMPTY_BYTES = 4096;
/** Git's settings for the whole machine, which those of a repository overrule. */
export const GIT_SETTINGS = "/etc/gitconfig";
/** Package managers fail at once where there is no network, instead of trying for a minute. */
const OFFLINE = {
  npm_config_offline: "true",
  PIP_RETRIES: "0",
  UV_OFFLINE: "1",
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
} as const;
const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * What runs first inside: it compares what is mounted with what was pinned; tells which mount it finds for each cover, and which mounts there are, or what is wrong (not on
 * the command's outputs: it may be set up once more), and waits for the word; lets go of every descriptor but the first three; sets limits (no core files, files of 16 GiB) and variables; and runs the command.
 * Arguments: how many processes there may be, how many KiB each may have, the command, the descriptor that brings variables, how many pairs of path and
 * descriptor there are, those, and then of each cover its directory, a descriptor of that, and its name.
 * One line, so that the command's own lines are counted from 1; its names are gone when the command starts.
 *
 * RACE: a cover is looked for from within its directory, once that is known to be the one that was looked through. By its path it could be found in another
 * directory that stands there for this moment.
 */
const FIND_COVER = [
  'cd -P -- "$1" && [[ $PWD == "$1" && . -ef /proc/self/fd/$2 ]] || { printf "fault %q was moved while it was covered\\n" "$1"; exit 97; }',
  // What hides a file cannot be opened.
  "_id=-; if [[ ./$3 -ef /dev/null ]]; then _id=null",
  'elif [[ -r ./$3 && ( -f ./$3 || -d ./$3 ) ]]; then exec {_at}<"./$3"; while read -r _word _id && [[ $_word != mnt_id: ]]; do :; done </proc/self/fdinfo/$_at; exec {_at}<&-; fi',
  'echo "cover $_id"',
  "shift 3",
].join("; ");
const PRELUDE = [
  "_most=$1 _memory=$2 _command=$3 _from=$4 _pairs=$5; shift 5",
  'for (( ; _pairs > 0; _pairs -= 1)); do [[ $1 -ef /proc/self/fd/$2 ]] || { printf "fault %q was replaced while it was mounted\\n" "$1" >&3; exit 97; }; shift 2; done',
  `(($# == 0)) || (while (($# > 0)); do ${FIND_COVER}; done) >&3 || exit 97`,
  // As one text: a list of a thousand mounts is written line by line, each in a message of its own.
  "IFS= read -r -d '' _table </proc/self/mountinfo; [[ -n $_table ]] && printf '%send\\n' \"$_table\" >&3 && IFS= read -r -u 3 _word && [[ $_word == go ]] || exit 97",
  '_given=(); while IFS= read -r -d "" _one; do _given+=("${_one%%=*}" "${_one#*=}"); done <&$_from',
  "_open=(/proc/self/fd/*)",
  'for _one in "${_open[@]}"; do _one=${_one##*/}; if ((_one > 2)); then eval "exec $_one<&-"; fi; done',
  'ulimit -c 0; ulimit -u "$_most"; ulimit -d "$_memory"; ulimit -f 16777216',
  // INVARIANT: a shell and a loader take orders from variables. What a person named is set once nothing of the outer disk is open any more, and once
  // none of these variables counts: a person's may have the same name. Unset first, a variable means nothing to bash any more (RANDOM, OPTIND).
  'set -- "${_given[@]}" "$_command"; unset -v _most _memory _command _from _pairs _table _word _given _open _one',
  'while (($# > 1)); do unset -v "$1" && export -- "$1=$2" && [[ ${!1} == "$2" ]] || { echo "hallpass: the variable $1 cannot be given: bash sets it itself" >&2; exit 126; }; shift 2; done',
  'eval "set --; $1"',
].join("; ");

export interface CommandLine {
  /** For bubblewrap itself. */
  readonly args: readonly string[];
  /** For bubblewrap, through descriptor 4: mounts, and the environment of everything that it starts. Bytes, one character each. */
  readonly mounts: readonly string[];
  /** What only the command gets, as `name=value`. Bytes, one character each. */
  readonly variables: readonly string[];
}

export interface CommandLineOptions extends RunOptions {
  readonly processes: number;
  /** Bytes. */
  readonly memory: number;
  /** The caller's PATH. */
  readonly path: string | undefined;
  /** Variables of the caller's that a command of nobody's terminal gets. */
  readonly passed: Readonly<Record<string, string>>;
  /** Small files that are shown, read-only, with these texts: bytes, one character each. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** What goes before the first program inside. */
  readonly before: readonly string[];
  /** What a keeper shows around the roots; absent where there is none. */
  readonly keptDirectories?: KeptDirectories;
  /** What of the mounts is there before bubblewrap starts, and the perl that lays it; absent where bubblewrap mounts everything. */
  readonly laid?: LaidCovers;
  /** What bubblewrap covers by name, to be found in the very directories that were looked through. */
  readonly covers: readonly CoveredEntry[];
}

export interface LaidCovers {
  readonly perl: string;
  readonly covers: readonly LaidCover[];
  /** By path, in bytes, what each was laid for. */
  readonly judged: ReadonlyMap<string, Identity>;
}

/** Directories that a keeper holds for the command. */
export interface KeptDirectories {
  /** Whose namespaces the sandbox is set up in. */
  readonly pid: number;
  /** The session's processes, which the command joins; null where it has its own. */
  readonly processes: SessionProcesses | null;
  /** Where each is seen, /tmp first, and where it is there. */
  readonly places: readonly { readonly dir: string; readonly from: string }[];
}

export function commandLine(command: string, mounts: readonly SandboxMount[], able: Ability, options: CommandLineOptions): CommandLine {
  const { session, cwd, network, processes, memory, path, before, attached, keptDirectories, laid, covers, files, passed } = options;
  const { machine, bash } = able;
  const isOurs = keptDirectories === undefined && laid === undefined;
  const laidCovers = new Set<SandboxMount>(laid?.covers);
  const texts = mounts.filter(isText);
  const textDescriptors = new Map(texts.map((mount, index) => [mount.path, String(FIRST_TEXT + index)]));
  const firstFile = FIRST_TEXT + texts.length;
  const fromVariables = firstFile + files.length;
  const firstPin = fromVariables + 1 + (laid === undefined ? 0 : 1);
  const pinned = mounts.filter(isPinned);
  const home = homeOf(session, machine);
  const isKept = keptDirectories?.places.some(({ dir }) => dir === home) === true;
  const ownHome = isKept || home === "/tmp" || mounts.some((mount) => isInside(mount.path, bytesOf(home))) ? [] : scratch(home, able);
  // Each is compared from inside with what was pinned, unless another mount lies over it, or nobody inside can look there.
  const unpinnedPaths = new Set(mounts.flatMap((mount) => (isPinned(mount) ? [] : [mount.path])));
  const compared = pinned.flatMap((mount, index) =>
    unpinnedPaths.has(mount.path) || isClosedToRoot(textOf(mount.path)) ? [] : [[textOf(mount.path), String(firstPin + index)]],
  );
  const found = covers.map(({ path: at, name }, index) => [parent(at), String(firstPin + pinned.length + index), name]);
  const roots = pinned.map((mount) => mount.path);
  const own = { PATH: visible(path, [...machine.programs, ...roots]), HOME: home, SHELL: bash, TMPDIR: "/tmp" };
  const given = Object.entries(attached?.env ?? passed).filter(([name]) => !(name in own));
  const harmless = passedOn(Object.fromEntries(given));
  const env = {
    LANG: "C.UTF-8",
    TERM: "dumb",
    ...(files.some(({ path: at }) => at === GIT_SETTINGS) ? { GIT_CONFIG_SYSTEM: GIT_SETTINGS } : {}),
    ...(network === "none" ? OFFLINE : {}),
    ...harmless,
    ...own,
  };
  const limits = [String(processes), String(Math.ceil(memory / 1024))];
  const bashArgs = ["bash", ...limits, command, String(fromVariables), String(compared.length), ...compared.flat(), ...found.flat()];
  return {
    args: ["--args", "4", "--", ...before, bash, "-c", PRELUDE, ...bashArgs],
    mounts: [
      ...confinement(able, network, keptDirectories?.processes ?? null),
      // There everybody is root.
      ...(isOurs ? [] : ["--uid", String(process.getuid?.() ?? 0), "--gid", String(process.getgid?.() ?? 0)]),
      // A terminal of its own session cannot be typed into. One that is shared could be, were it not for the filter.
      ...(attached === undefined || able.filter === null ? ["--new-session"] : []),
      ...(able.filter === null ? [] : ["--seccomp", "5"]),
      ...machine.args(network),
      ...files.flatMap(({ path: at }, index) => ["--ro-bind-data", String(firstFile + index), at]),
      ...(keptDirectories === undefined ? scratch("/tmp", able) : []),
      ...ownHome,
      ...(keptDirectories?.places ?? []).flatMap(({ dir, from }) => ["--bind", from, bytesOf(dir)]),
      ...mounts.flatMap((mount) => {
        if (laidCovers.has(mount)) return [];
        if (isText(mount)) return ["--ro-bind-data", textDescriptors.get(mount.path) ?? "", mount.path];
        return mountArguments(mount, able);
      }),
      ...mounts.flatMap((mount) => (mount.make === "hidden-dir" && !laidCovers.has(mount) ? ["--remount-ro", mount.path] : [])),
      "--remount-ro",
      "/",
      "--chdir",
      bytesOf(cwd),
      ...Object.entries(env).flatMap(([name, value]) => ["--setenv", bytesOf(name), bytesOf(value)]),
    ],
    variables: given.flatMap(([name, value]) => (name in harmless ? [] : [bytesOf(`${name}=${value}`)])),
  };
}

/**
 * Directories whose lookups may wait, outer ones first: the home directory, and the ceilings that lie elsewhere or around it, as far as the command does not
 * see them anyway. Of those that lie in each other, but for the home directory, the outer one.
 */
export function areasOf(session: Session, { mounts }: { readonly mounts: readonly SandboxMount[] }, { machine }: Ability): readonly Area[] {
  const systemDirs = [...machine.programs, "/etc"];
  const isFree = (dir: string): boolean => !mounts.some((mount) => isInside(mount.path, bytesOf(dir)));
  const home = homeOf(session, machine);
  const others = session.ceilings.filter(
    (dir) =>
      isFree(dir) &&
      !isSystemPlace(dir) &&
      !isInside(dir, "/tmp") &&
      !isInside(home, dir) &&
      !systemDirs.some((place) => isInside(place, dir) || isInside(dir, place)),
  );
  const outer = others.filter((dir) => !others.some((other) => other !== dir && isInside(other, dir)));
  return [...outer.map((dir) => ({ dir, writable: false })), ...(home !== "/tmp" && isFree(home) ? [{ dir: home, writable: true }] : [])];
}

type KeeperPlaces = Pick<Keeper, "pid" | "tmp" | "places" | "processes">;

export function keptDirectoriesOf({ pid, tmp, places, processes }: KeeperPlaces, areas: readonly Area[]): KeptDirectories {
  return { pid, processes, places: [{ dir: "/tmp", from: tmp }, ...areas.map(({ dir }, index) => ({ dir, from: places[index] ?? "" }))] };
}

/** Namespaces, powers, and fresh /proc and /dev. `joined`: the session's processes, in whose namespaces bubblewrap is started. */
export function confinement(
  { disableUserns, sizes }: Pick<Ability, "disableUserns" | "sizes">,
  network: "none" | "host",
  joined: SessionProcesses | null = null,
): readonly string[] {
  const args = [
    // A user namespace for each command: those of one session see each other's processes, and nothing of each other's files and memory.
    "--unshare-user --unshare-ipc --unshare-uts --unshare-cgroup-try",
    joined === null ? "--unshare-pid" : "",
    joined === null && network === "none" ? "--unshare-net" : "",
    disableUserns ? "--disable-userns" : "",
    "--cap-drop ALL --die-with-parent",
    // Read-only: root without any powers still owns the kernel's settings in /proc/sys, and one of them names a program to run.
    joined === null ? "--proc /proc --remount-ro /proc" : `--ro-bind ${joined.proc} /proc`,
    // Of /dev only what programs share memory through is written: the rest is a file system in memory, of half the machine's.
    `--dev /dev ${sizes ? `--size ${SHARED_BYTES}` : ""} --perms 1777 --tmpfs /dev/shm --remount-ro /dev`,
  ];
  return args.join(" ").trim().split(/ +/);
}

/** An empty directory in another's place. It is made read-only once everything is mounted. */
function empty(path: string, { sizes }: Pick<Ability, "sizes">): readonly string[] {
  return [...(sizes ? ["--size", String(EMPTY_BYTES)] : []), "--perms", "0555", "--tmpfs", path];
}

/** A directory of the command's own, in memory. */
export function scratch(path: string, { sizes }: Pick<Ability, "sizes">): readonly string[] {
  return [...(sizes ? ["--size", String(SCRATCH_BYTES)] : []), "--perms", "0755", "--tmpfs", bytesOf(path)];
}

/** One mount as arguments. It goes by name; what it came to is compared afterwards. */
function mountArguments(mount: Exclude<SandboxMount, { readonly make: "shown-file" }>, able: Ability): readonly string[] {
  switch (mount.make) {
    case "hidden-file":
      return ["--ro-bind", "/dev/null", mount.path];
    case "hidden-dir":
      return empty(mount.path, able);
    case "writable":
      return ["--bind", mount.path, mount.path];
    case "read-only":
      return ["--ro-bind", mount.path, mount.path];
  }
}

export const isText = (mount: SandboxMount): mount is Extract<SandboxMount, { readonly make: "shown-file" }> => mount.make === "shown-file";
export const isPinned = (mount: SandboxMount): mount is Extract<SandboxMount, { readonly pin: unknown }> => "pin" in mount;

/** The home directory keeps its name and is empty but for the roots in it, so that `~/src` means what it means outside. */
function homeOf({ home }: Session, { programs }: Machine): string {
  const odd = home === "/" || isSystemPlace(home) || [...programs, "/etc"].some((place) => isInside(place, home));
  return odd || !home.startsWith("/") ? "/tmp" : home;
}

/** The entries of PATH that the command can see. */
function visible(path: string | undefined, visibleDirs: readonly string[]): string {
  const entries = (path ?? "")
    .split(":")
    .filter((entry) => entry.startsWith("/") && visibleDirs.some((place) => isInside(place, bytesOf(entry))));
  return entries.length === 0 ? USUAL_PATH : entries.join(":");
}
