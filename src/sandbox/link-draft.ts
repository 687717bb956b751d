// The part of a profile that is about links. Whoever reads a link of a secret's name reads the file behind it, so that is hidden; whoever
// reads settings reads what the links among them lead to, so that is read-only where it is there, and set aside where it comes into being.

import { statEntry } from "../core/fs/at.ts";
import { type Pin, pin, pinEntry } from "../core/fs/pin.ts";
import type { UnreachableReason } from "../core/fs/resolve.ts";
import { basename, isInside, parent } from "../core/path/contain.ts";
import { show } from "../core/path/show.ts";
import type { CompiledPolicy } from "../core/policy/compile.ts";
import type { Identity } from "../core/session/root.ts";
import { doAtOnce, type Steps } from "../core/steps.ts";
import { bytesOf, rawPlaceOf } from "./disk.ts";
import { holdWay } from "./held-places.ts";
import type { FoundInRoot, PinnedEntry } from "./inventory.ts";
import { isKnown, fingerprint } from "./known.ts";
import { follow, linksOf, whilePinned } from "./link-ways.ts";
import type { MountPlacement } from "./mount-draft.ts";
import type { RenamedEntry } from "./port.ts";
import type { ShownRoot } from "./shown-roots.ts";
import { isSame, LookFailure } from "./tree.ts";
import { setAside } from "./warden.ts";

export interface LinkPorts extends MountPlacement {
  readonly policy: CompiledPolicy;
  readonly shownRoots: readonly ShownRoot[];
  hide(standing: PinnedEntry): void;
}

/** More links in one another than the system follows. */
const LINKS = 40;

export class LinkDraft {
  /** What stands on the way of links to settings, and at its end: a word for each. */
  readonly known = new Set<string>();
  /** Links to settings whose ends are to be looked at by whoever does so in our place. */
  readonly places: string[] = [];
  /** Why nothing is run; null if nothing is in the way. */
  refused: string | null = null;
  readonly #ports: LinkPorts;
  /** Directories that were hidden since a link led to them, as bytes. */
  readonly #veils: string[] = [];
  readonly #writable: readonly ShownRoot[];
  /** Links to settings, to be followed again once the command has ended. */
  readonly #watched: string[] = [];
  readonly #ways: { readonly root: ShownRoot; readonly path: string }[] = [];

  constructor(ports: LinkPorts) {
    this.#ports = ports;
    this.#writable = ports.shownRoots.filter(({ writable }) => writable);
  }

  /** Hide what links of hidden names lead to; gives the secrets among it. */
  *hide({ leads }: FoundInRoot): Steps<readonly PinnedEntry[]> {
    const secrets: PinnedEntry[] = [];
    for (const { path, why } of leads) {
      const standing = why === "settings" ? null : this.#hideBehind(path, why);
      if (standing !== null && why === "secret") secrets.push(standing);
      yield;
    }
    return secrets;
  }

  /** Make read-only what links of protected and frozen names lead to, and what links in protected directories do. */
  *bind({ guarded, frozen, leads }: FoundInRoot): Steps<void> {
    const settings = [...guarded.filter(({ kind }) => kind === "link"), ...leads.filter(({ why }) => why === "settings")];
    for (const { path } of settings) {
      this.#bindBehind(path, "settings");
      yield;
    }
    for (const { path, kind } of frozen) {
      if (kind === "link") this.#bindBehind(path, "frozen");
      yield;
    }
  }

  /**
   * Hide what the link leads to, where the command sees it; gives what was hidden. What is a root or holds one stays: the person showed it, and
   * all of it has names of its own. So does what the policy's exceptions name.
   */
  #hideBehind(link: string, why: "secret" | "rule"): PinnedEntry | null {
    const { policy, hide, isHidden } = this.#ports;
    const { path, end, unreachable } = follow(link);
    if (unreachable !== null) this.#notFollowed(link, unreachable);
    if (end === null || end.kind === "other") return null;
    if (this.#rootOf(path) === null || this.#holdsRoot(path) || isHidden(path)) return null;
    if (why === "secret" && policy.secrets.lifts(path)) return null;
    const standing = this.#standing(path, end.facts);
    hide(standing);
    if (standing.kind === "dir") this.#veils.push(bytesOf(path));
    return standing;
  }

  /**
   * Make what the link leads to read-only. `settings`: it executes later, so that the end of the link is looked at afterwards; `frozen`: a rule
   * does not let it be written. What holds the link itself, or a root, is work and stays as it is.
   */
  #bindBehind(link: string, why: "settings" | "frozen"): void {
    const { policy, keep, bind, hold, isHidden, enclosingMake } = this.#ports;
    const { path, end, unreachable } = follow(link);
    if (unreachable !== null) this.#notFollowed(link, unreachable);
    const settings = why === "settings";
    if (settings) {
      this.#watched.push(link);
      for (const linkPath of linksOf(link, path))
        if (this.#inWritable(linkPath)) whilePinned(linkPath, (seen) => void this.known.add(fingerprint(seen)));
      if (!this.#isWork(path, link)) this.places.push(link);
      // Moved with the directory around it, it would be the same link and lead elsewhere.
      this.#hold(link);
    }
    const root = this.#rootOf(path);
    if (end === null || root === null || !root.writable || this.#isWork(path, link)) return;
    if (settings && policy.protect.lifts(path)) return;
    const standing = this.#standing(path, end.facts);
    if (settings) this.known.add(fingerprint(standing));
    this.#hold(path);
    if (standing.kind === "other" || isHidden(path) || enclosingMake(path) === "read-only") return;
    const at = keep(pinEntry(standing.dir, standing.name));
    if (!isSame(at.facts, standing.facts)) throw new LookFailure("moved");
    bind(path, at, "read-only");
    hold(standing, at.facts);
  }

  /** Is the path, as bytes, one of the directories that were hidden since a link led to them, or in one? Nothing can be mounted there. */
  isVeiled(path: string): boolean {
    return this.#veils.some((veil) => isInside(veil, path));
  }

  #hold(path: string): void {
    const root = this.#rootOf(path);
    if (root?.writable === true) this.#ways.push({ root, path });
  }

  /** The directories on the way to what was made read-only, and to links to settings, keep their names: no others take their place. Once all is bound. */
  *holdWays(): Steps<void> {
    for (const { root, path } of this.#ways) {
      holdWay(root.plan, path, this.#ports);
      yield;
    }
  }

  /** What links to settings lead to now and did not before: renamed, a link on the way before the end of it. `known`: all that stood there. */
  *sweep(known: ReadonlySet<string>): Steps<readonly RenamedEntry[]> {
    const aside: RenamedEntry[] = [];
    for (const link of this.#watched) {
      for (let left = LINKS; left > 0; left -= 1) {
        yield;
        const path = this.#stranger(link, known);
        const done: RenamedEntry[] = [];
        if (path !== null) whilePinned(path, ({ dir, name }) => void done.push(...doAtOnce(setAside(dir, name, path))));
        aside.push(...done);
        if (done.length === 0 || done.some(({ to }) => to === null)) break;
      }
    }
    return aside;
  }

  /** The first thing on the way of the link, or at its end, that was not there before; null if all of it was. */
  #stranger(link: string, known: ReadonlySet<string>): string | null {
    const { path: real, end } = follow(link);
    const isNew = (path: string): boolean => {
      let isStranger = false;
      if (this.#inWritable(path)) whilePinned(path, (seen) => void (isStranger = !isKnown(known, seen)));
      return isStranger;
    };
    const counts = end !== null && !this.#isWork(real, link) && !this.#ports.policy.protect.lifts(real);
    return linksOf(link, real).find(isNew) ?? (counts && isNew(real) ? real : null);
  }

  /** What ends in a name that cannot be spoken of cannot be covered, so nothing is run; what leads nowhere needs no cover. */
  #notFollowed(link: string, reason: UnreachableReason): void {
    if (reason === "stale-path") throw new LookFailure("moved");
    if (reason === "io-error") throw new Error(reason);
    if (reason !== "invalid-path" && reason !== "unresolvable-path") return;
    const raw = rawPlaceOf(link);
    if (raw === null || this.#ports.shownRoots.some(({ root }) => isInside(bytesOf(root.dir), raw)))
      this.refused = `${show(link)} leads to a name that is not UTF-8 or too long, which cannot be covered, so no command is run`;
  }

  /** The nearest root around the path, which is none itself. */
  #rootOf(path: string): ShownRoot | null {
    return this.#ports.shownRoots.findLast(({ root }) => root.dir !== path && isInside(root.dir, path)) ?? null;
  }

  #inWritable(path: string): boolean {
    return this.#writable.some(({ root }) => root.dir !== path && isInside(root.dir, path));
  }

  #holdsRoot(path: string): boolean {
    return this.#ports.shownRoots.some(({ root }) => isInside(path, root.dir));
  }

  #isWork(path: string, link: string): boolean {
    return isInside(path, link) || this.#holdsRoot(path);
  }

  /** What stands at the real path, with the directory that holds it pinned, if it still is what was found there. */
  #standing(path: string, found: Identity): PinnedEntry {
    let dir: Pin;
    try {
      dir = this.#ports.keep(pin(parent(path)));
    } catch {
      throw new LookFailure("moved");
    }
    const entry = dir.real === parent(path) ? statEntry(dir, basename(path)) : null;
    if (entry === null || !isSame(entry.facts, found)) throw new LookFailure("moved");
    return { dir, name: basename(path), path, ...entry };
  }
}
