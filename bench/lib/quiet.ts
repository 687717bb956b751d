// Whether the machine is quiet enough to measure on: the kernel's own CPU pressure, the
// share of the last ten seconds in which some task waited for a core. Promises to wait
// no longer than told, and never to fail: where pressure is not to be had, it says so.
import { readFileSync } from "node:fs";

/**
 * Share of the last ten seconds in percent, and all waiting since the machine started in
 * microseconds; or not known (no Linux, no PSI in the kernel).
 */
export type Pressure = { readonly known: "yes"; readonly percent: number; readonly total: number } | { readonly known: "no" };

export interface QuietPorts {
  readonly pressure: () => Pressure;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Below this a suite starts. */
const QUIET = 15;
/** Above this a suite's figures are not judged. */
const NOISY = 50;
const PAUSE_MILLISECONDS = 500;

/** Waits until pressure is below 15, or the limit is over, and gives the last reading. */
export async function waitForQuiet(limitSeconds: number, ports: QuietPorts): Promise<Pressure> {
  const end = ports.now() + limitSeconds * 1000;
  for (;;) {
    const pressure = ports.pressure();
    if (pressure.known === "no" || pressure.percent < QUIET) return pressure;
    if (ports.now() >= end) return pressure;
    await ports.sleep(PAUSE_MILLISECONDS);
  }
}

/** True when nothing measured under this pressure should be judged. */
export function isNoisy(pressure: Pressure): boolean {
  return pressure.known === "yes" && pressure.percent > NOISY;
}

/** The pressure over the whole time between two readings, which neither of them may show. */
export function pressureBetween(before: Pressure, after: Pressure, milliseconds: number): Pressure {
  if (before.known === "no" || after.known === "no" || milliseconds <= 0) return { known: "no" };
  const waited = (after.total - before.total) / 1000;
  return { known: "yes", percent: (waited / milliseconds) * 100, total: after.total };
}

/** The reading in words, for the head and the foot of a suite. */
export function describePressure(pressure: Pressure): string {
  if (pressure.known === "no") return "CPU pressure unknown";
  const words = `CPU pressure ${pressure.percent.toFixed(2)} %`;
  return isNoisy(pressure) ? `${words}, noisy` : words;
}

/** The real machine: `some avg10` of /proc/pressure/cpu. */
export const realQuietPorts: QuietPorts = {
  pressure: readPressure,
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

function readPressure(): Pressure {
  try {
    return parsePressure(readFileSync("/proc/pressure/cpu", "utf8"));
  } catch {
    return { known: "no" };
  }
}

/** Reads the text of /proc/pressure/cpu. */
export function parsePressure(text: string): Pressure {
  const [, percent, total] = /^some avg10=([\d.]+).* total=(\d+)$/m.exec(text) ?? [];
  if (percent === undefined || total === undefined) return { known: "no" };
  return { known: "yes", percent: Number(percent), total: Number(total) };
}
