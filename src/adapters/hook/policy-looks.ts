// How a policy file looks from outside, and what else tells one understanding of a policy from another: compared by the hook before it
// uses what it kept.

import { constants, lstatSync, type Stats } from "node:fs";
import type { Surroundings } from "../../config/locations.ts";

export interface Kept {
  /** Where it is kept. */
  readonly file: string;
  /** Tells one version of this program from another. */
  readonly version: string;
  readonly clock: () => number;
}

/** A place, and in words what stands there. */
export type Look = readonly [file: string, words: string];

/** What stands at a place of which nothing stands there. */
export const NONE = "none";

/** Everything else the policy depends on, but for the files themselves. */
export const stampOf = ({ home, workspace, operatorFile, platform, data }: Surroundings, { version }: Kept): string =>
  [version, platform, home, workspace ?? "", operatorFile ?? "", data ?? ""].join("\n");

/** What stands at a place, in words; null where that cannot be told, or says nothing about what will be read there. */
export function lookOf(file: string, clock: () => number): string | null {
  const stat = lookAt(file);
  if (stat === null) return null;
  if (stat === undefined) return NONE;
  const kind = stat.mode & constants.S_IFMT;
  const isFile = kind === constants.S_IFREG;
  // Behind a link anything may change unseen. A file changed just now may change again within the same tick of its clock.
  if (kind === constants.S_IFLNK || (isFile && clock() - stat.mtimeMs < 2_000)) return null;
  return `${stat.dev} ${stat.ino} ${stat.uid} ${stat.mode}${isFile ? ` ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : ""}`;
}

/** Undefined: there is nothing. Null: it cannot be told. */
function lookAt(file: string): Stats | undefined | null {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return null;
  }
}
