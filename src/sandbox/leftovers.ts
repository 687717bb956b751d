// Looks through the directories that an interrupted command could change, in that command's place, before anything in them is treated as
// something that was always there.

import { removeDir } from "../core/fs/at.ts";
import { failureOf, type Pin, pin, pinEntry } from "../core/fs/pin.ts";
import { basename, child, parent } from "../core/path/contain.ts";
import type { Identity } from "../core/session/root.ts";
import type { Session } from "../core/session/session.ts";
import type { Steps } from "../core/steps.ts";
import { stateAt } from "./disk.ts";
import { ledBy } from "./git-dir.ts";
import type { GitLinks } from "./git-links.ts";
import { type GitPlace, ordersIn } from "./git-orders.ts";
import { seeHooks } from "./hooks-path.ts";
import { idOf, type Inventory } from "./inventory.ts";
import type { UnfinishedCommand } from "./journal.ts";
import { isKnown, type ObservedEntry, closedFingerprint } from "./known.ts";
import type { RenamedEntry } from "./port.ts";
import type { User } from "./folder.ts";
import type { Sweep } from "./tree.ts";
import { type Judge, lookAt, setAside, sweepRoot } from "./warden.ts";

/** What no directory is. */
const NOWHERE: Identity = { dev: -1, ino: -1 };

export interface LeftPorts {
  readonly inventory: Inventory;
  readonly user: User;
  readonly links: GitLinks;
  /** Does another command run there now? Then empty directories that were made to be bound are left to it. */
  readonly shared: boolean;
}

/** Set aside what came into being while that command ran. Names are those that `session` protects. Throws where it cannot be looked through. */
export function* sweepLeft(left: UnfinishedCommand, session: Session, ports: LeftPorts): Steps<readonly RenamedEntry[]> {
  const aside: RenamedEntry[] = [];
  const fingerprints = fingerprintsOf(left);
  const wasThere = knownBefore(left, fingerprints);
  // When it began is not noted, so that its files keep their modes.
  const look: Sweep = { wasClosed: (seen) => fingerprints.has(closedFingerprint(seen)), since: Number.POSITIVE_INFINITY };
  const judge: Judge = function* judge(dir, name, path) {
    yield;
    const entry = lookAt(dir, name);
    if (entry === null) return [];
    if (entry === "shut" || !wasThere({ dir, name, path, ...entry })) return yield* setAside(dir, name, path);
    const unnoted = left.gits === undefined && name === ".git" && entry.kind === "dir";
    return unnoted ? yield* lookIntoUnnoted(dir, path, ports.links, judge) : [];
  };
  for (const root of left.roots) {
    yield* whilePinned(root, function* sweep(at) {
      const others = new Map<string, Identity>();
      for (const path of root.others) others.set(path, stateAt(path) ?? NOWHERE);
      const plan = { at, dir: root.dir, writable: true, session, others, user: ports.user };
      aside.push(...(yield* sweepRoot(plan, ports.inventory, judge, look)));
    });
  }
  // The roots come first: directories on the way that the command closed are open by now.
  for (const { dir, ino, worktree } of left.gits ?? [])
    yield* whilePinned({ dir, ino }, function* look(at) {
      aside.push(...(yield* lookIntoGit({ at, path: dir, worktree }, ports.links, judge)));
    });
  const dirs = left.roots.map(({ dir }) => dir);
  for (const place of left.places ?? [])
    yield* seeHooks(place, dirs, function* see(dir, name, path) {
      aside.push(...(yield* judge(dir, name, path)));
    });
  if (!ports.shared) for (const path of left.stubs) removeEmpty(path);
  return aside;
}

/** One that notes of earlier versions do not speak of. */
function* lookIntoUnnoted(holder: Pin, path: string, links: GitLinks, judge: Judge): Steps<readonly RenamedEntry[]> {
  const at = pinEntry(holder, ".git");
  try {
    return at.kind === "dir" ? yield* lookIntoGit({ at, path, worktree: parent(path) }, links, judge) : [];
  } finally {
    at.close();
  }
}

function* lookIntoGit(git: GitPlace, links: GitLinks, judge: Judge): Steps<readonly RenamedEntry[]> {
  const aside: RenamedEntry[] = [];
  for (const name of ledBy) aside.push(...(yield* judge(git.at, name, child(git.path, name))));
  yield* ordersIn(git, links, function* see(dir, name, inner) {
    aside.push(...(yield* judge(dir, name, inner)));
  });
  return aside;
}

/**
 * Was it there before? What is the same thing in the same place was; and what stands where a read-only mount stood, which the command could
 * not replace: that was the person, since.
 */
function knownBefore({ slots, sameBoot }: UnfinishedCommand, fingerprints: Fingerprints): (seen: ObservedEntry) => boolean {
  const places = new Set(slots.map((slot) => keyOf(slot, sameBoot)));
  return (seen) => places.has(`${keyOf(idOf(seen.dir.facts), sameBoot)}/${seen.name}`) || isKnown(fingerprints, seen);
}

type Fingerprints = Pick<ReadonlySet<string>, "has">;

function fingerprintsOf({ known, sameBoot }: UnfinishedCommand): Fingerprints {
  const keys = new Set(known.map((fingerprint) => keyOf(fingerprint, sameBoot)));
  return { has: (fingerprint) => keys.has(keyOf(fingerprint, sameBoot)) };
}

/** After a restart of the machine devices may have other numbers. */
const keyOf = (id: string, sameBoot: boolean): string => (sameBoot ? id : id.slice(id.indexOf(":") + 1));

/** Do it while the directory is pinned, if it still is the one it was. Throws where that cannot be told. */
function* whilePinned({ dir, ino }: { readonly dir: string; readonly ino: number }, act: (at: Pin) => Steps<void>): Steps<void> {
  let at: Pin;
  try {
    at = pin(dir);
  } catch (error) {
    if (failureOf(error) === "not-found") return;
    throw error;
  }
  try {
    if (at.kind === "dir" && at.real === dir && at.facts.ino === ino) yield* act(at);
  } finally {
    at.close();
  }
}

function removeEmpty(path: string): void {
  try {
    const dir = pin(parent(path));
    try {
      if (dir.real === parent(path)) removeDir(dir, basename(path));
    } finally {
      dir.close();
    }
  } catch {
    // It is not empty, or not there.
  }
}
