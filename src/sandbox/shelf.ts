// Stores the notes of commands: in a directory of the person's own, for all programs of theirs; or in memory, where they can have no
// such directory, for this process alone.

import * as fs from "node:fs";
import type { Clock } from "../core/clock.ts";
import { errnoOf } from "../core/errno.ts";

export interface NoteStore {
  names(): readonly string[];
  /** Null where there is none. */
  read(name: string): string | null;
  /** All of it or nothing. `lasting`: also if the machine loses its power. Throws the system's error. */
  write(name: string, text: string, lasting: boolean): void;
  /** When it was last written or touched; 0 where there is none. */
  touched(name: string): number;
  touch(name: string): void;
  remove(name: string): void;
}

/** The person's own machine does not let us write here: not a fault, and nothing a confined command can bring about. */
const NOT_HERE: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR"]);

/** Where it is, which is on the list of secrets: one place for all programs of a user, whatever data directory they use. */
const PLACE = [".local", "share", "hallpass", "commands"];

/** The shelf of whoever has this home directory; null where they cannot have one. Throws the system's error, as where the disk is full. */
export function openShelf(home: string, clock: Clock): NoteStore | null {
  const place = placeIn(home);
  return place === null ? null : fileShelf(place, clock);
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

function fileShelf(place: string, clock: Clock): NoteStore {
  return {
    names: () => fs.readdirSync(place),
    read(name) {
      try {
        return fs.readFileSync(`${place}/${name}`, "utf8");
      } catch (error) {
        // Gone meanwhile, or not ours. Anything else must not pass for that.
        if (NOT_HERE.has(errnoOf(error))) return null;
        throw error;
      }
    },
    write: (name, text, lasting) => writeWhole(`${place}/${name}`, text, lasting),
    touched: (name) => fs.statSync(`${place}/${name}`, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    touch: (name) => quietly(() => fs.utimesSync(`${place}/${name}`, clock() / 1000, clock() / 1000)),
    remove: (name) => quietly(() => fs.unlinkSync(`${place}/${name}`)),
  };
}

export function memoryShelf(clock: Clock): NoteStore {
  const notes = new Map<string, { readonly text: string; readonly at: number }>();
  return {
    names: () => [...notes.keys()],
    read: (name) => notes.get(name)?.text ?? null,
    write: (name, text) => void notes.set(name, { text, at: clock() }),
    touched: (name) => notes.get(name)?.at ?? 0,
    touch(name) {
      const note = notes.get(name);
      if (note !== undefined) notes.set(name, { ...note, at: clock() });
    },
    remove: (name) => void notes.delete(name),
  };
}

/** Written aside, then renamed. */
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

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // It is gone, or the disk is: the next to look finds it or does not.
  }
}
