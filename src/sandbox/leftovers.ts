// What a command that did not come to its end has left: the directories it could change are looked through in its place, before anything
// in them is taken for something that was always there.

import { removeDir, statEntry } from "../core/fs/at.ts";
import { type Facts, type Pin, pin, pinEntry } from "../core/fs/pin.ts";
import { basename, child, parent } from "../core/path/contain.ts";
import type { Identity } from "../core/session/root.ts";
import type { Session } from "../core/session/session.ts";
import { stateAt } from "./disk.ts";
import { ledBy } from "./git-dir.ts";
import { ordersIn } from "./git-orders.ts";
import { idOf, type Inventory } from "./inventory.ts";
import type { Left } from "./journal.ts";
import type { NotedRoot } from "./journal-record.ts";
import type { SetAside } from "./port.ts";
import type { User } from "./folder.ts";
import { setAside, sweepRoot } from "./warden.ts";

/** What no directory is. */
const NOWHERE: Identity = { dev: -1, ino: -1 };

export interface LeftPorts {
  readonly inventory: Inventory;
  readonly user: User;
  /** Does another command run there now? Then empty directories that were made to be bound are left to it. */
  readonly shared: boolean;
}

/** Set aside what came into being while that command ran. Names are those that `session` protects. Throws where it cannot be looked through. */
export function sweepLeft(left: Left, session: Session, ports: LeftPorts): readonly SetAside[] {
  const aside: SetAside[] = [];
  const isKnown = knownBefore(left);
  const judge = (dir: Pin, name: string, path: string): readonly SetAside[] => {
    const entry = statEntry(dir, name);
    if (entry === null) return [];
    if (!isKnown(dir, name, entry.facts)) return setAside(dir, name, path);
    return name === ".git" && entry.kind === "dir" ? lookIntoGit(dir, path, judge) : [];
  };
  for (const root of left.roots) {
    const at = pinNoted(root);
    if (at === null) continue;
    try {
      const others = new Map<string, Identity>();
      for (const path of root.others) others.set(path, stateAt(path) ?? NOWHERE);
      aside.push(...sweepRoot({ at, dir: root.dir, writable: true, session, others, user: ports.user }, ports.inventory, judge));
    } finally {
      at.close();
    }
  }
  if (!ports.shared) for (const path of left.stubs) removeEmpty(path);
  return aside;
}

type Judge = (dir: Pin, name: string, path: string) => readonly SetAside[];

function lookIntoGit(holder: Pin, path: string, judge: Judge): readonly SetAside[] {
  const git = pinEntry(holder, ".git");
  try {
    if (git.kind !== "dir") return [];
    const aside = ledBy.flatMap((name) => judge(git, name, child(path, name)));
    ordersIn(git, path, (dir, name, inner) => void aside.push(...judge(dir, name, inner)));
    return aside;
  } finally {
    git.close();
  }
}

/**
 * Was it there before? What has the same inode was; and what stands where a read-only mount stood, which the command could not replace:
 * that was the person, since.
 */
function knownBefore({ known, slots, sameBoot }: Left): (dir: Pin, name: string, facts: Facts) => boolean {
  // After a restart of the machine devices may have other numbers.
  const key = (id: string): string => (sameBoot ? id : id.slice(id.indexOf(":") + 1));
  const ids = new Set(known.map(key));
  const places = new Set(slots.map(key));
  return (dir, name, facts) => ids.has(key(idOf(facts))) || places.has(`${key(idOf(dir.facts))}/${name}`);
}

/** The root, if it still is the directory it was. */
function pinNoted({ dir, ino }: NotedRoot): Pin | null {
  try {
    const at = pin(dir);
    if (at.kind === "dir" && at.real === dir && at.facts.ino === ino) return at;
    at.close();
    return null;
  } catch {
    return null;
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
