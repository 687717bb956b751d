// The disk of the installer: files as they are, and directories made and taken away; `replace-file.ts` writes. Links are followed for a
// person's own files and refused in a project, whose links lead where its author likes.

import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, realpathSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errnoOf } from "../../core/errno.ts";
import { HallpassError } from "../../core/errors.ts";
import { isInside } from "../../core/path/contain.ts";
import { show } from "../../core/path/show.ts";

/** More than any host's configuration. */
const FILE_BYTES = 16 * 1024 * 1024;

export interface FoundFile {
  /** Where it really is, or would be. */
  readonly file: string;
  /** Null where there is none. */
  readonly bytes: Buffer | null;
  readonly mode: number;
}

/** Look at a file. `within`: the project it must really be in; null for a person's own. Throws `os-denied`, and says why. */
export function findFile(file: string, within: string | null): FoundFile {
  const real = realFile(file, within);
  const read = readRegular(real, constants.O_NOFOLLOW ?? 0);
  return read === null ? { file: real, bytes: null, mode: within === null ? 0o600 : 0o644 } : { file: real, ...read };
}

/** A regular file of a size a configuration may have; null where there is none. Never waits: a repository may have put a pipe there. */
function readRegular(file: string, flags: number): { readonly bytes: Buffer; readonly mode: number } | null {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw refused(file, `cannot be opened (${codeOf(error)})`);
  }
  try {
    const facts = fstatSync(handle);
    if (!facts.isFile()) throw refused(file, "is not a regular file");
    if (facts.size > FILE_BYTES) throw refused(file, "is larger than any configuration");
    return { bytes: readFileSync(handle), mode: facts.mode & 0o777 };
  } finally {
    closeSync(handle);
  }
}

function realFile(file: string, within: string | null): string {
  const real = resolved(file);
  if (within !== null && (isLink(file) || !isInside(within, real)))
    throw refused(file, "is a link, or lies behind one; a project's links lead where its author likes, so nothing is written through them");
  return real;
}

/** The file with every link followed, as far as there is anything. */
function resolved(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw refused(file, `cannot be followed (${codeOf(error)})`);
    if (isLink(file)) throw refused(file, "is a link that leads nowhere; fix or remove the link");
    const parent = dirname(file);
    return parent === file ? file : join(resolved(parent), basename(file));
  }
}

/** Throws `os-denied` where its owner may not write it. Asked before anything is done, so that no half of an installation is left. */
export function mustBeWritable({ file, bytes, mode }: FoundFile): void {
  if (bytes !== null && (mode & 0o200) === 0) throw refused(file, "is read-only; if that is not intended, run `chmod u+w` on it first");
}

/** Make the directories down to `dir` and say which were made, the outermost first. */
export function makeDirectories(dir: string, mode: number): readonly string[] {
  const missing = missingDirectories(dir);
  for (const directory of missing) mkdirSync(directory, { mode });
  return missing;
}

/** Those that are not there, the outermost first. */
export function missingDirectories(dir: string): readonly string[] {
  const missing: string[] = [];
  for (let at = dir; !isThere(at); at = dirname(at)) missing.unshift(at);
  return missing;
}

/** Remove those that are empty now, the innermost first, and say which are left. */
export function removeDirectories(dirs: readonly string[]): readonly string[] {
  for (const [index, dir] of dirs.toReversed().entries()) {
    try {
      rmdirSync(dir);
    } catch {
      return isThere(dir) ? dirs.slice(0, dirs.length - index) : [];
    }
  }
  return [];
}

/** What a regular file holds, links followed; null where there is none. */
export function bytesOf(file: string): Buffer | null {
  return readRegular(file, 0)?.bytes ?? null;
}

/** The same where nobody is told why not: null for what cannot be read, or is no regular file. */
export function bytesIn(file: string): Buffer | null {
  try {
    return bytesOf(file);
  } catch {
    return null;
  }
}

export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Why a file is left alone. */
export function refused(file: string, why: string): HallpassError {
  return new HallpassError("os-denied", `\`${show(file)}\` ${why}`);
}

export function codeOf(error: unknown): string {
  return errnoOf(error) || "unknown";
}
