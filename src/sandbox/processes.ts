// Processes by their number and when they were started, since numbers are used again.

import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { errnoOf } from "../core/errno.ts";
import { isInside } from "../core/path/contain.ts";
import { mountIn, numberedMounts } from "./mount-table.ts";

interface Seen {
  readonly name: string;
  readonly parent: number;
  /** By the kernel's count. */
  readonly born: string;
  /** Has it ended, and is only not yet asked after? */
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

function look(pid: number): Seen | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const end = text.lastIndexOf(")");
    const fields = text.slice(end + 2).split(" ");
    const named = { name: text.slice(text.indexOf("(") + 1, end), parent: Number(fields[1]) };
    return { ...named, born: fields[19] ?? "", over: /^[ZX]/.test(fields[0] ?? ""), stopped: /^[Tt]/.test(fields[0] ?? "") };
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
  const born = pid === undefined ? null : bornAt(pid);
  return pid === undefined || born === null ? null : { pid, born };
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    // Not every kernel keeps that list.
    const all = readdirSync("/proc").map(Number).filter(Number.isInteger);
    return all.filter((one) => look(one)?.parent === pid);
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
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
    const name = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
    const line = words.join(" ").slice(0, LONGEST);
    return line === "" || line === name ? name : `${name} (${line})`;
  } catch {
    return "a program that has ended";
  }
}

const LONGEST = 160;

/**
 * Does one of the processes that descend from the first use something of these mounts: an open file, a working directory, a part of its memory?
 * `groups`: by which the mounts are known; a program may have moved the directories around them. Every thread is asked, since each may have
 * files and a directory of its own, and the first may have ended while others go on. Yes, where that cannot be told.
 */
export function isUsing(first: ProcessId, groups: readonly number[] | null): boolean {
  try {
    const table = numberedMounts(readFileSync(`/proc/${first.pid}/mountinfo`, "latin1"));
    const mounts = table.filter((mount) => mount.groups.some((group) => groups?.includes(group)));
    if (mounts.length === 0) return true;
    const ids = new Set(mounts.map(({ id }) => id));
    const found = [first.pid];
    for (const pid of found)
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const at = `/proc/${pid}/task/${thread}`;
        found.push(...readFileSync(`${at}/children`, "latin1").split(" ").filter(Boolean).map(Number));
        // What has ended, and is only not yet asked after, holds nothing.
        if (/^State:\s+[ZX]/m.test(readFileSync(`${at}/status`, "latin1"))) continue;
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

/** Is it on one of the mounts? A socket in which descriptors are on their way may hold any: they are in nobody's list. */
function isHolding(descriptor: string, mounts: ReadonlySet<number>): boolean {
  const id = mountIn(descriptor);
  return (id !== null && mounts.has(id)) || /^scm_fds:\s*[1-9]/m.test(descriptor);
}
