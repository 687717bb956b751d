// A copy of the SQLite file while others go on using it, and the way back. Neither destroys anything: a copy is never written over
// another file, and what a restored one replaces is kept beside it.

import { chmodSync, closeSync, constants, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { makePlace } from "./place.ts";
import { isReadOnly, refuseLog } from "./read-only.ts";
import { primaryCode, BUSY } from "./sqlite-connection.ts";
import { openSqliteStore } from "./sqlite.ts";
import { exact } from "./text.ts";

/**
 * Copy the store in `file` to `to`, as of one moment, 0600 and on the disk when this returns. Throws `not-found` where there is no store,
 * `bad-request` where `to` is there already; then nothing is written.
 */
export function backupSqlite({ file, to }: { readonly file: string; readonly to: string }): void {
  if (!existsSync(file)) throw new HallpassError("not-found", `there is no store at \`${show(file)}\``);
  // Made here and not by SQLite, which would make it readable for all; it takes an empty file for none.
  const partial = `${to}.partial`;
  try {
    if (existsSync(to)) throw new HallpassError("bad-request", `\`${show(to)}\` already exists: choose another name`);
    closeSync(openSync(partial, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch (cause) {
    if (cause instanceof HallpassError) throw cause;
    throw new HallpassError("os-denied", `\`${show(partial)}\` cannot be created, or is left from before`, { cause });
  }
  try {
    if (isReadOnly(file)) copyReadOnly(file, partial);
    else vacuumInto(file, partial);
    synchronise(partial);
    renameSync(partial, to);
    synchronise(dirname(to));
  } catch (cause) {
    rmSync(partial, { force: true });
    if (cause instanceof HallpassError) throw cause;
    throw new HallpassError("io-error", `the store \`${show(file)}\` cannot be copied to \`${show(to)}\``, { cause });
  }
}

function vacuumInto(file: string, to: string): void {
  const connection = new Database(file);
  try {
    connection.exec("PRAGMA busy_timeout = 5000");
    // Not prepared: libsql keeps a file open until its prepared statements are collected.
    connection.exec(`VACUUM INTO '${exact(to).replaceAll("'", "''")}'`);
  } finally {
    connection.close();
  }
}

/** SQLite cannot VACUUM a read-only file that has generated columns. Nobody changes this one, so its bytes are copied. */
function copyReadOnly(file: string, to: string): void {
  refuseLog(file);
  copyFileSync(file, to);
  // The copy takes the mode of the file.
  chmodSync(to, 0o600);
}

/** Give the room of deleted rows back to the disk. Nobody else has the store open. */
export function vacuumSqlite(file: string): void {
  const connection = new Database(file);
  try {
    connection.exec("PRAGMA busy_timeout = 5000; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (cause) {
    throw new HallpassError("io-error", `the store \`${show(file)}\` cannot be made smaller`, { cause });
  } finally {
    connection.close();
  }
}

/**
 * Put the copy `from` in place as the store `file`. It is looked through first: a store of this version or an older one, its record whole.
 * The store that was there is kept as `kept`; null if there was none. Throws `bad-request` where somebody has it open.
 */
export async function restoreSqlite(options: {
  readonly from: string;
  readonly file: string;
  /** How what is replaced is called, with nothing of that name yet. */
  readonly keepAs: string;
}): Promise<{ readonly kept: string | null }> {
  const { from, file, keepAs } = options;
  if (!existsSync(from)) throw new HallpassError("not-found", `there is no file \`${show(from)}\``);
  const temporary = `${file}.restoring`;
  forget(temporary);
  makePlace(temporary);
  try {
    copyFileSync(from, temporary);
    if (statSync(temporary).size === 0) throw new HallpassError("bad-request", `\`${show(from)}\` is empty`);
    const broken = await brokenAt(temporary);
    if (broken !== null)
      throw new HallpassError("bad-request", `the record in \`${show(from)}\` is broken at number ${broken}: it is not put in place`);
    synchronise(temporary);
    const keptAs = moveAway(file, keepAs);
    renameSync(temporary, file);
    synchronise(dirname(file));
    return { kept: keptAs };
  } finally {
    forget(temporary);
  }
}

async function brokenAt(file: string): Promise<number | null> {
  const store = await openSqliteStore({ file });
  try {
    return await store.verifyAudit();
  } finally {
    await store.close();
  }
}

/** The store that is there, with its log emptied into it, under another name. */
function moveAway(file: string, keepAs: string): string | null {
  if (!existsSync(file)) return null;
  const connection = new Database(file);
  try {
    // Only who has it alone can turn the log off.
    connection.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
  } catch (cause) {
    if (primaryCode(cause) === BUSY) throw new HallpassError("bad-request", "another process has the store open: stop it first", { cause });
    // What cannot be opened as a database is moved as it is.
  } finally {
    connection.close();
  }
  if (existsSync(keepAs)) throw new HallpassError("bad-request", `\`${show(keepAs)}\` is there already`);
  renameSync(file, keepAs);
  for (const end of ["-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, keepAs + end);
  return keepAs;
}

function forget(file: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
}

function synchronise(path: string): void {
  const handle = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } catch (error) {
    // Windows cannot do it to a directory.
    if (process.platform !== "win32") throw error;
  } finally {
    closeSync(handle);
  }
}
