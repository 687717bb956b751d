// What is hidden or frozen because of where it is stays so only while the directories on the way to it keep their names: these.

import type { Pin } from "../core/fs/pin.ts";
import { below, child, parent } from "../core/path/contain.ts";
import type { NameList } from "../core/policy/compile.ts";
import type { Plan, Reason } from "./folder.ts";
import { pinBelow } from "./tree.ts";

/**
 * The directories below `root` that must keep their names for `path` to stay what it is. `lifted`: the policy has exceptions that go by places,
 * so that a secret may be none elsewhere.
 */
export function placesOf(root: string, path: string, why: Reason, secrets: NameList, lifted: boolean): readonly string[] {
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
  around(path: string): string | null;
}

/** Make the directory at `place` a mount of its own, which cannot be renamed. What is read-only cannot be renamed anyway. */
export function holdPlace(root: Plan, place: string, { keep, bind, around }: PlacePorts): void {
  if (around(place) === "read-only") return;
  const at = pinBelow(root.at, below(root.dir, place));
  if (at !== null) bind(place, keep(at), "writable");
}

/** The same for every directory of the root on the way to `path`: no others take their place. */
export function holdWay(root: Plan, path: string, ports: PlacePorts): void {
  for (let way = parent(path); way !== root.dir; way = parent(way)) holdPlace(root, way, ports);
}

/** Does one of the patterns say where, and not only what it is called? A name by itself, at any depth, stays what it is wherever it is moved. */
export const goByPlaces = (patterns: readonly string[]): boolean =>
  patterns.some((pattern) => pattern.replace(/^(?:\*\*\/)+/, "").includes("/"));
