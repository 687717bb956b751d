// How much of the processors another process has had: what a busy machine does not change.

import { readFileSync } from "node:fs";

/** Of the kernel's clock, the same on every Linux that Node runs on. */
const TICK_MS = 10;

/** Milliseconds that a process has had of the processors since it began; null where the kernel does not say. */
export function cpuOf(pid: number): number | null {
  try {
    // The name of the program, in brackets, may hold anything; the fields after it are numbers.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return null;
  }
}
