// Where the SQLite file is, and the permissions that keep other users out of it.

import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, posix, win32 } from "node:path";
import { errnoOf } from "../core/errno.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";

/**
 * The usual file. On Linux `~/.local/share/hallpass/hallpass.db`. Its directory is on the list of secrets (`core/policy/secrets.ts`),
 * so that no agent reads its own record; a file elsewhere is not, unless the policy says so.
 */
export function usualStoreFile(context: {
  /** Absolute. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}): string {
  const { home, env, platform } = context;
  if (platform === "win32") {
    const local = env["LOCALAPPDATA"];
    const base = local !== undefined && win32.isAbsolute(local) ? local : win32.join(home, "AppData", "Local");
    return win32.join(base, "hallpass", "hallpass.db");
  }
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", "hallpass", "hallpass.db");
  // A relative path in the environment is passed over: it would be another place in each directory.
  const data = env["XDG_DATA_HOME"];
  return posix.join(data?.startsWith("/") === true ? data : posix.join(home, ".local", "share"), "hallpass", "hallpass.db");
}

/**
 * Make the directory, 0700, with those above it. Throws the system's error. Node's own way of doing so never returns where the system says that
 * there is no such directory although the one above is there, as in /proc.
 */
export function makeDirectory(dir: string): void {
  const missing: string[] = [];
  for (let at = dir; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.push(at);
  for (const at of missing.toReversed()) {
    try {
      mkdirSync(at, { mode: 0o700 });
    } catch (error) {
      // RACE: somebody else made it meanwhile.
      if (errnoOf(error) !== "EEXIST" || statSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
    }
  }
  // As making it would say.
  if (!statSync(dir).isDirectory()) mkdirSync(dir);
}

/**
 * Make the file, 0600, and its directory, 0700, where they are not there yet. A file that is there is made 0600. Throws `os-denied`
 * where others may write to the directory: they could put another file in its place. Modes mean nothing on Windows and are let be.
 */
export function makePlace(file: string): void {
  const dir = dirname(file);
  try {
    makeDirectory(dir);
    refuseSharedDirectory(dir);
    // Made here and not by SQLite, which would make it readable for all. Its companions (-wal, -shm) take their mode from it.
    const handle = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      if ((fstatSync(handle).mode & 0o077) !== 0) fchmodSync(handle, 0o600);
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    if (cause instanceof HallpassError) throw cause;
    throw new HallpassError("os-denied", `the store \`${show(file)}\` cannot be created or opened`, { cause });
  }
}

/** Throws `os-denied` where others may write to the directory. */
export function refuseSharedDirectory(dir: string): void {
  if (process.platform !== "win32" && (statSync(dir).mode & 0o022) !== 0)
    throw new HallpassError(
      "os-denied",
      `others may write to \`${show(dir)}\`, where the store would be: \`chmod go-w\` it, or choose another place`,
    );
}
