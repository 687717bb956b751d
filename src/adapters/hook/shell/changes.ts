// What a command creates that matters to later commands of the same line: a link, a directory that may hold links, a whole tree from a
// repository. Paths are judged by what exists before the line runs; a path through one of these cannot be judged.

import type { WantedAccess } from "../wanted.ts";
import { realOf } from "../disk.ts";

export type ShellChange =
  /** A link, or another name of a file, whose target was judged as a read. */
  | { readonly kind: "link"; readonly path: string }
  /** A copy of a directory, or the directory itself, moved; `from` is where it is now. */
  | { readonly kind: "copy"; readonly path: string; readonly from: string }
  /** Something of which nothing is known: a link that was moved, what another command has yet to make. */
  | { readonly kind: "unknown"; readonly path: string }
  /** A directory somebody else filled. */
  | { readonly kind: "filled"; readonly path: string }
  /** Any file of the workspace may be another one, or a link. */
  | { readonly kind: "tree" };

/** Can it not be told what the access comes to, since an earlier command of the line changed what is there? */
export function isUnsettled(access: WantedAccess, home: string, changes: readonly ShellChange[]): boolean {
  if (changes.length === 0) return false;
  const { path, from, operation } = access;
  const absolute = path.startsWith("/") ? path : path.startsWith("~") ? home + path.slice(1) : `${from ?? ""}/${path}`;
  const steps = stepsOf(absolute);
  const last = steps.at(-1) ?? "/";
  const onlyReads = operation === "read" || operation === "list" || operation === "search";
  return changes.some((change) => {
    if (change.kind === "tree") return true;
    const at = steps.lastIndexOf(change.path);
    if (at === -1) return false;
    if (change.kind === "unknown") return true;
    // Entered, or filled with something new by name: it is a directory of its own.
    if (change.kind === "filled") return at < steps.length - 1 || !onlyReads;
    if (change.kind === "link") return at < steps.length - 1 || !(onlyReads || operation === "remove");
    return at < steps.length - 1 && !isPlainBelow(change.from, last.slice(change.path.length + 1), steps.length - 1 - at);
  });
}

/** Every place a path goes through, by name. */
function stepsOf(path: string): readonly string[] {
  const names: string[] = [];
  const steps: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") names.pop();
    else names.push(name);
    steps.push(`/${names.join("/")}`);
  }
  return steps;
}

/** Is `rest` there below the directory now, with no link on the way and no climbing? */
function isPlainBelow(directory: string, rest: string, steps: number): boolean {
  if (rest === "" || rest.split("/").length !== steps) return false;
  const real = realOf(directory);
  return real !== null && realOf(`${directory}/${rest}`) === `${real}/${rest}`;
}
