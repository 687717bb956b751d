// Stops all processes of sandboxes for the moment in which another is set up, and lets them go on afterwards. They are found from outside, by
// the kernel's lists of children: everything in a sandbox descends from its first process.

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bornAt, isThere, type ProcessId, signal } from "./processes.ts";

export interface Paused {
  /** Has nothing in there run since? */
  holds(): boolean;
  /** Let go on what was stopped here, and nothing that was stopped before. */
  end(): void;
}

/** Milliseconds in which all of it must have stopped. It takes a few. */
const PATIENCE = 2000;
/** Milliseconds in which processes are stopped only once their parents have. Whoever wakes others gets no such grace after that. */
const GENTLE = 400;
/** Rounds without a rest in between, which nearly always are enough. */
const QUICK = 8;
/** How often in a row a process is looked at whose children are others each time. */
const CHASES = 50;

/** Stop everything that descends from these; null where that cannot be done, and then all of it goes on. */
export async function pause(firsts: readonly ProcessId[], patience = PATIENCE): Promise<Paused | null> {
  const stopping = new Stopping(firsts);
  const since = performance.now();
  try {
    for (let round = 0; ; round += 1) {
      const waited = performance.now() - since;
      const marks = stopping.stop(waited < GENTLE);
      if (marks !== null && areSame(marks)) return { holds: () => areSame(marks), end: () => stopping.end() };
      if (waited > patience) break;
      // Whoever is to stop needs a processor for it.
      await (round < QUICK ? new Promise((resolve) => setImmediate(resolve)) : sleep(round % 2));
    }
  } catch {
    // The kernel does not tell.
  }
  stopping.end();
  return null;
}

/** Let everything go on that descends from this one: whoever had stopped it is gone. */
export function wake(first: ProcessId): void {
  const pids = [first.pid];
  for (const pid of pids) pids.push(...(lookAt(pid)?.children ?? []));
  if (bornAt(first.pid) === first.born) for (const pid of pids.toReversed()) goOn(pid);
}

/** What tells of each process whether it ran since: in the order in which they were found, outer ones first. */
type Marks = ReadonlyMap<number, string>;

class Stopping {
  readonly #firsts: readonly ProcessId[];
  /** What was stopped here: number and birth, null where that is not known yet. */
  readonly #ours = new Map<number, string | null>();
  /** What was stopped before us, and is not ours to let go on. */
  readonly #others = new Set<number>();
  /** Whose children were looked at before. */
  readonly #entered = new Set<number>();

  constructor(firsts: readonly ProcessId[]) {
    this.#firsts = firsts;
  }

  /**
   * Stop what can be found. Gives their marks where all of it had stopped before; null where something had not. `gentle`: leave alone for
   * now what has a parent that runs. A shell that waits for a child would take the child's stopping for the person's wish.
   */
  stop(gentle: boolean): Marks | null {
    const marks = new Map<number, string>();
    let still = true;
    const pids = this.#firsts.filter(isThere).map(({ pid }) => pid);
    for (const pid of pids) {
      const seen = this.#entered.has(pid) ? this.#chase(pid) : lookAt(pid);
      if (seen === null) {
        still = false;
        if (!signal(pid, 0)) this.#ours.delete(pid);
        continue;
      }
      if (!seen.still) this.#stop(pid);
      else if (!this.#ours.has(pid)) this.#others.add(pid);
      if (this.#ours.get(pid) === null) this.#ours.set(pid, bornAt(pid));
      still &&= seen.still;
      marks.set(pid, seen.mark);
      // It may wait for a child that borrows its memory (vfork), and cannot stop before that child has let go of it.
      if (seen.waits) for (const child of seen.children) this.#letGo(child);
      else if (seen.still || !gentle) {
        pids.push(...seen.children);
        this.#entered.add(pid);
      }
    }
    return still ? marks : null;
  }

  /** Inner ones first, for the same reason. */
  end(): void {
    for (const [pid, born] of [...this.#ours].toReversed()) if (born === null || bornAt(pid) === born) goOn(pid);
    this.#ours.clear();
  }

  #stop(pid: number): void {
    if (!signal(pid, "SIGSTOP")) return;
    this.#others.delete(pid);
    if (!this.#ours.has(pid)) this.#ours.set(pid, null);
  }

  /**
   * Look at a process and stop those of its children that are new, at once: they were not there before, so they run, and the next look may
   * find others in their place.
   */
  #chase(pid: number): Look | null {
    for (let left = CHASES; ; left -= 1) {
      const seen = lookAt(pid);
      const fresh = seen === null || !seen.still ? [] : seen.children.filter((child) => !this.#ours.has(child) && !this.#others.has(child));
      for (const child of fresh) this.#stop(child);
      if (fresh.length === 0 || left === 0) return seen;
    }
  }

  #letGo(pid: number): void {
    if (this.#ours.delete(pid)) goOn(pid);
  }
}

/**
 * Has nothing run between the look that gave the marks and this one?
 * INVARIANT: inner ones first. What was missed can only have moved outwards, to whoever takes in the children of those that end.
 */
function areSame(marks: Marks): boolean {
  return [...marks].toReversed().every(([pid, mark]) => lookAt(pid)?.mark === mark);
}

interface Look {
  /** Can none of its threads run? Each is asked: the first may have ended while others go on. */
  readonly still: boolean;
  /** Does one of them wait for something that no signal interrupts? */
  readonly waits: boolean;
  readonly children: readonly number[];
  /** Another one as soon as a thread of it ran: the kernel counts how often each was given a processor. */
  readonly mark: string;
}

/** Null where there is no such process, or it changes while it is looked at. */
function lookAt(pid: number): Look | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "latin1");
      const state = /^State:\s+(\w)/m.exec(status)?.[1] ?? "";
      const switches = status.match(/ctxt_switches:\s*\d+/g) ?? [];
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1");
      return { state, children, mark: [thread, state, ...switches, children].join(" "), isComplete: switches.length === 2 };
    });
    return {
      still: threads.length > 0 && threads.every(({ state, isComplete }) => isComplete && /[TtZX]/.test(state)),
      waits: threads.some(({ state }) => state === "D"),
      children: threads.flatMap(({ children }) => children.split(" ").filter(Boolean).map(Number)),
      mark: threads.map(({ mark }) => mark).join("\n"),
    };
  } catch {
    return null;
  }
}

/** Let a process go on. Where its terminal told it to stop meanwhile, it is told so once more: going on forgets it. */
function goOn(pid: number): void {
  const pendingStops = pendingStopSignals(pid);
  signal(pid, "SIGCONT");
  for (const stopSignal of pendingStops) signal(pid, stopSignal);
}

/** By their numbers less one, which is their place among the signals that wait to be taken. */
const FROM_TERMINAL = [
  ["SIGTSTP", 19n],
  ["SIGTTIN", 20n],
  ["SIGTTOU", 21n],
] as const;

function pendingStopSignals(pid: number): readonly NodeJS.Signals[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const waiting = BigInt(`0x${/^ShdPnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
    return FROM_TERMINAL.flatMap(([name, bit]) => (((waiting >> bit) & 1n) === 1n ? [name] : []));
  } catch {
    return [];
  }
}
