// A git directory is one by what is in it, whatever it is called: git takes any directory for one that has HEAD, objects and refs, and
// then runs what its configuration and hooks name. Pure: who asks looks at the disk. Only writing is judged by it.

import { child } from "../path/contain.ts";
import { fold } from "../path/fold.ts";

/** The names git knows such a directory by, and those it runs or takes settings from. */
export const gitPieces = ["HEAD", "objects", "refs", "commondir", "config", "config.worktree", "hooks"] as const;
export type GitPieceName = (typeof gitPieces)[number];

/** One place where writing a path would put a piece of a git directory. */
export interface GitPiece {
  /** The directory that would get it. */
  readonly dir: string;
  readonly piece: GitPieceName;
}

// Told by one look at most paths, which hold none of them.
const ANY_PIECE = /\/(?:head|commondir|config|config\.worktree)$|\/(?:objects|refs|hooks)\//;
const DIRECTORIES: ReadonlySet<GitPieceName> = new Set<GitPieceName>(["objects", "refs", "hooks"]);
const byFolded = new Map<string, GitPieceName>(gitPieces.map((piece) => [fold(piece), piece]));

/** Every place where writing the file `path` (absolute, real) would put a piece: files by the last name, directories by one before it. */
export function gitPiecesAt(path: string): readonly GitPiece[] {
  if (!ANY_PIECE.test(fold(path))) return NONE;
  const found: GitPiece[] = [];
  const names = path.split("/").slice(1);
  let dir = "/";
  for (const [at, name] of names.entries()) {
    const piece = byFolded.get(fold(name));
    if (piece !== undefined && DIRECTORIES.has(piece) === at < names.length - 1) found.push({ dir, piece });
    dir = child(dir, name);
  }
  return found;
}

/**
 * Would a directory that gets `piece` be one that git runs something from? `has`: what is in it already, links and all. In whatever
 * order the pieces are written, the last one is refused; without settings and hooks such a directory runs nothing.
 */
export function completesGitDirectory(piece: GitPieceName, has: (name: GitPieceName) => boolean): boolean {
  const there = (name: GitPieceName): boolean => name === piece || has(name);
  // The part that worktrees share is found through `commondir` and needs no HEAD. A file `config` beside both is git's.
  if (piece === "config" && has("objects") && has("refs")) return true;
  if (!there("HEAD")) return false;
  if (there("commondir")) return true;
  return there("objects") && there("refs") && (there("config") || there("config.worktree") || there("hooks"));
}

/** Is it a name that git runs, in a directory of hooks? */
export function isHook(name: string): boolean {
  return HOOK.test(name);
}

const HOOK =
  /^(?:(?:pre|post|p4)-[a-z-]+|prepare-commit-msg|commit-msg|applypatch-msg|sendemail-validate|fsmonitor-watchman|reference-transaction|push-to-checkout|proc-receive|update)$/;

/** No longer text is a path to the system, nor to git. */
const PATH_LENGTH = 4096;

/** Where a `.git` that is a file leads, as it is spelt there; null if it says nothing. */
export function gitDirectoryNamedIn(text: string): string | null {
  for (const line of text.split(/[\r\n]/)) {
    if (!line.startsWith("gitdir:")) continue;
    const path = line.slice("gitdir:".length).trim();
    if (path !== "" && path.length <= PATH_LENGTH) return path;
  }
  return null;
}

/**
 * Every directory of hooks that a git configuration names (`core.hooksPath`), as spelt there. Settings that other files bring in are not
 * followed. What cannot be read as git would read it is left out.
 */
export function hooksPathsIn(config: string): readonly string[] {
  const found: string[] = [];
  let inCore = false;
  for (const line of config.replaceAll(/\\\r?\n/g, "").split(/\r?\n/)) {
    let rest = line.trimStart();
    for (let end = sectionEnd(rest); end !== -1; end = sectionEnd(rest)) {
      inCore = isCore(rest.slice(1, end));
      rest = rest.slice(end + 1).trimStart();
    }
    const setting = /^hookspath\s*=\s*(.*)$/i.exec(rest);
    if (inCore && setting !== null) {
      const value = valueOf(setting[1] ?? "");
      if (value !== "") found.push(value);
    }
  }
  return found;
}

/** Where the name of a section ends that the text begins with; -1 where it begins with none. */
function sectionEnd(text: string): number {
  return text.startsWith("[") ? text.indexOf("]") : -1;
}

/** The section `core`, without the name of a part of it. */
function isCore(section: string): boolean {
  const name = section.trimStart();
  return /^core(?:["\s]|$)/i.test(name);
}

/** A value without its comment and quotes; a backslash lets the next character stand for itself. */
function valueOf(text: string): string {
  let value = "";
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') {
      quoted = !quoted;
    } else if (character === "\\") {
      at += 1;
      value += text.charAt(at);
    } else if (!quoted && (character === "#" || character === ";")) {
      break;
    } else {
      value += character;
    }
  }
  return value.trim();
}

const NONE: readonly GitPiece[] = [];
