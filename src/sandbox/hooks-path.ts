// Where git takes hooks and settings from besides its own directory: a directory that the configuration names (`core.hooksPath`), and what
// the links lead to that stand in for hooks and settings. What is there runs as what is in `.git/hooks` does, so it is kept the same way:
// read-only where it is there, set aside where it comes into being.

import { eachEntryInSteps } from "../core/fs/at.ts";
import { type Pin, pin } from "../core/fs/pin.ts";
import { lendBytesAtOnce, Scratch, TOO_LARGE } from "../core/fs/read.ts";
import { resolveTarget } from "../core/fs/resolve.ts";
import { basename, child, isInside, parent } from "../core/path/contain.ts";
import { gitDirectoryNamedIn, hooksPathsIn, isHook } from "../core/policy/git-directory.ts";
import type { Steps } from "../core/steps.ts";
import { leading } from "./git-dir.ts";
import type { NameVisitor } from "./git-links.ts";
import { LookFailure } from "./tree.ts";

/** Settings are far smaller, and name one directory of hooks or two. Where there is more, git's orders cannot be told, and no command is run. */
const MOST_BYTES = 1_048_576;
const MOST_PLACES = 64;
const SETTINGS = ["config", "config.worktree"];

/**
 * Every place outside of its own directory that git takes hooks and settings from, for the git directory or the file in its place at `git`:
 * absolute, as spelt. A relative directory of hooks starts in the worktree. Some of the places may be missing, or be the same.
 */
export function* hooksPlaces(git: string, worktree: string, home: string): Steps<readonly string[]> {
  const directories = yield* directoriesOf(git, worktree);
  const stoodIn: string[] = [];
  for (const dir of directories) stoodIn.push(...(yield* linksIn(dir, (name) => leading.includes(name))));
  const spelt = new Set<string>();
  for (const dir of directories)
    for (const name of SETTINGS) for (const one of hooksPathsIn((yield* textAt(child(dir, name))) ?? "")) spelt.add(one);
  if (spelt.size > MOST_PLACES) throw new LookFailure("git-settings");
  const named = [...spelt].map((path) => absolute(path, worktree, home));
  const hooks = [...directories.map((dir) => child(dir, "hooks")), ...named];
  const linked: string[] = [];
  for (const dir of hooks) linked.push(...(yield* linksIn(dir, () => true)));
  return [...stoodIn, ...named, ...linked];
}

/** The directory that `git` is or leads to, and the one it shares with other worktrees. */
function* directoriesOf(git: string, worktree: string): Steps<readonly string[]> {
  const named = gitDirectoryNamedIn((yield* textAt(git)) ?? "");
  const dir = named === null ? git : absolute(named, worktree, "/");
  const shared = (yield* textAt(child(dir, "commondir")))?.trim() ?? "";
  return shared === "" ? [dir] : [dir, absolute(shared, dir, "/")];
}

function absolute(path: string, base: string, home: string): string {
  if (path.startsWith("/")) return path;
  return path.startsWith("~/") ? child(home, path.slice(2)) : child(base, path);
}

/** What stands in such a place and really is below one of the roots: call `see` with it. The pin it gets is good until it returns. */
export function* seeHooks(place: string, roots: readonly string[], see: NameVisitor): Steps<void> {
  yield;
  const { target } = resolveTarget(place);
  target.pin?.close();
  if (target.state !== "present") return;
  if (roots.includes(target.path)) {
    for (const name of yield* namesIn(target.path, isHook)) yield* seeHooks(child(target.path, name), roots, see);
    return;
  }
  if (!roots.some((root) => isInside(root, target.path))) return;
  // RACE: where a directory on the way has moved since, there is nothing at this name to speak of.
  yield* within(parent(target.path), function* there(dir) {
    if (dir.kind === "dir" && dir.real === parent(target.path)) yield* see(dir, basename(target.path), target.path);
  });
}

function* linksIn(path: string, wanted: (name: string) => boolean): Steps<readonly string[]> {
  return (yield* namesIn(path, (name, kind) => kind === "link" && wanted(name))).map((name) => child(path, name));
}

function* namesIn(path: string, wanted: (name: string, kind: string) => boolean): Steps<readonly string[]> {
  const names: string[] = [];
  yield* within(path, function* list(dir) {
    if (dir.kind === "dir") yield* eachEntryInSteps(dir, (name, kind) => void (wanted(name, kind) && names.push(name)));
  });
  return names;
}

/** The text of the file that the path leads to; null where there is none, or we cannot read it: then git of ours cannot either. */
function* textAt(path: string): Steps<string | null> {
  let text: unknown = null;
  yield* within(path, function* read(file) {
    yield;
    if (file.kind === "file") text = lendBytesAtOnce(file, MOST_BYTES, new Scratch(), (bytes) => bytes.toString("utf8"));
  });
  if (text === TOO_LARGE) throw new LookFailure("git-settings");
  return typeof text === "string" ? text : null;
}

/** Nothing is done where there is nothing, or what is there cannot be looked at. */
function* within(path: string, act: (at: Pin) => Steps<void>): Steps<void> {
  let at: Pin;
  try {
    at = pin(path);
  } catch {
    return;
  }
  try {
    yield* act(at);
  } catch {
    // Not to be read or listed by us, and so not by git.
  } finally {
    at.close();
  }
}
