// Finds what a command must not see or must not change in a root, and pins the directories that hold it. Directory trees are cached
// from look to look (`tree.ts`); the entries in them are read anew every time.

import { eachEntryInSteps, statEntry } from "../core/fs/at.ts";
import { type Facts, type Kind, type Pin, pinEntry } from "../core/fs/pin.ts";
import { hiddenSecret } from "../core/guard/hidden-secret.ts";
import { basename, below, child, parent } from "../core/path/contain.ts";
import type { Identity } from "../core/session/root.ts";
import type { Steps } from "../core/steps.ts";
import { DirChanges } from "./dir-changes.ts";
import { bytesOf, keepsTime } from "./disk.ts";
import type { Folder, Lead, FolderPlan, Reason } from "./folder.ts";
import type { Folders } from "./folders.ts";
import { LookFailure, lookAtTree, pinBelow, type Sweep, type TrustTest } from "./tree.ts";

/** One entry, with the directory that holds it pinned. */
export interface PinnedEntry {
  readonly dir: Pin;
  readonly name: string;
  /** Its real path. */
  readonly path: string;
  readonly kind: Kind;
  readonly facts: Facts;
}

/** One to be hidden. */
export interface HiddenEntry extends PinnedEntry {
  readonly why: Reason;
  /** Is it only for what stands in it now? */
  readonly byContent: boolean;
}

export interface FoundInRoot {
  /** To be hidden. */
  readonly shut: HiddenEntry[];
  /** Links whose targets matter, by path. */
  readonly leads: { readonly path: string; readonly why: Lead }[];
  /** Names that execute later. */
  readonly guarded: PinnedEntry[];
  /** Files that programs take their environment from. */
  readonly environments: PinnedEntry[];
  /** What a rule does not let be written. */
  readonly frozen: PinnedEntry[];
  /** The folders that all of this stands in. One that was not listed anew since then has nothing new in it. */
  readonly folders: Set<Folder>;
  /** To be hidden, by bytes: path and kind. */
  readonly raw: { readonly path: string; readonly kind: "file" | "dir" }[];
  /** Every pin that the above stands on, but for the plan's own. Whoever looked closes them. */
  readonly pins: Pin[];
}

export type SeeName = (dir: Pin, name: string, path: string) => Steps<void>;

/** Trees that are remembered. */
const TREES = 64;
const MOST_FOUND = 10_000;

export class Inventory {
  readonly #trees = new Map<string, Folders>();
  /** Of folders that were asked for it: their files that are not hidden, by device and inode. */
  readonly #files = new WeakMap<Folder, ReadonlyMap<string, readonly string[]>>();
  /** Policies are told apart by being other objects; a number stands for each. */
  readonly #policies = new WeakMap<object, number>();
  #lastPolicy = 0;
  readonly #clock: () => number;
  readonly #trusts: TrustTest;
  readonly #changes: DirChanges;
  /** What the look under way has seen, or the last one. */
  #seen: Folders | null = null;

  /** `trusts`: as `lookAtTree` has it. */
  constructor(clock: () => number, trusts: TrustTest = keepsTime, changes: DirChanges = new DirChanges()) {
    this.#clock = clock;
    this.#trusts = trusts;
    this.#changes = changes;
  }

  /** Take a look when it is known what has changed. What the look found new is watched afterwards, in the background. */
  async whenUpToDate<T>(look: () => Promise<T>): Promise<T> {
    await this.#changes.update();
    try {
      return await look();
    } finally {
      void this.#changes.follow();
    }
  }

  /** How many directories of its root the look under way has seen. */
  get seen(): number {
    return this.#seen?.size ?? 0;
  }

  /** Everything that matters in the root. Throws as `lookAtTree` does, with nothing left pinned. */
  *look(plan: FolderPlan): Steps<FoundInRoot> {
    const found: FoundInRoot = { shut: [], leads: [], guarded: [], environments: [], frozen: [], folders: new Set(), raw: [], pins: [] };
    try {
      const pins = new Map([[plan.dir, plan.at]]);
      for (const [path, folder] of (yield* this.#tree(plan)).notable()) {
        yield* gather(plan, path, folder, pins, found);
        found.folders.add(folder);
      }
      return found;
    } catch (error) {
      for (const pin of found.pins) pin.close();
      throw error;
    }
  }

  /**
   * Every name that executes later, one by one: nothing is kept, so there may be any number of them. The pin is closed afterwards. `enter` is
   * given every directory that is hidden by its name and was not hidden before the command: what is in it was not looked through.
   */
  *sweep(plan: FolderPlan, sweep: Sweep, see: SeeName, enter: SeeName): Steps<void> {
    const { wasClosed } = sweep;
    for (const [path, folder] of (yield* this.#tree(plan, sweep)).notable()) {
      yield;
      if (sweep.known?.has(folder) === true) continue;
      const shut = wasClosed === null ? [] : folder.shut;
      const names = wasClosed === null ? folder.guarded : [...folder.guarded, ...folder.environments];
      if (names.length + shut.length === 0) continue;
      const at = path === plan.dir ? plan.at : pinBelow(plan.at, below(plan.dir, path));
      if (at === null) throw new LookFailure("moved");
      try {
        for (const name of names) yield* see(at, name, child(path, name));
        for (const { name } of shut) {
          yield;
          const place = { dir: at, name, path: child(path, name) };
          const entry = statEntry(at, name);
          if (entry?.kind === "dir" && wasClosed?.({ ...place, ...entry }) === false) yield* enter(at, name, place.path);
        }
      } finally {
        if (at !== plan.at) at.close();
      }
    }
  }

  /** Further names of the files in `fileIds` (`device:inode`) in a root that was just looked at; those already hidden are left out. */
  *aliases(
    plan: FolderPlan,
    fileIds: ReadonlySet<string>,
  ): Steps<{ readonly standing: readonly PinnedEntry[]; readonly pins: readonly Pin[] }> {
    const standing: PinnedEntry[] = [];
    const pins: Pin[] = [];
    for (const [path, folder] of this.#trees.get(this.#key(plan))?.all() ?? []) {
      yield;
      const known = this.#files.get(folder);
      if (folder.kind !== "open" || (known !== undefined && !anyIn(fileIds, known))) continue;
      const at = pinBelow(plan.at, below(plan.dir, path));
      if (at === null) continue;
      const files = known ?? (yield* filesOf(at, folder));
      this.#files.set(folder, files);
      const here = [...fileIds].flatMap((id) => files.get(id) ?? []);
      for (const name of here) {
        const entry = statEntry(at, name);
        if (entry?.kind === "file" && fileIds.has(idOf(entry.facts))) standing.push({ dir: at, name, path: child(path, name), ...entry });
      }
      if (here.length > 0) pins.push(at);
      else at.close();
    }
    return { standing, pins };
  }

  /** The tree as it is now. One that could not be looked at to the end is forgotten. */
  *#tree(plan: FolderPlan, sweep: Sweep | null = null): Steps<Folders> {
    const key = this.#key(plan);
    const folders = this.#trees.get(key) ?? this.#changes.create(plan.dir);
    this.#trees.delete(key);
    this.#seen = folders;
    try {
      yield* lookAtTree(plan, folders, this.#clock, this.#trusts, sweep);
    } catch (error) {
      this.#changes.forget(folders);
      throw error;
    }
    this.#trees.set(key, folders);
    for (const [oldest, forgotten] of this.#trees) {
      if (this.#trees.size <= TREES) break;
      this.#trees.delete(oldest);
      this.#changes.forget(forgotten);
    }
    return folders;
  }

  #key({ at, dir, writable, session, others }: FolderPlan): string {
    const known = this.#policies.get(session.policy) ?? (this.#lastPolicy += 1);
    this.#policies.set(session.policy, known);
    return [known, writable ? "writable" : "read-only", idOf(at.facts), session.workspace.dir, dir, ...others.keys()].join("\n");
  }
}

/** What stands in one folder, added to what was found. */
function* gather(plan: FolderPlan, path: string, folder: Folder, pins: Map<string, Pin>, found: FoundInRoot): Steps<void> {
  yield;
  if (folder.kind === "barred") return;
  const { shut, leads, guarded, frozen, raw } = found;
  const stand = (dir: string, name: string): PinnedEntry => {
    if (shut.length + leads.length + guarded.length + frozen.length > MOST_FOUND) throw new LookFailure("too-many");
    const at = pinAt(dir, pins, found);
    const entry = statEntry(at, name);
    if (entry === null) throw new LookFailure("moved");
    return { dir: at, name, path: child(dir, name), ...entry };
  };
  const hide = (dir: string, name: string, why: Reason, byContent = false): void => {
    const standing = stand(dir, name);
    // A link has taken its place since it was listed.
    if (standing.kind === "link") throw new LookFailure("moved");
    shut.push({ ...standing, why, byContent });
  };
  if (folder.kind === "closed") return hide(parent(path), basename(path), "other");
  for (const { name, why } of folder.shut) {
    hide(path, name, why);
    yield;
  }
  for (const name of folder.peeked) {
    if (holdsSecret(pinAt(path, pins, found), name, child(path, name), plan)) hide(path, name, "secret", true);
    yield;
  }
  for (const { name, why } of folder.leads) leads.push({ path: child(path, name), why });
  if (leads.length > MOST_FOUND) throw new LookFailure("too-many");
  for (const [names, standing] of [
    [folder.guarded, guarded],
    [folder.environments, found.environments],
    [folder.frozen, frozen],
  ] as const) {
    for (const name of names) {
      standing.push(stand(path, name));
      yield;
    }
  }
  for (const { bytes, kind } of folder.raw) raw.push({ path: `${bytesOf(path)}/${bytes}`, kind: kind === "dir" ? "dir" : "file" });
}

/** The directory at `path`, pinned through those above it; each is pinned once. */
function pinAt(path: string, pins: Map<string, Pin>, found: FoundInRoot): Pin {
  const known = pins.get(path);
  if (known !== undefined) return known;
  const above = pinAt(parent(path), pins, found);
  let at: Pin;
  try {
    at = pinEntry(above, basename(path));
  } catch {
    throw new LookFailure("moved");
  }
  found.pins.push(at);
  if (at.kind !== "dir") throw new LookFailure("moved");
  pins.set(path, at);
  return at;
}

function holdsSecret(at: Pin, name: string, path: string, { dir, session }: FolderPlan): boolean {
  let file: Pin;
  try {
    file = pinEntry(at, name);
  } catch {
    throw new LookFailure("moved");
  }
  try {
    return file.kind === "file" && hiddenSecret(file, path, dir, session.policy) !== null;
  } catch {
    return true;
  } finally {
    file.close();
  }
}

function* filesOf(at: Pin, folder: Folder): Steps<ReadonlyMap<string, readonly string[]>> {
  const files = new Map<string, string[]>();
  const shut = new Set(folder.shut.map(({ name }) => name));
  yield* eachEntryInSteps(at, (name, kind) => {
    const facts = kind === "file" && !shut.has(name) ? statEntry(at, name)?.facts : undefined;
    if (facts !== undefined) files.set(idOf(facts), [...(files.get(idOf(facts)) ?? []), name]);
  });
  return files;
}

function anyIn(wanted: ReadonlySet<string>, files: ReadonlyMap<string, unknown>): boolean {
  for (const id of wanted) if (files.has(id)) return true;
  return false;
}

export const idOf = ({ dev, ino }: Identity): string => `${dev}:${ino}`;
