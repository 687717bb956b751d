// The few things on disk that core does not do for others. Nothing here opens a file.

import { chmodSync, type Dirent, fstatSync, lstatSync, opendirSync, readlinkSync, realpathSync, statfsSync } from "node:fs";
import { statEntry } from "../core/fs/at.ts";
import { descriptorOf, type Facts, type Pin, pinEntry } from "../core/fs/pin.ts";
import { child, parent } from "../core/path/contain.ts";
import type { Steps } from "../core/steps.ts";

// ── Names that are not UTF-8: core counts them, a command can use them ──

export interface RawName {
  /** One character a byte. */
  readonly bytes: string;
  /** As near as text comes to it. */
  readonly text: string;
  readonly kind: "file" | "dir" | "link" | "other";
}

/** The entries of the pinned directory whose names are not UTF-8. Throws the system's error. */
export function* rawNames(directory: Pin): Steps<readonly RawName[]> {
  const rawEntries: RawName[] = [];
  yield* eachRaw(itself(directory), (entry) => {
    const text = textOf(entry.name);
    if (!text.includes("\ufffd")) return;
    const kind = entry.isFile() ? "file" : entry.isDirectory() ? "dir" : entry.isSymbolicLink() ? "link" : "other";
    rawEntries.push({ bytes: entry.name, text, kind });
  });
  return rawEntries;
}

/** Every entry of the directory at the path (bytes), its name one character a byte. */
function* eachRaw(path: string, see: (entry: Dirent) => void): Steps<void> {
  const open = opendirSync(Buffer.from(path, "latin1"), { encoding: "latin1", bufferSize: A_STEP });
  try {
    let seen = 0;
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      see(entry);
      seen += 1;
      if (seen % A_STEP === 0) yield;
    }
  } finally {
    open.closeSync();
  }
}

/** Entries that are seen in one step. */
const A_STEP = 128;

/** Is one of the entries whose names are not UTF-8 a link, or a directory with a link anywhere in it? Throws the system's error. */
export function* holdsRawLink(directory: Pin): Steps<boolean> {
  for (const { bytes, kind } of yield* rawNames(directory))
    if (kind === "link" || (kind === "dir" && (yield* linkBelow(`${itself(directory)}/${bytes}`)))) return true;
  return false;
}

function* linkBelow(path: string): Steps<boolean> {
  const dirs: string[] = [];
  let hasLink = false;
  yield* eachRaw(path, (entry) => {
    hasLink ||= entry.isSymbolicLink();
    if (entry.isDirectory()) dirs.push(`${path}/${entry.name}`);
  });
  if (hasLink) return true;
  for (const dir of dirs) if (yield* linkBelow(dir)) return true;
  return false;
}

/** A text as its bytes, one character each: how paths are handed to programs and compared with what the kernel says. */
export function bytesOf(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

export const textOf = (bytes: string): string => (ASCII.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8"));
const ASCII = /^[\u0000-\u007f]*$/;

// ── Whether a directory is what it was ──

/** Which directory something is, and when that last changed: its entries, its permissions. */
export interface DirState {
  readonly dev: number;
  readonly ino: number;
  /** By the clock that programs cannot set back (ctime); unlike any other where the system does not tell. */
  readonly changed: number;
}

/**
 * What stands at the path now; null if nothing does that can be looked at. Goes by name, so it is good for one thing alone: whoever knows a state by which
 * a directory was listed, and finds the same state, knows that the listing still holds. No other directory has the same state.
 */
export function stateAt(path: string): DirState | null {
  try {
    const facts = lstatSync(path, { throwIfNoEntry: false });
    return facts === undefined ? null : stateOf(facts);
  } catch {
    return null; // not to be reached any more, which is a change
  }
}

export function stateOf(facts: Facts): DirState {
  const changed = "ctimeMs" in facts && typeof facts.ctimeMs === "number" ? facts.ctimeMs : Number.NaN;
  return { dev: facts.dev, ino: facts.ino, changed };
}

/**
 * File systems that tell at once when a directory changed, and by this machine's clock: ext, XFS, Btrfs, tmpfs, ramfs, overlayfs, ZFS, F2FS,
 * bcachefs, FAT, exFAT, NTFS (two), JFS, NILFS, HFS, HFS+, SquashFS, EROFS, ISO 9660, UDF. Others go by another machine's clock (NFS, CIFS, 9p,
 * and whatever is behind FUSE) or remember for a while what they were told.
 */
const OWN_TIME: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x858458f6, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x4d44, 0x2011bab0, 0x5346544e,
  0x7366746e, 0x3153464a, 0x3434, 0x4244, 0x482b, 0x73717368, 0xe0f5e1e2, 0x9660, 0x15013346,
]);

/** Is the path on one of them? No, where it cannot be told. */
export function keepsTime(path: string): boolean {
  try {
    return OWN_TIME.has(statfsSync(path).type);
  } catch {
    return false;
  }
}

/**
 * Of those, the ones in which nothing changes that the kernel does not tell watchers of: ext, XFS, Btrfs, tmpfs, F2FS. Not where layers lie beneath
 * that can be changed by themselves.
 */
const TELLING: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010]);

/** Is the path on one of these? No, where it cannot be told. */
export function tellsChanges(path: string): boolean {
  try {
    return TELLING.has(statfsSync(path).type);
  } catch {
    return false;
  }
}

// ── Where a link leads ──

/** Does the link at the real path `link` say `real` itself, so that no other link is on the way? `..` is read as text only where it begins. */
export function leadsStraight(link: string, real: string): boolean {
  const text = readlinkSync(link);
  if (text.startsWith("/")) return text === real;
  const names = text.split("/");
  let from = parent(link);
  for (; names[0] === ".."; names.shift()) from = parent(from);
  return names.reduce(child, from) === real;
}

/** Where the path leads through every link; null if nowhere. Goes by name, so it is good for looking something up that is pinned afterwards. */
export function placeOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** Where the path leads through every link, one character a byte; null if nowhere. For names that are not UTF-8. */
export function rawPlaceOf(path: string): string | null {
  try {
    return realpathSync.native(path, { encoding: "buffer" }).toString("latin1");
  } catch {
    return null;
  }
}

/** The text of the link `name` in the pinned directory, one character a byte; null if it is no link. */
export function linkText(directory: Pin, name: string): string | null {
  try {
    return readlinkSync(`${itself(directory)}/${name}`, "latin1");
  } catch {
    return null;
  }
}

// ── Permissions that a command took away or gave ──

/** Let the pinned directory's owner list it and come into it, where that is the user `uid` and not root, whom nothing keeps out. Throws the system's error. */
export function letOwnerIn(directory: Pin, uid: number): void {
  const facts = fstatSync(descriptorOf(directory));
  const isClosed = (facts.mode & 0o500) !== 0o500;
  if (isClosed && facts.uid === uid && uid !== 0) chmodSync(itself(directory), (facts.mode & 0o7777) | 0o500);
}

/** Set-user-ID and set-group-ID. */
const POWERS = 0o6000;
/** The clock of a file system is behind by as much. */
const TICK = 100;

/** Take from the user's file `name` the bits that let it run with its owner's powers, if it has changed since then. Throws the system's error. */
export function dropPowers(directory: Pin, name: string, { uid, since }: { readonly uid: number; readonly since: number }): void {
  const entry = statEntry(directory, name);
  if (entry?.kind !== "file" || (entry.facts.mode & POWERS) === 0 || entry.facts.uid !== uid) return;
  if (stateOf(entry.facts).changed < since - TICK) return;
  const file = pinEntry(directory, name);
  try {
    if (file.kind === "file") chmodSync(itself(file), file.facts.mode & 0o7777 & ~POWERS);
  } finally {
    file.close();
  }
}

/** Do `act` while the pinned directory's owner may write in it, whatever its mode was. Throws the system's error, and what `act` throws. */
export function* whileWritable<T>(directory: Pin, act: () => Steps<T>): Steps<T> {
  // What the pin says is how it was when it was pinned.
  const mode = fstatSync(descriptorOf(directory)).mode & 0o7777;
  chmodSync(itself(directory), mode | 0o700);
  try {
    return yield* act();
  } finally {
    chmodSync(itself(directory), mode);
  }
}

const itself = (pinned: Pin): string => `/proc/self/fd/${descriptorOf(pinned)}`;

/** Does the path lie in a directory that we, as root, can enter by our powers alone? Inside a sandbox root has none. */
export function isClosedToRoot(path: string): boolean {
  if (process.geteuid?.() !== 0) return false;
  for (let dir = parent(path); ; dir = parent(dir)) {
    const found = lstatSync(dir, { throwIfNoEntry: false });
    if (found === undefined) return false;
    const bit = found.uid === 0 ? 0o100 : found.gid === 0 ? 0o010 : 0o001;
    if ((found.mode & bit) === 0) return true;
    if (dir === "/") return false;
  }
}
