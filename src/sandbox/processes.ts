// Processes by their number and when they were started, since numbers are used again.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { errnoOf } from "../core/errno.ts";
import { isInside } from "../core/path/contain.ts";

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

/** The first process in a sandbox. The kernel ends it only once all others in there have ended. */
export interface FirstProcess {
  /** Which one it is, as soon as bubblewrap has told; null where it ended before. */
  readonly id: Promise<ProcessId | null>;
  /** Wait until it has ended, and with it everything else. False if it does not. */
  gone(): Promise<boolean>;
}

/** Milliseconds that the kernel has to end what was killed. */
const PATIENCE = 10_000;

/** As bubblewrap tells on this channel: `{ "child-pid": 123 }`. */
export function firstProcess(channel: Duplex | undefined): FirstProcess {
  let said = "";
  let known: ProcessId | null = null;
  const id = new Promise<ProcessId | null>((resolve) => {
    if (channel === undefined) resolve(null);
    channel?.on("close", () => resolve(known));
    channel?.on("data", (part: Buffer) => {
      said += part.toString("latin1");
      const pid = Number(/"child-pid": *(\d+)/.exec(said)?.[1] ?? 0);
      const born = pid === 0 || known !== null ? null : bornAt(pid);
      if (born !== null) known = { pid, born };
      if (known !== null) resolve(known);
    });
  });
  return {
    id,
    async gone() {
      if (known === null) return true;
      const { pid, born } = known;
      for (let waited = 0; waited < PATIENCE; waited += 1) {
        if (bornAt(pid) !== born) return true;
        await pause(1);
      }
      return false;
    },
  };
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
 * Does one of the processes that descend from the first use something in the directory: an open file, its working directory, a part of its memory?
 * Yes, where that cannot be told.
 */
export function isUsing(first: ProcessId, dir: string): boolean {
  try {
    const found = [first.pid];
    for (const pid of found) {
      // What has ended, and is only not yet asked after, holds nothing.
      if (look(pid)?.over !== false) continue;
      for (const thread of readdirSync(`/proc/${pid}/task`))
        found.push(...readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number));
      const links = ["cwd", "root", "exe", ...readdirSync(`/proc/${pid}/fd`).map((number) => `fd/${number}`)];
      if (links.some((link) => isInside(dir, readlinkSync(`/proc/${pid}/${link}`)))) return true;
      const maps = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
      if (maps.some((line) => line.includes("/") && isInside(dir, line.slice(line.indexOf("/"))))) return true;
    }
    return false;
  } catch {
    return true;
  }
}
