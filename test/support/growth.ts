// Does work grow faster than its input? Told by processor time, so that a busy machine changes nothing.

/** Close together, since what doubles with each sign must be stopped early. */
const SIZES = [16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 256, 1024, 8192];
const SMALL = 8192;
const BOUND_MS = 100;

/**
 * The size at which `work` was seen to grow faster than its text, up to `most` signs; null where it does not. Small texts first: what
 * doubles with each sign is told by a few of them. What takes the square of its text is told by 64 KiB: a megabyte would take minutes.
 */
export function tooSlowAt(work: (size: number) => void, most: number, sizes: readonly number[] = SIZES): number | null {
  for (const size of sizes) if (size <= most && least(work, size, BOUND_MS) > BOUND_MS) return size;
  const size = Math.min(most, 8 * SMALL);
  const times = size / SMALL;
  const small = least(work, SMALL, 0.5);
  if (times < 4 || small <= 0.5) return null;
  // So many times the text takes so many times as long, or the square of that; where it is quick all the same it is no matter.
  const bound = Math.max(small * times * 3, 2.5 * times ** 2);
  return least(work, size, bound) > bound ? size : null;
}

/** The least of three times, or the first that is within the bound or far beyond it. */
function least(work: (size: number) => void, size: number, bound: number): number {
  let time = Number.POSITIVE_INFINITY;
  for (let left = 3; left > 0 && time > bound && !(time < Number.POSITIVE_INFINITY && time > 4 * BOUND_MS); left -= 1)
    time = Math.min(time, timeOf(work, size));
  return time;
}

/** Milliseconds of the processor. */
export function timeOf(work: (size: number) => void, size: number): number {
  const before = process.cpuUsage();
  work(size);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
