// A path as the kernel reads it → what it turned out to be, with a pin on it. The only mint of RealPath and RealDir.
// Promise: `path` is the kernel's own answer for the pinned object, confirmed by identity; whoever acts, acts through the pin.

import { child, parent } from "../path/contain.ts";
import type { RealDir, RealPath } from "../names.ts";
import { statEntry } from "./at.ts";
import type { KeptIdentity, LastingIdentity } from "./identity.ts";
import { failureOf, identityOf, isAt, type Kind, type Pin, pin, platform, stillThere } from "./pin.ts";
import { walkPath, type WalkResult } from "./walk.ts";

/** Why a path leads nowhere that can be judged as a thing. */
export type UnreachableReason =
  | "not-found"
  | "symlink-loop"
  | "os-denied"
  | "unresolvable-path"
  | "invalid-path"
  | "io-error"
  | "stale-path";

/** What a path turned out to be. */
export type Target =
  /** Something is there, and the pin is on it. `other` is a pipe, socket or device: it never opens. */
  | { readonly state: "present"; readonly kind: "file" | "dir" | "other"; readonly path: RealPath; readonly pin: Pin }
  /** Nothing is there; the pin is on the deepest directory that is, and `missing` are the names below it. */
  | { readonly state: "absent"; readonly path: RealPath; readonly missing: readonly string[]; readonly pin: Pin }
  /** One name in a directory, for whoever writes: the pin is on the directory, `found` is what has the name now. */
  | { readonly state: "entry"; readonly path: RealPath; readonly name: string; readonly found: Kind | "absent"; readonly pin: Pin }
  /** It cannot be told what is there; `path` is as far as it could be followed. */
  | { readonly state: "unreachable"; readonly path: RealPath; readonly reason: UnreachableReason; readonly pin: null };

export interface ResolvedPath {
  readonly target: Target;
  /** Where each link stood that the path went through; empty for a path without links. */
  readonly links: readonly string[];
  /** The directories that a `..` on the way left; empty for a path without any. */
  readonly turns: readonly RealPath[];
}

/** What a path went through. */
type PathWay = Pick<ResolvedPath, "links" | "turns">;

/** Other processes replace files at any time; a name that moved under us is looked up again this often before it is called stale. */
const TRIES = 3;

/** What `path` leads to, through every link. The caller closes the target's pin. */
export function resolveTarget(path: string): ResolvedPath {
  for (let triesLeft = TRIES; ; triesLeft -= 1) {
    let pinned: Pin;
    try {
      pinned = pin(path);
    } catch (error) {
      return resolveStopped(path, error);
    }
    // A pipe or socket reached through /proc or /dev has no place of its own: judged where the path says.
    const nameless = pinned.real.charCodeAt(0) !== SLASH;
    const real = nameless ? plain(path) : pinned.real;
    // INVARIANT: nothing is judged by a name before the name was shown to be the pinned object's. Either the kernel opened exactly
    // this name a moment ago and calls the object by exactly this name now, or one look at the name shows the same inode.
    const isConfirmed = nameless || (real === path && !path.endsWith(" (deleted)")) || stillThere(pinned);
    // What the links on the way are called may decide as well: where that cannot be told nothing is decided. What has no place never opens.
    const way = !isConfirmed
      ? null
      : !nameless && (real === path || (!path.includes("/..") && real === plain(path)))
        ? STRAIGHT
        : wayOf(path, nameless ? "as-far-as-it-goes" : "whole");
    if (way !== null) {
      const kind = nameless || pinned.kind === "link" ? "other" : pinned.kind;
      return { target: { state: "present", kind, path: mintRealPath(real), pin: pinned }, ...way };
    }
    pinned.close();
    if (triesLeft === 1)
      return { target: { state: "unreachable", path: mintRealPath(real), reason: "stale-path", pin: null }, ...STRAIGHT };
  }
}

/** The directory and the one name in it that `path` means to whoever creates, replaces or removes. Never follows the last name. */
export function resolveEntry(path: string): ResolvedPath {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const directory = path.slice(0, path.length - name.length - 1) || "/";
  const resolved = resolveTarget(directory);
  const { target, ...way } = resolved;
  if (name === "" || name === "." || name === "..") {
    target.pin?.close();
    return { target: { state: "unreachable", path: target.path, reason: "invalid-path", pin: null }, ...way };
  }
  const real = mintRealPath(child(target.path, name));
  switch (target.state) {
    case "entry":
    case "unreachable":
      return resolved;
    case "absent":
      return { target: { state: "absent", path: real, missing: [...target.missing, name], pin: target.pin }, ...way };
    case "present":
      if (target.kind !== "dir") {
        target.pin.close();
        return { target: { state: "unreachable", path: real, reason: "not-found", pin: null }, ...way };
      }
      try {
        const found = statEntry(target.pin, name)?.kind ?? "absent";
        return { target: { state: "entry", path: real, name, found, pin: target.pin }, ...way };
      } catch (error) {
        target.pin.close();
        return { target: { state: "unreachable", path: real, reason: failureOf(error), pin: null }, ...way };
      }
  }
}

/** A directory named by whoever sets up a session: real path and identity, or why not. */
export function resolveDir(
  path: string,
):
  | ({ readonly ok: true; readonly dir: RealDir } & LastingIdentity)
  | { readonly ok: false; readonly reason: UnreachableReason | "not-directory" } {
  const { target } = resolveTarget(path);
  target.pin?.close();
  if (target.state === "unreachable") return { ok: false, reason: target.reason };
  if (target.state !== "present") return { ok: false, reason: "not-found" };
  if (target.kind !== "dir" || !isRealDir(target.path)) return { ok: false, reason: "not-directory" };
  return { ok: true, dir: target.path, ...identityOf(target.pin) };
}

/** Is the directory at `dir` still the one it was? One look, on every call that relies on it. */
export function isStill(place: { readonly dir: RealDir } & KeptIdentity): boolean {
  return isAt(place.dir, place);
}

/** May writing in this directory give it another birth? No, where it cannot be told: then a birth that changes counts. */
export function isLayered(dir: RealDir): boolean {
  try {
    return platform.isLayered(dir);
  } catch {
    return false;
  }
}

/** The real directory that holds a real path. */
export function dirOf(path: RealPath): RealDir {
  return mintRealDir(parent(path));
}

/** Opening failed: say where the path stops. What is judged is that place, so a refusal tells nothing about what lies outside. */
function resolveStopped(path: string, error: unknown): ResolvedPath {
  let walked: WalkResult;
  try {
    walked = walkPath(path);
  } catch (walkError) {
    return { target: { state: "unreachable", path: mintRealPath("/"), reason: failureOf(walkError), pin: null }, ...STRAIGHT };
  }
  const { links, real, rest, stop } = walked;
  const turns = walked.turns.map(mintRealPath);
  const beyond = rest.reduce((at, name) => (name === ".." ? parent(at) : child(at, name)), real);
  const failure = failureOf(error);
  // Below a name that does not exist, `..` leads nowhere: the kernel says so, and so do we. And where the kernel did find something,
  // but nothing that can be named (not UTF-8), the walk's "not found" is about another name.
  const plainRest = !rest.includes("..");
  if (stop === "not-found" && failure === "not-found" && plainRest && stillThere(walked.pin)) {
    return { target: { state: "absent", path: mintRealPath(beyond), missing: rest, pin: walked.pin }, links, turns };
  }
  walked.pin.close();
  const reason = stop === null || stop === "not-directory" || stop === "not-found" ? failure : stop;
  return { target: { state: "unreachable", path: mintRealPath(beyond), reason, pin: null }, links, turns };
}

/** Null where it cannot be told: the path changed under us, or no descriptor is left. */
function wayOf(path: string, how: "whole" | "as-far-as-it-goes"): PathWay | null {
  try {
    const { links, turns, pin: last, stop } = walkPath(path);
    last.close();
    return stop === null || how === "as-far-as-it-goes" ? { links, turns: turns.map(mintRealPath) } : null;
  } catch {
    return null;
  }
}

/** The path without empty names, dots and a trailing slash: what the real path is when there is no link in it. */
function plain(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

function mintRealPath(path: string): RealPath {
  if (!isRealPath(path)) throw new TypeError("a real path must be absolute");
  return path;
}

function mintRealDir(path: string): RealDir {
  if (!isRealDir(path)) throw new TypeError("a real directory must be absolute");
  return path;
}

const isRealPath = (path: string): path is RealPath => path.charCodeAt(0) === SLASH || process.platform === "win32";
const isRealDir = (path: string): path is RealDir => isRealPath(path);

const SLASH = 47;
const STRAIGHT: PathWay = { links: [], turns: [] };
