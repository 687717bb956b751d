// A store that is read-only on disk: its file, its directory or the file system. SQLite reads a file that has a write-ahead log only where it may
// write beside it, unless it is told that nobody changes the file.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { isWriteRefused } from "../core/errno.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";

/** Is the store in this file there, and may this process not write the file, or not beside it? */
export function isReadOnly(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
  try {
    for (const path of [file, dirname(file)]) accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return isWriteRefused(error);
  }
}

/** Throws `os-denied` where the log of a read-only store holds something: the file alone would be an older state. */
export function refuseLog(file: string): void {
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new HallpassError(
      "os-denied",
      `the store \`${show(file)}\` is read-only on disk, and a part of it is only in its log \`${show(log)}\`: make the file and its directory writable`,
    );
}

/** What SQLite opens to read the store in `file`: the file, or its address as one that nobody changes. Throws as `refuseLog`. */
export function readableName(file: string): string {
  if (!isReadOnly(file)) return file;
  refuseLog(file);
  return `file:${encodeURIComponent(file)}?immutable=1`;
}
