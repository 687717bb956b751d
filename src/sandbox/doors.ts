// The directories around a command's roots, as a file system of empty directories: what the kernel asks, and what it is told. A repository that
// could be granted is a door. Whoever reaches into one waits until a person has answered.
//
// How the waiting works: a request inside a door is answered with ESTALE at once. The kernel then walks the same path once more and looks the
// door itself up again, and this answer is held back. Nothing is locked meanwhile, so a directory can be mounted over the door; then the walk goes
// on, into the mount. Holding back an answer *inside* the door would lock it against the mount.

import { child, isInside } from "../core/path/contain.ts";
import {
  attrReply,
  entryReply,
  errors,
  type FuseError,
  type FuseRequest,
  initReply,
  nameIn,
  NOTHING,
  opcodes,
  OPENED,
  reply,
  STATFS,
  TOP,
} from "./fuse.ts";

/** What stands at a path outside, as far as a command may know: nothing, a directory on the way to others, or one that could be granted. */
export type Sight = "nothing" | "way" | "door";

export interface DoorPorts {
  /** The directory that the top of the file system stands for. */
  readonly top: string;
  write(bytes: Buffer): void;
  see(path: string): Promise<Sight>;
  /** May a person be asked about this name in a door? Not where it is a secret. */
  mayAsk(path: string): Promise<boolean>;
  /** A program waits at the door, since it reached for `path` in it. */
  wanted(door: string, path: string, pid: number): void;
  /** Has the process been killed? */
  isKilled(pid: number): boolean;
  /** Is it one of ours, which mounts? */
  isOwn(pid: number): boolean;
  readonly now: () => number;
  /** Milliseconds for which a lookup waits. */
  readonly patience: number;
}

/**
 * `shut`: nobody has reached into it. `wanted`: somebody did, and their next lookup is held. `asking`: a person is asked, or the grant is being mounted.
 * `open`: it is mounted over the door. `denied`: whoever reaches into it is refused.
 */
type State = "shut" | "wanted" | "asking" | "open" | "denied";

interface Door {
  state: State;
  /** What was reached for first. */
  path: string;
  /** Who has waited long enough. They are refused at once until the question is answered: a program that tries again and again would stand still. */
  readonly late: Set<number>;
}

interface HeldLookup {
  readonly unique: bigint;
  readonly node: number;
  readonly door: string;
  readonly pid: number;
  readonly until: number;
}

export class Doors {
  #ports: DoorPorts;
  readonly #paths = new Map<number, string>();
  readonly #nodes = new Map<string, number>();
  readonly #doors = new Map<string, Door>();
  /** Roots and grants: they and what lies on the way to them are always there. */
  #fixed: Set<string>;
  #heldLookups: HeldLookup[] = [];
  #over = false;

  constructor(ports: DoorPorts, fixed: readonly string[]) {
    this.#ports = ports;
    this.#fixed = new Set(fixed);
    this.#nodes.set(ports.top, TOP);
    this.#paths.set(TOP, ports.top);
  }

  /**
   * Another command has it from now on, beside what earlier ones left running. What was refused may be asked about anew; grants that are mounted
   * stay, and so does every node.
   */
  reopen(changedPorts: Pick<DoorPorts, "patience" | "see">, fixed: readonly string[]): void {
    const open = [...this.#doors].filter(([, { state }]) => state === "open");
    this.#ports = { ...this.#ports, ...changedPorts };
    this.#fixed = new Set([...fixed, ...open.map(([path]) => path)]);
    for (const [path, { state }] of this.#doors) if (state === "shut" || state === "denied") this.#doors.delete(path);
    this.#over = false;
  }

  /** How many lookups wait. */
  get waiting(): number {
    return this.#heldLookups.length;
  }

  async answer(request: FuseRequest): Promise<void> {
    const { opcode, unique, node } = request;
    const path = this.#paths.get(node);
    switch (opcode) {
      case opcodes.forget:
      case opcodes.batchForget:
      case opcodes.interrupt:
        return;
      case opcodes.init:
        return this.#say(unique, errors.none, initReply());
      case opcodes.lookup:
        return this.#lookup(request, path);
      case opcodes.getattr:
        return this.#inside(request, path, () => attrReply(node));
      case opcodes.opendir:
        return this.#inside(request, path, () => OPENED);
      case opcodes.access:
        return this.#inside(request, path, () => NOTHING);
      case opcodes.readdir:
      case opcodes.releasedir:
        return this.#say(unique, errors.none);
      case opcodes.statfs:
        return this.#say(unique, errors.none, STATFS);
      default:
        return this.#say(unique, errors.ENOSYS);
    }
  }

  /** The grant at `dir`, which is the door or lies in it, is mounted. Whoever waits goes on, into it. */
  open(door: string, dir: string): void {
    this.#fixed.add(dir);
    this.#set(door, dir === door ? "open" : "denied");
    this.#letGo((lookup) => lookup.door === door);
  }

  /** A person said no, or the grant has ended: whoever waits goes on and is refused, and so is everybody later. */
  deny(door: string, dir: string | null): void {
    if (dir !== null) this.#fixed.delete(dir);
    this.#set(door, "denied");
    this.#letGo((lookup) => lookup.door === door);
  }

  /** Nobody waits any longer: the command is to end. */
  end(): void {
    this.#over = true;
    for (const door of this.#doors.values()) if (door.state !== "open") door.state = "denied";
    this.#letGo(() => true);
  }

  /** Those that were killed, or have waited long enough, are let go. To be called a few times a second while somebody waits. */
  tick(): void {
    const now = this.#ports.now();
    const heldLookups = this.#heldLookups;
    for (const { pid, door, until } of heldLookups) {
      if (this.#ports.isKilled(pid)) this.#letGo((lookup) => lookup.pid === pid);
      else if (now >= until) {
        // The question stays, and a later yes serves the next attempt.
        this.#doors.get(door)?.late.add(pid);
        this.#letGo((lookup) => lookup.pid === pid);
      }
    }
  }

  #set(path: string, state: State): void {
    const door = this.#doors.get(path);
    if (door === undefined) this.#doors.set(path, { state, path, late: new Set() });
    else {
      door.state = state;
      door.late.clear();
    }
  }

  #letGo(which: (lookup: HeldLookup) => boolean): void {
    const gone = this.#heldLookups.filter(which);
    this.#heldLookups = this.#heldLookups.filter((lookup) => !which(lookup));
    for (const { unique, node } of gone) this.#say(unique, errors.none, entryReply(node, false));
  }

  async #lookup(request: FuseRequest, parentDir: string | undefined): Promise<void> {
    const { unique, body, pid } = request;
    const name = nameIn(body);
    if (parentDir === undefined || name === null || name === "") return this.#say(unique, errors.ENOENT);
    const path = child(parentDir, name);
    // What lies on the way to a root or a grant is never held back.
    const open = this.#doors.get(path)?.state === "open";
    if (this.#isFixed(path)) return this.#entry(unique, path, !open);
    const door = this.#doors.get(parentDir);
    if (door !== undefined) return this.#reach(request, parentDir, door, path);
    const known = this.#doors.get(path);
    if (known === undefined) {
      const sight = this.#over ? "nothing" : await this.#ports.see(path);
      if (sight === "nothing") return this.#say(unique, errors.ENOENT);
      if (sight === "door" && !this.#doors.has(path)) this.#set(path, "shut");
      return this.#entry(unique, path, sight === "way");
    }
    if ((known.state !== "wanted" && known.state !== "asking") || known.late.has(pid) || this.#ports.isOwn(pid))
      return this.#entry(unique, path, false);
    const node = this.#nodeOf(path);
    this.#heldLookups.push({ unique, node, door: path, pid, until: this.#ports.now() + this.#ports.patience });
    if (known.state === "asking") return;
    known.state = "asking";
    this.#ports.wanted(path, known.path, pid);
  }

  /** A request about the directory itself: to look at it, to list it, to come into it. */
  async #inside(request: FuseRequest, path: string | undefined, data: () => Buffer): Promise<void> {
    const { unique, pid } = request;
    if (path === undefined) return this.#say(unique, errors.ESTALE);
    const door = this.#doors.get(path);
    if (door === undefined || door.state === "open" || this.#isFixed(path) || this.#ports.isOwn(pid))
      return this.#say(unique, errors.none, data());
    return this.#reach(request, path, door, path);
  }

  async #reach({ unique, pid }: FuseRequest, at: string, door: Door, path: string): Promise<void> {
    if (door.late.has(pid) || door.state === "denied") return this.#say(unique, errors.EACCES);
    if (path !== at && (door.state === "shut" || door.state === "open") && !(await this.#ports.mayAsk(path)))
      return this.#say(unique, errors.ENOENT);
    if (door.state === "shut") {
      door.state = "wanted";
      door.path = path;
    }
    // An open door is covered by its mount; who still stands before it walks once more.
    return this.#say(unique, errors.ESTALE);
  }

  #isFixed(path: string): boolean {
    for (const dir of this.#fixed) if (isInside(path, dir)) return true;
    return false;
  }

  #entry(unique: bigint, path: string, lasting: boolean): void {
    this.#say(unique, errors.none, entryReply(this.#nodeOf(path), lasting));
  }

  /** INVARIANT: a path keeps its node. The kernel would drop an entry that changes, and what is mounted on it. */
  #nodeOf(path: string): number {
    const known = this.#nodes.get(path);
    if (known !== undefined) return known;
    const node = this.#nodes.size + 1;
    this.#nodes.set(path, node);
    this.#paths.set(node, path);
    return node;
  }

  #say(unique: bigint, error: FuseError, data?: Buffer): void {
    this.#ports.write(reply(unique, error, data));
  }
}
