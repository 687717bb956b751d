// The mounts of a profile while it is drafted: what is bound, what is hidden, and what must stay in place for that. For each path the
// strictest mount wins, in whatever order they come. Paths are compared by their bytes, one character each: names need not be UTF-8.

import type { KeptIdentity } from "../core/fs/identity.ts";
import type { Facts, Pin } from "../core/fs/pin.ts";
import { isInside, parent } from "../core/path/contain.ts";
import { bytesOf } from "./disk.ts";
import type { PlacePorts } from "./held-places.ts";
import type { FoundInRoot, PinnedEntry } from "./inventory.ts";
import type { ObservedEntry } from "./known.ts";
import { depthOf, type ShownRoot } from "./shown-roots.ts";
import { withoutCredentials } from "./without-credentials.ts";

/** One mount. Paths are bytes, one character each; outer ones come before inner ones. */
export type SandboxMount =
  | { readonly make: "writable" | "read-only"; readonly path: string; readonly pin: Pin }
  | { readonly make: "hidden-file" | "hidden-dir"; readonly path: string }
  /** A file with another text in its place: bytes, one character each. */
  | { readonly make: "shown-file"; readonly path: string; readonly text: string };

/** An entry that a mount covers. Once the host puts something else in its place the mount is gone, and nobody tells. */
export interface CoveredEntry extends KeptIdentity {
  readonly dir: Pin;
  readonly name: string;
  readonly path: string;
}

/** What the other parts of a draft do to its mounts. */
export interface MountPlacement extends PlacePorts {
  /** What is bound there must stay in its place. */
  hold(standing: PinnedEntry, facts: Facts): void;
  /** Is the path hidden, by itself or with a directory around it? */
  isHidden(path: string): boolean;
}

export class MountDraft {
  readonly covered: CoveredEntry[] = [];
  /** What is bound read-only because it executes later, or is held in its place: nothing else can take its name meanwhile. */
  readonly heldEntries: ObservedEntry[] = [];
  readonly placing: MountPlacement;
  readonly #binds = new Map<string, Extract<SandboxMount, { pin: Pin }>>();
  readonly #hidden = new Map<string, Exclude<SandboxMount, { pin: Pin }>>();
  readonly #roots = new Set<string>();
  readonly #isGit: (bytes: string) => boolean;

  /** `keep` is given every pin that is made; `isGit`: is it a git directory that is meant to be written? */
  constructor(keep: (pin: Pin) => Pin, isGit: (bytes: string) => boolean) {
    this.#isGit = isGit;
    this.placing = {
      keep,
      bind: (path, at, make) => this.bind(path, at, make),
      hold: (standing, facts) => this.hold(standing, facts),
      isHidden: (path) => this.#isHidden(path),
      enclosingMake: (path) => this.#nearest(path)?.make ?? null,
    };
  }

  /** What must stay in its place, but for what lies in a directory that is hidden as a whole. `isVeiled` as below. */
  coveredOutside(isVeiled: (path: string) => boolean): readonly CoveredEntry[] {
    return this.covered.filter(({ path }) => !isVeiled(bytesOf(parent(path))));
  }

  /** What is to be mounted, each of the two kinds from the outside in. `isVeiled`: is it, as bytes, where nothing can be mounted? */
  mounts(isVeiled: (path: string) => boolean): readonly SandboxMount[] {
    const bound = [...this.#binds.values()].filter(({ path }) => !isVeiled(path));
    const hidden = [...this.#hidden.values()].filter(({ path }) => !isVeiled(parent(path)));
    return [...byDepth(bound), ...byDepth(hidden)];
  }

  /** How many there are of each kind, in words. */
  get counted(): string {
    return `${this.#hidden.size} secrets and ${this.#binds.size} protected names and roots`;
  }

  showRoot({ root, at, writable }: ShownRoot): void {
    this.#roots.add(bytesOf(root.dir));
    this.bind(root.dir, at, writable ? "writable" : "read-only");
  }

  bind(path: string, at: Pin, make: "writable" | "read-only"): void {
    const bytes = bytesOf(path);
    const existing = this.#binds.get(bytes);
    // A directory that was only to be held in its place may turn out to be one that executes later.
    if (existing !== undefined && (existing.make === "read-only" || make === "writable" || this.#isWritten(bytes))) return;
    this.#binds.set(bytes, { make, path: bytes, pin: at });
    if (make === "writable") return;
    // What was held in it is held by it now, and would be a hole in it.
    for (const [inner, innerBind] of this.#binds)
      if (innerBind.make === "writable" && isInside(bytes, inner) && !this.#isWritten(inner)) this.#binds.delete(inner);
  }

  hold(standing: PinnedEntry, facts: Facts): void {
    this.#cover(standing, facts);
    this.heldEntries.push({ ...standing, facts });
  }

  /** `byContent`: it is a secret for what stands in it, and for nothing else. */
  hide(standing: PinnedEntry, byContent = false): void {
    const path = bytesOf(standing.path);
    if (this.#hidden.has(path)) return;
    const text = byContent ? withoutCredentials(standing.dir, standing.name) : null;
    if (text !== null) this.#hidden.set(path, { make: "shown-file", path, text });
    else this.#hidden.set(path, { make: standing.kind === "dir" ? "hidden-dir" : "hidden-file", path });
    // Nothing holds it but its name, so that what takes its place may get its inode.
    this.#cover(standing, { ...standing.facts, born: standing.facts.birthtimeMs });
  }

  /** The same by bytes alone, for a name that cannot be spoken of. */
  hideRaw({ path, kind }: FoundInRoot["raw"][number]): void {
    this.#hidden.set(path, { make: kind === "dir" ? "hidden-dir" : "hidden-file", path });
  }

  /** Is it hidden by itself? */
  hides(path: string): boolean {
    return this.#hidden.has(bytesOf(path));
  }

  #isHidden(path: string): boolean {
    if (this.hides(path)) return true;
    for (let dir = parent(path); dir !== "/"; dir = parent(dir)) if (this.#hidden.get(bytesOf(dir))?.make === "hidden-dir") return true;
    return false;
  }

  #cover({ dir, name, path }: PinnedEntry, { dev, ino, born }: KeptIdentity): void {
    this.covered.push({ dir, name, path, dev, ino, ...(born === undefined ? {} : { born }) });
  }

  /** Is it meant to be written, and not only held in its place: a root, a git directory? */
  #isWritten(bytes: string): boolean {
    return this.#roots.has(bytes) || this.#isGit(bytes);
  }

  #nearest(path: string): SandboxMount | undefined {
    const enclosing = [...this.#binds.values()].filter((bind) => isInside(bind.path, bytesOf(path)));
    return enclosing.reduce<SandboxMount | undefined>(
      (near, bind) => (near === undefined || bind.path.length > near.path.length ? bind : near),
      undefined,
    );
  }
}

const byDepth = <T extends { readonly path: string }>(mounts: readonly T[]): readonly T[] =>
  mounts.toSorted((one, other) => depthOf(one.path) - depthOf(other.path));
