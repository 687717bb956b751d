// Nothing that executes later may be created while a command runs. What is created is renamed, so that no program takes it for what it
// was made to be. Nobody can tell who created it, so nothing is ever removed.

import { errnoOf } from "../core/errno.ts";
import { randomIds } from "../core/clock.ts";
import { eachEntryInSteps, type DirEntry, renameEntry, statEntry } from "../core/fs/at.ts";
import { type Pin, pinEntry } from "../core/fs/pin.ts";
import { basename, child } from "../core/path/contain.ts";
import type { Steps } from "../core/steps.ts";
import { stateOf, whileWritable } from "./disk.ts";
import type { Tripwire } from "./git-dir.ts";
import type { GitLinks } from "./git-links.ts";
import { type GitPlace, ordersIn } from "./git-orders.ts";
import { seeHooks } from "./hooks-path.ts";
import { Inventory, type SeeName } from "./inventory.ts";
import { isKnown, closedFingerprint } from "./known.ts";
import type { RenamedEntry } from "./port.ts";
import type { Folder, FolderPlan } from "./folder.ts";
import { LookFailure, type Sweep, type ClosedTest } from "./tree.ts";

export interface WatchPlan {
  /** The roots that a command may change. */
  readonly roots: readonly FolderPlan[];
  /** What was there before and executes later: a word for each. */
  readonly known: ReadonlySet<string>;
  /** When the look was taken that says so, and what stood where. */
  readonly since: number;
  readonly folders: ReadonlySet<Folder>;
  readonly tripwires: readonly Tripwire[];
  readonly gits: readonly GitPlace[];
  readonly links: GitLinks;
  /** Where else git takes hooks and settings from. */
  readonly hooks: Iterable<string>;
}

export class Warden {
  readonly #watched: WatchPlan;
  readonly #inventory: Inventory;
  readonly #changes = new Map<FolderPlan, number>();

  constructor(watched: WatchPlan, inventory: Inventory) {
    this.#watched = watched;
    this.#inventory = inventory;
  }

  /** Names at the top of each root that are new, renamed now. Quick where nothing has changed. */
  *patrol(): Steps<readonly RenamedEntry[]> {
    const aside: RenamedEntry[] = [];
    for (const root of this.#watched.roots) {
      const now = statEntry(root.at, ".")?.facts;
      const change = now === undefined ? Number.NaN : stateOf(now).changed;
      if (this.#changes.get(root) === change) continue;
      this.#changes.set(root, change);
      const names = root.session.policy.protect.walk(root.dir);
      const protectedNames: string[] = [];
      yield* eachEntryInSteps(root.at, (name) => {
        if (names.has(name)) protectedNames.push(name);
      });
      for (const name of protectedNames) aside.push(...(yield* this.#setAside(root.at, name, child(root.dir, name))));
    }
    return aside;
  }

  /** The same wherever they are. Throws where a root cannot be looked through. `running`: the command has not ended yet. */
  *sweep(running?: "running"): Steps<readonly RenamedEntry[]> {
    const aside: RenamedEntry[] = [];
    const judge: Judge = (dir, name, path) => this.#setAside(dir, name, path);
    const wasClosed: ClosedTest = (seen) => this.#watched.known.has(closedFingerprint(seen));
    const look: Sweep = { wasClosed: running === undefined ? wasClosed : null, since: this.#watched.since, known: this.#watched.folders };
    for (const root of this.#watched.roots) aside.push(...(yield* sweepRoot(root, this.#inventory, judge, look)));
    for (const { dir, name, path } of this.#watched.tripwires) aside.push(...(yield* setAside(dir, name, path)));
    return aside;
  }

  /** What git would take orders from when it is next used. Git makes such things itself while it works, so only once all of it has ended. */
  *sweepOrders(): Steps<readonly RenamedEntry[]> {
    const aside: RenamedEntry[] = [];
    const judge: Judge = (dir, name, path) => this.#setAside(dir, name, path);
    const see: SeeName = function* see(dir, name, path) {
      aside.push(...(yield* judge(dir, name, path)));
    };
    for (const git of this.#watched.gits) yield* ordersIn(git, this.#watched.links, see);
    const dirs = this.#watched.roots.map(({ dir }) => dir);
    for (const place of this.#watched.hooks) yield* seeHooks(place, dirs, see);
    return aside;
  }

  *#setAside(dir: Pin, name: string, path: string): Steps<readonly RenamedEntry[]> {
    yield;
    const entry = lookAt(dir, name);
    if (entry === null) return [];
    return entry !== "shut" && isKnown(this.#watched.known, { dir, name, path, ...entry }) ? [] : yield* setAside(dir, name, path);
  }
}

/** What has the name now; null if nothing has. `shut`: the directory's permissions were taken away, so that it cannot be told. */
export function lookAt(dir: Pin, name: string): DirEntry | "shut" | null {
  try {
    return statEntry(dir, name);
  } catch (error) {
    if (errnoOf(error) === "EACCES") return "shut";
    throw error;
  }
}

/** What is set aside as a whole may hold more of the kind, since a git directory is one under any name: so many are looked for in one another. */
const DEPTH = 100;

export type Judge = (dir: Pin, name: string, path: string) => Steps<readonly RenamedEntry[]>;

/**
 * Look through a root. `judge` is asked about every name that executes later, and gives what it set aside, which is looked through in turn.
 * Throws where the root cannot be looked through.
 */
export function sweepRoot(root: FolderPlan, inventory: Inventory, judge: Judge, look: Sweep): Steps<readonly RenamedEntry[]> {
  return sweepBelow(root, inventory, { judge, look }, DEPTH);
}

interface SweepPlan {
  readonly judge: Judge;
  readonly look: Sweep;
}

function* sweepBelow(root: FolderPlan, inventory: Inventory, sweeping: SweepPlan, depth: number): Steps<readonly RenamedEntry[]> {
  const aside: RenamedEntry[] = [];
  const { judge, look } = sweeping;
  const see: SeeName = function* see(dir, name, path) {
    for (const moved of yield* judge(dir, name, path)) {
      aside.push(moved);
      if (moved.to !== null && moved.from === path && depth > 0)
        aside.push(...(yield* sweepInside(root, dir, moved.to, sweeping, depth - 1)));
    }
  };
  const enter: SeeName = function* enter(dir, _name, path) {
    if (depth === 0) throw new LookFailure("too-many");
    aside.push(...(yield* sweepInside(root, dir, path, sweeping, depth - 1)));
  };
  // Where somebody moves directories meanwhile, what moved is looked for once more.
  yield* retry(() => inventory.sweep(root, look, see, enter));
  return aside;
}

/** Look through a directory by itself, and remember nothing of it: going through the whole root again would take as long as the first time. */
function* sweepInside(root: FolderPlan, holder: Pin, path: string, sweeping: SweepPlan, depth: number): Steps<readonly RenamedEntry[]> {
  if (statEntry(holder, basename(path))?.kind !== "dir") return [];
  const at = pinEntry(holder, basename(path));
  try {
    return yield* sweepBelow({ ...root, at, dir: path }, new Inventory(() => 0), sweeping, depth);
  } finally {
    at.close();
  }
}

function* retry(act: () => Steps<void>): Steps<void> {
  for (let left = 3; ; left -= 1) {
    try {
      return yield* act();
    } catch (error) {
      if (left === 1 || !(error instanceof LookFailure)) throw error;
    }
  }
}

/** Rename the entry so that nothing takes it for what it was made to be. Whatever is in it stays in it. */
export function* setAside(dir: Pin, name: string, path: string): Steps<readonly RenamedEntry[]> {
  const seen = lookAt(dir, name);
  if (seen === null) return [];
  const to =
    (seen === "shut" ? null : renameAside(dir, name)) ??
    (yield* openly(dir, () => (lookAt(dir, name) === null ? "" : renameAside(dir, name))));
  if (to === "") return [];
  return [{ from: path, to: to === null ? null : `${path.slice(0, path.length - name.length)}${to}` }];
}

/** The new name; null if the system does not let it have one. */
function renameAside(dir: Pin, name: string): string | null {
  const plain = `${name}.set-aside`;
  // A random name where somebody thought of the plain one first, and a short one where that is longer than names may be.
  const others = [...(isFree(dir, plain) ? [plain] : []), `${plain}-${randomIds()}`, `set-aside-${randomIds()}`];
  for (const other of others) {
    try {
      renameEntry(dir, name, dir, other);
      return other;
    } catch (error) {
      if (errnoOf(error) !== "ENAMETOOLONG") return null;
    }
  }
  return null;
}

function isFree(dir: Pin, name: string): boolean {
  try {
    return statEntry(dir, name) === null;
  } catch {
    return false;
  }
}

/** Do it while the directory's owner may write in it; null where that cannot be brought about. */
function* openly(dir: Pin, act: () => string | null): Steps<string | null> {
  try {
    return yield* whileWritable(dir, function* now() {
      yield;
      return act();
    });
  } catch {
    return null;
  }
}
