// One command's processes among those of its session. They are recognised by the mounts that they see: each command has its own, and nothing inside can
// make or enter others. All of them descend from the session's first process once the command's own first one has ended.

import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pause } from "./pause.ts";
import { hasCompany, isGone, type isHandedOver, isThere, membersIn, mountSpaceOf, type ProcessId, signal } from "./processes.ts";

/** What a command has left, stopped until it is told to go on. */
export interface LeftProcesses {
  readonly pids: readonly number[];
  goOn(): void;
}

const NONE: LeftProcesses = { pids: [], goOn: () => {} };
/** Milliseconds that the kernel has to end what was killed. */
const PATIENCE = 10_000;

export class Membership {
  readonly first: ProcessId;
  readonly #space: string;

  /** Keeps the mounts where they are: without it they come apart with the command's last process, and what was covered is open to whoever was handed a directory. */
  #pin: number | null;
  readonly #isHandedOver: typeof isHandedOver;
  #released: Promise<void> | null = null;

  /** `first`: of the session's processes. `command`: one of the command's, by whose mounts the others are known. Throws where it has ended. */
  constructor(first: ProcessId, command: ProcessId, handedOver: typeof isHandedOver) {
    this.first = first;
    this.#isHandedOver = handedOver;
    this.#pin = openSync(`/proc/${command.pid}/ns/mnt`, "r");
    this.#space = mountSpaceOf(command.pid) ?? "";
  }

  /** Let go of the mounts: not before `settle` has found nobody who holds anything of them. */
  close(): void {
    if (this.#pin !== null) closeSync(this.#pin);
    this.#pin = null;
  }

  /** What it had left has ended, and no command of the session runs: let go of the mounts. Throws where others hold something of them and do not end. */
  release(): Promise<void> {
    return (this.#released ??= this.settle(false).then(() => this.close()));
  }

  isEmpty(): boolean {
    return membersIn(this.first, this.#space).length === 0;
  }

  /** End the command's own processes, as far as they are found now. */
  kill(): void {
    for (const pid of membersIn(this.first, this.#space)) signal(pid, "SIGKILL");
  }

  /** End all processes of the session. */
  killAll(): void {
    if (isThere(this.first)) signal(this.first.pid, "SIGKILL");
  }

  /**
   * The command has ended: what did it leave? `keeps`: it may go on; otherwise it is ended. Throws where that cannot be done.
   * INVARIANT: nobody else of the session holds anything that this command saw: then all of them are ended. And all of them are stopped when they are looked for, so that none is missed that another starts meanwhile.
   */
  async settle(keeps: boolean): Promise<LeftProcesses> {
    if (!hasCompany(this.first)) return NONE;
    const paused = await pause([this.first]);
    if (paused === null) return this.#endAll();
    if (this.#isHandedOver(this.first)) return this.#endAll();
    const pids = membersIn(this.first, this.#space);
    if (keeps && pids.length > 0) return { pids, goOn: () => paused.end() };
    for (const pid of pids) signal(pid, "SIGKILL");
    paused.end();
    for (let waited = 0; waited < PATIENCE && !this.isEmpty(); waited += 1) await sleep(1);
    return this.isEmpty() ? NONE : this.#endAll();
  }

  /** What cannot be stopped is ended, and all others of the session with it. */
  async #endAll(): Promise<LeftProcesses> {
    this.killAll();
    if (!(await isGone(this.first))) throw new Error("processes of the session do not end");
    return NONE;
  }
}
