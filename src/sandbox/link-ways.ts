// Where a link leads and through which others, and what stands at a path, with a pin for as long as it is looked at.

import { type Facts, type Kind, type Pin, pin } from "../core/fs/pin.ts";
import { resolveTarget, type UnreachableReason } from "../core/fs/resolve.ts";
import { basename, parent } from "../core/path/contain.ts";
import { leadsStraight } from "./disk.ts";
import type { PinnedEntry } from "./inventory.ts";
import { LookFailure } from "./tree.ts";
import { lookAt } from "./warden.ts";

export interface LinkEnd {
  /** The real path it leads to, or as far as it could be followed. */
  readonly path: string;
  /** What stands there; null if nothing does. Whether it still has that name is for whoever relies on it to tell. */
  readonly end: { readonly kind: Kind; readonly facts: Facts } | null;
  readonly unreachable: UnreachableReason | null;
}

/** One open where it leads to something, as almost always. */
export function follow(link: string): LinkEnd {
  let at: Pin;
  try {
    at = pin(link);
  } catch {
    const { target } = resolveTarget(link);
    target.pin?.close();
    // RACE: it was not there a moment ago.
    if (target.state === "present") throw new LookFailure("moved");
    return { path: target.path, end: null, unreachable: target.state === "unreachable" ? target.reason : null };
  }
  at.close();
  // A pipe behind a link into /proc has no place of its own.
  const nowhere = !at.real.startsWith("/");
  return { path: nowhere ? link : at.real, end: nowhere ? null : at, unreachable: null };
}

/** Where each link stands that one goes through on its way to `real`, itself among them. */
export function linksOf(link: string, real: string): readonly string[] {
  try {
    if (leadsStraight(link, real)) return [link];
  } catch {
    return []; // it is no link any more
  }
  const { target, links } = resolveTarget(link);
  target.pin?.close();
  return links;
}

/** Nothing is done where nothing is there, its directory is elsewhere by now, or nobody can look at it: then nobody can read it either. */
export function whilePinned(path: string, act: (seen: PinnedEntry) => void): void {
  let dir: Pin;
  try {
    dir = pin(parent(path));
  } catch {
    return;
  }
  try {
    const entry = dir.real === parent(path) ? lookAt(dir, basename(path)) : null;
    if (entry !== null && entry !== "shut") act({ dir, name: basename(path), path, ...entry });
  } finally {
    dir.close();
  }
}
