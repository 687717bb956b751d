// Directories that must keep their names while a command runs, since something below them is hidden or frozen by its path.

import type { Pin } from "../core/fs/pin.ts";
import { below, child, isInside, parent } from "../core/path/contain.ts";
import type { CompiledPolicy, NameList } from "../core/policy/compile.ts";
import type { Steps } from "../core/steps.ts";
import type { FolderPlan, Reason } from "./folder.ts";
import type { FoundInRoot } from "./inventory.ts";
import type { ShownRoot } from "./shown-roots.ts";
import { pinBelow } from "./tree.ts";

/**
 * The directories of a root that others depend on: what is hidden or read-only because of where it is would be neither under another
 * directory's name, and a root of its own in it, renamed, would be none the next time.
 */
export function* dependedOn(
  { root }: ShownRoot,
  found: FoundInRoot,
  shownRoots: readonly ShownRoot[],
  { secrets, policy }: CompiledPolicy,
): Steps<ReadonlySet<string>> {
  const lifted = goByPlaces(policy.secrets.except);
  // A policy is looked for at one place, our own files among them: moved away with the directory around it, it would say nothing more.
  const placed = policy.protect.add.filter((pattern) => pattern.startsWith("/"));
  const inner = shownRoots.filter((other) => other.root !== root && isInside(root.dir, other.root.dir));
  const ruled = [
    ...found.frozen.map(({ path }) => path),
    ...found.guarded.flatMap(({ path }) => (placed.some((own) => isInside(own, path)) ? [path] : [])),
    ...inner.map((other) => other.root.dir),
  ];
  const places = new Set<string>();
  for (const { path, why } of [...found.shut, ...ruled.map((path) => ({ path, why: "rule" as const }))]) {
    for (const place of placesOf(root.dir, path, why, secrets, lifted)) places.add(place);
    yield;
  }
  return places;
}

/**
 * The directories below `root` that must keep their names for `path` to stay what it is. `lifted`: the policy has exceptions that go by places,
 * so that a secret may be none elsewhere.
 */
function placesOf(root: string, path: string, why: Reason, secrets: NameList, lifted: boolean): readonly string[] {
  if (why === "other") return [];
  const names = below(root, path).split("/");
  const places: string[] = [];
  for (let from = names.length - 1; from >= 0; from -= 1) {
    if (from < names.length - 1) places.push(child(root, names.slice(0, from + 1).join("/")));
    // Would it be a secret anywhere, by its last names alone?
    if (why === "secret" && !lifted && secrets.find(`/-/${names.slice(from).join("/")}`) !== null) break;
  }
  return places;
}

export interface PlacePorts {
  readonly keep: (pin: Pin) => Pin;
  bind(path: string, at: Pin, make: "writable" | "read-only"): void;
  /** How the nearest mount at the path or around it is made. */
  enclosingMake(path: string): string | null;
}

/** Make the directory at `place` a mount of its own, which cannot be renamed. What is read-only cannot be renamed anyway. */
export function holdPlace(root: FolderPlan, place: string, { keep, bind, enclosingMake }: PlacePorts): void {
  if (enclosingMake(place) === "read-only") return;
  const at = pinBelow(root.at, below(root.dir, place));
  if (at !== null) bind(place, keep(at), "writable");
}

/** The same for every directory of the root on the way to `path`: no others take their place. */
export function holdWay(root: FolderPlan, path: string, ports: PlacePorts): void {
  for (let way = parent(path); way !== root.dir; way = parent(way)) holdPlace(root, way, ports);
}

/** Does one of the patterns say where, and not only what it is called? A name by itself, at any depth, stays what it is wherever it is moved. */
const goByPlaces = (patterns: readonly string[]): boolean => patterns.some((pattern) => pattern.replace(/^(?:\*\*\/)+/, "").includes("/"));
