// Session scope → what one command may see and change, with every directory of it pinned: roots, what is hidden in them, what is read-only
// in them, and what must not come into being. Whoever opens a profile closes it; `bubblewrap.ts` turns it into mounts.

import { removeDir } from "../core/fs/at.ts";
import type { KeptIdentity } from "../core/fs/identity.ts";
import { type Facts, type Pin, pinEntry } from "../core/fs/pin.ts";
import type { GrantId } from "../core/names.ts";
import { child, isInside, parent } from "../core/path/contain.ts";
import type { Session } from "../core/session/session.ts";
import { bytesOf } from "./disk.ts";
import type { Plan, User } from "./folder.ts";
import type { Stub, Tripwire } from "./git-dir.ts";
import { GitDraft } from "./git-draft.ts";
import { GitLinks } from "./git-links.ts";
import { goByPlaces, holdPlace, placesOf } from "./held-places.ts";
import { type Found, idOf, type Inventory, type Standing } from "./inventory.ts";
import type { Before } from "./journal.ts";
import { type Seen, wordFor, wordForHeld } from "./known.ts";
import { LinkDraft, type Placing } from "./link-draft.ts";
import { type SetAside, type Stopped, stopped } from "./port.ts";
import { depthOf, pinRoots, type Shown, shownOf } from "./shown-roots.ts";
import { LookFailure } from "./tree.ts";
import { Warden } from "./warden.ts";
import { withoutCredentials } from "./without-credentials.ts";

/** One mount. Paths are bytes, one character each; outer ones come before inner ones. */
export type Mount =
  | { readonly make: "writable" | "read-only"; readonly path: string; readonly pin: Pin }
  | { readonly make: "hidden-file" | "hidden-dir"; readonly path: string }
  /** A file with another text in its place: bytes, one character each. */
  | { readonly make: "shown-file"; readonly path: string; readonly text: string };

/** An entry that a mount covers. Once the host puts something else in its place the mount is gone, and nobody tells. */
export interface Covered extends KeptIdentity {
  readonly dir: Pin;
  readonly name: string;
  readonly path: string;
}

export interface Profile {
  readonly mounts: readonly Mount[];
  readonly covered: readonly Covered[];
  readonly tripwires: readonly Tripwire[];
  readonly grants: ReadonlySet<GrantId>;
  /** When the first of the grants ends by itself. */
  readonly expires: number | null;
  readonly leftOut: readonly string[];
  /** Names that execute later and are new at the top of a writable root: renamed now. Quick where nothing has changed. */
  patrol(): readonly SetAside[];
  /** The same wherever they are. Throws where a root cannot be looked through. */
  sweep(): readonly SetAside[];
  /** What git would take orders from, once the command has ended. Throws as `sweep` does. */
  sweepOrders(): readonly SetAside[];
  /** What stood there before, for whoever has to look the roots through in our place. */
  readonly before: Before;
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
}

interface Looked {
  readonly one: Shown;
  readonly found: Found;
}

/** More than this cannot be mounted in a sensible time; nothing is run then. */
const MOST_MOUNTS = 1200;
/** The profile of a session, or why there is none. */
export function openProfile(session: Session, ports: ProfilePorts): Profile | Stopped {
  const pins: Pin[] = [];
  const keep = (one: Pin): Pin => {
    pins.push(one);
    return one;
  };
  const stubs: Stub[] = [];
  const close = (kept?: "keep"): void => {
    for (const { dir, name } of stubs.splice(0)) if (kept === undefined) quietly(() => removeDir(dir, name));
    for (const one of pins.splice(0)) one.close();
  };
  try {
    const profile = new Drafting(session, ports, keep, stubs).draft(close);
    if ("ok" in profile) close();
    return profile;
  } catch (error) {
    close();
    if (error instanceof LookFailure)
      return error.why === "moved"
        ? stopped("stale-path", "directories of the workspace kept being moved while it was looked through for secrets")
        : stopped("too-large", tooMany("thousands of secrets and protected names"));
    const why = error instanceof Error && "code" in error ? String(error.code) : "a fault";
    return stopped("os-denied", `the workspace could not be looked through for secrets (${why}), so no command is run`);
  }
}

const tooMany = (what: string): string =>
  `${what} are more than can be covered (${MOST_MOUNTS} in all); name what is none under secrets.except or protected.except in the policy`;

class Drafting {
  readonly #session: Session;
  readonly #ports: ProfilePorts;
  readonly #keep: (pin: Pin) => Pin;
  readonly #binds = new Map<string, Extract<Mount, { pin: Pin }>>();
  readonly #hidden = new Map<string, Exclude<Mount, { pin: Pin }>>();
  /** As bytes. */
  readonly #roots = new Set<string>();
  readonly #covered: Covered[] = [];
  /** What is bound read-only because it executes later, or is held in its place: nothing else can take its name meanwhile. */
  readonly #held: Seen[] = [];
  readonly #stubs: Stub[];
  readonly #placing: Placing;
  readonly #git: GitDraft;
  readonly #links: GitLinks;

  constructor(session: Session, ports: ProfilePorts, keep: (pin: Pin) => Pin, stubs: Stub[]) {
    this.#stubs = stubs;
    this.#session = session;
    this.#ports = ports;
    this.#keep = keep;
    this.#links = ports.links ?? new GitLinks(ports.clock);
    this.#placing = {
      keep,
      bind: (path, at, make) => this.#bind(path, at, make),
      hold: (standing, facts) => this.#hold(standing, facts),
      isHidden: (path) => this.#isHidden(path),
      around: (path) => this.#nearest(path)?.make ?? null,
    };
    this.#git = new GitDraft({ ...this.#placing, stubs, links: this.#links, shared: ports.shared === true, home: session.home });
  }

  draft(close: Profile["close"]): Profile | Stopped {
    const { roots, leftOut } = pinRoots(this.#session, this.#ports.clock, this.#keep);
    if (!roots.some(({ root }) => root.from === "workspace"))
      return stopped("root-moved", "the workspace is no longer the directory it was");
    const shown = shownOf(this.#session, roots, this.#ports.user);
    for (const { root, at, writable } of shown) {
      this.#roots.add(bytesOf(root.dir));
      this.#bind(root.dir, at, writable ? "writable" : "read-only");
    }

    const looks = shown.map((one) => ({ one, found: this.#look(one.plan) }));
    const links = new LinkDraft({ ...this.#placing, policy: this.#session.policy, shown, hide: (standing) => this.#hide(standing) });
    for (const { found } of looks) {
      for (const standing of found.shut) this.#hide(standing, standing.byContent);
      for (const { path, kind } of found.raw) this.#hidden.set(path, { make: kind === "dir" ? "hidden-dir" : "hidden-file", path });
    }
    const led = looks.flatMap(({ found }) => links.hide(found));
    this.#hideAliases(looks, led);
    for (const { found } of looks) for (const standing of [...found.guarded, ...found.frozen]) this.#guard(standing);
    for (const { found } of looks) links.bind(found);
    if (links.refused !== null) return stopped("os-denied", links.refused);
    // Once all that is read-only is bound: a directory that is held is a mount too, and would be writable in one that is not.
    for (const { one, found } of looks) if (one.writable) this.#holdPlaces(one, found, shown);
    links.holdWays();
    // After all others: a git directory that a file points to may lie in one that is read-only as a whole.
    const writable = shown.flatMap((one) => (one.writable ? [one.plan] : []));
    for (const { one, found } of looks) if (one.writable) for (const standing of found.guarded) this.#git.follow(standing, one.plan);
    this.#git.guardHooks(writable);

    const bound = [...this.#binds.values()].filter(({ path }) => !links.isVeiled(path));
    const hidden = [...this.#hidden.values()].filter(({ path }) => !links.isVeiled(parent(path)));
    const mounts = [...byDepth(bound), ...byDepth(hidden)];
    if (mounts.length > MOST_MOUNTS) {
      return stopped("too-large", tooMany(`${this.#hidden.size} secrets and ${this.#binds.size} protected names and roots`));
    }
    const grants = roots.flatMap(({ root }) => (root.from === "grant" ? [root] : []));
    const guarded = looks.flatMap(({ found }) => found.guarded.map(wordFor));
    const known = new Set([...guarded, ...this.#held.map(wordForHeld), ...this.#git.known, ...links.known]);
    const { tripwires, gits, hooks } = this.#git;
    const warden = new Warden({ roots: writable, known, tripwires, gits, links: this.#links, hooks }, this.#ports.inventory);
    return {
      mounts,
      covered: this.#covered,
      tripwires,
      grants: new Set(grants.map(({ grant }) => grant)),
      expires: grants.reduce<number | null>((first, { expires }) => (expires === null ? first : Math.min(first ?? expires, expires)), null),
      leftOut,
      patrol: () => warden.patrol(),
      sweep: () => [...warden.sweep(), ...links.sweep(known)],
      sweepOrders: () => warden.sweepOrders(),
      before: {
        roots: writable.map(({ dir, at, others }) => ({ dir, ino: at.facts.ino, others: [...others.keys()] })),
        known: [...known],
        gits: gits.map(({ at, path, worktree }) => ({ dir: path, ino: at.facts.ino, worktree })),
        places: [...hooks, ...links.places],
        slots: this.#held.map(({ dir, name }) => `${idOf(dir.facts)}/${name}`),
        stubs: this.#stubs.map(({ dir, name }) => child(dir.real, name)),
      },
      close,
    };
  }

  #look(plan: Plan): Found {
    const found = this.#ports.inventory.look(plan);
    for (const one of found.pins) this.#keep(one);
    return found;
  }

  #bind(path: string, at: Pin, make: "writable" | "read-only"): void {
    const bytes = bytesOf(path);
    const there = this.#binds.get(bytes);
    // A directory that was only to be held in its place may turn out to be one that executes later.
    if (there !== undefined && (there.make === "read-only" || make === "writable" || this.#isWritten(bytes))) return;
    this.#binds.set(bytes, { make, path: bytes, pin: at });
    if (make === "writable") return;
    // What was held in it is held by it now, and would be a hole in it.
    for (const [inner, one] of this.#binds)
      if (one.make === "writable" && isInside(bytes, inner) && !this.#isWritten(inner)) this.#binds.delete(inner);
  }

  /** Is it meant to be written, and not only held in its place: a root, a git directory? */
  #isWritten(bytes: string): boolean {
    return this.#roots.has(bytes) || this.#git.gits.some(({ path }) => bytesOf(path) === bytes);
  }

  /** `byContent`: it is a secret for what stands in it, and for nothing else. */
  #hide(standing: Standing, byContent = false): void {
    const path = bytesOf(standing.path);
    if (this.#hidden.has(path)) return;
    const text = byContent ? withoutCredentials(standing.dir, standing.name) : null;
    if (text !== null) this.#hidden.set(path, { make: "shown-file", path, text });
    else this.#hidden.set(path, { make: standing.kind === "dir" ? "hidden-dir" : "hidden-file", path });
    // Nothing holds it but its name, so that what takes its place may get its inode.
    this.#cover(standing, { ...standing.facts, born: standing.facts.birthtimeMs });
  }

  #cover({ dir, name, path }: Standing, { dev, ino, born }: KeptIdentity): void {
    this.#covered.push({ dir, name, path, dev, ino, ...(born === undefined ? {} : { born }) });
  }

  /** By itself, or with a directory around it? */
  #isHidden(path: string): boolean {
    if (this.#hidden.has(bytesOf(path))) return true;
    for (let dir = parent(path); dir !== "/"; dir = parent(dir)) if (this.#hidden.get(bytesOf(dir))?.make === "hidden-dir") return true;
    return false;
  }

  /** A secret with several names is hidden under all of them that any root has. */
  #hideAliases(looks: readonly Looked[], led: readonly Standing[]): void {
    const named = looks.flatMap(({ found }) => found.shut.filter(({ why }) => why === "secret"));
    const linked = [...named, ...led].filter(({ kind, facts }) => kind === "file" && facts.nlink > 1);
    if (linked.length === 0) return;
    const wanted = new Set(linked.map(({ facts }) => idOf(facts)));
    for (const { one } of looks) {
      const { standing, pins } = this.#ports.inventory.aliases(one.plan, wanted);
      for (const one of pins) this.#keep(one);
      for (const alias of standing) this.#hide(alias);
    }
  }

  /** Bind read-only what executes later or what a rule does not let be written. */
  #guard(standing: Standing): void {
    // A link cannot be bound. Replacing it is seen by the sweep, and what it leads to has a turn of its own.
    if (this.#hidden.has(bytesOf(standing.path)) || standing.kind === "other" || standing.kind === "link") return;
    if (standing.name === ".git" && standing.kind === "dir") return this.#git.guard(standing, parent(standing.path));
    const at = this.#keep(pinEntry(standing.dir, standing.name));
    if (at.kind !== standing.kind) return;
    this.#bind(standing.path, at, "read-only");
    this.#hold(standing, at.facts);
  }

  #hold(standing: Standing, facts: Facts): void {
    this.#cover(standing, facts);
    this.#held.push({ ...standing, facts });
  }

  /**
   * What is hidden or read-only because of where it is would be neither under another directory's name, so the directories on the way
   * are mounts of their own: a mount cannot be renamed. So are those on the way to a root of its own: renamed, it would be none the next time.
   */
  #holdPlaces({ root, plan }: Shown, found: Found, shown: readonly Shown[]): void {
    const { secrets, policy } = this.#session.policy;
    const lifted = goByPlaces(policy.secrets.except);
    const dependent = [
      ...found.shut.flatMap(({ path, why }) => placesOf(root.dir, path, why, secrets, lifted)),
      ...found.frozen.flatMap(({ path }) => placesOf(root.dir, path, "rule", secrets, lifted)),
      ...shown.flatMap((inner) =>
        inner.root !== root && isInside(root.dir, inner.root.dir) ? placesOf(root.dir, inner.root.dir, "rule", secrets, lifted) : [],
      ),
    ];
    for (const place of new Set(dependent)) holdPlace(plan, place, this.#placing);
  }

  #nearest(path: string): Mount | undefined {
    const around = [...this.#binds.values()].filter((bind) => isInside(bind.path, bytesOf(path)));
    return around.reduce<Mount | undefined>(
      (near, bind) => (near === undefined || bind.path.length > near.path.length ? bind : near),
      undefined,
    );
  }
}

const byDepth = <T extends { readonly path: string }>(mounts: readonly T[]): readonly T[] =>
  mounts.toSorted((one, other) => depthOf(one.path) - depthOf(other.path));

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // It is not empty, or not there.
  }
}
