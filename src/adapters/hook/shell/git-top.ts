// The top of the repository that git works in. It is the nearest directory above with a `.git`, as git itself finds it, and may be above the
// workspace: git then shows and changes files outside.

import { readFileSync } from "node:fs";
import { isDirectory, isNamed, realOf, statsOf } from "../disk.ts";
import { collapseParents } from "./path-list.ts";

/** A file longer than this is no `.git` file, HEAD or config that is looked through. */
const MOST = 65_536;

/**
 * The tops git may take for the one of a directory, real paths. Usually one; more where a `.git` on the way might be passed over, since git
 * takes no directory for one that does not look like it.
 */
export function topsOf(place: string): readonly string[] {
  const tops: string[] = [];
  for (let directory = realPlace(place); ; directory = directory.slice(0, directory.lastIndexOf("/"))) {
    const git = `${directory}/.git`;
    if (isNamed(git)) {
      tops.push(directory === "" ? "/" : directory, ...worktreesOf(git));
      if (isSure(git)) break;
    }
    if (directory === "") break;
  }
  return [...new Set(tops)];
}

/** Would git stop here, whatever is above? */
function isSure(git: string): boolean {
  if (isDotGitFile(git)) return textOf(git).startsWith("gitdir: ");
  const head = textOf(`${git}/HEAD`);
  return /^(?:ref: ?refs\/|[0-9a-f]{40})/u.test(head) && isDirectory(`${git}/objects`) && isDirectory(`${git}/refs`);
}

/** Where the repository's own settings say its files are. */
function worktreesOf(git: string): readonly string[] {
  const pointed = isDotGitFile(git) ? /^gitdir: ([^\n]*)/u.exec(textOf(git))?.[1] : git;
  if (pointed === undefined) return [];
  const directory = pointed.startsWith("/") ? pointed : `${git.slice(0, git.lastIndexOf("/"))}/${pointed}`;
  const files = ["config", "config.worktree"].map((name) => textOf(`${directory}/${name}`));
  return files.flatMap((text) =>
    Array.from(text.matchAll(/^[ \t]*worktree[ \t]*=[ \t]*"?([^"\n]*)/gimu), ([, path = ""]) =>
      realPlace(path.startsWith("/") ? path : `${directory}/${path}`),
    ),
  );
}

/** Empty where it is no file, or too long. */
function textOf(path: string): string {
  const stats = statsOf(realOf(path) ?? path);
  return stats?.isFile() === true && stats.size <= MOST ? readFileSync(path, "utf8") : "";
}

const isDotGitFile = (git: string): boolean => statsOf(realOf(git) ?? git)?.isFile() === true;

/** Without a slash at its end; the root is empty. */
const realPlace = (path: string): string => (realOf(path) ?? collapseParents(path)).replace(/\/$/u, "");
