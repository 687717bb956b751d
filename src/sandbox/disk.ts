// The few things on disk that core does not do for others. Nothing here opens a file.

import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { descriptorOf, type Facts, type Pin } from "../core/fs/pin.ts";

// ── Names that are not UTF-8: core counts them, a command can use them ──

export interface RawName {
  /** One character a byte. */
  readonly bytes: string;
  /** As near as text comes to it. */
  readonly text: string;
  readonly kind: "file" | "dir" | "link" | "other";
}

/** The entries of the pinned directory whose names are not UTF-8. Throws the system's error. */
export function rawNames(directory: Pin): readonly RawName[] {
  const found: RawName[] = [];
  for (const entry of readdirSync(itself(directory), { encoding: "latin1", withFileTypes: true })) {
    const text = textOf(entry.name);
    if (!text.includes("\ufffd")) continue;
    const kind = entry.isFile() ? "file" : entry.isDirectory() ? "dir" : entry.isSymbolicLink() ? "link" : "other";
    found.push({ bytes: entry.name, text, kind });
  }
  return found;
}

/** A text as its bytes, one character each: how paths are handed to programs and compared with what the kernel says. */
export function bytesOf(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

const textOf = (bytes: string): string => (ASCII.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8"));
const ASCII = /^[\u0000-\u007f]*$/;

// ── Whether a directory is what it was ──

/** Which directory something is, and when that last changed: its entries, its permissions. */
export interface State {
  readonly dev: number;
  readonly ino: number;
  /** By the clock that programs cannot set back (ctime); unlike any other where the system does not tell. */
  readonly changed: number;
}

/**
 * What stands at the path now; null if nothing does that can be looked at. Goes by name, so it is good for one thing alone: whoever knows a state by which
 * a directory was listed, and finds the same state, knows that the listing still holds. No other directory has the same state.
 */
export function stateAt(path: string): State | null {
  try {
    const facts = lstatSync(path, { throwIfNoEntry: false });
    return facts === undefined ? null : stateOf(facts);
  } catch {
    return null; // not to be reached any more, which is a change
  }
}

export function stateOf(facts: Facts): State {
  const changed = "ctimeMs" in facts && typeof facts.ctimeMs === "number" ? facts.ctimeMs : Number.NaN;
  return { dev: facts.dev, ino: facts.ino, changed };
}

// ── Write permission that a command took away ──

/** Do `act` while the pinned directory's owner may write in it, whatever its mode was. Throws the system's error, and what `act` throws. */
export function whileWritable<T>(directory: Pin, act: () => T): T {
  const mode = directory.facts.mode & 0o7777;
  chmodSync(itself(directory), mode | 0o700);
  try {
    return act();
  } finally {
    chmodSync(itself(directory), mode);
  }
}

const itself = (pinned: Pin): string => `/proc/self/fd/${descriptorOf(pinned)}`;
