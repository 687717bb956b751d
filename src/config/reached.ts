// Where a path really leads, and whether a workspace could have put there what stands at its end.

import { posix } from "node:path";
import { resolveTarget } from "../core/fs/resolve.ts";
import { isInside } from "../core/path/contain.ts";
import { isSystemPlace } from "../core/policy/system-places.ts";

/** Where a path leads, and where each link stood that it went through. */
export function resolveLoosely(path: string): { readonly real: string; readonly links: readonly string[] } {
  const { target, links } = resolveTarget(path);
  target.pin?.close();
  return { real: target.path, links };
}

/** The names that a path is reached by: as it is written, where it leads, and each link on the way. */
export function namesOnTheWay(path: string): readonly string[] {
  const { real, links } = resolveLoosely(path);
  return [posix.normalize(path), real, ...links];
}

/** Does `path` lie in `root`, or is it reached through it or through the kernel's own places? `root` is a real directory. */
export function isReachedBy(root: string, path: string): boolean {
  return namesOnTheWay(path).some((place) => isInside(root, place) || isSystemPlace(place));
}
