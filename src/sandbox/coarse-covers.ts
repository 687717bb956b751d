// Where a profile needs more mounts than are possible, whole directories are hidden instead of single entries in them: as few as necessary,
// and the deepest first, since they hold the least besides.

import { parent } from "../core/path/contain.ts";
import type { Steps } from "../core/steps.ts";
import { depthOf } from "./shown-roots.ts";

/** The directories to hide so that of `paths` and these no more than `most` are left; null where that cannot be. */
export function* dirsToHide(paths: readonly string[], most: number, mayHide: (dir: string) => boolean): Steps<ReadonlySet<string> | null> {
  const left = new Set(paths);
  const hidden = new Set<string>();
  const deepest = paths.reduce((depth, path) => Math.max(depth, depthOf(path)), 0);
  for (let depth = deepest - 1; depth > 1 && left.size > most; depth -= 1) {
    const groups = yield* groupsAt(depth, left);
    for (const [dir, inner] of groups) {
      yield;
      if (left.size <= most) break;
      if (!mayHide(dir)) continue;
      for (const path of inner) {
        left.delete(path);
        hidden.delete(path);
      }
      left.add(dir);
      hidden.add(dir);
    }
  }
  return left.size <= most ? hidden : null;
}

/** What lies in directories of this depth, by directory, where there is more than one; the largest groups first. */
function* groupsAt(depth: number, paths: Iterable<string>): Steps<readonly (readonly [string, readonly string[]])[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    yield;
    const over = depthOf(path) - depth;
    if (over <= 0) continue;
    let dir = path;
    for (let step = 0; step < over; step += 1) dir = parent(dir);
    const group = groups.get(dir);
    if (group === undefined) groups.set(dir, [path]);
    else group.push(path);
  }
  return [...groups].filter(([, inner]) => inner.length > 1).toSorted(([, one], [, other]) => other.length - one.length);
}
