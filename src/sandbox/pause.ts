// Stops all processes of sandboxes for the moment in which another is set up, and lets them go on afterwards. They are found from outside, by
// the kernel's lists of children: everything in a sandbox descends from its first process.

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bornAt, isThere, type ProcessId, signal } from "./processes.ts";

export interface PausedProcesses {
  /** Has nothing in there run since? */
  holds(): boolean;
  /** Let go on what was stopped here, and nothing that was stopped before. */
  end(): void;
}

/** Milliseconds in which all of it must have stopped. It takes a few. */
const PATIENCE = 2000;
/** Milliseconds in which processes are stopped only once their parents have. Whoever wakes others gets no such grace after that. */
const GENTLE = 400;
/**
 * Milliseconds after which a thread counts as still that waits in the kernel and that no signal interrupts: for a person's answer, or for a child
 * that has borrowed its memory (vfork). Whoever waits for a disk has gone on by then, and has stopped.
 */
const WAITING = 30;
/** Rounds without a rest in between, which nearly always are enough. */
const QUICK = 8;
/** How often in a row a process is looked at whose children are others each time. */
const CHASES = 50;

/** Stop everything that descends from these; null where that cannot be done, and then all of it goes on. */
export async function pause(firsts: readonly ProcessId[], patience = PATIENCE): Promise<PausedProcesses | null> {
  const stopping = new StopProgress(firsts);
  const since = performance.now();
  try {
    for (let round = 0; ; round += 1) {
      const waited = performance.now() - since;
      const marks = stopping.stop({ isGentle: waited < GENTLE, mayWait: waited >= WAITING });
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

class StopProgress {
  readonly #firsts: readonly ProcessId[];
  /** What was stopped here: number and birth, null where that is not known yet. */
  readonly #ours = new Map<number, string | null>();
  /** What was stopped before us, and is not ours to let go on. */
  readonly #others = new Set<number>();
  /** Whose children were looked at before. */
  readonly #entered = new Set<number>();
  /** When a signal to stop was last taken back, by process. */
  readonly #resent = new Map<number, number>();

  constructor(firsts: readonly ProcessId[]) {
    this.#firsts = firsts;
  }

  /**
   * Stop what can be found. Gives their marks where all of it was still before; null where something was not. `isGentle`: leave alone for
   * now what has a parent that runs. A shell that waits for a child would take the child's stopping for the person's wish. `mayWait`: is it
   * still where a thread waits in the kernel? Once that goes on, its mark is another one, and it stops before it runs a line of its program.
   */
  stop({ isGentle, mayWait }: { readonly isGentle: boolean; readonly mayWait: boolean }): Marks | null {
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
      if (!seen.isStopped) {
        if (seen.isBlocked) this.#takeBack(pid);
        this.#stop(pid);
      } else if (!this.#ours.has(pid)) this.#others.add(pid);
      if (this.#ours.get(pid) === null) this.#ours.set(pid, bornAt(pid));
      const isStill = seen.isStopped || (mayWait && seen.isStill);
      still &&= isStill;
      marks.set(pid, seen.mark);
      if (isStill || !isGentle) {
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
   * The kernel hands a signal for a process to one of its threads. Where that one waits and takes no signal, the others run on, and the same signal sent
   * again is dropped, since it is pending. Taken back and sent again, it goes to another thread, which stops them all.
   */
  #takeBack(pid: number): void {
    const now = performance.now();
    if (!this.#ours.has(pid) || now - (this.#resent.get(pid) ?? 0) < WAITING) return;
    this.#resent.set(pid, now);
    goOn(pid);
  }

  /**
   * Look at a process and stop those of its children that are new, at once: they were not there before, so they run, and the next look may
   * find others in their place.
   */
  #chase(pid: number): ProcessSample | null {
    for (let left = CHASES; ; left -= 1) {
      const seen = lookAt(pid);
      const fresh =
        seen === null || !seen.isStill ? [] : seen.children.filter((child) => !this.#ours.has(child) && !this.#others.has(child));
      for (const child of fresh) this.#stop(child);
      if (fresh.length === 0 || left === 0) return seen;
    }
  }
}

/**
 * Has nothing run between the look that gave the marks and this one?
 * INVARIANT: inner ones first. What was missed can only have moved outwards, to whoever takes in the children of those that end.
 */
function areSame(marks: Marks): boolean {
  return [...marks].toReversed().every(([pid, mark]) => lookAt(pid)?.mark === mark);
}

interface ProcessSample {
  /** Is each of its threads stopped? Each is asked: the first may have ended while others go on. */
  readonly isStopped: boolean;
  /** Is each of them stopped, or waits in the kernel for something that no signal interrupts? */
  readonly isStill: boolean;
  /** Does one of them wait like that, while another is not stopped? */
  readonly isBlocked: boolean;
  readonly children: readonly number[];
  /** Another one as soon as a thread of it ran: the kernel counts how often each was given a processor. */
  readonly mark: string;
}

/** Null where there is no such process, or it changes while it is looked at. */
function lookAt(pid: number): ProcessSample | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "latin1");
      const state = /^State:\s+(\w)/m.exec(status)?.[1] ?? "";
      const switches = status.match(/ctxt_switches:\s*\d+/g) ?? [];
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1");
      return { state, children, mark: [thread, state, ...switches, children].join(" "), isComplete: switches.length === 2 };
    });
    const areAll = (states: string): boolean =>
      threads.length > 0 && threads.every(({ state, isComplete }) => isComplete && states.includes(state));
    return {
      isStopped: areAll("TtZX"),
      isStill: areAll("TtZXD"),
      isBlocked: threads.some(({ state }) => state === "D") && !areAll("TtZXD"),
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
