// One command's entry in the journal: first what others left in its directories is set aside, then the command itself is recorded.

import { gives } from "../core/session/root.ts";
import { listRoots, type Session } from "../core/session/session.ts";
import type { Steps } from "../core/steps.ts";
import type { GitLinks } from "./git-links.ts";
import type { Inventory } from "./inventory.ts";
import type { InitialState, JournalEntry, Journal } from "./journal.ts";
import { sweepLeft } from "./leftovers.ts";
import { type RenamedEntry, type CommandStop, stopped } from "./port.ts";
import type { ProcessId } from "./processes.ts";
import type { User } from "./folder.ts";

/** One attempt at the command, noted from before its directories are looked at. */
export interface CommandNote {
  /** Is another command under way on the same directories? */
  isShared(): boolean;
  describe(before: InitialState, firsts: readonly ProcessId[], lasting: boolean): void;
  readonly beat: () => void;
  /** The command is over. Only the first word counts: looked through, or left to the next. */
  end(sweptThrough: boolean): void;
}

export interface Notes {
  /** What was set aside of what earlier commands had left. */
  readonly left: readonly RenamedEntry[];
  /** Throws the system's error where it cannot be noted. */
  begin(): CommandNote;
}

export interface NotesPorts {
  readonly journal: Journal;
  readonly inventory: Inventory;
  readonly user: User;
  readonly links: GitLinks;
}

/** Set aside what earlier commands left on the session's directories. Throws the system's error where the journal cannot be read. */
export function* openNotes(session: Session, { journal, inventory, user, links }: NotesPorts): Steps<Notes | CommandStop> {
  const dirs = writableDirs(session);
  const aside: RenamedEntry[] = [];
  for (const left of journal.left(dirs)) {
    try {
      const shared = journal.isShared(left.roots.map(({ dir }) => dir));
      aside.push(...(yield* sweepLeft(left, session, { inventory, user, links, shared })));
    } catch {
      return { ...stopped("stale-path", UNSWEPT), setAside: leftBehind(aside) };
    }
    left.forget();
  }
  return { left: leftBehind(aside), begin: () => createNote(journal, journal.begin(dirs), dirs) };
}

const UNSWEPT = "what an earlier command left, which was cut off, could not be looked through; nothing is run before that is done";

function createNote(journal: Journal, entry: JournalEntry, dirs: readonly string[]): CommandNote {
  let over = false;
  return {
    isShared: () => journal.isShared(dirs),
    describe: (before, firsts, lasting) => entry.describe(before, firsts, lasting),
    beat: () => entry.beat(),
    end(sweptThrough) {
      if (over) return;
      over = true;
      if (sweptThrough) entry.end();
      else entry.leave();
    },
  };
}

const leftBehind = (aside: readonly RenamedEntry[]): readonly RenamedEntry[] => aside.map((one) => ({ ...one, left: true }));

/** The directories a session's commands may change. */
export const writableDirs = (session: Session): readonly string[] =>
  listRoots(session)
    .filter((root) => gives(root, "write"))
    .map(({ dir }) => dir);
