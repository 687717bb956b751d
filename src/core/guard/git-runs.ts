// Would git run what is written here? Settings and hooks of a git directory under any name, of the one a repository's `.git` leads to, what
// links among them lead to, and its own directory of hooks (`core.hooksPath`). Asked only about writing, after the list of protected names.

import { entriesIn, statEntry } from "../fs/at.ts";
import { failureOf, type Pin, pin, pinEntry } from "../fs/pin.ts";
import { lendBytesAtOnce, lendEntryAtOnce, Scratch, TOO_LARGE } from "../fs/read.ts";
import { resolveTarget } from "../fs/resolve.ts";
import { basename, child, isInside, parent } from "../path/contain.ts";
import { parsePath } from "../path/parse.ts";
import { completesGitDirectory, gitDirectoryNamedIn, type GitPiece, gitPiecesAt, hooksPathsIn, isHook } from "../policy/git-directory.ts";
import { Names, TooManyNames } from "./looked-through.ts";

/** Settings are a few lines long, of a repository with very many branches a few thousand. All that one look reads. */
const LOOK_BYTES = 1024 * 1024;
/** Directories of hooks, and links among hooks: one or two. Each is looked up, so a repository must not name thousands. */
const LOOK_PLACES = 64;

/** More is there than one look may take. What git would do cannot be told then, so nothing is written. */
class TooMuchToRead extends Error {}

/** What one look has read so far. */
class GitReadState {
  readonly home: string;
  readonly names = new Names();
  #bytes = LOOK_BYTES;
  #places = LOOK_PLACES;

  constructor(home: string) {
    this.home = home;
  }

  /** How many bytes may still be read. */
  get bytes(): number {
    return this.#bytes;
  }

  text(text: string | typeof TOO_LARGE | null): string | null {
    if (text === TOO_LARGE) throw new TooMuchToRead();
    this.#bytes -= text?.length ?? 0;
    if (this.#bytes < 0) throw new TooMuchToRead();
    return text;
  }

  places(paths: readonly string[]): readonly string[] {
    const distinct = [...new Set(paths)];
    this.#places -= distinct.length;
    if (this.#places < 0) throw new TooMuchToRead();
    return distinct;
  }
}

/** Why git would run or trust what is written to `path` (real), in a word; null if not. Throws where the system does not let us look. */
export function executedByGit(path: string, root: string | null, home: string): string | null {
  if (gitPiecesAt(path).some(completes)) return "a git directory by what is in it";
  if (root === null) return null;
  const look = new GitReadState(home);
  try {
    // A repository in a root has settings of its own: from the one nearest to the path outwards.
    for (let dir = parent(path); isInside(root, dir) && dir !== "/"; dir = parent(dir)) {
      const own = gitOf(dir, look);
      const why = own === null ? null : runBy(own, path, dir, look);
      if (why !== null) return why;
    }
  } catch (error) {
    if (error instanceof TooMuchToRead || error instanceof TooManyNames) return "more git settings than are read";
    throw error;
  }
  return null;
}

function runBy(own: OwnGit, path: string, repository: string, look: GitReadState): string | null {
  if (own.directories.some((dir) => isInside(dir, path)) || own.files.includes(path)) return "where .git leads";
  const named = look.places(hooksPathsIn(own.config));
  for (const dir of [...own.hooks, ...named.map((spelt) => realOf(spelt, repository, look.home))]) {
    if (dir === null || !isInside(dir, path)) continue;
    // Where a repository is its own directory of hooks, only the hooks are; everything else in it is work.
    if (dir !== repository || (parent(path) === repository && isHook(basename(path)))) return "core.hooksPath";
  }
  return null;
}

function completes({ dir, piece }: GitPiece): boolean {
  const at = pinThroughLinks(dir);
  if (at === null) return false;
  try {
    return at.kind === "dir" && completesGitDirectory(piece, (name) => statEntry(at, name) !== null);
  } finally {
    at.close();
  }
}

/** The git directory of a repository and the part of it that worktrees share, wherever they are, and the settings there. Real paths. */
interface OwnGit {
  readonly directories: readonly string[];
  readonly config: string;
  /** What links in place of settings and of single hooks lead to. */
  readonly files: readonly string[];
  /** What a link in place of the directory of hooks leads to. */
  readonly hooks: readonly string[];
}

function gitOf(repository: string, look: GitReadState): OwnGit | null {
  const at = pinThroughLinks(repository);
  if (at === null) return null;
  try {
    const gitEntry = at.kind === "dir" ? statEntry(at, ".git") : null;
    if (gitEntry === null) return null;
    // Almost always a directory with a plain file of settings, looked at without following anything.
    return (gitEntry.kind === "dir" ? plainGitIn(at, child(repository, ".git"), look) : null) ?? ledTo(repository, look);
  } finally {
    at.close();
  }
}

function plainGitIn(repository: Pin, path: string, look: GitReadState): OwnGit | null {
  const git = pinEntry(repository, ".git");
  try {
    if (git.kind !== "dir" || ["commondir", "config.worktree"].some((name) => statEntry(git, name) !== null)) return null;
    if (statEntry(git, "config")?.kind !== "file" || statEntry(git, "hooks")?.kind === "link" || linksInHooks(git, look).length > 0)
      return null;
    const text = lendEntryAtOnce(git, "config", look.bytes, new Scratch(), { refuse: null, use: (bytes) => bytes.toString("utf8") });
    return { directories: [path], config: look.text(text) ?? "", files: [], hooks: [] };
  } finally {
    git.close();
  }
}

/** The same through links and the files that stand in for a directory, as git goes. */
function ledTo(repository: string, look: GitReadState): OwnGit | null {
  const at = pinThroughLinks(child(repository, ".git"));
  if (at === null) return null;
  let dir: string | null = null;
  try {
    const named = at.kind === "file" ? gitDirectoryNamedIn(textOf(at, look) ?? "") : null;
    dir = at.kind === "dir" ? at.real : named === null ? null : realOf(named, repository, look.home);
  } finally {
    at.close();
  }
  if (dir === null) return null;
  const shared = textAt(child(dir, "commondir"), look)?.trim() ?? "";
  const common = shared === "" ? null : realOf(shared, dir, look.home);
  const directories = common === null ? [dir] : [dir, common];
  const settings = directories.flatMap((directory) => [child(directory, "config"), child(directory, "config.worktree")]);
  const led = (path: string): readonly string[] => {
    const real = realOf(path, "/", look.home);
    return real === null || real === path ? [] : [real];
  };
  return {
    directories,
    config: settings.map((file) => textAt(file, look) ?? "").join("\n"),
    files: [...settings, ...look.places(directories.flatMap((directory) => linkedHooks(directory, look)))].flatMap(led),
    hooks: directories.flatMap((directory) => led(child(directory, "hooks"))),
  };
}

/** The hooks of a git directory that are links, by path. */
function linkedHooks(dir: string, look: GitReadState): readonly string[] {
  const git = pinThroughLinks(dir);
  if (git === null) return [];
  try {
    return git.kind === "dir" ? linksInHooks(git, look).map((name) => child(child(dir, "hooks"), name)) : [];
  } finally {
    git.close();
  }
}

function linksInHooks(git: Pin, look: GitReadState): readonly string[] {
  if (statEntry(git, "hooks")?.kind !== "dir") return [];
  const hooks = pinEntry(git, "hooks");
  try {
    if (hooks.kind !== "dir") return [];
    const links: string[] = [];
    for (const entry of entriesIn(hooks)) {
      look.names.count();
      if (entry?.kind === "link") links.push(entry.name);
    }
    return links;
  } finally {
    hooks.close();
  }
}

/** Where a path spelt in a file of git's leads, seen from `base`. What is not there yet is told as well. */
function realOf(spelt: string, base: string, home: string): string | null {
  const parsed = parsePath(spelt, base, home);
  if (!parsed.ok) return null;
  const { target } = resolveTarget(parsed.path);
  target.pin?.close();
  return target.state === "unreachable" ? null : target.path;
}

function textAt(path: string, look: GitReadState): string | null {
  const at = pinThroughLinks(path);
  if (at === null) return null;
  try {
    return textOf(at, look);
  } finally {
    at.close();
  }
}

function textOf(file: Pin, look: GitReadState): string | null {
  if (file.kind !== "file") return null;
  return look.text(lendBytesAtOnce(file, look.bytes, new Scratch(), (bytes) => bytes.toString("utf8")));
}

/** A pin on what is there, through links as git goes; null where nothing is. */
function pinThroughLinks(path: string): Pin | null {
  try {
    return pin(path);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === "not-found" || failure === "symlink-loop") return null;
    throw error;
  }
}
