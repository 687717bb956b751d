// The disk of the installer: a file as it is, a file replaced in one step, and nothing in between. Links are followed for a person's own
// files and refused in a project, whose links lead where its author likes.

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
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
  let handle: number;
  try {
    handle = openSync(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { file: real, bytes: null, mode: within === null ? 0o600 : 0o644 };
    throw refused(file, `cannot be opened (${codeOf(error)})`);
  }
  try {
    const facts = fstatSync(handle);
    if (!facts.isFile()) throw refused(file, "is not a regular file");
    if (facts.size > FILE_BYTES) throw refused(file, "is larger than any configuration");
    return { file: real, bytes: readFileSync(handle), mode: facts.mode & 0o777 };
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
    if (isLink(file)) throw refused(file, "is a link that leads nowhere; mend the link or take it away");
    const parent = dirname(file);
    return parent === file ? file : join(resolved(parent), basename(file));
  }
}

/** Throws `os-denied` where its owner may not write it. Asked before anything is done, so that no half of an installation is left. */
export function mustBeWritable({ file, bytes, mode }: FoundFile): void {
  if (bytes !== null && (mode & 0o200) === 0) throw refused(file, "is read-only, which somebody meant; `chmod u+w` it first");
}

/**
 * Replace, make (`before` null) or remove (`after` null) a file in one step. RACE: another program may write it meanwhile; just before the
 * step it must still hold `before`, byte for byte, or nothing is done.
 */
export function replaceFile(
  file: string,
  change: { readonly before: Buffer | null; readonly after: Buffer | null; readonly mode: number },
): void {
  const { before, after, mode } = change;
  if (before !== null && (lstatSync(file).mode & 0o200) === 0)
    throw refused(file, "is read-only, which somebody meant; `chmod u+w` it first");
  const unchanged = (): void => {
    const now = bytesOf(file);
    if (now === null ? before !== null : before === null || !now.equals(before))
      throw refused(file, "was changed by another program meanwhile; nothing was written, try again");
  };
  if (after === null) {
    unchanged();
    if (before !== null) unlinkSync(file);
    return;
  }
  const beside = join(dirname(file), `.${basename(file)}.hallpass-${process.pid}`);
  writeNew(beside, after, mode);
  try {
    unchanged();
    renameSync(beside, file);
  } catch (error) {
    unlinkSync(beside);
    throw error;
  }
}

/** A new file that was not there, all of it on the disk. */
export function writeNew(file: string, bytes: Buffer, mode: number): void {
  let handle: number;
  try {
    handle = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600);
  } catch (error) {
    throw refused(file, `cannot be made (${codeOf(error)})`);
  }
  try {
    writeFileSync(handle, bytes);
    if (process.platform !== "win32") fchmodSync(handle, mode);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Make the directories down to `dir` and say which were made, the outermost first. */
export function makeDirectories(dir: string, mode: number): readonly string[] {
  const missing: string[] = [];
  for (let at = dir; !isThere(at); at = dirname(at)) missing.unshift(at);
  for (const one of missing) mkdirSync(one, { mode });
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

export function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw refused(file, `cannot be read (${codeOf(error)})`);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function refused(file: string, why: string): HallpassError {
  return new HallpassError("os-denied", `\`${show(file)}\` ${why}`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}
