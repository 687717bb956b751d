// A git directory that a command may work with and not take over: commits, branches and the index are written, what git executes or
// is led by (hooks, configuration, pointers to other directories) is not. Where it is not laid out as git lays it out, none of it is written.

import { isEmpty, makeDir, statEntry } from "../core/fs/at.ts";
import { type Pin, pinEntry } from "../core/fs/pin.ts";
import { resolveTarget } from "../core/fs/resolve.ts";
import { child, isInside } from "../core/path/contain.ts";
import type { Steps } from "../core/steps.ts";
import type { GitLinks } from "./git-links.ts";
import { type GitPlace, ordersIn, RESOLUTIONS } from "./git-orders.ts";
import type { PinnedEntry } from "./inventory.ts";
import { fingerprint } from "./known.ts";

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
  readonly bound: readonly (PinnedEntry & { readonly pin: Pin })[];
  /** What is there, cannot be bound or must be written, and may stay: a word for each. */
  readonly known: readonly string[];
  /** Links among it that lead to a directory elsewhere, or to nothing, where a command may make one. */
  readonly leads: readonly string[];
  readonly tripwires: readonly Tripwire[];
}

/** An empty directory that was made to be bound; to be removed afterwards if it is still empty. */
export interface StubDir {
  readonly dir: Pin;
  readonly name: string;
}

export interface GitPorts {
  /** Given every pin made here. */
  readonly keep: (pin: Pin) => Pin;
  /** Given every stub, also where the directory turns out to be odd. */
  readonly stubs: StubDir[];
  /** Does another command run here now? Then an empty directory is taken for a stub of its making, and is removed by whoever ends last. */
  readonly shared: boolean;
  readonly links: GitLinks;
}

interface GitDirEntry {
  readonly name: string;
  readonly kind: "file" | "dir";
  /** `made`: an empty one is made, and stays. `stub`: the same, and it is removed afterwards. `tripwire`: it must not come into being, since git never makes it and an empty one would break or lead it. */
  readonly missing: "made" | "stub" | "tripwire" | "odd";
}

// `commondir` makes git take configuration and hooks from elsewhere, and `config.worktree` is configuration; git makes neither of them
// in a main directory by itself. `modules` and `worktrees` hold further git directories, with hooks and configuration of their own: one that
// is made before git makes it is used as it is. Most repositories lack both, git takes an empty one for none, and removing them each time
// costs more than all of the rest here; so they stay. `remotes` and `branches` say, in the manner of old, where a name that is pushed to leads.
const inside: readonly GitDirEntry[] = [
  { name: "config", kind: "file", missing: "odd" },
  { name: "hooks", kind: "dir", missing: "stub" },
  { name: "modules", kind: "dir", missing: "made" },
  { name: "worktrees", kind: "dir", missing: "made" },
  { name: "config.worktree", kind: "file", missing: "tripwire" },
  { name: "commondir", kind: "file", missing: "tripwire" },
  { name: "remotes", kind: "dir", missing: "tripwire" },
  { name: "branches", kind: "dir", missing: "tripwire" },
];

/** Names in a git directory that must not come into being. */
export const ledBy: readonly string[] = inside.flatMap(({ name, missing }) => (missing === "tripwire" ? [name] : []));

/** Names in a git directory that git executes or is led by, wherever they lead. */
export const leading: readonly string[] = inside.map(({ name }) => name);

/** How the directory `git` with the files in `worktree` is to be bound. Throws the system's error where it is no longer there. */
export function* openGitDir(git: PinnedEntry, worktree: string, { keep, stubs, shared, links }: GitPorts): Steps<GitDir> {
  const at = keep(pinEntry(git.dir, git.name));
  const whole: GitDir = { itself: { pin: at, make: "read-only" }, bound: [], known: [], leads: [], tripwires: [] };
  const bound: (PinnedEntry & { pin: Pin })[] = [];
  const tripwires: Tripwire[] = [];
  const bind = (dir: Pin, name: string, path: string): Pin => {
    const pin = keep(pinEntry(dir, name));
    bound.push({ dir, name, path, kind: pin.kind, facts: pin.facts, pin });
    return pin;
  };
  for (const { name, kind, missing } of inside) {
    let entry = statEntry(at, name);
    if (entry === null && (missing === "stub" || missing === "made")) {
      if (!tryMakeDir(at, name)) return whole;
      if (missing === "stub") stubs.push({ dir: at, name });
      entry = statEntry(at, name);
    } else if (shared && missing === "stub" && entry?.kind === "dir" && holdsNothing(at, name)) stubs.push({ dir: at, name });
    if (entry === null) {
      if (missing === "odd") return whole;
      if (missing === "tripwire") tripwires.push({ dir: at, name, path: child(git.path, name) });
      continue;
    }
    if (entry.kind !== kind || bind(at, name, child(git.path, name)).kind !== kind) return whole;
  }
  const { odd, ...standing } = yield* standingOrders({ at, path: git.path, worktree }, links, bind, keep);
  return odd ? { ...whole, leads: standing.leads } : { itself: { pin: at, make: "writable" }, bound, ...standing, tripwires };
}

interface StandingOrders extends Pick<GitDir, "known" | "leads"> {
  /** What objects are elsewhere is said behind a link. */
  readonly odd: boolean;
}

/** What git takes orders from and is there already: bound where that can be done, told where not. */
export function* standingOrders(
  git: GitPlace,
  links: GitLinks,
  bind: (dir: Pin, name: string, path: string) => void,
  keep: (pin: Pin) => Pin,
): Steps<StandingOrders> {
  const known: string[] = [];
  const leads: string[] = [];
  let odd = false;
  yield* ordersIn(git, links, function* see(dir, name, path) {
    yield;
    const entry = statEntry(dir, name);
    if (entry === null) return;
    // A link cannot be bound, and resolutions are written by git at any time.
    if (entry.kind !== "link" && name !== RESOLUTIONS) return bind(dir === git.at ? dir : keep(pinEntry(dir, ".")), name, path);
    known.push(fingerprint({ dir, name, path, ...entry }));
    if (entry.kind !== "link") return;
    odd ||= path === child(git.path, "objects") || path === child(git.path, "objects/info");
    if (leadsAway(path, git.path)) leads.push(path);
  });
  return { known, leads, odd };
}

/** What is in the git directory itself is looked at as all of it is. */
function leadsAway(path: string, git: string): boolean {
  const { target } = resolveTarget(path);
  target.pin?.close();
  return !isInside(git, target.path) && (target.state !== "present" || target.kind === "dir");
}

function holdsNothing(at: Pin, name: string): boolean {
  const dir = pinEntry(at, name);
  try {
    return dir.kind === "dir" && isEmpty(dir);
  } finally {
    dir.close();
  }
}

function tryMakeDir(at: Pin, name: string): boolean {
  try {
    makeDir(at, name);
    return true;
  } catch {
    return false;
  }
}
