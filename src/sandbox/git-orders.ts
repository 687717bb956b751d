// What git takes orders from, in places where it cannot be kept from coming into being since git writes there itself: an operation that
// was stopped in the middle with commands still to run, a list of other places to take objects from, a link that leads git's own writing
// elsewhere. It is looked at when a command has ended.

import { readEntries, statEntry } from "../core/fs/at.ts";
import { errnoOf, type Pin, pinEntry } from "../core/fs/pin.ts";
import { lendBytesAtOnce, Scratch } from "../core/fs/read.ts";
import { child } from "../core/path/contain.ts";

/** Where git keeps a rebase, a cherry-pick or a series of patches that is under way. */
const OPERATIONS = ["rebase-merge", "rebase-apply", "sequencer"];
/** Longer than any list of steps people make; what cannot be read as a whole counts as orders. */
const MOST_BYTES = 1_048_576;
/** A step that runs a command, by either of its names. */
const RUNS = /^\s*(?:exec|x)(?:\s|$)/m;
/** Git runs the program `git-merge-<strategy>`; these are its own. */
const STRATEGIES = /^(?:ort|recursive|resolve|octopus|ours|subtree)?$/;
/** Where git reads which objects are elsewhere. */
const ELSEWHERE = ["alternates", "http-alternates"];

/** More directories in one another than names of branches have parts. */
const DEPTH = 32;

type See = (dir: Pin, name: string, path: string) => void;

/** Call `see` for everything in the pinned git directory that git would take orders from. The pin it gets is good until it returns. */
export function ordersIn(git: Pin, path: string, see: See): void {
  for (const name of OPERATIONS) if (isOrder(git, name)) see(git, name, child(path, name));
  // Git writes messages and logs through a link: into a shell's settings, for one. It makes no links itself.
  for (const { name, kind } of readEntries(git).entries)
    if (kind === "link" && !OPERATIONS.includes(name)) see(git, name, child(path, name));
  enter(git, "logs", path, see, (logs, logsPath) => linksIn(logs, logsPath, DEPTH, see));
  enter(git, "objects", path, see, (objects, objectsPath) => {
    if (statEntry(objects, "info")?.kind === "link") see(objects, "info", child(objectsPath, "info"));
    enter(objects, "info", objectsPath, see, (info, infoPath) => {
      for (const name of ELSEWHERE) if (statEntry(info, name) !== null) see(info, name, child(infoPath, name));
    });
  });
}

function linksIn(at: Pin, path: string, depth: number, see: See): void {
  for (const { name, kind } of readEntries(at).entries) {
    if (kind === "link" || depth === 0) see(at, name, child(path, name));
    else if (kind === "dir") enter(at, name, path, see, (dir, inner) => linksIn(dir, inner, depth - 1, see));
  }
}

/** Go into a directory, if it is one. One that cannot be looked into counts as an order. */
function enter(at: Pin, name: string, path: string, see: See, inner: (dir: Pin, path: string) => void): void {
  if (statEntry(at, name)?.kind !== "dir") return;
  try {
    const dir = pinEntry(at, name);
    try {
      if (dir.kind === "dir") inner(dir, child(path, name));
    } finally {
      dir.close();
    }
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") see(at, name, child(path, name));
  }
}

function isOrder(git: Pin, name: string): boolean {
  const entry = statEntry(git, name);
  if (entry === null) return false;
  if (entry.kind !== "dir") return true;
  try {
    const at = pinEntry(git, name);
    try {
      return at.kind !== "dir" || hasOrders(at);
    } finally {
      at.close();
    }
  } catch (error) {
    return errnoOf(error) !== "ENOENT";
  }
}

/** Does an operation that is under way have commands to run? */
function hasOrders(at: Pin): boolean {
  const says = (file: string, orders: (text: string) => boolean): boolean => holds(at, file, orders);
  return (
    ["git-rebase-todo", "todo"].some((file) => says(file, (text) => RUNS.test(text))) ||
    says("strategy", (text) => !STRATEGIES.test(text.trim())) ||
    says("opts", (text) => [...text.matchAll(/^\s*strategy\s*=(.*)$/gim)].some(([, value = ""]) => !STRATEGIES.test(value.trim())))
  );
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
