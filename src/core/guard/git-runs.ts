// Would git run what is written here? Settings and hooks of a git directory under any name, of the one a root's `.git` leads to, and the
// root's own directory of hooks (`core.hooksPath`). Asked only about writing, after the list of protected names.

import { statEntry } from "../fs/at.ts";
import { failureOf, type Pin, pin, pinEntry } from "../fs/pin.ts";
import { lendBytesAtOnce, lendEntryAtOnce, Scratch, TOO_LARGE } from "../fs/read.ts";
import { resolveTarget } from "../fs/resolve.ts";
import { basename, child, isInside, parent } from "../path/contain.ts";
import { parsePath } from "../path/parse.ts";
import { completesGitDirectory, gitDirectoryNamedIn, type GitPiece, gitPiecesAt, hooksPathsIn } from "../policy/git-directory.ts";

/** Settings are a few lines long, of a repository with very many branches a few thousand. */
const LOOK_BYTES = 1024 * 1024;
const HOOK =
  /^(?:(?:pre|post|p4)-[a-z-]+|prepare-commit-msg|commit-msg|applypatch-msg|sendemail-validate|fsmonitor-watchman|reference-transaction|push-to-checkout|proc-receive|update)$/;

/** Why git would run or trust what is written to `path` (real), in a word; null if not. Throws where the system does not let us look. */
export function gitRuns(path: string, root: string | null, home: string): string | null {
  if (gitPiecesAt(path).some(completes)) return "a git directory by what is in it";
  const own = root === null ? null : gitOf(root, home);
  if (root === null || own === null) return null;
  if (own.directories.some((dir) => isInside(dir, path))) return "where .git leads";
  for (const spelt of hooksPathsIn(own.config)) {
    const dir = realOf(spelt, root, home);
    if (dir === null || !isInside(dir, path)) continue;
    // Where a root is its own directory of hooks, only the hooks are; everything else in it is work.
    if (dir !== root || (parent(path) === root && HOOK.test(basename(path)))) return "core.hooksPath";
  }
  return null;
}

function completes({ dir, piece }: GitPiece): boolean {
  const at = pinned(dir);
  if (at === null) return false;
  try {
    return at.kind === "dir" && completesGitDirectory(piece, (name) => statEntry(at, name) !== null);
  } finally {
    at.close();
  }
}

/** The git directory of a root and the part of it that worktrees share, by their real paths, wherever they are; and the settings there. */
interface OwnGit {
  readonly directories: readonly string[];
  readonly config: string;
}

function gitOf(root: string, home: string): OwnGit | null {
  const at = pin(root);
  try {
    const found = statEntry(at, ".git");
    if (found === null) return null;
    // Almost always a directory with a plain file of settings, looked at without following anything.
    return (found.kind === "dir" ? plainGitIn(at, child(root, ".git")) : null) ?? ledTo(root, home);
  } finally {
    at.close();
  }
}

function plainGitIn(root: Pin, path: string): OwnGit | null {
  const git = pinEntry(root, ".git");
  try {
    const config = git.kind === "dir" && statEntry(git, "commondir") === null ? statEntry(git, "config") : null;
    if (config?.kind !== "file") return null;
    const text = lendEntryAtOnce(git, "config", LOOK_BYTES, new Scratch(), { refuse: null, use: (bytes) => bytes.toString("utf8") });
    return { directories: [path], config: text === TOO_LARGE || text === null ? "" : text };
  } finally {
    git.close();
  }
}

/** The same through links and the files that stand in for a directory, as git goes. */
function ledTo(root: string, home: string): OwnGit | null {
  const at = pinned(child(root, ".git"));
  if (at === null) return null;
  let dir: string | null = null;
  try {
    const named = at.kind === "file" ? gitDirectoryNamedIn(textOf(at) ?? "") : null;
    dir = at.kind === "dir" ? at.real : named === null ? null : realOf(named, root, home);
  } finally {
    at.close();
  }
  if (dir === null) return null;
  const shared = textAt(child(dir, "commondir"))?.trim() ?? "";
  const common = shared === "" ? null : realOf(shared, dir, home);
  const directories = common === null ? [dir] : [dir, common];
  return { directories, config: directories.map((one) => textAt(child(one, "config")) ?? "").join("\n") };
}

/** Where a path spelt in a file of git's leads, seen from `base`. What is not there yet is told as well. */
function realOf(spelt: string, base: string, home: string): string | null {
  const parsed = parsePath(spelt, base, home);
  if (!parsed.ok) return null;
  const { target } = resolveTarget(parsed.path);
  target.pin?.close();
  return target.state === "unreachable" ? null : target.path;
}

function textAt(path: string): string | null {
  const at = pinned(path);
  if (at === null) return null;
  try {
    return textOf(at);
  } finally {
    at.close();
  }
}

function textOf(file: Pin): string | null {
  if (file.kind !== "file") return null;
  const text = lendBytesAtOnce(file, LOOK_BYTES, new Scratch(), (bytes) => bytes.toString("utf8"));
  return text === TOO_LARGE ? null : text;
}

/** A pin on what is there, through links as git goes; null where nothing is. */
function pinned(path: string): Pin | null {
  try {
    return pin(path);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === "not-found" || failure === "symlink-loop") return null;
    throw error;
  }
}
