// The roots that a command sees: each pinned while it is still the directory it was, outer ones first, and whether it may write there.

import { isStillIt } from "../core/fs/identity.ts";
import { type Pin, pin, stillThere } from "../core/fs/pin.ts";
import { isInside } from "../core/path/contain.ts";
import { gives, type Root } from "../core/session/root.ts";
import { scopeOf } from "../core/session/scope.ts";
import { listRoots, type Session } from "../core/session/session.ts";
import type { FolderPlan, User } from "./folder.ts";

export interface PinnedRoot {
  readonly root: Root;
  readonly at: Pin;
}

export interface ShownRoot extends PinnedRoot {
  readonly writable: boolean;
  readonly plan: FolderPlan;
}

/** A root whose name is exchanged with another's all the time is there every other time one looks. */
const TRIES = 24;

/** Every root that is still the directory it was, pinned, and the paths of the others. */
export function pinRoots(
  session: Session,
  clock: () => number,
  keep: (pin: Pin) => Pin,
): { readonly roots: readonly PinnedRoot[]; readonly leftOut: readonly string[] } {
  const roots: PinnedRoot[] = [];
  const leftOut: string[] = [];
  for (const root of listRoots(session, clock)) {
    const at = pinRoot(root);
    if (at === null) leftOut.push(root.dir);
    else roots.push({ root, at: keep(at) });
  }
  return { roots, leftOut };
}

/** The roots to mount, outer ones first. One that lies in another and gives the same is there already. */
export function shownRootsOf(session: Session, roots: readonly PinnedRoot[], user: User): readonly ShownRoot[] {
  const usable = new Set(roots.map(({ root }) => root));
  const scope = scopeOf(session);
  const chosen: { root: Root; at: Pin; writable: boolean }[] = [];
  for (const { root, at } of roots.toSorted((one, other) => depthOf(one.root.dir) - depthOf(other.root.dir))) {
    const holder = scope.find(root.dir, "write", (candidate) => usable.has(candidate));
    const writable = holder !== null && gives(holder, "write");
    const outerRoot = chosen.findLast((other) => isInside(other.root.dir, root.dir));
    if (outerRoot?.writable !== writable) chosen.push({ root, at, writable });
  }
  return chosen.map(({ root, at, writable }) => {
    const inner = chosen.filter((other) => other.root.dir !== root.dir && isInside(root.dir, other.root.dir));
    const others = new Map(inner.map((other) => [String(other.root.dir), other.root]));
    return { root, at, writable, plan: { at, dir: root.dir, writable, session, others, user } };
  });
}

function pinRoot(root: Root): Pin | null {
  // Writing in a workspace may give it another birth, on a file system of layers; judging does not compare it at all.
  const identity = root.from === "workspace" ? { dev: root.dev, ino: root.ino } : root;
  for (let triesLeft = TRIES; triesLeft > 0; triesLeft -= 1) {
    let at: Pin;
    try {
      at = pin(root.dir);
    } catch {
      continue;
    }
    const same = at.kind === "dir" && at.real === root.dir && isStillIt(identity, at.facts);
    if (same && stillThere(at)) return at;
    at.close();
  }
  return null;
}

/** How many names the path has. Asked of each cover a dozen times before a command, so nothing is made for it. */
export function depthOf(path: string): number {
  let depth = 1;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) depth += 1;
  return depth;
}
