// Single names under pinned directories: look, list, create, replace, remove, make. Never a path from outside this folder.
// RACE: every call goes through the pin, so a directory swapped after it was judged is still the judged one here.

import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { Steps } from "../steps.ts";
import type { Facts } from "./platform.ts";
import { heldBy, type Kind, kindOf, type Pin, platform } from "./pin.ts";

export interface DirEntry {
  readonly kind: Kind;
  readonly facts: Facts;
}

/** What has the name `name` in the pinned directory: the entry itself, even a link; null if nothing has. Throws the system's error. */
export function statEntry(directory: Pin, name: string): DirEntry | null {
  const facts = lstatSync(platform.entry(heldBy(directory), name), { throwIfNoEntry: false });
  return facts === undefined ? null : { kind: kindOf(facts.mode), facts };
}

export interface EntryName {
  readonly name: string;
  readonly kind: Kind;
}

/**
 * The entries of a pinned directory, one by one as the system gives them; null for a name that is not UTF-8, which cannot be spoken of. Read
 * piece by piece: whoever stops early has not paid for the rest. Throws the system's error.
 */
export function* entriesIn(directory: Pin): Generator<EntryName | null, void, undefined> {
  const few = entriesIfFew(directory);
  if (few === null) return yield* entriesOfMany(directory);
  for (const entry of few) yield named(entry);
}

/** All of them where there are few. `now` as in `eachEntryInSteps`. */
function entriesIfFew(directory: Pin, now?: Facts): readonly Dirent[] | null {
  // As it is now: while it was held somebody may have filled it. Where directories have one name by count (layers), their size says nothing.
  const facts = now ?? statEntry(directory, ".")?.facts;
  const isSmall = facts !== undefined && facts.size <= SMALL && facts.nlink > 1;
  return isSmall ? readdirSync(platform.itself(heldBy(directory)), { withFileTypes: true }) : null;
}

function* entriesOfMany(directory: Pin): Generator<EntryName | null, void, undefined> {
  const open = opendirSync(platform.itself(heldBy(directory)), { bufferSize: AT_ONCE });
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) yield named(entry);
  } finally {
    open.closeSync();
  }
}

/** Is there nothing in the pinned directory? Throws the system's error. */
export function isEmpty(directory: Pin): boolean {
  for (const _ of entriesIn(directory)) return false;
  return true;
}

/** Every entry is given to `see`; how many names could not be spoken of is returned. All at once: for threads of their own. */
export function eachEntry(directory: Pin, see: (name: string, kind: Kind) => void): number {
  return eachOf(readdirSync(platform.itself(heldBy(directory)), { withFileTypes: true }), see);
}

/** The same in steps, for a thread that others wait for. `now`: the directory's facts, from whoever has just asked for them. */
export function* eachEntryInSteps(directory: Pin, see: (name: string, kind: Kind) => void, now?: Facts): Steps<number> {
  const few = entriesIfFew(directory, now);
  if (few !== null) return eachOf(few, see);
  let undecodable = 0;
  let seen = 0;
  for (const entry of entriesOfMany(directory)) {
    if (entry === null) undecodable += 1;
    else see(entry.name, entry.kind);
    seen += 1;
    if (seen % A_STEP === 0) yield;
  }
  return undecodable;
}

function eachOf(entries: readonly Dirent[], see: (name: string, kind: Kind) => void): number {
  let undecodable = 0;
  for (const entry of entries) {
    if (entry.name.includes("\ufffd")) undecodable += 1;
    else see(entry.name, kindOfEntry(entry));
  }
  return undecodable;
}

/** A directory that takes no more bytes than this has some hundred entries, or few enough on file systems that count otherwise: listed in one call. */
const SMALL = 4096;
/** Entries that the system is asked for at a time in a larger one. */
const AT_ONCE = 512;
/** Entries that are seen in one step. */
const A_STEP = 128;

const named = (entry: Dirent): EntryName | null => (entry.name.includes("\ufffd") ? null : { name: entry.name, kind: kindOfEntry(entry) });

function kindOfEntry(entry: Dirent): Kind {
  return entry.isFile() ? "file" : entry.isDirectory() ? "dir" : entry.isSymbolicLink() ? "link" : "other";
}

export interface PlacedFile {
  readonly bytes: Uint8Array;
  /** A name for the half-written file, new in this directory; it is gone when this returns, whatever happens. */
  readonly temporary: string;
  /** The file whose place is taken: its mode and owner are kept. Null for a new file. */
  readonly instead: Facts | null;
}

/** Put a whole file under `name`, or nothing: written aside, then renamed. A link that has the name is replaced, never followed. */
export function placeFile(directory: Pin, name: string, { bytes, temporary, instead }: PlacedFile): void {
  const handle = heldBy(directory);
  const aside = platform.entry(handle, temporary);
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | platform.flags.entry;
  const descriptor = openSync(aside, flags, instead === null ? 0o666 : instead.mode & 0o777);
  try {
    try {
      if (instead !== null) keepOwnerAndMode(descriptor, instead);
      for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done);
    } finally {
      closeSync(descriptor);
    }
    renameSync(aside, platform.entry(handle, name));
  } catch (error) {
    removeQuietly(aside);
    throw error;
  }
}

function keepOwnerAndMode(descriptor: number, instead: Facts): void {
  const mode = instead.mode & 0o777;
  // What a group may do is for that group: another one, which the new file has, may do no more than everybody.
  fchmodSync(descriptor, keepsGroup(descriptor, instead) ? mode : (mode & 0o707) | (mode & 0o070 & ((mode & 0o007) << 3)));
}

function keepsGroup(descriptor: number, { uid, gid }: Facts): boolean {
  const own = process.geteuid?.() ?? null;
  if (own === null) return true;
  if (own === 0) fchownSync(descriptor, uid, gid);
  if (own === 0 || fstatSync(descriptor).gid === gid) return true;
  try {
    fchownSync(descriptor, own, gid);
    return true;
  } catch {
    return false;
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Nothing more can be done; the error that led here is the one to tell.
  }
}

/** Remove the file or link that has the name. Throws the system's error. */
export function removeFile(directory: Pin, name: string): void {
  unlinkSync(platform.entry(heldBy(directory), name));
}

/** Remove the empty directory that has the name. Throws the system's error. */
export function removeDir(directory: Pin, name: string): void {
  rmdirSync(platform.entry(heldBy(directory), name));
}

/** Make one directory. Throws the system's error; EEXIST where something already has the name. */
export function makeDir(directory: Pin, name: string): void {
  mkdirSync(platform.entry(heldBy(directory), name));
}

/** Give the entry `from` of one pinned directory the name `to` in another. Links are moved, never followed. */
export function renameEntry(source: Pin, from: string, destination: Pin, to: string): void {
  renameSync(platform.entry(heldBy(source), from), platform.entry(heldBy(destination), to));
}

/** Is the pinned object on a file system that is no storage? */
export function isVirtual(pinned: Pin): boolean {
  return platform.isVirtual(heldBy(pinned));
}
