// Scope: all roots of a session taken together. Computed from the session, quick to ask however many roots there are.

import type { Right } from "../access.ts";
import { endsName, isInside } from "../path/contain.ts";
import { gives, type Root } from "./root.ts";
import type { Session } from "./session.ts";

/** The roots by directory; made once for each session value, which never changes. */
const scopes = new WeakMap<Session, Scope>();

export function scopeOf(session: Session): Scope {
  const known = scopes.get(session);
  if (known !== undefined) return known;
  const scope = new Scope([
    session.workspace,
    ...session.mounts,
    ...session.grants.flatMap((grant) => (grant.until === "call" ? [] : [grant.root])),
  ]);
  scopes.set(session, scope);
  return scope;
}

export class Scope {
  readonly #roots = new Map<string, Root[]>();
  /** How long the directories' names are, longest first: only a beginning of that length needs to be looked up. */
  readonly #lengths: readonly number[];

  constructor(roots: readonly Root[]) {
    for (const root of roots) {
      const here = this.#roots.get(root.dir);
      if (here === undefined) this.#roots.set(root.dir, [root]);
      else here.push(root);
    }
    this.#lengths = [...new Set(roots.map((root) => root.dir.length))].toSorted((one, other) => other - one);
  }

  /** Is one of the roots at `path` or below it? */
  isAround(path: string): boolean {
    for (const dir of this.#roots.keys()) if (isInside(path, dir)) return true;
    return false;
  }

  /**
   * The roots that hold `path`, nearest first, that `usable` accepts; the first that gives `right`, else the nearest. Null outside scope.
   * A mount decides for all that is in it, whatever lies around: one that is for reading is so in the workspace too. Grants only add.
   */
  find(path: string, right: Right, usable: (root: Root) => boolean): Root | null {
    let nearest: Root | null = null;
    for (const length of this.#lengths) {
      if (!endsName(path, length)) continue;
      const here = this.#roots.get(length === path.length ? path : path.slice(0, length));
      if (here === undefined) continue;
      for (const root of here) {
        if (!usable(root)) continue;
        if (gives(root, right)) return root;
        if (root.from === "mount") return nearest ?? root;
        nearest ??= root;
      }
    }
    return nearest;
  }
}
