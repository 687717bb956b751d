// A git configuration can name another directory for hooks (`core.hooksPath`), often one in the workspace. What is in it runs as what is in
// `.git/hooks` does, so it is kept the same way: read-only where it is there, set aside where it comes into being.

import { type Pin, pin } from "../core/fs/pin.ts";
import { lendBytesAtOnce, Scratch } from "../core/fs/read.ts";
import { resolveTarget } from "../core/fs/resolve.ts";
import { basename, child, isInside, parent } from "../core/path/contain.ts";
import { hooksPathsIn } from "../core/policy/git-directory.ts";

const MOST_BYTES = 1_048_576;

/** Every directory of hooks that the pinned configuration names, absolute, as spelt there. A relative one starts in the worktree. */
export function hooksPlaces(config: Pin, worktree: string, home: string): readonly string[] {
  return hooksPathsIn(textOf(config)).map((path) => {
    if (path.startsWith("/")) return path;
    return path.startsWith("~/") ? child(home, path.slice(2)) : child(worktree, path);
  });
}

/** Nothing where we cannot read it: then whoever has our powers, and git of theirs, cannot either. */
function textOf(config: Pin): string {
  try {
    const text = lendBytesAtOnce(config, MOST_BYTES, new Scratch(), (bytes) => bytes.toString("utf8"));
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}

/** What stands in such a place and really is below one of the roots: call `see` with it. The pin it gets is good until it returns. */
export function seeHooks(place: string, roots: readonly string[], see: (dir: Pin, name: string, path: string) => void): void {
  const { target } = resolveTarget(place);
  target.pin?.close();
  if (target.state !== "present" || !roots.some((root) => target.path !== root && isInside(root, target.path))) return;
  const dir = pinOrNull(parent(target.path));
  if (dir === null) return;
  try {
    // RACE: where a directory on the way has moved since, there is nothing at this name to speak of.
    if (dir.kind === "dir" && dir.real === parent(target.path)) see(dir, basename(target.path), target.path);
  } finally {
    dir.close();
  }
}

function pinOrNull(path: string): Pin | null {
  try {
    return pin(path);
  } catch {
    return null; // gone meanwhile
  }
}
