// A file replaced in one step, and nothing in between: what is written is written beside it first. What somebody who was interrupted left
// there is taken away.

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { bytesOf, codeOf, isThere, refused } from "./disk.ts";

/**
 * Replace, make (`before` null) or remove (`after` null) a file in one step. RACE: another program may write it meanwhile; just before the
 * step it must still hold `before`, byte for byte, or nothing is done.
 */
export function replaceFile(
  file: string,
  change: { readonly before: Buffer | null; readonly after: Buffer | null; readonly mode: number },
): void {
  const { before, after, mode } = change;
  const owner = before === null ? null : lstatSync(file);
  if (owner !== null && (owner.mode & 0o200) === 0)
    throw refused(file, "is read-only; if that is not intended, run `chmod u+w` on it first");
  const unchanged = (): void => {
    const current = bytesOf(file);
    if (current === null ? before !== null : before === null || !current.equals(before))
      throw refused(file, "was changed by another program meanwhile; nothing was written, try again");
  };
  if (after === null) {
    unchanged();
    if (before !== null) unlinkSync(file);
    return;
  }
  clearLeftovers(file);
  const beside = join(dirname(file), `${asideOf(file)}${process.pid}`);
  writeNew(beside, after, mode, owner);
  try {
    unchanged();
    renameSync(beside, file);
  } catch (error) {
    unlinkSync(beside);
    throw error;
  }
}

/** The name under which a file is written beside its place, but for the number of the process that does. */
const asideOf = (file: string): string => `.${basename(file)}.hallpass-`;

/** What was written beside the file by one who is no more: it was never in anybody's use. */
export function clearLeftovers(file: string): void {
  const [dir, aside] = [dirname(file), asideOf(file)];
  const names = isThere(dir) ? readdirSync(dir).filter((name) => name.startsWith(aside)) : [];
  for (const name of names) {
    const number = name.slice(aside.length);
    if (/^[0-9]{1,10}$/u.test(number) && !runs(Number(number)) && lstatSync(join(dir, name)).isFile()) unlinkSync(join(dir, name));
  }
}

/** Does another process of this number run? Ours is just about to begin. */
function runs(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** A new file that was not there, all of it on the disk. `owner`: whom it stands in for, who keeps it; refused where it cannot be theirs. */
export function writeNew(
  file: string,
  bytes: Buffer,
  mode: number,
  owner: { readonly uid: number; readonly gid: number } | null = null,
): void {
  let handle: number;
  try {
    handle = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600);
  } catch (error) {
    throw refused(file, `cannot be made (${codeOf(error)})`);
  }
  try {
    if (owner !== null && process.platform !== "win32") handOver(handle, file, owner);
    writeFileSync(handle, bytes);
    if (process.platform !== "win32") fchmodSync(handle, mode);
    fsyncSync(handle);
  } catch (error) {
    // Half a file is worse than none: the disk may be full.
    unlinkSync(file);
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** A host that runs as the file's owner must still be able to read and write it: a new file would belong to whoever installs. */
function handOver(handle: number, file: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  const current = fstatSync(handle);
  if (current.uid === uid && current.gid === gid) return;
  try {
    fchownSync(handle, uid, gid);
  } catch (error) {
    // A group we are not in is no loss of the owner's.
    if (current.uid === uid) return;
    throw refused(file, `would stand in for a file of another user, number ${uid} (${codeOf(error)}); install as that user`);
  }
}
