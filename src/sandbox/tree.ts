// The directories of a root, each as `folder.ts` lists it. Built on pinned directories and never through a link. Brought up to date by listing what has changed, and nothing else.

import { errnoOf } from "../core/errno.ts";
import { isVirtual, statEntry } from "../core/fs/at.ts";
import { type Facts, type Pin, pinEntry } from "../core/fs/pin.ts";
import { ignoreFileIn } from "../core/guard/gitignored.ts";
import { below, child, parent } from "../core/path/contain.ts";
import { type Ignores, rootIgnores } from "../core/policy/gitignore.ts";
import type { Identity } from "../core/session/root.ts";
import type { Steps } from "../core/steps.ts";
import { letOwnerIn, placeOf, type DirState, stateAt, stateOf } from "./disk.ts";
import { type Context, createListing, type Folder, NONE, type FolderPlan, type User } from "./folder.ts";
import type { Folders } from "./folders.ts";
import type { ObservedEntry } from "./known.ts";
import { isMountPoint } from "./mount-table.ts";

/** A look that must be taken again, since something moved under it; or that is no use, since there is more to cover than can be. */
export class LookFailure extends Error {
  override readonly name = "LookFailure";
  readonly why: "moved" | "too-many" | "git-settings";

  constructor(why: LookFailure["why"]) {
    super(why);
    this.why = why;
  }
}

/** Deeper than any tree people make; what is below is hidden. */
const DEPTH = 200;
/**
 * The clock of a file system ticks every few milliseconds: a directory listed within a tick of its last change may have changed since. Some
 * keep whole seconds, and FAT every other one: so may one that says a whole second.
 */
const TICK = 100;
const WHOLE_SECONDS_TICK = 2100;

/**
 * The folders of a root now. `folders` are those of an earlier look at the same plan, or none; they are brought up to date.
 * Throws a LookFailure where directories move meanwhile, and the system's error where the root itself cannot be listed. `trusts`: is the
 * time of the last change to be believed, on the file system of this path?
 *
 * `sweep` is given where a command has run: then every directory is listed that was not closed before it. Their owner is let into those that
 * the command closed, for good; where that does not help, the system's error is thrown.
 */
export function* lookAtTree(
  plan: FolderPlan,
  folders: Folders,
  clock: () => number,
  trusts: TrustTest,
  sweep: Sweep | null = null,
): Steps<void> {
  yield* new TreeLook(plan, folders, clock, trusts, sweep).look();
}

export type TrustTest = (path: string) => boolean;

/** Was the directory closed to the command, so that nothing in it is the command's doing? */
export type ClosedTest = (seen: ObservedEntry) => boolean;

/** What a look goes by that is taken for the sake of what a command has done. */
export interface Sweep {
  /** Null while the command still runs: what cannot be listed is left for later. */
  readonly wasClosed: ClosedTest | null;
  /** Files that changed since then, in directories that did, run with nobody's powers but their caller's. */
  readonly since: number;
  /** Folders that were looked at before the command: as long as they are not listed anew, there is nothing new in them. */
  readonly known?: ReadonlySet<Folder>;
}

class TreeLook {
  readonly #plan: FolderPlan;
  readonly #folders: Folders;
  readonly #clock: () => number;
  readonly #listing: ReturnType<typeof createListing>;
  readonly #trusts: TrustTest;
  readonly #wasClosed: ClosedTest | null;
  /** By device, for this look. */
  readonly #trusted = new Map<number, boolean>();
  /** By path, for this look: what the ignore files say in a directory, where that decides. */
  readonly #ignores = new Map<string, Ignores>();

  constructor(plan: FolderPlan, folders: Folders, clock: () => number, trusts: TrustTest, sweep: Sweep | null) {
    this.#trusts = trusts;
    this.#wasClosed = sweep?.wasClosed ?? null;
    this.#plan = plan;
    this.#folders = folders;
    this.#clock = clock;
    this.#listing = createListing(plan, clock, sweep?.since ?? null);
  }

  *look(): Steps<void> {
    yield* this.#update();
    if (this.#plan.writable) yield* this.#followIntoModules();
  }

  /**
   * A directory in `node_modules` that a link outside leads to is a project like any other, to git and to editors. So it is listed as one, and
   * stays one. Where links lead is not kept: that may change while no directory of theirs does.
   */
  *#followIntoModules(): Steps<void> {
    if (!this.#folders.hasModules) return;
    // What is listed meanwhile has its turn in the same loop, links in it too.
    for (const [path, { links }] of this.#folders.linked()) {
      yield;
      for (const name of links) {
        yield;
        const place = placeOf(child(path, name));
        const folder = place === null ? undefined : this.#folders.get(place);
        if (place === null || folder?.context.modules !== true) continue;
        yield* this.#drop(place);
        yield* this.#again(place, { ...folder, context: { ...folder.context, modules: false } });
      }
    }
  }

  *#update(): Steps<void> {
    const { at, dir, writable, session, user } = this.#plan;
    const { gitignored, hardlinks } = session.policy.policy;
    // Where ignore files or link counts decide, an unchanged directory says nothing.
    if (gitignored !== "allow" || hardlinks !== "allow" || !this.#isTrusted(at.facts.dev, dir)) this.#folders.clear();
    const root = { depth: 0, bound: !writable, modules: false, git: false, settings: false };
    if (this.#wasClosed !== null) letOwnerIn(at, user.uid);
    // What was told when the root was pinned may be old by now.
    const now = statEntry(at, ".")?.facts ?? at.facts;
    if (!this.#folders.has(dir))
      return yield* this.#list(at, now, dir, root, gitignored === "allow" ? null : rootIgnores(ignoreFileIn(at)));
    // Outer ones first: what is below a directory that went went with it.
    const changed: string[] = [];
    for (const path of this.#folders.doubtful()) {
      const folder = this.#folders.get(path);
      if (folder !== undefined && this.#isAsListed(path, folder)) this.#folders.vouch(path);
      else changed.push(path);
      yield;
    }
    for (const path of changed.toSorted((one, other) => one.length - other.length)) {
      const folder = this.#folders.get(path);
      if (folder === undefined) continue;
      if (path === dir) yield* this.#list(at, now, dir, root, null);
      else yield* this.#again(path, folder);
    }
  }

  #isAsListed(path: string, folder: Folder): boolean {
    if (folder.kind === "closed" && this.#wasClosed !== null) return false;
    return isAsListed(folder, stateAt(path)) && this.#isTrusted(folder.dev, path);
  }

  #isTrusted(dev: number, path: string): boolean {
    const known = this.#trusted.get(dev);
    if (known !== undefined) return known;
    const isTrusted = this.#trusts(path);
    this.#trusted.set(dev, isTrusted);
    return isTrusted;
  }

  /** A directory that has changed: list it again, in the directory that holds it. */
  *#again(path: string, before: Folder): Steps<void> {
    const { context } = before;
    const { at, dir } = this.#plan;
    const above = parent(path);
    const holder = above === dir ? at : pinBelow(at, below(dir, above));
    if (holder === null) throw new LookFailure("moved");
    try {
      yield* this.#enter(holder, path, context, this.#ignores.get(above) ?? null);
    } finally {
      if (holder !== at) holder.close();
    }
    // Another directory has its name now.
    if (!isSame(before, this.#folders.get(path))) yield* this.#mustDiffer(above, this.#folders.get(above)?.dirs ?? NONE);
  }

  /** List a directory and go on into those in it that are new. */
  *#list(at: Pin, facts: Facts, path: string, context: Context, ignores: Ignores | null): Steps<void> {
    if (ignores !== null) this.#ignores.set(path, ignores);
    const folder = yield* this.#listing(at, facts, path, context, ignores);
    const before = this.#folders.get(path);
    this.#folders.set(path, folder);
    const still = new Set(folder.dirs);
    for (const name of before?.dirs ?? []) if (!still.has(name)) yield* this.#drop(child(path, name));
    for (const name of folder.dirs) {
      yield;
      const inner = child(path, name);
      const known = this.#folders.get(inner);
      // One that is known and has changed has a turn of its own.
      if (known !== undefined && isSame(known, statEntry(at, name)?.facts)) continue;
      yield* this.#drop(inner);
      const bound = context.bound || folder.guarded.includes(name) || folder.frozen.includes(name);
      const modules = context.modules || name === "node_modules";
      const git = context.git || (name === ".git" && bound);
      const settings = context.settings || (name !== ".git" && folder.guarded.includes(name));
      yield* this.#enter(at, inner, { depth: context.depth + 1, bound, modules, git, settings }, ignores);
    }
    yield* this.#mustDiffer(path, folder.dirs);
  }

  /**
   * RACE: names that are exchanged while we go from one to the next lead us into one directory twice, and never into the other. If each name led to a
   * directory of its own, none was missed. Only a mount gives one directory two names.
   */
  *#mustDiffer(path: string, names: readonly string[]): Steps<void> {
    const entered = new Map<string, string>();
    for (const name of names) {
      yield;
      const inner = child(path, name);
      const folder = this.#folders.get(inner);
      if (folder === undefined) continue;
      const id = `${folder.dev}:${folder.ino}`;
      const other = entered.get(id);
      entered.set(id, inner);
      if (other !== undefined && !isMountPoint(inner) && !isMountPoint(other)) throw new LookFailure("moved");
    }
  }

  /** The directory at `path`, which the pinned one holds. */
  *#enter(holder: Pin, path: string, context: Context, outer: Ignores | null): Steps<void> {
    const { at: root, others, user } = this.#plan;
    const name = path.slice(path.lastIndexOf("/") + 1);
    let at: Pin;
    try {
      at = pinEntry(holder, name);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") throw new LookFailure("moved");
      if (this.#wasClosed !== null) throw error;
      const facts = statEntry(holder, name)?.facts;
      if (facts === undefined) throw new LookFailure("moved");
      return yield* this.#close(path, "closed", facts, context);
    }
    try {
      const { kind, facts } = at;
      // RACE: it was a directory when it was listed. If it is none now it is elsewhere, and what it holds must not be missed.
      if (kind !== "dir") throw new LookFailure("moved");
      if (isSame(others.get(path), facts)) return yield* this.#drop(path);
      if (!reachable(facts, user)) return yield* this.#close(path, "barred", facts, context);
      const stays = this.#wasClosed?.({ dir: holder, name, path, kind, facts }) === true;
      if (stays || context.depth >= DEPTH) return yield* this.#close(path, "closed", facts, context);
      if (facts.dev !== root.facts.dev && isVirtual(at)) return yield* this.#close(path, "closed", facts, context);
      if (this.#wasClosed !== null) letOwnerIn(at, user.uid);
      yield* this.#list(at, facts, path, context, outer === null ? null : outer.enter(name, ignoreFileIn(at)));
    } catch (error) {
      if (error instanceof LookFailure) throw error;
      // INVARIANT: what a command may have been in is looked through when it has ended, or the look fails.
      if (this.#wasClosed !== null && isEnterable(at)) throw error;
      // Not to be listed, or entries of it not to be looked at. Its owner could still change that, so all of it is hidden.
      yield* this.#close(path, "closed", at.facts, context);
    } finally {
      at.close();
    }
  }

  *#close(path: string, kind: "closed" | "barred", facts: Facts, context: Context): Steps<void> {
    yield* this.#drop(path);
    const nothing = {
      shut: NONE,
      leads: NONE,
      guarded: NONE,
      frozen: NONE,
      peeked: NONE,
      dirs: NONE,
      links: NONE,
      environments: NONE,
      raw: NONE,
    };
    this.#folders.set(path, { ...stateOf(facts), kind, listed: this.#clock(), context, ...nothing });
  }

  *#drop(path: string): Steps<void> {
    const folder = this.#folders.get(path);
    if (folder === undefined) return;
    this.#folders.delete(path);
    for (const name of folder.dirs) {
      yield;
      yield* this.#drop(child(path, name));
    }
  }
}

/** The directory at `path` below a pinned one, name by name, never through a link; null if it is not there. The caller closes it. */
export function pinBelow(root: Pin, path: string): Pin | null {
  let at = root;
  for (const name of path === "" ? ["."] : path.split("/")) {
    let next: Pin;
    try {
      next = pinEntry(at, name);
    } catch {
      if (at !== root) at.close();
      return null;
    }
    if (at !== root) at.close();
    at = next;
    if (at.kind === "dir") continue;
    at.close();
    return null;
  }
  return at;
}

/** Is the directory still as it was when it was listed? */
export function isAsListed(folder: DirState & { readonly listed: number }, now: DirState | null): boolean {
  if (now === null || !isSame(folder, now) || folder.changed !== now.changed) return false;
  const age = folder.listed - folder.changed;
  return age > WHOLE_SECONDS_TICK || (age > TICK && folder.changed % 1000 !== 0);
}

export const isSame = (one: Identity | undefined, other: Identity | undefined): boolean =>
  one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;

/** Can we come into the directory, whether we may list it or not? Then so could the command. */
function isEnterable(at: Pin): boolean {
  try {
    return statEntry(at, ".") !== null;
  } catch (error) {
    return errnoOf(error) !== "EACCES";
  }
}

/** Can whoever the command runs as come into the directory? Root inside a sandbox has no powers beyond its own files; others are told by the system. */
function reachable(facts: Facts, user: User): boolean {
  if (user.uid !== 0 || facts.uid === 0) return true;
  return (facts.mode & (user.groups.includes(facts.gid) ? 0o010 : 0o001)) !== 0;
}
