// One daemon a data directory. The lock is the kernel's, taken through SQLite on a file of its own: it is there or not in one step, it
// ends with its process however that ends, and no pid is guessed at.

import { closeSync, constants, openSync } from "node:fs";
import Database from "libsql";
import { errnoOf } from "../core/errno.ts";

export interface Lock {
  release(): void;
}

/** The lock of a directory; null where another process has it. */
export function takeLock(file: string): Lock | null {
  // Made here and not by SQLite, which would make it readable for all.
  closeSync(openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600));
  const database = new Database(file);
  try {
    // Nothing is ever written to it, so there is nothing to keep for a roll-back.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  let isHeld = true;
  return {
    release() {
      if (!isHeld) return;
      isHeld = false;
      database.exec("ROLLBACK");
      database.close();
    },
  };
}

const isBusy = (error: unknown): boolean => errnoOf(error).startsWith("SQLITE_BUSY");
