// Nothing that executes later may come into being while a command runs. What does is renamed, so that nothing takes it for what it was
// made to be; who made it cannot be told, so nothing is ever removed.

import { randomIds } from "../core/clock.ts";
import { eachEntry, renameEntry, statEntry } from "../core/fs/at.ts";
import type { Pin } from "../core/fs/pin.ts";
import { child } from "../core/path/contain.ts";
import { stateOf, whileWritable } from "./disk.ts";
import type { Tripwire } from "./git-dir.ts";
import { idOf, type Inventory } from "./inventory.ts";
import type { SetAside } from "./port.ts";
import { LookFailure, type Plan } from "./tree.ts";

export class Warden {
  readonly #roots: readonly Plan[];
  readonly #known: ReadonlySet<string>;
  readonly #tripwires: readonly Tripwire[];
  readonly #inventory: Inventory;
  readonly #changes = new Map<Plan, number>();

  constructor(roots: readonly Plan[], known: ReadonlySet<string>, tripwires: readonly Tripwire[], inventory: Inventory) {
    this.#roots = roots;
    this.#known = known;
    this.#tripwires = tripwires;
    this.#inventory = inventory;
  }

  /** Names at the top of each root that are new, renamed now. Quick where nothing has changed. */
  patrol(): readonly SetAside[] {
    return this.#roots.flatMap((root) => {
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
    for (const root of this.#roots) {
      const see = (dir: Pin, name: string, path: string): void => void aside.push(...this.#setAside(dir, name, path));
      // Where somebody moves directories meanwhile, what moved is looked for once more.
      retried(() => this.#inventory.sweep(root, see));
    }
    for (const { dir, name, path } of this.#tripwires) aside.push(...setAside(dir, name, path));
    return aside;
  }

  #setAside(dir: Pin, name: string, path: string): readonly SetAside[] {
    const facts = statEntry(dir, name)?.facts;
    return facts === undefined || this.#known.has(idOf(facts)) ? [] : setAside(dir, name, path);
  }
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
function setAside(dir: Pin, name: string, path: string): readonly SetAside[] {
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
