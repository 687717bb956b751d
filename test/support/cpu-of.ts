// How much of the machine another process has had: what a busy machine does not change.

import { readdirSync, readFileSync } from "node:fs";

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

/** The same to the microsecond, of the threads that it has now; what those have had that ended is not in it. */
export function workOf(pid: number): number {
  const used = (thread: string): number => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]) / 1e6;
    } catch {
      return 0;
    }
  };
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + used(thread), 0);
}

/** Megabytes that a process has in memory now, and the most that it ever had; null where it has ended or the kernel does not say. */
export function memoryOf(pid: number): { readonly now: number; readonly most: number } | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const [now, most] = ["VmRSS", "VmHWM"].map((name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1024);
    return { now: now ?? 0, most: most ?? 0 };
  } catch {
    return null;
  }
}
