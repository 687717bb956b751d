// The part of a profile that is about git: its directories under whatever name, those that a `.git` file points to, and where else hooks
// and settings are taken from. What is bound and held goes to the profile; what must be looked at afterwards is kept here.

import { statEntry } from "../core/fs/at.ts";
import { type Pin, pinEntry } from "../core/fs/pin.ts";
import { basename, below, child, isInside, parent } from "../core/path/contain.ts";
import { completesGitDirectory } from "../core/policy/git-directory.ts";
import type { Steps } from "../core/steps.ts";
import type { FolderPlan } from "./folder.ts";
import { holdWay } from "./held-places.ts";
import { type GitPorts, openGitDir, standingOrders, type Tripwire } from "./git-dir.ts";
import { gitFileTarget } from "./git-file.ts";
import type { GitPlace } from "./git-orders.ts";
import { hooksPlaces, seeHooks } from "./hooks-path.ts";
import type { PinnedEntry } from "./inventory.ts";
import { fingerprint } from "./known.ts";
import type { MountPlacement } from "./mount-draft.ts";
import { pinBelow } from "./tree.ts";

export interface DraftPorts extends GitPorts, MountPlacement {
  readonly home: string;
}

export class GitDraft {
  readonly tripwires: Tripwire[] = [];
  /** Git directories that are written, to be looked through for orders afterwards. */
  readonly gits: GitPlace[] = [];
  /** Where else git takes hooks and settings from, and what links in its directory lead to: absolute. */
  readonly hooks = new Set<string>();
  /** What stands there, cannot be bound or need not be, and may stay: a word for each. */
  readonly known = new Set<string>();
  readonly #ports: DraftPorts;

  constructor(ports: DraftPorts) {
    this.#ports = ports;
  }

  /** Bind a git directory whose working tree is `worktree`. */
  *guard(standing: PinnedEntry, worktree: string): Steps<void> {
    const { bind, hold } = this.#ports;
    const { itself, bound, known, leads, tripwires } = yield* openGitDir(standing, worktree, this.#ports);
    bind(standing.path, itself.pin, itself.make);
    hold(standing, itself.pin.facts);
    if (itself.make === "writable") this.gits.push({ at: itself.pin, path: standing.path, worktree });
    for (const entry of bound) {
      bind(entry.path, entry.pin, "read-only");
      hold(entry, entry.facts);
    }
    for (const print of known) this.known.add(print);
    for (const hook of leads) this.hooks.add(hook);
    this.tripwires.push(...tripwires);
  }

  /** What follows from a name that executes later, once all of them are bound: where it leads git. */
  *follow(standing: PinnedEntry, root: FolderPlan): Steps<void> {
    yield;
    if (standing.name === ".git") {
      yield* this.#guardPointedTo(standing, root);
      yield* this.#lead(standing.path, parent(standing.path));
    } else if (standing.name === "config" || standing.name === "hooks") yield* this.#guardBare(standing);
  }

  /** A `.git` that is a file points to the directory that is meant, which is kept as a `.git` would be. */
  *#guardPointedTo(standing: PinnedEntry, root: FolderPlan): Steps<void> {
    const { keep, enclosingMake } = this.#ports;
    if (standing.kind !== "file") return;
    const path = gitFileTarget(standing, root.dir);
    if (path === null || enclosingMake(path) === "read-only" || this.gits.some((git) => git.path === path)) return;
    const dir = pinBelow(root.at, below(root.dir, parent(path)));
    if (dir === null) return;
    keep(dir);
    const entry = statEntry(dir, basename(path));
    if (entry?.kind === "dir") yield* this.guard({ dir, name: basename(path), path, ...entry }, parent(standing.path));
  }

  /** A git directory under another name, which holds one of these: its settings and hooks are bound by now, the rest of it is looked after here. */
  *#guardBare({ dir, name, path: entryPath }: PinnedEntry): Steps<void> {
    const path = parent(entryPath);
    const has = (entryName: string): boolean => statEntry(dir, entryName) !== null;
    if (!completesGitDirectory(name === "hooks" ? "hooks" : "config", has) || this.gits.some((git) => git.path === path)) return;
    const bind = (at: Pin, inner: string, where: string): void => this.#bindAndHold(at, inner, where);
    for (const inner of ["modules", "worktrees"]) if (statEntry(dir, inner)?.kind === "dir") bind(dir, inner, child(path, inner));
    const git: GitPlace = { at: dir, path, worktree: path };
    this.gits.push(git);
    const { known, leads } = yield* standingOrders(git, this.#ports.links, bind, this.#ports.keep);
    for (const print of known) this.known.add(print);
    for (const hook of leads) this.hooks.add(hook);
    yield* this.#lead(path, path);
  }

  *#lead(git: string, worktree: string): Steps<void> {
    for (const place of yield* hooksPlaces(git, worktree, this.#ports.home)) this.hooks.add(place);
  }

  /** Bind whatever stands in those places, in one of these roots. */
  *guardHooks(roots: readonly FolderPlan[]): Steps<void> {
    const { keep, isHidden, enclosingMake } = this.#ports;
    const dirs = roots.map(({ dir }) => dir);
    const cover = (holder: Pin, name: string, path: string): void => {
      const entry = statEntry(holder, name);
      if (entry === null) return;
      if (isHidden(path) || enclosingMake(path) === "read-only" || (entry.kind !== "dir" && entry.kind !== "file")) {
        this.known.add(fingerprint({ dir: holder, name, path, ...entry }));
      } else {
        this.#holdWay(roots, path);
        this.#bindAndHold(keep(pinEntry(holder, ".")), name, path);
      }
    };
    for (const place of this.hooks) {
      yield* seeHooks(place, dirs, function* see(holder, name, path) {
        yield;
        cover(holder, name, path);
      });
    }
  }

  #bindAndHold(dir: Pin, name: string, path: string): void {
    const { keep, bind, hold } = this.#ports;
    const at = keep(pinEntry(dir, name));
    bind(path, at, "read-only");
    hold({ dir, name, path, kind: at.kind, facts: at.facts }, at.facts);
  }

  /** The directories on the way to a path, in the nearest root around it, keep their names. */
  #holdWay(roots: readonly FolderPlan[], path: string): void {
    const root = roots.filter(({ dir }) => isInside(dir, path)).toSorted((one, other) => other.dir.length - one.dir.length)[0];
    if (root !== undefined) holdWay(root, path, this.#ports);
  }
}
