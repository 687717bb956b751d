// Down a path one name at a time on pinned directories. Slower than one open, and used only where one open cannot tell:
// where a path stops, and which links it went through. Everything found here is judged like any other path.

import { readlinkSync } from "node:fs";
import { errnoOf } from "../errno.ts";
import { child, parent } from "../path/contain.ts";
import { failureOf, heldBy, type Pin, type PinFailure, pin, pinEntry, platform } from "./pin.ts";

/** As many links as Linux follows itself; and a bound on names, since a link may multiply them. */
const LINKS = 40;
const STEPS = 4096;

export interface WalkResult {
  /** Where each link stood that the path went through, in order. */
  readonly links: readonly string[];
  /** The directories that a `..` of the path, or of a link on the way, left: where each is, or would be where the way stops before it. */
  readonly turns: readonly string[];
  /** The last object reached; the caller closes it. */
  readonly pin: Pin;
  /** Its place, as walked. */
  readonly real: string;
  /** The names that were left when the walk stopped; empty when the whole path was walked. */
  readonly rest: readonly string[];
  /** Why it stopped; null at the end of the path. */
  readonly stop: PinFailure | "not-directory" | null;
}

/** Walk `path` (absolute) as the kernel would read it. Gives what was reached, and why no further. */
export function walkPath(path: string): WalkResult {
  const links: string[] = [];
  const turns = new Set<string>();
  const names = path.split("/").toReversed();
  let at: Pin = pin("/");
  let real = "/";
  const stopped = (stop: WalkResult["stop"], rest: readonly string[]): WalkResult => {
    const turn = rest.indexOf("..");
    if (turn !== -1) turns.add(rest.slice(0, turn).reduce(child, real));
    return { links, turns: [...turns], pin: at, real, rest, stop };
  };
  for (let step = 0; ; step += 1) {
    const name = names.pop();
    if (name === undefined) return stopped(null, []);
    if (name === "" || name === ".") continue;
    const rest = (): string[] => [name, ...names.toReversed().filter((left) => left !== "" && left !== ".")];
    if (at.kind !== "dir") return stopped("not-directory", rest());
    if (step > STEPS || links.length > LINKS) return stopped("symlink-loop", rest());
    if (name === "..") turns.add(real);
    let next: Pin;
    try {
      next = pinEntry(at, name);
    } catch (error) {
      return stopped(errnoOf(error) === "ENOTDIR" ? "not-directory" : failureOf(error), rest());
    }
    if (next.kind !== "link") {
      at.close();
      at = next;
      real = name === ".." ? parent(real) : child(real, name);
      continue;
    }
    next.close();
    links.push(child(real, name));
    let target: string;
    try {
      target = readlinkSync(platform.entry(heldBy(at), name));
    } catch (error) {
      return stopped(failureOf(error), rest());
    }
    names.push(...target.split("/").toReversed());
    if (target.startsWith("/")) {
      at.close();
      at = pin("/");
      real = "/";
    }
  }
}
