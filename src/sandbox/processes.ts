// Processes by their number and when they were started, since numbers are used again.

import { readFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { errnoOf } from "../core/errno.ts";

interface Seen {
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

function look(pid: number): Seen | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { born: fields[19] ?? "", over: /^[ZX]/.test(fields[0] ?? ""), stopped: /^[Tt]/.test(fields[0] ?? "") };
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
