// A git directory that a command may work with and not take over: commits, branches and the index are written, what git executes or
// is led by (hooks, configuration, pointers to other directories) is not. Where it is not laid out as git lays it out, none of it is written.

import { makeDir, statEntry } from "../core/fs/at.ts";
import { type Pin, pinEntry } from "../core/fs/pin.ts";
import { child } from "../core/path/contain.ts";
import type { Standing } from "./inventory.ts";

/** A name that must not come into being in a pinned directory. */
export interface Tripwire {
  readonly dir: Pin;
  readonly name: string;
  readonly path: string;
}

export interface GitDir {
  /** The directory itself: writable, but not to be renamed; or read-only as a whole. */
  readonly itself: { readonly pin: Pin; readonly make: "writable" | "read-only" };
  /** What is bound read-only in it. */
  readonly bound: readonly (Standing & { readonly pin: Pin })[];
  readonly tripwires: readonly Tripwire[];
  readonly stub: Stub | null;
}

/** An empty directory that was made to be bound; to be removed afterwards if it is still empty. */
export interface Stub {
  readonly dir: Pin;
  readonly name: string;
}

// `commondir` makes git take configuration and hooks from elsewhere, and `config.worktree` is configuration; git makes neither of them
// in a main directory by itself. `modules` and `worktrees` hold further git directories.
const inside: readonly { readonly name: string; readonly kind: "file" | "dir"; readonly missing: "stub" | "tripwire" | "fine" | "odd" }[] =
  [
    { name: "hooks", kind: "dir", missing: "stub" },
    { name: "config", kind: "file", missing: "odd" },
    { name: "config.worktree", kind: "file", missing: "tripwire" },
    { name: "commondir", kind: "file", missing: "tripwire" },
    { name: "modules", kind: "dir", missing: "fine" },
    { name: "worktrees", kind: "dir", missing: "fine" },
  ];

/** How the directory `git` is to be bound. `keep` is given every pin made here. Throws the system's error where it is no longer there. */
export function openGitDir(git: Standing, keep: (pin: Pin) => Pin): GitDir {
  const at = keep(pinEntry(git.dir, git.name));
  const whole: GitDir = { itself: { pin: at, make: "read-only" }, bound: [], tripwires: [], stub: null };
  const bound: (Standing & { pin: Pin })[] = [];
  const tripwires: Tripwire[] = [];
  let stub: Stub | null = null;
  for (const { name, kind, missing } of inside) {
    let entry = statEntry(at, name);
    if (entry === null && missing === "stub") {
      if (statEntry(at, "config")?.kind !== "file" || !tryMakeDir(at, name)) return whole;
      stub = { dir: at, name };
      entry = statEntry(at, name);
    }
    if (entry === null) {
      if (missing === "odd") return whole;
      if (missing === "tripwire") tripwires.push({ dir: at, name, path: child(git.path, name) });
      continue;
    }
    const pin = entry.kind === kind ? keep(pinEntry(at, name)) : null;
    if (pin === null || pin.kind !== kind) return { ...whole, stub };
    bound.push({ dir: at, name, path: child(git.path, name), kind: pin.kind, facts: pin.facts, pin });
  }
  return { itself: { pin: at, make: "writable" }, bound, tripwires, stub };
}

function tryMakeDir(at: Pin, name: string): boolean {
  try {
    makeDir(at, name);
    return true;
  } catch {
    return false;
  }
}
