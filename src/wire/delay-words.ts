// What a screen says while a command that was called cannot begin yet.

import type { WireDelay } from "./values.ts";

/** `looking through the workspace for secrets: 41,000 directories so far` */
export function delayWords(delay: WireDelay): string {
  if (delay.for === "turn") return "waiting for another command of this workspace to end; it may wait for your answer";
  const { directories } = delay;
  return `looking through the workspace for secrets: ${directories.toLocaleString("en")} ${directories === 1 ? "directory" : "directories"} so far`;
}
