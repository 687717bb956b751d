// Which commands are under way on which directories, on disk: so that what one of them made and nobody looked through, because the
// program was killed or the machine lost its power, is looked through before the next command takes it for something that was always there.

import * as fs from "node:fs";
import { type Clock, randomIds } from "../core/clock.ts";
import { errnoOf } from "../core/errno.ts";
import { isInside } from "../core/path/contain.ts";
import { bornAt } from "./processes.ts";
import { isRecord, type JournalRecord, type Writer } from "./journal-record.ts";

/** What a command may change and what stood there before it, for whoever looks it through in our place. */
export type Before = Pick<JournalRecord, "roots" | "known" | "slots" | "stubs" | "gits" | "places">;

export interface Entry {
  /** Say what stood there, before the command starts. `lasting`: also if the machine loses its power. Throws the system's error. */
  describe(before: Before, lasting: boolean): void;
  /** Still at it. */
  beat(): void;
  /** It has ended and was looked through. */
  end(): void;
  /** It has ended and could not be looked through: that is left to the next. */
  leave(): void;
}

/** A command that did not come to its end. */
export interface Left extends Before {
  /** Is the machine still up since then? Otherwise devices may have other numbers. */
  readonly sameBoot: boolean;
  forget(): void;
}

export interface Journal {
  /** A command begins that can write to these directories. Throws the system's error where it cannot be noted. */
  begin(dirs: readonly string[]): Entry;
  /** Commands on one of these directories, above or below it, that did not come to their end. */
  left(dirs: readonly string[]): readonly Left[];
  /** Is another command under way on one of them? */
  isShared(dirs: readonly string[]): boolean;
}

/** Milliseconds after which a command that cannot be asked whether it lives, and has not said so, does not. */
const SILENCE = 60_000;
/** The person's own machine does not let us write here: not a fault, and nothing a confined command can bring about. */
const NOT_HERE: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR"]);

/** Where it is, which is on the list of secrets: one place for all programs of a user, whatever data directory they use. */
const PLACE = [".local", "share", "hallpass", "commands"];

/** The journal of whoever has this home directory; null where they cannot have one. Throws the system's error, as where the disk is full. */
export function openJournal(home: string, clock: Clock): Journal | null {
  const place = placeIn(home);
  return place === null ? null : new FileJournal(place, clock);
}

function placeIn(home: string): string | null {
  try {
    if (!fs.statSync(home).isDirectory()) return null;
    const place = [home, ...PLACE].join("/");
    fs.mkdirSync(place, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.lstatSync(place);
    const own = process.geteuid?.() ?? uid;
    if ((uid !== own && own !== 0) || (mode & 0o022) !== 0) return null;
    fs.accessSync(place, fs.constants.W_OK);
    return place;
  } catch (error) {
    if (NOT_HERE.has(errnoOf(error))) return null;
    throw error;
  }
}

class FileJournal implements Journal {
  readonly #place: string;
  readonly #clock: Clock;
  readonly #self: Writer = { pid: process.pid, born: bornAt(process.pid), boot: bootNow(), space: spaceOf() };
  readonly #own = new Set<string>();

  constructor(place: string, clock: Clock) {
    this.#place = place;
    this.#clock = clock;
  }

  begin(dirs: readonly string[]): Entry {
    const name = `${randomIds()}.json`;
    const path = `${this.#place}/${name}`;
    let record: JournalRecord = { ...this.#self, dirs, begun: false, ended: false, roots: [], known: [], slots: [], stubs: [] };
    const write = (next: JournalRecord, lasting: boolean): void => {
      record = next;
      writeWhole(path, JSON.stringify(next), lasting);
    };
    write(record, false);
    this.#own.add(name);
    return {
      describe: (before, lasting) => write({ ...record, ...before, begun: true }, lasting),
      beat: () => quietly(() => fs.utimesSync(path, this.#clock() / 1000, this.#clock() / 1000)),
      end: () => {
        this.#own.delete(name);
        quietly(() => fs.unlinkSync(path));
      },
      leave: () => {
        this.#own.delete(name);
        quietly(() => write({ ...record, ended: true }, false));
      },
    };
  }

  left(dirs: readonly string[]): readonly Left[] {
    return this.#others(dirs).flatMap(({ path, record, alive }) => {
      if (alive) return [];
      const forget = (): void => quietly(() => fs.unlinkSync(path));
      // It was being set up, and never ran.
      if (record.begun) return [{ ...record, sameBoot: record.boot === this.#self.boot, forget }];
      forget();
      return [];
    });
  }

  isShared(dirs: readonly string[]): boolean {
    return this.#others(dirs).some(({ alive }) => alive);
  }

  #others(dirs: readonly string[]): readonly { readonly path: string; readonly record: JournalRecord; readonly alive: boolean }[] {
    return fs.readdirSync(this.#place).flatMap((name) => {
      if (!name.endsWith(".json") || this.#own.has(name)) return [];
      const path = `${this.#place}/${name}`;
      const record = readRecord(path);
      const near = record?.dirs.some((one) => dirs.some((other) => isInside(one, other) || isInside(other, one))) === true;
      return record === null || !near ? [] : [{ path, record, alive: this.#lives(record, path) }];
    });
  }

  #lives({ pid, born, boot, space, ended }: JournalRecord, path: string): boolean {
    if (ended || boot !== this.#self.boot) return false;
    if (space === this.#self.space) return born !== null && bornAt(pid) === born;
    // Another container's processes cannot be seen from here.
    const beat = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return beat > this.#clock() - SILENCE;
  }
}

/** All of it or nothing: written aside, then renamed. */
function writeWhole(path: string, text: string, lasting: boolean): void {
  const aside = `${path}.new`;
  try {
    const descriptor = fs.openSync(aside, "w", 0o600);
    try {
      fs.writeSync(descriptor, text);
      if (lasting) fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(aside, path);
  } catch (error) {
    quietly(() => fs.unlinkSync(aside));
    throw error;
  }
}

function readRecord(path: string): JournalRecord | null {
  try {
    const read: unknown = JSON.parse(fs.readFileSync(path, "utf8"));
    return isRecord(read) ? read : null;
  } catch {
    return null; // gone meanwhile, or never written to its end
  }
}

function bootNow(): string {
  try {
    return fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "";
  }
}

function spaceOf(): string {
  try {
    return fs.readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // It is gone, or the disk is: the next to look finds it or does not.
  }
}
