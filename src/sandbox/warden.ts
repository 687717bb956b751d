// Nothing that executes later may come into being while a command runs. What does is renamed, so that nothing takes it for what it was
// made to be; who made it cannot be told, so nothing is ever removed.

import { randomIds } from "../core/clock.ts";
import { eachEntry, renameEntry, statEntry } from "../core/fs/at.ts";
import type { Pin } from "../core/fs/pin.ts";
import { child } from "../core/path/contain.ts";
import { stateOf, whileWritable } from "./disk.ts";
import type { Tripwire, WrittenGit } from "./git-dir.ts";
import { ordersIn } from "./git-orders.ts";
import { seeHooks } from "./hooks-path.ts";
import { idOf, type Inventory } from "./inventory.ts";
import type { SetAside } from "./port.ts";
import type { Plan } from "./folder.ts";
import { LookFailure } from "./tree.ts";

export interface Watched {
  /** The roots that a command may change. */
  readonly roots: readonly Plan[];
  /** What was there before and executes later: `device:inode`. */
  readonly known: ReadonlySet<string>;
  readonly tripwires: readonly Tripwire[];
  readonly gits: readonly WrittenGit[];
  /** Other directories for hooks that git's configuration names. */
  readonly hooks: readonly string[];
}

export class Warden {
  readonly #watched: Watched;
  readonly #inventory: Inventory;
  readonly #changes = new Map<Plan, number>();

  constructor(watched: Watched, inventory: Inventory) {
    this.#watched = watched;
    this.#inventory = inventory;
  }

  /** Names at the top of each root that are new, renamed now. Quick where nothing has changed. */
  patrol(): readonly SetAside[] {
    return this.#watched.roots.flatMap((root) => {
      const now = statEntry(root.at, ".")?.facts;
      const change = now === undefined ? Number.NaN : stateOf(now).changed;
      if (this.#changes.get(root) === change) return [];
      this.#changes.set(root, change);
      const names = root.session.policy.protect.walk(root.dir);
      const found: string[] = [];
      eachEntry(root.at, (name) => {
        if (names.has(name)) found.push(name);
      });
      return found.flatMap((name) => this.#setAside(root.at, name, child(root.dir, name)));
    });
  }

  /** The same wherever they are. Throws where a root cannot be looked through. */
  sweep(): readonly SetAside[] {
    const aside: SetAside[] = [];
    for (const root of this.#watched.roots) {
      aside.push(...sweepRoot(root, this.#inventory, (dir, name, path) => this.#setAside(dir, name, path)));
    }
    for (const { dir, name, path } of this.#watched.tripwires) aside.push(...setAside(dir, name, path));
    return aside;
  }

  /** What git would take orders from when it is next used. Git makes such things itself while it works, so only once all of it has ended. */
  sweepOrders(): readonly SetAside[] {
    const aside: SetAside[] = [];
    const see = (dir: Pin, name: string, path: string): void => void aside.push(...this.#setAside(dir, name, path));
    for (const { at, path } of this.#watched.gits) ordersIn(at, path, see);
    const dirs = this.#watched.roots.map(({ dir }) => dir);
    for (const place of this.#watched.hooks) seeHooks(place, dirs, see);
    return aside;
  }

  #setAside(dir: Pin, name: string, path: string): readonly SetAside[] {
    const facts = statEntry(dir, name)?.facts;
    return facts === undefined || this.#watched.known.has(idOf(facts)) ? [] : setAside(dir, name, path);
  }
}

/** What is set aside as a whole may hold more of the kind: a git directory is one under any name. Each pass looks a level further down. */
const PASSES = 8;

/** Look through a root. `judge` is asked about every name that executes later, and gives what it set aside. Throws where it cannot be looked through. */
export function sweepRoot(
  root: Plan,
  inventory: Inventory,
  judge: (dir: Pin, name: string, path: string) => readonly SetAside[],
): readonly SetAside[] {
  const aside: SetAside[] = [];
  for (let left = PASSES; left > 0; left -= 1) {
    const before = aside.filter(({ to }) => to !== null).length;
    // Where somebody moves directories meanwhile, what moved is looked for once more.
    retried(() => inventory.sweep(root, (dir, name, path) => void aside.push(...judge(dir, name, path))));
    if (aside.filter(({ to }) => to !== null).length === before) break;
  }
  return aside;
}

function retried(act: () => void): void {
  for (let left = 3; ; left -= 1) {
    try {
      return act();
    } catch (error) {
      if (left === 1 || !(error instanceof LookFailure)) throw error;
    }
  }
}

/** Rename the entry so that nothing takes it for what it was made to be. Whatever is in it stays in it. */
export function setAside(dir: Pin, name: string, path: string): readonly SetAside[] {
  if (statEntry(dir, name) === null) return [];
  // A random name where somebody thought of the plain one first.
  const plain = `${name}.set-aside`;
  const other = statEntry(dir, plain) === null ? plain : `${plain}-${randomIds()}`;
  const rename = (): void => renameEntry(dir, name, dir, other);
  try {
    rename();
  } catch {
    try {
      whileWritable(dir, rename);
    } catch {
      return [{ from: path, to: null }];
    }
  }
  return [{ from: path, to: `${path.slice(0, path.length - name.length)}${other}` }];
}
