// Records which commands run on which directories, for all programs of a person. So what a command made before its program was killed or the
// machine lost power is looked through before the next command treats it as something that was always there; and nothing moves in a
// directory while it is looked through (`quiet.ts`).

import { readFileSync, readlinkSync } from "node:fs";
import { type Clock, randomIds } from "../core/clock.ts";
import { isInside } from "../core/path/contain.ts";
import { parseJson } from "../core/record.ts";
import { isPlaced, isJournalRecord, type JournalRecord, type PlacedWriter, type Writer } from "./journal-record.ts";
import { bornAt, isHalted, isThere, type ProcessId } from "./processes.ts";
import type { NoteStore } from "./shelf.ts";

/** What a command may change and what stood there before it, for whoever looks it through in our place. */
export type InitialState = Pick<JournalRecord, "roots" | "known" | "slots" | "stubs" | "gits" | "places">;

export interface JournalEntry {
  /** Say what stood there and from whom all of its processes descend, before the command starts. `lasting`: also if the machine loses its power. Throws the system's error. */
  describe(before: InitialState, firsts: readonly ProcessId[], lasting: boolean): void;
  /** Still at it. */
  beat(): void;
  /** It has ended and was looked through. */
  end(): void;
  /** It has ended and could not be looked through: that is left to the next. */
  leave(): void;
}

/** A command that did not come to its end. */
export interface UnfinishedCommand extends InitialState {
  /** Is the machine still up since then? Otherwise devices may have other numbers. */
  readonly sameBoot: boolean;
  forget(): void;
}

/** A command of somebody else's that runs. */
export interface RunningCommand {
  readonly name: string;
  /** What it can write to. */
  readonly dirs: readonly string[];
  /** From whom all of its processes descend; null where that cannot be seen from here. */
  readonly firsts: readonly ProcessId[] | null;
}

/** A place in the line of those who want to look at directories while nothing moves in them. */
export interface Turn {
  isNext(): boolean;
  leave(): void;
}

/** Milliseconds after which a command that cannot be asked whether it lives, and has not said so, does not. */
const SILENCE = 60_000;
/** Where a turn stands in the line: the later, the greater. */
const TURN = /^(\d{15})-.*\.turn$/;
const NUMBER = 15;

/** The journal on a shelf, for one command. */
export class Journal {
  readonly #shelf: NoteStore;
  readonly #clock: Clock;
  readonly #self: Writer = { pid: process.pid, born: bornAt(process.pid), boot: bootNow(), space: spaceOf() };
  readonly #own = new Set<string>();

  constructor(shelf: NoteStore, clock: Clock) {
    this.#shelf = shelf;
    this.#clock = clock;
  }

  /** A command begins that can write to these directories. Throws the system's error where it cannot be noted. */
  begin(dirs: readonly string[]): JournalEntry {
    const name = `${randomIds()}.json`;
    let record: JournalRecord = { ...this.#self, dirs, begun: false, ended: false, roots: [], known: [], slots: [], stubs: [] };
    const write = (next: JournalRecord, lasting: boolean): void => {
      record = next;
      this.#shelf.write(name, JSON.stringify(next), lasting);
    };
    write(record, false);
    this.#own.add(name);
    return {
      describe: (before, firsts, lasting) => write({ ...record, ...before, firsts, begun: true }, lasting),
      beat: () => this.#shelf.touch(name),
      end: () => {
        this.#own.delete(name);
        this.#shelf.remove(name);
      },
      leave: () => {
        this.#own.delete(name);
        try {
          write({ ...record, ended: true }, false);
        } catch {
          // The disk is full or gone. Once this process has ended the note says the same.
        }
      },
    };
  }

  /** Commands on one of these directories, above or below it, that did not come to their end. */
  left(dirs: readonly string[]): readonly UnfinishedCommand[] {
    return this.#others(dirs).flatMap(({ name, record, alive }) => {
      if (alive) return [];
      const forget = (): void => this.#shelf.remove(name);
      // It was being set up, and never ran.
      if (record.begun) return [{ ...record, sameBoot: record.boot === this.#self.boot, forget }];
      forget();
      return [];
    });
  }

  /** Is another command under way on one of them? */
  isShared(dirs: readonly string[]): boolean {
    return this.#others(dirs).some(({ alive }) => alive);
  }

  /** The commands of others that run and can write to one of these directories, above or below it. What was killed runs until it is gone. */
  running(dirs: readonly string[]): readonly RunningCommand[] {
    return this.#others(dirs).flatMap(({ name, record, alive }) => {
      const isHere = record.space === this.#self.space && record.boot === this.#self.boot;
      const noted = record.firsts ?? (record.first === undefined ? null : [record.first]);
      const firsts = isHere ? noted : null;
      const runs = record.begun && (alive || firsts?.some(isThere) === true);
      return runs ? [{ name, dirs: record.dirs, firsts }] : [];
    });
  }

  /**
   * Stand in line for these directories, behind everybody who does so for one of them, above or below it.
   * INVARIANT: whoever stands in line looks at the line afterwards, and stands behind everybody whom it finds there. So of two, the one
   * that came second has seen the other.
   */
  line(dirs: readonly string[]): Turn {
    for (;;) {
      const last = this.#turns(dirs).at(-1);
      const number = Number(TURN.exec(last ?? "")?.[1] ?? 0) + 1;
      const name = `${String(number).padStart(NUMBER, "0")}-${randomIds()}.turn`;
      this.#shelf.write(name, JSON.stringify({ ...this.#self, dirs } satisfies PlacedWriter), false);
      const leave = (): void => this.#shelf.remove(name);
      if (this.#turns(dirs).at(-1) === name) return { leave, isNext: () => this.#turns(dirs)[0] === name };
      leave();
    }
  }

  /** Does anybody stand in line for one of these directories? */
  hasLine(dirs: readonly string[]): boolean {
    return this.#turns(dirs).length > 0;
  }

  /** Who stands in line, in order. Whoever has ended does not, nor whoever is stopped: it looks again before it goes on. */
  #turns(dirs: readonly string[]): readonly string[] {
    const names = this.#shelf.names().filter((name) => TURN.test(name));
    return names.toSorted().filter((name) => {
      const turn = readAs(this.#shelf.read(name), isPlaced);
      if (turn === null || !areNear(turn.dirs, dirs)) return false;
      if (this.#lives(turn, name)) return !this.#isHalted(turn);
      this.#shelf.remove(name);
      return false;
    });
  }

  #isHalted({ pid, born, space }: Writer): boolean {
    return space === this.#self.space && pid !== this.#self.pid && born !== null && isHalted({ pid, born });
  }

  #others(dirs: readonly string[]): readonly { readonly name: string; readonly record: JournalRecord; readonly alive: boolean }[] {
    return this.#shelf.names().flatMap((name) => {
      if (!name.endsWith(".json") || this.#own.has(name)) return [];
      const record = readAs(this.#shelf.read(name), isJournalRecord);
      if (record === null || !areNear(record.dirs, dirs)) return [];
      return [{ name, record, alive: !record.ended && this.#lives(record, name) }];
    });
  }

  #lives({ pid, born, boot, space }: Writer, name: string): boolean {
    if (boot !== this.#self.boot) return false;
    if (space === this.#self.space) return born !== null && bornAt(pid) === born;
    // Another container's processes cannot be seen from here.
    return this.#shelf.touched(name) > this.#clock() - SILENCE;
  }
}

function readAs<T>(text: string | null, is: (value: unknown) => value is T): T | null {
  // Null too where it was never written to its end.
  const read = text === null ? null : parseJson(text);
  return is(read) ? read : null;
}

/** Is a directory of the one list one of the other, above it or below it? */
function areNear(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => isInside(one, other) || isInside(other, one)));
}

function bootNow(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "";
  }
}

function spaceOf(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
