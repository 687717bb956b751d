// What a platform must offer so that what was judged is what is acted on. One file a platform implements it:
// platform-linux.ts (exact), platform-darwin.ts (nearly), platform-windows.ts (best effort). `pin.ts` picks one.

/** What the kernel says about an object. A subset of `fs.Stats`, so that a Stats is one. */
export interface Facts {
  readonly dev: number;
  readonly ino: number;
  readonly nlink: number;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** When it was made, or what the platform puts in its place: `Platform.born` tells. */
  readonly birthtimeMs: number;
}

/** A hold on one object. `descriptor` is -1 where the platform cannot hold without opening. */
export interface ObjectHold {
  readonly descriptor: number;
  /** Where the kernel says the object is. Not absolute for things without a place (a pipe). */
  readonly real: string;
  readonly facts: Facts;
}

/** Thrown by `hold` when the kernel's answer cannot be trusted or used; everything else it throws is the system's own error. */
export class UnusableAnswer extends Error {
  readonly code = "EUNUSABLE";
}

export interface Platform {
  readonly name: "linux" | "darwin" | "windows";
  /** Hold what `path` leads to, through every link. No side effects: pipes and devices do not react. Throws the system's error. */
  hold(path: string): ObjectHold;
  /** Hold the entry `name` of a held directory, itself, even if it is a link. `real` is then merely `directory.real/name`. */
  holdEntry(directory: ObjectHold, name: string): ObjectHold;
  /** Is the held object still what stands at `held.real`? */
  confirm(handle: ObjectHold): boolean;
  /** A path for the next system call that leads to the held object and nothing else. */
  itself(handle: ObjectHold): string;
  /** A path for the next system call that leads to the entry `name` of the held directory and, with `flags.entry`, never through a link. */
  entry(directory: ObjectHold, name: string): string;
  /** Flags to add when opening by `itself` and by `entry`. */
  readonly flags: { readonly itself: number; readonly entry: number };
  /** Is the object on a file system that is no storage (proc, sysfs, cgroup…)? */
  isVirtual(handle: ObjectHold): boolean;
  /** When an object was made, in milliseconds; null where the file system does not keep it, or where it cannot be told whether it does. */
  born(facts: Facts): number | null;
  /** Is a directory on a file system of layers, where writing in it may give it another birth? Throws the system's error. */
  isLayered(directory: string): boolean;
  /** Let go. Never throws; a hold is let go once. */
  release(handle: ObjectHold): void;
  /** Null if the platform keeps its word on this machine, else a sentence saying what is wrong. */
  selfTest(): string | null;
}
