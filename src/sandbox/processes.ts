// Processes by their number and when they were started, since numbers are used again.

import { readFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

interface Seen {
  /** By the kernel's count. */
  readonly born: string;
  /** Has it ended, and is only not yet asked after? */
  readonly over: boolean;
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
    return { born: fields[19] ?? "", over: /^[ZX]/.test(fields[0] ?? "") };
  } catch {
    return null;
  }
}

/** The first process in a sandbox. The kernel ends it only once all others in there have ended. */
export interface FirstProcess {
  /** Wait until it has ended, and with it everything else. False if it does not. */
  gone(): Promise<boolean>;
}

/** Milliseconds that the kernel has to end what was killed. */
const PATIENCE = 10_000;

/** As bubblewrap tells on this channel: `{ "child-pid": 123 }`. */
export function firstProcess(channel: Duplex | undefined): FirstProcess {
  let said = "";
  let known: { readonly pid: number; readonly born: string } | null = null;
  channel?.on("data", (part: Buffer) => {
    said += part.toString("latin1");
    const pid = Number(/"child-pid": *(\d+)/.exec(said)?.[1] ?? 0);
    const born = pid === 0 || known !== null ? null : bornAt(pid);
    if (born !== null) known = { pid, born };
  });
  return {
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
