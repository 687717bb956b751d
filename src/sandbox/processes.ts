// Processes, identified by their number and start time, since numbers are used again.

import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { release as kernelRelease } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { errnoOf } from "../core/errno.ts";
import { isInside } from "../core/path/contain.ts";
import { mountIn, numberedMounts } from "./mount-table.ts";

interface ProcessFacts {
  readonly name: string;
  readonly parent: number;
  /** The number of its controlling terminal; 0 where it has none. */
  readonly terminal: string;
  /** By the kernel's count. */
  readonly born: string;
  /** Has it ended, and is only not yet asked after? Not where its first thread has ended and others go on. */
  readonly over: boolean;
  readonly stopped: boolean;
}

/** One process, whoever has its number later. */
export interface ProcessId {
  readonly pid: number;
  readonly born: string;
}

/** Send a signal, or with 0 only ask. False where there is no such process. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return errnoOf(error) !== "ESRCH";
  }
}

/** Does it live? Yes where that cannot be told, since the system hides it. */
export function isThere({ pid, born }: ProcessId): boolean {
  const seen = look(pid);
  return seen === null ? signal(pid, 0) : !seen.over && seen.born === born;
}

/** Is it stopped, or gone? */
export function isHalted({ pid, born }: ProcessId): boolean {
  const seen = look(pid);
  return seen === null || seen.over || seen.born !== born || seen.stopped;
}

/** When a process was started; null where there is none that lives. */
export function bornAt(pid: number): string | null {
  const seen = look(pid);
  return seen === null || seen.over ? null : seen.born;
}

/** A process by its number, so that nobody takes another for it; null where there is none that lives, or the system does not tell. */
export function processOf(pid: number): ProcessId | null {
  const born = bornAt(pid);
  return born === null ? null : { pid, born };
}

/** The process above it; null where there is none that lives. */
export const parentOf = (pid: number): number | null => look(pid)?.parent ?? null;

/** Its controlling terminal, by the kernel's number; "0" where it has none, null where there is no such process. */
export const terminalOf = (pid: number): string | null => look(pid)?.terminal ?? null;

/**
 * The first process from this one upwards that is none of these by its name; null where there is none, where it is the system's first, or
 * where the system does not tell.
 */
export function processAbove(pid: number, between: ReadonlySet<string>): ProcessId | null {
  let at = pid;
  for (let steps = 0; steps < 16 && at > 1; steps += 1) {
    const seen = look(at);
    if (seen === null || seen.over) return null;
    if (!between.has(seen.name)) return { pid: at, born: seen.born };
    at = seen.parent;
  }
  return null;
}

/** The threads of a process that have not ended. Throws where the process has. */
function liveThreads(pid: number): readonly { readonly at: string; readonly state: string }[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const at = `/proc/${pid}/task/${thread}`;
    const state = threadState(at);
    return "ZX".includes(state) ? [] : [{ at, state }];
  });
}

/** In a letter; empty where it has ended meanwhile. */
function threadState(at: string): string {
  try {
    return /^State:\s+(\w)/m.exec(readFileSync(`${at}/status`, "latin1"))?.[1] ?? "";
  } catch {
    return "";
  }
}

function look(pid: number): ProcessFacts | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const end = text.lastIndexOf(")");
    const fields = text.slice(end + 2).split(" ");
    const named = { name: text.slice(text.indexOf("(") + 1, end), parent: Number(fields[1]), terminal: fields[4] ?? "" };
    // What the kernel says of a process is said of its first thread.
    const isFirstOver = /^[ZX]/.test(fields[0] ?? "");
    const over = isFirstOver && Number(fields[17]) <= 1;
    const state = isFirstOver && !over ? liveThreads(pid)[0]?.state : fields[0];
    return { ...named, born: fields[19] ?? "", over, stopped: /^[Tt]/.test(state ?? "") };
  } catch {
    return null;
  }
}

/**
 * The first process in a sandbox that has been set up: bubblewrap's one child. Null where there is none. It is looked up, and not asked for
 * (`--info-fd`): were we killed, bubblewrap would fail to tell us, end, and leave behind a child that waits for it for ever.
 */
export function firstProcess(bubblewrap: number): ProcessId | null {
  const [pid] = childrenOf(bubblewrap);
  return pid === undefined ? null : processOf(pid);
}

/** The processes that descend from the first and see the mounts of this namespace (`mountSpaceOf`). What has ended does not count. */
export function membersIn(first: ProcessId, space: string): readonly number[] {
  if (!isThere(first)) return [];
  const pids = [first.pid];
  for (const pid of pids) pids.push(...familyOf(pid));
  return pids.filter((pid) => mountSpaceOf(pid) === space && bornAt(pid) !== null);
}

/** Has the first of a session's processes another child than the one that is always there? What a command leaves is one, or descends from one. */
export const hasCompany = (first: ProcessId): boolean => isThere(first) && childrenOf(first.pid).length > 1;

/** Which mounts a process sees: a word that is the same for all that see the same ones. Null where it has ended, or the system does not tell. */
export function mountSpaceOf(pid: number): string | null {
  try {
    const [thread] = liveThreads(pid);
    return thread === undefined ? null : readlinkSync(`${thread.at}/ns/mnt`);
  } catch {
    return null;
  }
}

/** The children of all of its threads. */
function familyOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    // Not every kernel keeps that list.
    const all = readdirSync("/proc").map(Number).filter(Number.isInteger);
    return all.filter((candidate) => look(candidate)?.parent === pid);
  }
}

/** Milliseconds that the kernel has to end what was killed. */
const PATIENCE = 10_000;

/** Wait until a process has ended. The kernel ends the first in a sandbox only once all others in there have. False if it does not. */
export async function isGone({ pid, born }: ProcessId): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE; waited += 1) {
    if (bornAt(pid) !== born) return true;
    await pause(1);
  }
  return false;
}

/** A process in words for people: its name, and its command line where that says more. */
export function commandOf(pid: number): string {
  try {
    const argv = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
    const name = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
    const line = argv.join(" ").slice(0, LONGEST);
    return line === "" || line === name ? name : `${name} (${line})`;
  } catch {
    return "a program that has ended";
  }
}

const LONGEST = 160;

/**
 * Does one of the processes that descend from these use something of the mounts: an open file, a working directory, a part of its memory?
 * `groups`: by which the mounts are known; a program may have moved the directories around them. Every thread is asked, since each may have
 * files and a directory of its own. Yes, where that cannot be told.
 */
export function isUsing(firsts: readonly ProcessId[], groups: readonly number[] | null, release = kernelRelease()): boolean {
  try {
    const pids = firsts.filter(isThere).map(({ pid }) => pid);
    for (const pid of pids) pids.push(...familyOf(pid));
    // Each command has mounts of its own, and may have been given a descriptor of another's.
    const spaces = new Map(pids.map((pid) => [mountSpaceOf(pid), pid]));
    const tables = [...spaces.values()].map((pid) => numberedMounts(tableOf(pid)));
    const mounts = tables.flat().filter((mount) => mount.groups.some((group) => groups?.includes(group)));
    if (mounts.length === 0) return true;
    const ids = new Set(mounts.map(({ id }) => id));
    for (const pid of pids)
      for (const { at } of liveThreads(pid)) {
        if (mayHideDescriptors(at, release)) return true;
        if (["cwd", "root", "exe"].some((link) => ids.has(mountOf(`${at}/${link}`)))) return true;
        if (readdirSync(`${at}/fdinfo`).some((number) => isHolding(readFileSync(`${at}/fdinfo/${number}`, "latin1"), ids))) return true;
        const maps = readFileSync(`${at}/maps`, "latin1").split("\n");
        if (maps.some((line) => line.includes("/") && mounts.some(({ point }) => isInside(point, line.slice(line.indexOf("/"))))))
          return true;
      }
    return false;
  } catch {
    return true;
  }
}

/**
 * Does one of the processes that descend from the first, itself not counted, hold a file or directory that it has not by its own mounts? Somebody who
 * sees others handed it over, by a socket; a descriptor that is still on its way counts too. Files on mounts of our own are from outside of every sandbox: the
 * outputs that a host gave its command. Yes, where that cannot be told.
 */
export function isHandedOver(first: ProcessId, release = kernelRelease()): boolean {
  try {
    const pids = [...familyOf(first.pid)];
    for (const pid of pids) pids.push(...familyOf(pid));
    const tables = new Map<string | null, ReadonlySet<number>>();
    const outside = new Set(numberedMounts(tableOf(process.pid)).map(({ id }) => id));
    return pids.some((pid) => {
      const space = mountSpaceOf(pid);
      if (bornAt(pid) === null) return false;
      const own = tables.get(space) ?? new Set(numberedMounts(tableOf(pid)).map(({ id }) => id));
      tables.set(space, own);
      return liveThreads(pid).some(({ at }) => {
        if (mayHideDescriptors(at, release)) return true;
        if (["cwd", "root", "exe"].some((link) => !own.has(mountOf(`${at}/${link}`)))) return true;
        return readdirSync(`${at}/fdinfo`).some((number) => {
          const fdInfo = readFileSync(`${at}/fdinfo/${number}`, "latin1");
          if (isHolding(fdInfo, NO_MOUNTS)) return true;
          const path = readlinkSync(`${at}/fd/${number}`);
          if (!path.startsWith("/") || path === "/dev/null" || path.startsWith("/memfd:")) return false;
          const mount = mountIn(fdInfo) ?? Number.NaN;
          return !own.has(mount) && (!outside.has(mount) || statSync(`${at}/fd/${number}`).isDirectory());
        });
      });
    });
  } catch {
    return true;
  }
}

const NO_MOUNTS: ReadonlySet<number> = new Set();

/** Nothing where it has ended, and is only not yet asked after. */
function tableOf(pid: number): string {
  const [thread] = bornAt(pid) === null ? [] : liveThreads(pid);
  return thread === undefined ? "" : readFileSync(`${thread.at}/mountinfo`, "latin1");
}

/** The mount that a link of the kernel's leads to. */
function mountOf(link: string): number {
  const descriptor = openSync(link, O_PATH);
  try {
    return mountIn(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1")) ?? Number.NaN;
  } finally {
    closeSync(descriptor);
  }
}

const O_PATH = 0o10000000;

/**
 * May descriptors be on their way to this thread without the kernel's saying so? `isHolding` goes by its count of them, which Linux has since 5.6, and
 * for connections that nobody has accepted yet since 6.3. Before that, any such connection may hold some, or any socket.
 */
function mayHideDescriptors(at: string, release: string): boolean {
  const [major = 0, minor = 0] = release.split(/[.-]/u).map(Number);
  const version = major * 1000 + minor;
  if (version >= 6003) return false;
  if (version >= 5006) return WAITING_CONNECTION.test(readFileSync(`${at}/net/unix`, "latin1"));
  return readdirSync(`${at}/fd`).some((number) => readlinkSync(`${at}/fd/${number}`).startsWith("socket:"));
}

/** In the kernel's list of local sockets: connected, and nobody's yet. */
const WAITING_CONNECTION = /^(?:\S+ ){5}02 +0(?: |$)/mu;

/** Is it on one of the mounts? A socket in which descriptors are on their way may hold any: they are in nobody's list. */
function isHolding(descriptor: string, mounts: ReadonlySet<number>): boolean {
  const id = mountIn(descriptor);
  return (id !== null && mounts.has(id)) || /^scm_fds:\s*[1-9]/m.test(descriptor);
}
