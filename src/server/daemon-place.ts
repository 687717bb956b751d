// The data directory, and what a daemon keeps in it beside the store: the person's token, the machine's name, where it listens. All of
// it 0600 in a directory of 0700, and on the list of secrets, so that no agent reads it through us.

import { chmodSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { z } from "zod";
import { errnoOf } from "../core/errno.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { makeDirectory, usualStoreFile } from "../store/place.ts";
import { pushKey as newPushKey } from "./push-message.ts";

export interface DaemonPlace {
  readonly dir: string;
  readonly store: string;
  readonly token: string;
  readonly machine: string;
  /** The key that push notices are signed with. */
  readonly pushKey: string;
  /** What was set about models, keys among it. */
  readonly models: string;
  /** Where the daemon that runs here is reached. */
  readonly daemon: string;
  readonly lock: string;
  readonly socket: string;
  /** Another word after each change of what agents may do. */
  readonly changes: string;
}

/** The name of `changes` in the data directory. */
export const CHANGES = "changes";

const daemonSchema = z.object({
  /** `http://127.0.0.1:7777` */
  address: z.string(),
  /** The Unix socket; null where there is none. */
  socket: z.string().nullable(),
  pid: z.number(),
  version: z.string(),
  started: z.number(),
  /** Does it add what programs decide and keep in its directory to the record? */
  takesSpool: z.boolean().default(false),
});
export type DaemonFile = z.infer<typeof daemonSchema>;

export interface PlaceOptions {
  /** Absolute. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Absolute; another directory than the platform's usual one. */
  readonly data?: string;
}

/** Where things are; nothing is looked at or made. Throws `bad-request` where a relative path is named: it would be another place in each directory. */
export function placeOf({ home, env, platform, data }: PlaceOptions): DaemonPlace {
  const configured = data ?? env["HALLPASS_DATA"];
  if (configured !== undefined && configured !== "" && platform !== "win32" && !configured.startsWith("/"))
    throw new HallpassError(
      "bad-request",
      `the data directory \`${show(configured)}\` is a relative path: name it from the top, beginning with \`/\``,
    );
  const store =
    configured?.startsWith("/") === true || (platform === "win32" && configured !== undefined)
      ? join(configured, "hallpass.db")
      : usualStoreFile({ home, env, platform });
  const dir = dirname(store);
  const file = (name: string): string => join(dir, name);
  return {
    dir,
    store,
    token: file("token"),
    machine: file("machine"),
    pushKey: file("push-key"),
    models: file("models.json"),
    daemon: file("daemon.json"),
    lock: file("lock"),
    socket: file("socket"),
    changes: file(CHANGES),
  };
}

/** Make the directory, 0700. Throws `os-denied` where others may write to it: they could put their own token there. */
export function makeDir({ dir }: DaemonPlace): void {
  try {
    makeDirectory(dir);
    if (process.platform !== "win32" && (statSync(dir).mode & 0o022) !== 0)
      throw new HallpassError(
        "os-denied",
        `others may write to \`${show(dir)}\`: \`chmod go-w\` it, or choose another directory with --data`,
      );
  } catch (cause) {
    if (cause instanceof HallpassError) throw cause;
    throw new HallpassError(
      "os-denied",
      `the data directory \`${show(dir)}\` cannot be created or opened: see that this user may write there, or choose another one with --data`,
      { cause },
    );
  }
}

/** The person's token: made once, 256 random bits. */
export const tokenIn = ({ token }: DaemonPlace): string =>
  readOrCreate(token, () => randomBytes(32).toString("base64url"), /^[A-Za-z0-9_-]{43}$/);
/** A token that is given from outside, for several daemons behind one address. As long and as hard to guess as our own. */
export function tokenFrom(env: PlaceOptions["env"]): string | null {
  const token = env["HALLPASS_TOKEN"];
  if (token === undefined || token === "") return null;
  if (!/^[A-Za-z0-9_-]{43,256}$/.test(token))
    throw new HallpassError(
      "bad-request",
      "HALLPASS_TOKEN is too short or has characters no token has: 43 or more letters, digits, - and _",
    );
  return token;
}
/** This machine's name: random, so that it tells nothing, and the same for as long as the directory is there. */
export const machineIn = ({ machine }: DaemonPlace): string =>
  readOrCreate(machine, () => randomBytes(12).toString("hex"), /^[A-Za-z0-9_-]{1,64}$/);

/** The private half of the key that push notices are signed with: made once, since browsers take notices signed with that one alone. */
export const pushKeyIn = (place: DaemonPlace): string => readOrCreate(place.pushKey, () => newPushKey().privateKey, /^[A-Za-z0-9_-]{43}$/);

/** The token, if there is one. */
export const readToken = ({ token }: Pick<DaemonPlace, "token">, env: PlaceOptions["env"] = {}): string | null =>
  tokenFrom(env) ?? contentOf(token);

function readOrCreate(file: string, make: () => string, shape: RegExp): string {
  for (;;) {
    const existing = contentOf(file);
    if (existing !== null) {
      if (!shape.test(existing))
        throw new HallpassError("io-error", `\`${show(file)}\` does not hold what it should: remove it, and a new one is made`);
      // Somebody may have copied it about; it is for its owner alone.
      if (process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
      return existing;
    }
    const temporary = `${file}.${randomBytes(6).toString("hex")}`;
    try {
      writeFileSync(temporary, `${make()}\n`, NEW_FILE);
      // RACE: a link is made whole or not at all; of two that make it at once one wins, and both read what that one made.
      linkSync(temporary, file);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw new HallpassError("os-denied", `\`${show(file)}\` cannot be read`, { cause: error });
  }
}

/** Say where this daemon is: whole or not at all. */
export function writeDaemonFile({ daemon }: DaemonPlace, content: DaemonFile): void {
  const temporary = `${daemon}.${content.pid}`;
  rmSync(temporary, { force: true });
  try {
    writeFileSync(temporary, `${JSON.stringify(content)}\n`, NEW_FILE);
    renameSync(temporary, daemon);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Not there before, for its owner alone, and on the disk when it is written. */
const NEW_FILE = { flag: "wx", mode: 0o600, flush: true } as const;

export function readDaemonFile({ daemon }: Pick<DaemonPlace, "daemon">): DaemonFile | null {
  try {
    const read = daemonSchema.safeParse(JSON.parse(readFileSync(daemon, "utf8")));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** Take it away again, if it is still this daemon's. */
export function removeDaemonFile(place: DaemonPlace, pid: number): void {
  if (readDaemonFile(place)?.pid === pid) rmSync(place.daemon, { force: true });
}

/** What the system would not let a daemon do as it started, in words: what is wrong with its directory, and what to do. Any other error as it is. */
export function startFault({ dir }: DaemonPlace, cause: unknown): unknown {
  const system = cause instanceof HallpassError ? cause.cause : cause;
  const fault = (code: HallpassError["code"], message: string): HallpassError => new HallpassError(code, message, { cause });
  switch (errnoOf(system)) {
    case "ENOSPC":
    case "EDQUOT":
    case "SQLITE_FULL":
      return fault("io-error", `the disk that the data directory \`${show(dir)}\` is on is full: free some space, and start again`);
    case "EROFS":
    case "SQLITE_READONLY":
      return fault(
        "os-denied",
        `the data directory \`${show(dir)}\` can only be read: make it writable, or choose another one with --data`,
      );
    case "EACCES":
    case "EPERM":
      return fault(
        "os-denied",
        `this user may not write to the data directory \`${show(dir)}\`: chown it, or choose another one with --data`,
      );
    case "ENOTDIR":
    case "EEXIST":
      return fault(
        "os-denied",
        `the data directory \`${show(dir)}\` is, or lies in, a file: move that away, or choose another one with --data`,
      );
    default:
      return cause;
  }
}
