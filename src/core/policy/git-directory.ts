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
 * followed. Read as git reads it, sign by sign; what git would stop at is passed over, so that more is found rather than less.
 */
export function hooksPathsIn(config: string): readonly string[] {
  const text = config.replaceAll("\r\n", "\n");
  const found = new Set<string>();
  let inCore = false;
  for (let at = 0; at < text.length;) {
    const sign = text.charAt(at);
    if (sign === "#" || sign === ";") at = lineEnd(text, at);
    else if (sign === "[") {
      const end = lineEnd(text, at);
      const section = text.slice(at + 1, end);
      const close = section.indexOf("]");
      if (close !== -1) inCore = /^\s*core(?:["\s]|$)/i.test(section.slice(0, close));
      at = close === -1 ? end : at + close + 2;
    } else if (/[a-z]/i.test(sign)) {
      const key = wordAt(text, at, /[a-z\d-]*/iy);
      at += key.length;
      at += wordAt(text, at, /[ \t\r\f\v]*/y).length;
      if (text.charAt(at) !== "=") continue;
      const { spelt, end } = valueAt(text, at + 1);
      if (inCore && key.toLowerCase() === "hookspath") for (const value of spelt) if (value !== "") found.add(value);
      at = end;
    } else at += 1;
  }
  return [...found];
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function wordAt(text: string, at: number, word: RegExp): string {
  word.lastIndex = at;
  return word.exec(text)?.[0] ?? "";
}

/**
 * A value, without blanks around it, its comment and its quotes, and where it ends. A backslash before the end of a line goes on in the next;
 * not in a comment. Older gits turn every blank in it into a space: both spellings are given.
 */
function valueAt(text: string, from: number): { readonly spelt: readonly string[]; readonly end: number } {
  let [value, folded, length, quoted, at] = ["", "", 0, false, from];
  const put = (sign: string, blank: boolean): void => {
    value += sign;
    folded += blank ? " " : sign;
    if (!blank) length = value.length;
  };
  for (; at < text.length && text.charAt(at) !== "\n"; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"') quoted = !quoted;
    else if (sign === "\\") {
      at += 1;
      const next = text.charAt(at);
      if (next !== "\n") put(ESCAPES.get(next) ?? next, false);
    } else if (!quoted && (sign === "#" || sign === ";")) {
      at = lineEnd(text, at);
      break;
    } else if (!quoted && /[ \t\r\f\v]/.test(sign)) {
      if (value !== "") put(sign, true);
    } else put(sign, false);
  }
  return { spelt: [value.slice(0, length), folded.slice(0, length)], end: at };
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["b", "\b"],
]);

const NONE: readonly GitPiece[] = [];
