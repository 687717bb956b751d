// What is hidden or frozen because of where it is stays so only while the directories on the way to it keep their names: these.

import { below, child } from "../core/path/contain.ts";
import type { NameList } from "../core/policy/compile.ts";
import type { Reason } from "./folder.ts";

/** The directories below `root` that must keep their names for `path` to stay what it is. */
export function placesOf(root: string, path: string, why: Reason, secrets: NameList): readonly string[] {
  if (why === "other") return [];
  const names = below(root, path).split("/");
  const places: string[] = [];
  for (let from = names.length - 1; from >= 0; from -= 1) {
    if (from < names.length - 1) places.push(child(root, names.slice(0, from + 1).join("/")));
    // Would it be a secret anywhere, by its last names alone?
    if (why === "secret" && secrets.find(`/-/${names.slice(from).join("/")}`) !== null) break;
  }
  return places;
}
