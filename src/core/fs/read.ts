// The body of a pinned file, up to a limit of bytes that were read, never of bytes that were promised: a sparse, growing or
// endless file cannot make us allocate more. Small bodies are read at once; larger ones do not hold up the process.

import { closeSync, constants, fstatSync, openSync, read, readSync } from "node:fs";
import { isUnreplaced } from "./identity.ts";
import { heldBy, type Pin, platform } from "./pin.ts";

/** Up to this size a read is quicker than handing it to another thread. */
export const AT_ONCE = 64 * 1024;

/** Some processors copy eight times slower to the first bytes of an allocation, so reading starts a little way in. */
const OFFSET = 2112;

/** The bytes did not fit the limit. */
export const TOO_LARGE = Symbol("too-large");

/** Buffers used again and again: one at a time per reader, so a reader of many files allocates nothing. */
export class Scratch {
  #free: Buffer[] = [];

  take(length: number): Buffer {
    const free = this.#free.pop();
    return free !== undefined && free.length >= length + OFFSET ? free : Buffer.allocUnsafeSlow(Math.max(length, AT_ONCE + 1) + OFFSET);
  }

  give(buffer: Buffer): void {
    if (this.#free.length < 4) this.#free.push(buffer);
  }
}

/**
 * Lend `use` the bytes of a pinned regular file; they are valid only while it runs. TOO_LARGE past `limit` bytes.
 * Takes for granted that the pin is on a regular file. Rejects with the system's error.
 */
export async function lendBytes<T>(pinned: Pin, limit: number, scratch: Scratch, use: (bytes: Buffer) => T): Promise<T | typeof TOO_LARGE> {
  return pinned.facts.size <= AT_ONCE ? lendBytesAtOnce(pinned, limit, scratch, use) : lendBytesLater(pinned, limit, scratch, use);
}

/** As `lendBytes`, holding up the process while it reads. For small files and for threads that do nothing else. */
export function lendBytesAtOnce<T>(pinned: Pin, limit: number, scratch: Scratch, use: (bytes: Buffer) => T): T | typeof TOO_LARGE {
  const { size } = pinned.facts;
  if (size > limit) return TOO_LARGE;
  const descriptor = openPinned(pinned);
  let buffer = scratch.take(size + 1);
  try {
    // One byte more than promised: a short answer then means the end, and a full one that the file grew.
    let length = readSync(descriptor, buffer, OFFSET, size + 1, null);
    if (length > size) {
      buffer = grown(buffer, length, limit);
      for (let more = 1; more > 0 && length <= limit; length += more)
        more = readSync(descriptor, buffer, OFFSET + length, limit + 1 - length, null);
      if (length > limit) return TOO_LARGE;
    }
    return use(buffer.subarray(OFFSET, OFFSET + length));
  } finally {
    closeSync(descriptor);
    scratch.give(buffer);
  }
}

async function lendBytesLater<T>(pinned: Pin, limit: number, scratch: Scratch, use: (bytes: Buffer) => T): Promise<T | typeof TOO_LARGE> {
  const { size } = pinned.facts;
  if (size > limit) return TOO_LARGE;
  const descriptor = openPinned(pinned);
  let buffer = scratch.take(size + 1);
  try {
    let length = 0;
    for (let more = 1; more > 0 && length <= size; length += more)
      more = await readLater(descriptor, buffer, OFFSET + length, size + 1 - length);
    if (length > size) {
      buffer = grown(buffer, length, limit);
      for (let more = 1; more > 0 && length <= limit; length += more)
        more = await readLater(descriptor, buffer, OFFSET + length, limit + 1 - length);
      if (length > limit) return TOO_LARGE;
    }
    return use(buffer.subarray(OFFSET, OFFSET + length));
  } finally {
    closeSync(descriptor);
    scratch.give(buffer);
  }
}

/** Open for reading exactly what is pinned. A pipe would not block (O_NONBLOCK), though none gets here. */
function openPinned(pinned: Pin): number {
  const handle = heldBy(pinned);
  const descriptor = openSync(platform.itself(handle), constants.O_RDONLY | O_NONBLOCK | O_NOCTTY | platform.flags.itself);
  if (handle.descriptor === -1) {
    // RACE: without a hold, only a second look tells whether the name still led to the judged object when it was opened.
    const opened = fstatSync(descriptor);
    if (!isUnreplaced(handle.facts, opened)) {
      closeSync(descriptor);
      throw Object.assign(new Error("the file was replaced while it was being opened"), { code: "ESTALE" });
    }
  }
  return descriptor;
}

function grown(buffer: Buffer, length: number, limit: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(limit + 1 + OFFSET);
  buffer.copy(larger, OFFSET, OFFSET, OFFSET + length);
  return larger;
}

function readLater(descriptor: number, buffer: Buffer, offset: number, length: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, offset, length, null, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

// Absent on Windows, where neither is needed.
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;
const O_NOCTTY = constants.O_NOCTTY ?? 0;

export interface EntryUse<T> {
  /** Look at the inode before reading, and leave the file out? Null: no need. */
  readonly refuse: ((dev: number, ino: number) => boolean) | null;
  readonly use: (bytes: Buffer) => T;
}

/**
 * Lend the bytes of the entry `name` of a pinned directory, opened and read in one go, for whoever reads many. Never through a link
 * (ELOOP is thrown); a pipe put there meanwhile gives an error or nothing, and does not block. Null if it was left out.
 */
export function lendEntryAtOnce<T>(
  directory: Pin,
  name: string,
  limit: number,
  scratch: Scratch,
  { refuse, use }: EntryUse<T>,
): T | typeof TOO_LARGE | null {
  const descriptor = openSync(platform.entry(heldBy(directory), name), constants.O_RDONLY | O_NONBLOCK | O_NOCTTY | platform.flags.entry);
  let buffer = scratch.take(AT_ONCE + 1);
  try {
    if (refuse !== null) {
      const { dev, ino } = fstatSync(descriptor);
      if (refuse(dev, ino)) return null;
    }
    let length = readSync(descriptor, buffer, OFFSET, AT_ONCE + 1, null);
    if (length > limit) return TOO_LARGE;
    if (length > AT_ONCE) {
      const { size } = fstatSync(descriptor);
      if (size > limit) return TOO_LARGE;
      buffer = grown(buffer, length, Math.max(size, length));
      for (let more = 1; more > 0 && OFFSET + length < buffer.length; length += more)
        more = readSync(descriptor, buffer, OFFSET + length, buffer.length - OFFSET - length, null);
    }
    return use(buffer.subarray(OFFSET, OFFSET + length));
  } finally {
    closeSync(descriptor);
    scratch.give(buffer);
  }
}
