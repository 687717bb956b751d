// A program whose clocks go slower than the world's (`slow-clock.mjs`).

import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What its environment holds beside the rest. */
export const slowClock: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, "slow-clock.mjs")).href}`,
};
