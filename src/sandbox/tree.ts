// The directories of a root, each with the names in it that matter to a command: what must be hidden, what must not be changed, where
// to look further. Built on pinned directories and never through a link. Brought up to date by listing what has changed, and nothing else.

import { eachEntry, isVirtual, statEntry } from "../core/fs/at.ts";
import { errnoOf, type Facts, type Kind, type Pin, pinEntry } from "../core/fs/pin.ts";
import type { Right } from "../core/access.ts";
import { ignoreFileIn } from "../core/guard/gitignored.ts";
import { below, child, isInside, parent } from "../core/path/contain.ts";
import { fold } from "../core/path/fold.ts";
import { evaluate } from "../core/policy/evaluate.ts";
import { completesGitDirectory, gitPieces, type GitPieceName } from "../core/policy/git-directory.ts";
import { type Ignores, rootIgnores } from "../core/policy/gitignore.ts";
import { secretByContent } from "../core/policy/secrets.ts";
import type { Identity } from "../core/session/root.ts";
import type { Session } from "../core/session/session.ts";
import { type RawName, rawNames, type State, stateAt, stateOf } from "./disk.ts";

export interface Plan {
  readonly at: Pin;
  readonly dir: string;
  readonly writable: boolean;
  readonly session: Session;
  /** Roots that have a look of their own; where one of them stands, this one stops. */
  readonly others: ReadonlyMap<string, Identity>;
  /** Who the command runs as. */
  readonly user: User;
}

export interface User {
  readonly uid: number;
  readonly groups: readonly number[];
}

/** Why it is hidden: by its name, by a rule about its place, or for another reason (what git ignores, a socket, not to be looked into). */
export type Reason = "secret" | "rule" | "other";

/** One directory, as it was when it was listed. */
export interface Folder extends State {
  /** `open`: listed. `closed`: to be hidden, since it cannot be looked into. `barred`: the command cannot come into it. */
  readonly kind: "open" | "closed" | "barred";
  /** When it was listed. */
  readonly listed: number;
  readonly context: Context;
  /** To be hidden. No links: nothing can be mounted on one, and it leads only to what is hidden or shown under its own name. */
  readonly shut: readonly { readonly name: string; readonly why: Reason }[];
  /** Names that execute later, of any kind; only where the root gives writing. */
  readonly guarded: readonly string[];
  /** What a rule does not let be written. */
  readonly frozen: readonly string[];
  /** Files that hold a secret only sometimes. */
  readonly peeked: readonly string[];
  readonly dirs: readonly string[];
  readonly raw: readonly RawName[];
}

/** How a directory is seen: what follows from where it is. */
interface Context {
  readonly depth: number;
  /** Inside what is bound read-only as a whole, or a git directory: nothing is bound name by name. */
  readonly bound: boolean;
  /** Inside `node_modules`, where programs run from that no editor or shell takes its settings from. */
  readonly modules: boolean;
  /** Inside a git directory that is guarded or cannot be written: names of branches are no names of secrets. */
  readonly git: boolean;
}

/** A look that must be taken again, since something moved under it; or that is no use, since there is more to cover than can be. */
export class LookFailure extends Error {
  override readonly name = "LookFailure";
  readonly why: "moved" | "too-many";

  constructor(why: "moved" | "too-many") {
    super(why);
    this.why = why;
  }
}

/** Deeper than any tree people make; what is below is hidden. */
const DEPTH = 200;
/** The clock of a file system ticks every few milliseconds: a directory listed within a tick of its last change may have changed since. */
const TICK = 100;
/** What git executes or is led by in a directory that it takes for its own, and what each is then. */
const GIT_ORDERS: ReadonlyMap<GitPieceName, Kind> = new Map<GitPieceName, Kind>([
  ["config", "file"],
  ["config.worktree", "file"],
  ["commondir", "file"],
  ["hooks", "dir"],
]);
/** In a git directory these hold only what git names. */
const GIT_NAMES: ReadonlySet<string> = new Set(["objects", "refs", "logs"]);

const NONE: readonly never[] = [];

export type Folders = Map<string, Folder>;

/**
 * The folders of a root now, by real path. `folders` are those of an earlier look at the same plan, or none; they are brought up to date.
 * Throws a LookFailure where directories move meanwhile, and the system's error where the root itself cannot be listed.
 */
export function lookAtTree(plan: Plan, folders: Folders, clock: () => number): void {
  new TreeLook(plan, folders, clock).look();
}

class TreeLook {
  readonly #plan: Plan;
  readonly #folders: Folders;
  readonly #clock: () => number;
  readonly #readRules: boolean;
  readonly #writeRules: boolean;

  constructor(plan: Plan, folders: Folders, clock: () => number) {
    this.#plan = plan;
    this.#folders = folders;
    this.#clock = clock;
    this.#readRules = hasRules(plan.session, "read");
    this.#writeRules = plan.writable && hasRules(plan.session, "write");
  }

  look(): void {
    const { at, dir, writable, session } = this.#plan;
    const { gitignored, hardlinks } = session.policy.policy;
    // Where ignore files or link counts decide, an unchanged directory says nothing.
    if (gitignored !== "allow" || hardlinks !== "allow") this.#folders.clear();
    const root = { depth: 0, bound: !writable, modules: false, git: false };
    if (!this.#folders.has(dir)) return this.#list(at, dir, root, gitignored === "allow" ? null : rootIgnores(ignoreFileIn(at)));
    // Outer ones first: what is below a directory that went went with it.
    const changed = [...this.#folders].flatMap(([path, folder]) => (isAsListed(folder, stateAt(path)) ? [] : [path]));
    for (const path of changed.toSorted((one, other) => one.length - other.length)) {
      const folder = this.#folders.get(path);
      if (folder === undefined) continue;
      if (path === dir) this.#list(at, dir, root, null);
      else this.#again(path, folder);
    }
  }

  /** A directory that has changed: list it again, in the directory that holds it. */
  #again(path: string, { context }: Folder): void {
    const { at, dir } = this.#plan;
    const above = parent(path);
    const holder = above === dir ? at : pinBelow(at, below(dir, above));
    if (holder === null) throw new LookFailure("moved");
    try {
      this.#enter(holder, path, context, null);
    } finally {
      if (holder !== at) holder.close();
    }
  }

  /** List a directory and go on into those in it that are new. */
  #list(at: Pin, path: string, context: Context, ignores: Ignores | null): void {
    const folder = this.#listing(at, path, context, ignores);
    const before = this.#folders.get(path);
    this.#folders.set(path, folder);
    const still = new Set(folder.dirs);
    for (const name of before?.dirs ?? []) if (!still.has(name)) this.#drop(child(path, name));
    for (const name of folder.dirs) {
      const inner = child(path, name);
      const known = this.#folders.get(inner);
      // One that is known and has changed has a turn of its own.
      if (known !== undefined && isSame(known, statEntry(at, name)?.facts)) continue;
      this.#drop(inner);
      const bound = context.bound || folder.guarded.includes(name) || folder.frozen.includes(name);
      const modules = context.modules || name === "node_modules";
      const git = context.git || (name === ".git" && bound);
      this.#enter(at, inner, { depth: context.depth + 1, bound, modules, git }, ignores);
    }
  }

  /** The directory at `path`, which the pinned one holds. */
  #enter(holder: Pin, path: string, context: Context, outer: Ignores | null): void {
    const { at: root, others, user } = this.#plan;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const entry = statEntry(holder, name);
    // RACE: it was a directory when it was listed. If it is none now it is elsewhere, and what it holds must not be missed.
    if (entry === null || entry.kind !== "dir") throw new LookFailure("moved");
    if (isSame(others.get(path), entry.facts)) return this.#drop(path);
    if (!reachable(entry.facts, user)) return this.#close(path, "barred", entry.facts, context);
    if (context.depth >= DEPTH) return this.#close(path, "closed", entry.facts, context);
    let at: Pin;
    try {
      at = pinEntry(holder, name);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") throw new LookFailure("moved");
      return this.#close(path, "closed", entry.facts, context);
    }
    try {
      if (at.kind !== "dir") throw new LookFailure("moved");
      if (at.facts.dev !== root.facts.dev && isVirtual(at)) return this.#close(path, "closed", at.facts, context);
      this.#list(at, path, context, outer === null ? null : outer.enter(name, ignoreFileIn(at)));
    } catch (error) {
      if (error instanceof LookFailure) throw error;
      // Not to be listed, or entries of it not to be looked at. Its owner could still change that, so all of it is hidden.
      this.#close(path, "closed", at.facts, context);
    } finally {
      at.close();
    }
  }

  #close(path: string, kind: "closed" | "barred", facts: Facts, context: Context): void {
    this.#drop(path);
    const nothing = { shut: NONE, guarded: NONE, frozen: NONE, peeked: NONE, dirs: NONE, raw: NONE };
    this.#folders.set(path, { ...stateOf(facts), kind, listed: this.#clock(), context, ...nothing });
  }

  #drop(path: string): void {
    const folder = this.#folders.get(path);
    if (folder === undefined) return;
    this.#folders.delete(path);
    for (const name of folder.dirs) this.#drop(child(path, name));
  }

  #listing(at: Pin, path: string, context: Context, ignores: Ignores | null): Folder {
    // RACE: told before it is listed, so that a change in between is seen as one next time. The pin's own facts may be old by now.
    const state = stateOf(statEntry(at, ".")?.facts ?? at.facts);
    const listed = this.#clock();
    const { dir, session } = this.#plan;
    const { policy } = session;
    const secrets = policy.secrets.walk(path);
    const protect = !context.bound && !context.modules ? policy.protect.walk(path) : null;
    const hardlinks = policy.policy.hardlinks !== "allow";
    const shut: { readonly name: string; readonly why: Reason }[] = [];
    const [guarded, frozen, peeked, dirs]: [string[], string[], string[], string[]] = [[], [], [], []];
    const pieces = new Map<GitPieceName, Kind>();
    const why = (name: string, kind: Kind): Reason | null => {
      if (secrets.has(name)) return "secret";
      if (this.#readRules && this.#shuts(dir, child(path, name), "read")) return "rule";
      if (ignores?.ignores(name, kind === "dir") === true) return "other";
      if (kind === "other" && isSocket(at, name)) return "other";
      return hardlinks && kind === "file" && (statEntry(at, name)?.facts.nlink ?? 0) > 1 ? "other" : null;
    };
    const unspeakable = eachEntry(at, (name, kind) => {
      if (context.git && kind === "dir" && GIT_NAMES.has(name)) return;
      const reason = kind === "link" ? null : why(name, kind);
      if (reason !== null) shut.push({ name, why: reason });
      else if (kind === "dir") dirs.push(name);
      else if (kind === "file" && secretByContent.has(fold(name))) peeked.push(name);
      const piece = protect === null ? undefined : gitPieces.find((one) => one === name);
      if (piece !== undefined) pieces.set(piece, kind);
      if (protect?.has(name) === true) guarded.push(name);
      else if (reason === null && !context.bound && this.#writeRules && this.#shuts(dir, child(path, name), "write")) frozen.push(name);
    });
    for (const [piece, kind] of GIT_ORDERS) {
      const found = pieces.get(piece);
      if ((found === kind || found === "link") && completesGitDirectory(piece, (one) => pieces.has(one))) guarded.push(piece);
    }
    const hidden = ({ text, kind }: RawName): boolean => kind === "dir" || (kind !== "link" && secrets.has(text));
    const raw = unspeakable === 0 ? NONE : rawNames(at).filter(hidden);
    // Most directories hold nothing that matters, and there may be very many of them.
    const lean = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list);
    const names = { shut: lean(shut), guarded: lean(guarded), frozen: lean(frozen), peeked: lean(peeked), dirs: lean(dirs), raw };
    return { ...state, kind: "open", listed, context, ...names };
  }

  /** Does a rule deny this, or ask about it? In the middle of a command nobody can be asked, so both shut. */
  #shuts(root: string, path: string, right: Right): boolean {
    const { policy, workspace } = this.#plan.session;
    const place = { root, outsideWorkspace: !isInside(workspace.dir, path), outsideScope: false };
    const verdict = evaluate(policy, path, right, place).strictest?.verdict;
    return verdict === "deny" || verdict === "ask";
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
function isAsListed(folder: Folder, now: State | null): boolean {
  return now !== null && isSame(folder, now) && folder.changed === now.changed && folder.changed < folder.listed - TICK;
}

export const isSame = (one: Identity | undefined, other: Identity | undefined): boolean =>
  one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;

/** Can whoever the command runs as come into the directory? Root inside a sandbox has no powers beyond its own files; others are told by the system. */
function reachable(facts: Facts, user: User): boolean {
  if (user.uid !== 0 || facts.uid === 0) return true;
  return (facts.mode & (user.groups.includes(facts.gid) ? 0o010 : 0o001)) !== 0;
}

function hasRules(session: Session, right: Right): boolean {
  return session.policy.layers.some((layer) => layer[right].anywhere.size + layer[right].rooted.size + layer[right].outside.size > 0);
}

const isSocket = (at: Pin, name: string): boolean => ((statEntry(at, name)?.facts.mode ?? 0) & 0o170000) === 0o140000;
