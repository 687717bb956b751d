// Session scope → what one command may see and change, with every directory of it pinned: roots, what is hidden in them, what is read-only
// in them, and what must not come into being. Whoever opens a profile closes it; `bubblewrap.ts` turns it into mounts.

import { errnoOf } from "../core/errno.ts";
import { statEntry } from "../core/fs/at.ts";
import { pinEntry } from "../core/fs/pin.ts";
import type { GrantId } from "../core/names.ts";
import { basename, below, child, isInside, parent } from "../core/path/contain.ts";
import type { Session } from "../core/session/session.ts";
import type { Steps } from "../core/steps.ts";
import { dirsToHide } from "./coarse-covers.ts";
import { bytesOf, textOf } from "./disk.ts";
import type { FolderPlan, User } from "./folder.ts";
import type { Tripwire } from "./git-dir.ts";
import { GitDraft } from "./git-draft.ts";
import { GitLinks } from "./git-links.ts";
import { dependedOn, holdPlace } from "./held-places.ts";
import { ProfileResources } from "./holdings.ts";
import { type FoundInRoot, idOf, type Inventory, type PinnedEntry } from "./inventory.ts";
import type { InitialState } from "./journal.ts";
import { fingerprint, closedFingerprint, pinnedFingerprint } from "./known.ts";
import { LinkDraft } from "./link-draft.ts";
import { type CoveredEntry, type SandboxMount, MountDraft } from "./mount-draft.ts";
import { type RenamedEntry, type CommandStop, stopped } from "./port.ts";
import { pinRoots, type ShownRoot, shownRootsOf } from "./shown-roots.ts";
import { LookFailure, pinBelow } from "./tree.ts";
import { Warden } from "./warden.ts";

export interface Profile {
  readonly mounts: readonly SandboxMount[];
  readonly covered: readonly CoveredEntry[];
  readonly tripwires: readonly Tripwire[];
  readonly grants: ReadonlySet<GrantId>;
  /** When the first of the grants ends by itself. */
  readonly expires: number | null;
  readonly leftOut: readonly string[];
  /** Directories that are hidden with all that is in them, since they hold more than can be covered one by one. */
  readonly hiddenDirs: readonly string[];
  /** Has one of the secrets further names (hard links)? Roots that are shown later could have one of them. */
  readonly aliased: boolean;
  /** Names that execute later and are new at the top of a writable root: renamed now. Quick where nothing has changed. */
  patrol(): Steps<readonly RenamedEntry[]>;
  /**
   * The same wherever they are. Throws where a root cannot be looked through. `running`: the command has not ended yet, and directories that it
   * closed are left for later.
   */
  sweep(running?: "running"): Steps<readonly RenamedEntry[]>;
  /** What git would take orders from, once the command has ended. Throws as `sweep` does. */
  sweepOrders(): Steps<readonly RenamedEntry[]>;
  /** What stood there before, for whoever has to look the roots through in our place. */
  readonly before: InitialState;
  /** Let go of everything. `stubs`: empty directories that were made to be bound stay, since another command has them bound. */
  close(stubs?: "keep"): void;
}

export interface ProfilePorts {
  readonly inventory: Inventory;
  readonly clock: () => number;
  readonly user: User;
  /** Links in git directories, remembered from one profile to the next. */
  readonly links?: GitLinks;
  /** Does another command run on these roots now? */
  readonly shared?: boolean;
  /** Of the session's roots this one alone: it is shown to a command that runs already. */
  readonly only?: string;
  /** Where the command starts: no directory around it is hidden. */
  readonly cwd?: string;
}

interface InspectedRoot {
  readonly shownRoot: ShownRoot;
  readonly found: FoundInRoot;
}

/** More than this cannot be mounted in a sensible time; directories are hidden as a whole then. */
const MOST_MOUNTS = 1200;

/**
 * The profile of a session, or why there is none. In steps, as all that looks through a tree: one at a time of whatever shares an inventory,
 * since what that remembers is brought up to date meanwhile.
 */
export function* openProfile(session: Session, ports: ProfilePorts): Steps<Profile | CommandStop> {
  const holdings = new ProfileResources();
  try {
    const profile = yield* new ProfileDraft(session, ports, holdings).draft();
    if ("ok" in profile) holdings.close();
    return profile;
  } catch (error) {
    holdings.close();
    if (error instanceof LookFailure) return lookFailed[error.why];
    const why = errnoOf(error) || "a fault";
    return stopped("os-denied", `the workspace could not be looked through for secrets (${why}), so no command is run`);
  }
}

const tooMany = (what: string): string =>
  `${what} are more than can be covered (${MOST_MOUNTS} in all); name what is none under secrets.except or protected.except in the policy`;

const lookFailed: Readonly<Record<LookFailure["why"], CommandStop>> = {
  moved: stopped("stale-path", "directories of the workspace kept being moved while it was looked through for secrets"),
  "too-many": stopped("too-large", tooMany("thousands of secrets and protected names")),
  "git-settings": stopped(
    "too-large",
    "a git directory in the workspace has more than 1 MiB of settings, or names more than 64 directories of hooks, so what git would run cannot be told; no command is run",
  ),
};

/** One profile in the making: which of its parts is drafted when. */
class ProfileDraft {
  readonly #session: Session;
  readonly #ports: ProfilePorts;
  readonly #holdings: ProfileResources;
  readonly #mounts: MountDraft;
  readonly #git: GitDraft;
  readonly #links: GitLinks;

  constructor(session: Session, ports: ProfilePorts, holdings: ProfileResources) {
    const { keep, stubs } = holdings;
    this.#session = session;
    this.#ports = ports;
    this.#holdings = holdings;
    this.#links = ports.links ?? new GitLinks(ports.clock);
    this.#mounts = new MountDraft(keep, (bytes) => this.#git.gits.some(({ path }) => bytesOf(path) === bytes));
    this.#git = new GitDraft({ ...this.#mounts.placing, stubs, links: this.#links, shared: ports.shared === true, home: session.home });
  }

  *draft(): Steps<Profile | CommandStop> {
    const since = this.#ports.clock();
    const { only } = this.#ports;
    const pinned = pinRoots(this.#session, this.#ports.clock, this.#holdings.keep);
    const roots = only === undefined ? pinned.roots : pinned.roots.filter(({ root }) => root.dir === only);
    const { leftOut } = pinned;
    if (only !== undefined && roots.length === 0) return stopped("stale-path", "it is no longer the directory that was granted");
    if (only === undefined && !roots.some(({ root }) => root.from === "workspace"))
      return stopped("root-moved", "the workspace is no longer the directory it was");
    const shownRoots = shownRootsOf(this.#session, roots, this.#ports.user);
    for (const root of shownRoots) this.#mounts.showRoot(root);

    const looks: InspectedRoot[] = [];
    for (const shownRoot of shownRoots) looks.push({ shownRoot, found: yield* this.#look(shownRoot.plan) });
    const { policy } = this.#session;
    const hide = (standing: PinnedEntry): void => this.#mounts.hide(standing);
    const links = new LinkDraft({ ...this.#mounts.placing, policy, shownRoots, hide });
    yield* this.#cover(looks, links);
    if (links.refused !== null) return stopped("os-denied", links.refused);

    const { counted } = this.#mounts;
    const hiddenDirs = yield* this.#hideDirs(shownRoots, (path) => links.isVeiled(path));
    if (hiddenDirs === null) return stopped("too-large", tooMany(counted));
    const isVeiled = (path: string): boolean => links.isVeiled(path) || isInOneOf(hiddenDirs, path);
    const mounts = this.#mounts.mounts(isVeiled);
    const writable = plansToWrite(shownRoots);
    const grants = roots.flatMap(({ root }) => (root.from === "grant" ? [root] : []));
    const guarded = looks.flatMap(({ found }) => [...found.guarded, ...found.environments].map(fingerprint));
    const closed = looks.flatMap(({ found }) => found.shut.flatMap((entry) => (entry.kind === "dir" ? [closedFingerprint(entry)] : [])));
    const known = new Set([...guarded, ...closed, ...this.#mounts.heldEntries.map(pinnedFingerprint), ...this.#git.known, ...links.known]);
    const { tripwires, gits, hooks } = this.#git;
    const folders = new Set(looks.flatMap(({ found }) => [...found.folders]));
    const warden = new Warden(
      { roots: writable, known, since, folders, tripwires, gits, links: this.#links, hooks },
      this.#ports.inventory,
    );
    return {
      mounts,
      covered: this.#mounts.coveredOutside(isVeiled),
      tripwires,
      grants: new Set(grants.map(({ grant }) => grant)),
      expires: grants.reduce<number | null>((first, { expires }) => (expires === null ? first : Math.min(first ?? expires, expires)), null),
      leftOut,
      hiddenDirs: [...hiddenDirs].map(textOf),
      aliased: looks.some(({ found }) => found.shut.some(({ kind, facts }) => kind === "file" && facts.nlink > 1)),
      patrol: () => warden.patrol(),
      *sweep(running) {
        return [...(yield* warden.sweep(running)), ...(yield* links.sweep(known))];
      },
      sweepOrders: () => warden.sweepOrders(),
      before: {
        roots: writable.map(({ dir, at, others }) => ({ dir, ino: at.facts.ino, others: [...others.keys()] })),
        known: [...known],
        gits: gits.map(({ at, path, worktree }) => ({ dir: path, ino: at.facts.ino, worktree })),
        places: [...hooks, ...links.places],
        slots: this.#mounts.heldEntries.map(({ dir, name }) => `${idOf(dir.facts)}/${name}`),
        stubs: this.#holdings.stubs.map(({ dir, name }) => child(dir.real, name)),
      },
      close: (stubs) => this.#holdings.close(stubs),
    };
  }

  /** Hide, bind and hold what was found, in an order that matters. Stops where the links say that nothing is to be run. */
  *#cover(looks: readonly InspectedRoot[], links: LinkDraft): Steps<void> {
    for (const { found } of looks) {
      for (const standing of found.shut) {
        this.#mounts.hide(standing, standing.byContent);
        yield;
      }
      for (const rawName of found.raw) this.#mounts.hideRaw(rawName);
    }
    const linkedSecrets: PinnedEntry[] = [];
    for (const { found } of looks) linkedSecrets.push(...(yield* links.hide(found)));
    yield* this.#hideAliases(looks, linkedSecrets);
    for (const { found } of looks) for (const standing of [...found.guarded, ...found.frozen]) yield* this.#guard(standing);
    for (const { found } of looks) yield* links.bind(found);
    if (links.refused !== null) return;
    const shownRoots = looks.map(({ shownRoot }) => shownRoot);
    // Once all that is read-only is bound: a directory that is held is a mount too, and would be writable in one that is not.
    for (const { shownRoot, found } of looks) {
      if (!shownRoot.writable) continue;
      for (const place of yield* dependedOn(shownRoot, found, shownRoots, this.#session.policy)) {
        holdPlace(shownRoot.plan, place, this.#mounts.placing);
        yield;
      }
    }
    yield* links.holdWays();
    // After all others: a git directory that a file points to may lie in one that is read-only as a whole.
    for (const { shownRoot, found } of looks)
      if (shownRoot.writable) for (const standing of found.guarded) yield* this.#git.follow(standing, shownRoot.plan);
    yield* this.#git.guardHooks(plansToWrite(shownRoots));
  }

  /** Hide whole directories where there is more to mount than can be: as bytes. Null where that does not help. */
  *#hideDirs(shownRoots: readonly ShownRoot[], isVeiled: (path: string) => boolean): Steps<ReadonlySet<string> | null> {
    const mounts = this.#mounts.mounts(isVeiled);
    if (mounts.length <= MOST_MOUNTS) return new Set();
    const roots = shownRoots.map(({ root }) => bytesOf(root.dir));
    const dirsToKeep = [...roots, ...(this.#ports.cwd === undefined ? [] : [bytesOf(this.#ports.cwd)])];
    const gits = this.#git.gits.map(({ path }) => bytesOf(path));
    const mayHide = (dir: string): boolean =>
      roots.some((root) => isInside(root, dir)) &&
      !dirsToKeep.some((dirToKeep) => isInside(dir, dirToKeep)) &&
      !gits.some((git) => isInside(git, dir));
    const inner = mounts.flatMap(({ path }) => (roots.includes(path) ? [] : [path]));
    const dirs = yield* dirsToHide(inner, MOST_MOUNTS - roots.length, mayHide);
    for (const dir of dirs ?? []) {
      yield;
      this.#hideDir(textOf(dir), shownRoots);
    }
    return dirs;
  }

  #hideDir(path: string, shownRoots: readonly ShownRoot[]): void {
    const plan = shownRoots.findLast(({ root }) => isInside(root.dir, path))?.plan;
    const dir = plan === undefined ? null : pinBelow(plan.at, below(plan.dir, parent(path)));
    if (dir === null) throw new LookFailure("moved");
    this.#holdings.keep(dir);
    const entry = statEntry(dir, basename(path));
    if (entry?.kind !== "dir") throw new LookFailure("moved");
    this.#mounts.hide({ dir, name: basename(path), path, ...entry });
  }

  *#look(plan: FolderPlan): Steps<FoundInRoot> {
    const found = yield* this.#ports.inventory.look(plan);
    for (const foundPin of found.pins) this.#holdings.keep(foundPin);
    return found;
  }

  /** A secret with several names is hidden under all of them that any root has. */
  *#hideAliases(looks: readonly InspectedRoot[], linkedSecrets: readonly PinnedEntry[]): Steps<void> {
    const namedSecrets = looks.flatMap(({ found }) => found.shut.filter(({ why }) => why === "secret"));
    const linked = [...namedSecrets, ...linkedSecrets].filter(({ kind, facts }) => kind === "file" && facts.nlink > 1);
    if (linked.length === 0) return;
    const secretIds = new Set(linked.map(({ facts }) => idOf(facts)));
    for (const { shownRoot } of looks) {
      const { standing, pins } = yield* this.#ports.inventory.aliases(shownRoot.plan, secretIds);
      for (const aliasPin of pins) this.#holdings.keep(aliasPin);
      for (const alias of standing) this.#mounts.hide(alias);
    }
  }

  /** Bind read-only what executes later or what a rule does not let be written. */
  *#guard(standing: PinnedEntry): Steps<void> {
    yield;
    // A link cannot be bound. Replacing it is seen by the sweep, and what it leads to has a turn of its own.
    if (this.#mounts.hides(standing.path) || standing.kind === "other" || standing.kind === "link") return;
    if (standing.name === ".git" && standing.kind === "dir") return yield* this.#git.guard(standing, parent(standing.path));
    const at = this.#holdings.keep(pinEntry(standing.dir, standing.name));
    if (at.kind !== standing.kind) return;
    this.#mounts.bind(standing.path, at, "read-only");
    this.#mounts.hold(standing, at.facts);
  }
}

/** Is the path one of the directories, or in one? */
function isInOneOf(dirs: ReadonlySet<string>, path: string): boolean {
  for (let dir = path; dirs.size > 0 && dir !== "/"; dir = parent(dir)) if (dirs.has(dir)) return true;
  return false;
}

const plansToWrite = (shownRoots: readonly ShownRoot[]): readonly FolderPlan[] =>
  shownRoots.flatMap((shownRoot) => (shownRoot.writable ? [shownRoot.plan] : []));
