// A pin: a hold on an inode that does not open it. Everything that reads, lists, creates or removes does so through one.
// The class is not exported and its hold is private: a pin cannot be forged, stored or turned back into a path to open.

import { lstatSync } from "node:fs";
import { errnoOf } from "../errno.ts";
import { isStillIt, type KeptIdentity, type LastingIdentity } from "./identity.ts";
import { darwin } from "./platform-darwin.ts";
import { linux } from "./platform-linux.ts";
import { type Facts, type ObjectHold, type Platform, UnusableAnswer } from "./platform.ts";
import { windows } from "./platform-windows.ts";

export type { Facts } from "./platform.ts";

/** The platform this process runs on: the only choice of its kind in the system. */
export const platform: Platform = process.platform === "win32" ? windows() : process.platform === "darwin" ? darwin() : linux;

export type Kind = "file" | "dir" | "link" | "other";

class PinObject {
  #handle: ObjectHold | null;
  readonly facts: Facts;
  readonly kind: Kind;
  /** Where the kernel says the object is. A name: good for judging and showing, never for opening. */
  readonly real: string;

  constructor(handle: ObjectHold) {
    this.#handle = handle;
    this.facts = handle.facts;
    this.kind = kindOf(handle.facts.mode);
    this.real = handle.real;
  }

  /** The hold itself, for `fs/at.ts` and the pins made under this one. Throws once the pin is closed. */
  static handleOf(pin: PinObject): ObjectHold {
    if (pin.#handle === null) throw new UnusableAnswer("the pin is closed");
    return pin.#handle;
  }

  /** Let go of the inode. Closing twice is the same as closing once. */
  close(): void {
    const handle = this.#handle;
    this.#handle = null;
    if (handle !== null) platform.release(handle);
  }
}

export type Pin = PinObject;

/** Why an object could not be pinned, in the words of the closed list. */
export type PinFailure = "not-found" | "symlink-loop" | "os-denied" | "unresolvable-path" | "invalid-path" | "io-error";

/** Pin what `path` leads to, through every link. Throws the system's error; `failureOf` words it. */
export function pin(path: string): Pin {
  return new PinObject(platform.hold(path));
}

/** Pin the entry `name` of a pinned directory: itself, never what it links to. Throws as `pin` does. */
export function pinEntry(directory: Pin, name: string): Pin {
  return new PinObject(platform.holdEntry(PinObject.handleOf(directory), name));
}

/** Is what is pinned still what stands at `pin.real`? No, where the system does not let us look (too long, not ours to enter). */
export function stillThere(pinned: Pin): boolean {
  const handle = PinObject.handleOf(pinned);
  try {
    return platform.confirm(handle);
  } catch {
    return false;
  }
}

/** A pin on its way to another thread of this process: a descriptor number and what it must turn out to be. */
export interface PinTransfer {
  readonly itself: string;
  readonly dev: number;
  readonly ino: number;
}

/** Tell another thread what is pinned. The pin must stay open until that thread has taken over. */
export function handOver(pinned: Pin): PinTransfer {
  const handle = PinObject.handleOf(pinned);
  return { itself: platform.itself(handle), dev: handle.facts.dev, ino: handle.facts.ino };
}

/** Pin the same object in this thread. Throws where it is not the same. */
export function takeOver({ itself, dev, ino }: PinTransfer): Pin {
  const pinned = pin(itself);
  if (pinned.facts.dev === dev && pinned.facts.ino === ino) return pinned;
  pinned.close();
  throw new UnusableAnswer("what was handed over is no longer there");
}

/** The descriptor behind a pin, to be handed to a child process. For the sandbox alone; -1 where the platform holds without one. */
export function descriptorOf(pinned: Pin): number {
  return PinObject.handleOf(pinned).descriptor;
}

/** Does the object with this identity stand at `real`? */
export function isAt(real: string, identity: KeptIdentity): boolean {
  const there = lstatSync(real, { throwIfNoEntry: false });
  return there !== undefined && isStillIt(identity, there);
}

/** Which object is pinned, to be kept for longer than the pin. */
export function identityOf({ facts }: Pin): LastingIdentity {
  return { dev: facts.dev, ino: facts.ino, born: platform.born(facts) };
}

/** Only for the files of this folder: the hold behind a pin. */
export const heldBy = (pinned: Pin): ObjectHold => PinObject.handleOf(pinned);

export function kindOf(mode: number): Kind {
  switch (mode & 0o170000) {
    case 0o100000:
      return "file";
    case 0o040000:
      return "dir";
    case 0o120000:
      return "link";
    default:
      return "other";
  }
}

/** The closed-list word for a system error met while pinning. */
export function failureOf(error: unknown): PinFailure {
  if (error instanceof UnusableAnswer) return "invalid-path";
  switch (errnoOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return "not-found";
    case "ELOOP":
      return "symlink-loop";
    case "EACCES":
    case "EPERM":
      return "os-denied";
    case "ENAMETOOLONG":
      return "unresolvable-path";
    default:
      return "io-error";
  }
}
