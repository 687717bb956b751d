// Scope: all roots of a session taken together. Computed from the session, quick to ask however many roots there are.

import type { Right } from "../access.ts";
import { parent } from "../path/contain.ts";
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

  constructor(roots: readonly Root[]) {
    for (const root of roots) {
      const here = this.#roots.get(root.dir);
      if (here === undefined) this.#roots.set(root.dir, [root]);
      else here.push(root);
    }
  }

  /** The roots that hold `path`, nearest first, that `usable` accepts; the first that gives `right`, else the nearest. Null outside scope. */
  find(path: string, right: Right, usable: (root: Root) => boolean): Root | null {
    let nearest: Root | null = null;
    for (let dir = path; ; dir = parent(dir)) {
      for (const root of this.#roots.get(dir) ?? []) {
        if (!usable(root)) continue;
        if (gives(root, right)) return root;
        nearest ??= root;
      }
      if (dir === "/") return nearest;
    }
  }
}
