// The part of a profile that is about git: its directories under whatever name, those that a `.git` file points to, and other directories
// for hooks that a configuration names. What is bound and held goes to the profile; what must be looked at afterwards is kept here.

import { statEntry } from "../core/fs/at.ts";
import { type Facts, type Pin, pinEntry } from "../core/fs/pin.ts";
import { basename, below, parent } from "../core/path/contain.ts";
import { type GitPorts, openGitDir, type Tripwire, type WrittenGit } from "./git-dir.ts";
import { gitFileTarget } from "./git-file.ts";
import { hooksPlaces, seeHooks } from "./hooks-path.ts";
import { idOf, type Standing } from "./inventory.ts";
import type { Plan } from "./folder.ts";
import { pinBelow } from "./tree.ts";

export interface DraftPorts extends GitPorts {
  readonly home: string;
  bind(path: string, at: Pin, make: "writable" | "read-only"): void;
  /** What is bound there must stay in its place. */
  hold(standing: Standing, facts: Facts): void;
  isHidden(path: string): boolean;
  /** How the nearest mount at the path or around it is made. */
  around(path: string): string | null;
}

export class GitDraft {
  readonly tripwires: Tripwire[] = [];
  readonly gits: WrittenGit[] = [];
  /** Other places for hooks, absolute. */
  readonly hooks: string[] = [];
  /** What stands there, cannot be bound or need not be, and may stay: `device:inode`. */
  readonly known = new Set<string>();
  readonly #ports: DraftPorts;

  constructor(ports: DraftPorts) {
    this.#ports = ports;
  }

  /** Bind a git directory whose working tree is `worktree`. */
  guard(standing: Standing, worktree: string): void {
    const { bind, hold, home } = this.#ports;
    const { itself, bound, links, tripwires } = openGitDir(standing, this.#ports);
    bind(standing.path, itself.pin, itself.make);
    hold(standing, itself.pin.facts);
    if (itself.make === "writable") this.gits.push({ at: itself.pin, path: standing.path });
    for (const one of bound) {
      bind(one.path, one.pin, "read-only");
      hold(one, one.facts);
    }
    const config = bound.find(({ name }) => name === "config");
    if (config !== undefined) this.hooks.push(...hooksPlaces(config.pin, worktree, home));
    for (const facts of links) this.known.add(idOf(facts));
    this.tripwires.push(...tripwires);
  }

  /** A `.git` that is a file points to the directory that is meant, which is kept as a `.git` would be. */
  guardPointedTo(standing: Standing, root: Plan): void {
    const { keep, around } = this.#ports;
    if (standing.name !== ".git" || standing.kind !== "file") return;
    const path = gitFileTarget(standing, root.dir);
    if (path === null || around(path) === "read-only" || this.gits.some((git) => git.path === path)) return;
    const dir = pinBelow(root.at, below(root.dir, parent(path)));
    if (dir === null) return;
    keep(dir);
    const entry = statEntry(dir, basename(path));
    if (entry?.kind === "dir") this.guard({ dir, name: basename(path), path, ...entry }, parent(standing.path));
  }

  /** Bind the other directories for hooks that lie in one of these roots. */
  guardHooks(roots: readonly string[]): void {
    const { keep, bind, hold, isHidden, around } = this.#ports;
    for (const place of this.hooks) {
      seeHooks(place, roots, (holder, name, path) => {
        const at = keep(pinEntry(holder, name));
        if (at.kind !== "dir" || isHidden(path) || around(path) === "read-only") return this.known.add(idOf(at.facts));
        bind(path, at, "read-only");
        return hold({ dir: keep(pinEntry(holder, ".")), name, path, kind: at.kind, facts: at.facts }, at.facts);
      });
    }
  }
}
