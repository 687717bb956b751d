// One FUSE file system that the keeper answers for, from when it is mounted until the kernel lets go of it. It is empty until it is known which
// command it serves.

import { closeSync, read, readFileSync, writeSync } from "node:fs";
import { errnoOf } from "../core/errno.ts";
import { type DoorPorts, Doors } from "./doors.ts";
import { readRequest, REQUEST_BYTES } from "./fuse.ts";

export interface ServingPorts extends Pick<DoorPorts, "mayAsk" | "wanted"> {
  /** Is it one of the programs that mount? */
  isHelper(pid: number): boolean;
  /** The kernel has let go of it, and nobody had unmounted it. */
  lost(): void;
}

export class DoorServer {
  readonly #device: number;
  readonly #ports: ServingPorts;
  readonly #over: Promise<void>;
  #doors: Doors;
  #isLeft = false;
  /** Its number may be another file's from then on. */
  #isClosed = false;

  /** `device`: of `/dev/fuse`, mounted. It is closed here. */
  constructor(device: number, ports: ServingPorts) {
    this.#device = device;
    this.#ports = ports;
    this.#doors = this.#doorsFor({ top: "/", patience: 0, see: async () => "nothing" }, []);
    this.#over = new Promise((resolve) => this.#serve(resolve));
  }

  get doors(): Doors {
    return this.#doors;
  }

  /** From now on it is this command's. */
  open(commandPorts: Pick<DoorPorts, "top" | "patience" | "see">, fixed: readonly string[]): void {
    this.#doors = this.#doorsFor(commandPorts, fixed);
  }

  /** From now on it is another command's too. */
  reopen(commandPorts: Pick<DoorPorts, "patience" | "see">, fixed: readonly string[]): void {
    this.#doors.reopen(commandPorts, fixed);
  }

  /** It is about to be unmounted. Gives what settles when nobody can look there any more. */
  leave(): () => Promise<void> {
    this.#isLeft = true;
    return () => this.#over;
  }

  #doorsFor(commandPorts: Pick<DoorPorts, "top" | "patience" | "see">, fixed: readonly string[]): Doors {
    const { mayAsk, wanted, isHelper } = this.#ports;
    const isOwn = (pid: number): boolean => isHelper(pid) || tgidOf(pid) === process.pid;
    const write = (bytes: Buffer): void => this.#write(bytes);
    return new Doors({ ...commandPorts, write, mayAsk, wanted, isKilled, isOwn, now: () => performance.now() }, fixed);
  }

  /** Answer the kernel for as long as it asks. One read is always under way, in a thread of its own. */
  #serve(settle: () => void): void {
    const bytes = Buffer.alloc(REQUEST_BYTES);
    const next = (): void =>
      read(this.#device, bytes, 0, bytes.length, null, (error, length) => {
        const errno = errnoOf(error);
        if (this.#isLeft && errno === "ENODEV") {
          this.#isClosed = true;
          closeSync(this.#device);
          return settle();
        }
        // ENOENT: the one who asked was ended before the question was read.
        if (error !== null && errno !== "ENOENT" && errno !== "EINTR" && errno !== "EAGAIN") return this.#ports.lost();
        const request = error === null ? readRequest(Buffer.from(bytes.subarray(0, length))) : null;
        if (request !== null) void this.#doors.answer(request);
        next();
      });
    next();
  }

  #write(bytes: Buffer): void {
    if (this.#isClosed) return;
    try {
      writeSync(this.#device, bytes);
    } catch (error) {
      // Whoever asked is gone, or all of it was unmounted; there is nobody to be told.
      if (errnoOf(error) !== "ENOENT" && !(this.#isLeft && errnoOf(error) === "ENODEV")) throw error;
    }
  }
}

const KILL = 1n << 8n;

/** Is a signal that ends it on its way? Gone counts too. */
function isKilled(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return [...status.matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)].some(([, set]) => (BigInt(`0x${set ?? "0"}`) & KILL) !== 0n);
  } catch {
    return true;
  }
}

function tgidOf(pid: number): number {
  try {
    return Number(/^Tgid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
  } catch {
    return -1;
  }
}
