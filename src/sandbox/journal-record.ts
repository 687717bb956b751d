// One entry of the journal of commands, as it stands on disk.

import { isRecord } from "../core/record.ts";
import type { ProcessId } from "./processes.ts";

/** Who wrote it, so that another can tell whether that process still lives. */
export interface Writer {
  readonly pid: number;
  /** When that process was started, by the kernel's count. */
  readonly born: string | null;
  /** Since which start of the machine. */
  readonly boot: string;
  /** In which space of process numbers. */
  readonly space: string;
}

/** A writer, and which directories it is about: of a command, those that it may change. */
export interface PlacedWriter extends Writer {
  readonly dirs: readonly string[];
}

/** A directory a command may change. */
export interface NotedRoot {
  readonly dir: string;
  readonly ino: number;
  /** Roots in it that were looked at by themselves, by path. */
  readonly others: readonly string[];
}

/** A git directory, and where the files are that it keeps. */
export interface NotedGit {
  readonly dir: string;
  readonly ino: number;
  readonly worktree: string;
}

export interface JournalRecord extends PlacedWriter {
  /** The processes from which all of its own descend. Not before it has begun, and not in notes of earlier versions. */
  readonly firsts?: readonly ProcessId[];
  /** The same in notes of earlier versions, where it was one. */
  readonly first?: ProcessId;
  /** Did the command start? */
  readonly begun: boolean;
  /** Did it end without being looked through? */
  readonly ended: boolean;
  readonly roots: readonly NotedRoot[];
  /** What stood there and executes later: a word for each (`known.ts`). A word of any other form stands for nothing. */
  readonly known: readonly string[];
  /** Names that nothing else could take while the command ran: `device:inode` of the directory, `/`, the name. */
  readonly slots: readonly string[];
  /** Empty directories that were made for it, by path. */
  readonly stubs: readonly string[];
  /** Git directories that it could write to. Not in notes of earlier versions. */
  readonly gits?: readonly NotedGit[];
  /** Where else git takes hooks and settings from, absolute. Not in notes of earlier versions. */
  readonly places?: readonly string[];
}

export function isJournalRecord(value: unknown): value is JournalRecord {
  if (!isRecord(value)) return false;
  const { first, firsts = [], begun, ended, roots, known, slots, stubs, gits = [], places = [] } = value;
  return (
    isPlaced(value) &&
    (first === undefined || isProcess(first)) &&
    Array.isArray(firsts) &&
    firsts.every(isProcess) &&
    [begun, ended].every((one) => typeof one === "boolean") &&
    [known, slots, stubs, places].every(areTexts) &&
    Array.isArray(gits) &&
    gits.every(isNotedGit) &&
    Array.isArray(roots) &&
    roots.every(isNotedRoot)
  );
}

export function isPlaced(value: unknown): value is PlacedWriter {
  if (!isRecord(value)) return false;
  const { pid, born, boot, space, dirs } = value;
  return (
    typeof pid === "number" &&
    (born === null || typeof born === "string") &&
    [boot, space].every((one) => typeof one === "string") &&
    areTexts(dirs)
  );
}

const isProcess = (value: unknown): boolean => isRecord(value) && typeof value["pid"] === "number" && typeof value["born"] === "string";

function isNotedRoot(value: unknown): value is NotedRoot {
  return isRecord(value) && typeof value["dir"] === "string" && typeof value["ino"] === "number" && areTexts(value["others"]);
}

function isNotedGit(value: unknown): value is NotedGit {
  return isRecord(value) && typeof value["dir"] === "string" && typeof value["ino"] === "number" && typeof value["worktree"] === "string";
}

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string");
