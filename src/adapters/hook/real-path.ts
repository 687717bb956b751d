// A path with its links followed, for whoever goes by names and opens nothing.

import { realpathSync } from "node:fs";

/** As it is where that cannot be told. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
