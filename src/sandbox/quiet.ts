// A quiet time over directories: from when it begins until it ends, no confined command of any program of the person's moves anything
// in them. Running commands are stopped meanwhile; commands about to start wait. So nothing can be moved from a place that was not looked at
// yet to one that was.

import { setTimeout as sleep } from "node:timers/promises";
import type { Journal, RunningCommand } from "./journal.ts";
import { pause, type PausedProcesses } from "./pause.ts";
import { type CommandStop, stopped } from "./port.ts";
import type { ProcessId } from "./processes.ts";

export interface StoppedCommands {
  /** Were there commands to be stopped? */
  readonly disturbed: boolean;
  /** Has it been quiet since it began? */
  holds(): boolean;
  /** Let everything go on. Only the first word counts. */
  end(): void;
}

/** Milliseconds between two looks at the line. */
const WAIT = 3;

/**
 * Wait until it is our turn and stop whoever can write to these directories, above or below them. A code where they cannot be stopped;
 * null where `isOver` came first.
 */
export async function quieten(
  journal: Journal,
  dirs: readonly string[],
  isOver: () => boolean,
): Promise<StoppedCommands | CommandStop | null> {
  for (;;) {
    // INVARIANT: whoever stops a command stands in line for all that it can write to. So nobody lets it go on while another counts on it.
    const about = [...dirs, ...journal.running(dirs).flatMap((command) => command.dirs)];
    const turn = journal.line(about);
    let paused: PausedProcesses | null = null;
    try {
      while (!turn.isNext()) {
        if (isOver()) return null;
        await sleep(WAIT);
      }
      const running = journal.running(dirs);
      if (running.some((command) => command.dirs.some((dir) => !about.includes(dir)))) continue;
      if (running.some(({ firsts }) => firsts === null)) return stopped("stale-path", UNSEEN);
      paused = await pause(oneOfEach(running.flatMap(({ firsts }) => firsts ?? [])));
      return paused === null ? stopped("stale-path", UNSTOPPED) : quietUntil({ journal, dirs, running, paused, leave: turn.leave });
    } finally {
      if (paused === null) turn.leave();
    }
  }
}

const UNSTOPPED =
  "another command that can write to the same directories could not be stopped for the moment it takes to look for secrets; try again when it has ended";
const UNSEEN =
  "a command that runs in another container, or that an earlier version of Hallpass runs, can write to the same directories and cannot be stopped while they are looked through for secrets; try again when it has ended";

/** Several commands of a session have the session's first process in common. */
const oneOfEach = (firsts: readonly ProcessId[]): readonly ProcessId[] => [...new Map(firsts.map((first) => [first.pid, first])).values()];

interface QuietState {
  readonly journal: Journal;
  readonly dirs: readonly string[];
  readonly running: readonly RunningCommand[];
  readonly paused: PausedProcesses;
  readonly leave: () => void;
}

function quietUntil({ journal, dirs, running, paused, leave }: QuietState): StoppedCommands {
  const names = new Set(running.map(({ name }) => name));
  let over = false;
  return {
    disturbed: running.length > 0,
    // Whoever was stopped itself meanwhile (Ctrl-Z) is no longer waited for.
    holds: () => !over && journal.running(dirs).every(({ name }) => names.has(name)) && paused.holds(),
    end() {
      if (over) return;
      over = true;
      paused.end();
      leave();
    },
  };
}
