// Files that make git run something or write elsewhere, in places that must stay writable because git writes there itself: an operation that
// was stopped in the middle with commands still to run, a list of other places to take objects from, resolutions to be replayed, a link
// that redirects git's own writing. They are checked when a command has ended.

import { errnoOf } from "../core/errno.ts";
import { eachEntryInSteps, statEntry } from "../core/fs/at.ts";
import { type Pin, pinEntry } from "../core/fs/pin.ts";
import { lendBytesAtOnce, Scratch } from "../core/fs/read.ts";
import { resolveTarget } from "../core/fs/resolve.ts";
import { child } from "../core/path/contain.ts";
import type { Steps } from "../core/steps.ts";
import { whileWritable } from "./disk.ts";
import type { GitLinks, NameVisitor } from "./git-links.ts";

/** Where git keeps a rebase, a cherry-pick or a series of patches that is under way. */
const OPERATIONS = ["rebase-merge", "rebase-apply", "sequencer"];
/** Where git keeps how conflicts were resolved. That it is there turns on replaying them, unless the settings say otherwise. */
export const RESOLUTIONS = "rr-cache";
/** Which files of the working tree a resolution is to be taken from or put into. */
const RESOLVING = "MERGE_RR";
/** Read-only as a whole for a command, so that nothing in them is new; and what is looked at by itself. */
const NOT_LOOKED_INTO: ReadonlySet<string> = new Set(["hooks", "modules", "worktrees", RESOLUTIONS, ...OPERATIONS]);
const NONE: ReadonlySet<string> = new Set();
/** Longer than any list of steps people make; what cannot be read as a whole counts as orders. */
const MOST_BYTES = 1_048_576;
/** A step that runs a command, by either of its names. */
const RUNS = /^[^\S\n\r\u2028\u2029]*(?:exec|x)(?:\s|$)/m;
/** Git runs the program `git-merge-<strategy>`; these are its own. */
const STRATEGIES = /^(?:ort|recursive|resolve|octopus|ours|subtree)?$/;
/** How patches are applied; other words name files to write. */
const APPLYING = /^(?:\s*'(?:-[Cp]\d+|--whitespace=[a-z-]+|--ignore-(?:space-change|whitespace)|--reject|--(?:in|ex)clude=[^']*)')*\s*$/;
/** Where git reads which objects are elsewhere. */
const ELSEWHERE = ["alternates", "http-alternates"];
/** More directories in one another than an operation has. */
const DEPTH = 8;

/** A git directory, where it is, and where the files are that it keeps. */
export interface GitPlace {
  readonly at: Pin;
  readonly path: string;
  readonly worktree: string;
}

/**
 * Call `see` for everything in the pinned git directory that git would take orders from, or that leads its writing elsewhere. A directory
 * for resolutions is one of them: whether it was there before is for `see` to know.
 */
export function* ordersIn(git: GitPlace, links: GitLinks, see: NameVisitor): Steps<void> {
  try {
    yield* lookInto(git, links, see);
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
    // A command took away the permission to look into it.
    yield* whileWritable(git.at, () => lookInto(git, links, see));
  }
}

function* lookInto({ at: git, path, worktree }: GitPlace, links: GitLinks, see: NameVisitor): Steps<void> {
  // Links first: what is set aside as a whole is not looked into any more.
  yield* links.see(git, path, NOT_LOOKED_INTO, see);
  for (const name of OPERATIONS) if (yield* isOrder(git, name)) yield* see(git, name, child(path, name));
  if (statEntry(git, RESOLUTIONS)?.kind === "dir") yield* see(git, RESOLUTIONS, child(path, RESOLUTIONS));
  yield* enter(git, RESOLUTIONS, path, see, (dir, inner) => links.see(dir, inner, NONE, see));
  if (holds(git, RESOLVING, (text) => leadsAway(text, worktree))) yield* see(git, RESOLVING, child(path, RESOLVING));
  yield* enter(git, "objects", path, see, (objects, objectsPath) =>
    enter(objects, "info", objectsPath, see, function* elsewhere(info, infoPath) {
      for (const name of ELSEWHERE) if (statEntry(info, name) !== null) yield* see(info, name, child(infoPath, name));
    }),
  );
}

/** Does one of the files that resolutions are taken from, or put into, lie outside the working tree, or behind a link? `id`, tab, path, zero. */
function leadsAway(text: string, worktree: string): boolean {
  return text.split("\0").some((entry) => {
    const path = entry.slice(entry.indexOf("\t") + 1);
    if (path === "") return false;
    if (path.startsWith("/") || path.split("/").includes("..")) return true;
    const { target, links } = resolveTarget(child(worktree, Buffer.from(path, "latin1").toString("utf8")));
    target.pin?.close();
    return links.length > 0 || target.state === "unreachable";
  });
}

/** Go into a directory, if it is one. One that cannot be looked into counts as an order. */
function* enter(at: Pin, name: string, path: string, see: NameVisitor, inner: (dir: Pin, path: string) => Steps<void>): Steps<void> {
  if (statEntry(at, name)?.kind !== "dir") return;
  try {
    const dir = pinEntry(at, name);
    try {
      if (dir.kind === "dir") yield* inner(dir, child(path, name));
    } finally {
      dir.close();
    }
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") yield* see(at, name, child(path, name));
  }
}

function* isOrder(git: Pin, name: string): Steps<boolean> {
  const entry = statEntry(git, name);
  if (entry === null) return false;
  if (entry.kind !== "dir") return true;
  try {
    const at = pinEntry(git, name);
    try {
      return at.kind !== "dir" || (yield* hasOrders(at));
    } finally {
      at.close();
    }
  } catch (error) {
    return errnoOf(error) !== "ENOENT";
  }
}

/** Does an operation that is under way have commands to run, or lead git's writing elsewhere? */
function* hasOrders(at: Pin): Steps<boolean> {
  const says = (file: string, orders: (text: string) => boolean): boolean => holds(at, file, orders);
  return (
    (yield* hasLinks(at, DEPTH)) ||
    ["git-rebase-todo", "todo"].some((file) => says(file, (text) => RUNS.test(text))) ||
    says("strategy", (text) => !STRATEGIES.test(text.trim())) ||
    says("opts", (text) =>
      [...text.matchAll(/^[^\S\n\r\u2028\u2029]*strategy\s*=(.*)$/gim)].some(([, value = ""]) => !STRATEGIES.test(value.trim())),
    ) ||
    says("apply-opt", (text) => !APPLYING.test(text))
  );
}

/** Throws the system's error where one of the directories cannot be looked into. */
function* hasLinks(at: Pin, depth: number): Steps<boolean> {
  const dirs: string[] = [];
  let found = false;
  const undecodable = yield* eachEntryInSteps(at, (name, kind) => {
    found ||= kind === "link";
    if (kind === "dir") dirs.push(name);
  });
  if (found || undecodable > 0 || depth === 0) return true;
  for (const name of dirs) {
    const dir = pinEntry(at, name);
    try {
      if (dir.kind !== "dir" || (yield* hasLinks(dir, depth - 1))) return true;
    } finally {
      dir.close();
    }
  }
  return false;
}

/** Does the file hold what `orders` tells? One that cannot be read as text of a sensible size does; one that is not there does not. */
function holds(at: Pin, name: string, orders: (text: string) => boolean): boolean {
  const entry = statEntry(at, name);
  if (entry === null) return false;
  if (entry.kind !== "file") return true;
  try {
    const file = pinEntry(at, name);
    try {
      return (
        file.kind !== "file" || lendBytesAtOnce(file, MOST_BYTES, new Scratch(), (bytes) => orders(bytes.toString("latin1"))) !== false
      );
    } finally {
      file.close();
    }
  } catch {
    return true;
  }
}
