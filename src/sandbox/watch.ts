// While a command runs: what covers its secrets must stay in place, nothing that executes later may come into being, no grant may end
// unnoticed, and root must not fill the machine with processes. A few looks at pinned directories, many times a second.

import { statEntry } from "../core/fs/at.ts";
import { isStillIt } from "../core/fs/identity.ts";
import { pin } from "../core/fs/pin.ts";
import { lendBytesAtOnce, Scratch } from "../core/fs/read.ts";
import { show } from "../core/path/show.ts";
import { doInTurns, type Steps } from "../core/steps.ts";
import type { RenamedEntry, StopCode } from "./port.ts";
import type { CoveredEntry } from "./mount-draft.ts";
import type { Profile } from "./profile.ts";
import type { User } from "./folder.ts";

/** Milliseconds between looks, where there is little to look at; each look costs a few microseconds an entry. */
const PAUSE = 20;
const ENTRIES_A_MILLISECOND = 10;
/** The tops of the roots may hold any number of names: after each look at those that changed there is a pause of so many times what it took. */
const PATROL_SHARE = 4;
/** A command that goes on making what was set aside is stopped. */
const PATIENCE = 3;
/** A program that may run for hours is looked through as a whole meanwhile: this many milliseconds after the last look, or so many times what that took. */
const SWEEP_PAUSE = 1000;
const SWEEP_SHARE = 50;
/** Milliseconds between two signs of life. */
const BEAT = 10_000;
/** Milliseconds after which a command goes on that was stopped by somebody who is gone. */
const REVIVAL = 500;

export interface FileWatch {
  /** What was set aside so far. */
  readonly setAside: readonly RenamedEntry[];
  /** Look now at what must stay in its place. */
  look(): void;
  /** Done when nothing is looked at any more. */
  end(): Promise<void>;
}

export interface WatchPorts {
  readonly clock: () => number;
  readonly user: User;
  /** How many processes the command may have. */
  readonly processes: number;
  /** Look through all of the roots every now and then, not only at their tops? */
  readonly deep: boolean;
  /** Is it no reason for this program to go on? */
  readonly background?: true;
  /** Take a look through the roots in turns with others. */
  readonly look: <T>(steps: () => Steps<T>) => Promise<T>;
  /** Called every few seconds, so that others can tell that we live. */
  readonly beat: () => void;
  /** Called every half second: let the command go on, if it is stopped and nobody is left who would. */
  readonly revive: () => void;
}

/** Look now and until told to end; `stop` is called at most once. */
export function startWatch(profile: Profile, ports: WatchPorts, stop: (code: StopCode, why: string) => void): FileWatch {
  const setAside: RenamedEntry[] = [];
  const report = (entries: readonly RenamedEntry[]): void => {
    // What cannot be renamed is found again and again.
    setAside.push(...entries.filter(({ from, to }) => to !== null || setAside.every((earlier) => earlier.from !== from)));
  };
  // The system limits everybody's processes but root's.
  const most = ports.user.uid === 0 ? (processesNow() ?? Number.POSITIVE_INFINITY) + ports.processes : Number.POSITIVE_INFINITY;
  let isOver = false;
  const stopFor = ({ code, why }: WatchFault): void => {
    if (isOver) return;
    void end();
    stop(code, why);
  };
  const look = (): void => {
    const problem = trouble(profile, ports.clock) ?? crowd(most);
    if (problem !== null) stopFor(problem);
  };
  let top = 0;
  const patrol = async (): Promise<void> => {
    try {
      const entries = await doInTurns(profile.patrol());
      report(entries);
      top += entries.length;
      if (top > PATIENCE)
        stopFor({ code: "protected-path", why: `the command kept on making ${show(entries.at(-1)?.from ?? "")}, which executes later` });
    } catch {
      stopFor(UNSEEN);
    }
  };
  const sweep = async (): Promise<void> => {
    try {
      report(await ports.look(() => profile.sweep("running")));
    } catch {
      // Directories move under us; when the command has ended they do not.
    }
  };
  const { background } = ports;
  const timer = setInterval(look, Math.max(PAUSE, profile.covered.length / ENTRIES_A_MILLISECOND));
  const beats = setInterval(ports.beat, BEAT);
  const revivals = setInterval(ports.revive, REVIVAL);
  if (background) for (const interval of [timer, beats, revivals]) interval.unref();
  const patrols = again(patrol, { first: 0, pause: PAUSE, share: PATROL_SHARE, background });
  const sweeps = ports.deep ? again(sweep, { first: SWEEP_PAUSE, pause: SWEEP_PAUSE, share: SWEEP_SHARE, background }) : null;
  const end = async (): Promise<void> => {
    isOver = true;
    clearInterval(timer);
    clearInterval(beats);
    clearInterval(revivals);
    await Promise.all([patrols.end(), sweeps?.end()]);
  };
  // RACE: what was lost while the sandbox was set up is seen before the command starts.
  const lost = trouble(profile, ports.clock);
  if (lost !== null) stopFor(lost);
  return { setAside, look, end };
}

interface Pace {
  readonly first: number;
  readonly pause: number;
  readonly share: number;
  readonly background: true | undefined;
}

/** Do it again and again, as often as costs little: after a pause in milliseconds, or so many times what it took. One at a time. */
function again(act: () => Promise<void>, { first, pause, share, background }: Pace): { end(): Promise<void> } {
  let isOver = false;
  let underWay: Promise<void> = Promise.resolve();
  const next = (): void => {
    underWay = once();
  };
  const once = async (): Promise<void> => {
    const since = performance.now();
    await act();
    if (!isOver) timer = after(Math.max(pause, (performance.now() - since) * share));
  };
  const after = (milliseconds: number): NodeJS.Timeout => {
    const made = setTimeout(next, milliseconds);
    return background ? made.unref() : made;
  };
  let timer = after(first);
  return {
    end() {
      isOver = true;
      clearTimeout(timer);
      return underWay;
    },
  };
}

interface WatchFault {
  readonly code: StopCode;
  readonly why: string;
}

const UNSEEN: WatchFault = { code: "stale-path", why: "the workspace can no longer be looked at" };

function trouble(profile: Profile, clock: () => number): WatchFault | null {
  try {
    if (profile.expires !== null && profile.expires <= clock())
      return { code: "grant-expired", why: "a grant that the command saw has ended" };
    const lost = profile.covered.find((entry) => !isStillThere(entry));
    if (lost !== undefined)
      return { code: "stale-path", why: `${show(lost.path)} was replaced while the command ran, which would have uncovered it` };
    const wire = profile.tripwires.find(({ dir, name }) => statEntry(dir, name) !== null);
    return wire === undefined ? null : { code: "protected-path", why: `the command made ${show(wire.path)}, which git takes orders from` };
  } catch {
    return UNSEEN;
  }
}

function isStillThere(covered: CoveredEntry): boolean {
  const facts = statEntry(covered.dir, covered.name)?.facts;
  return facts !== undefined && isStillIt(covered, facts);
}

function crowd(most: number): WatchFault | null {
  if (most === Number.POSITIVE_INFINITY || (processesNow() ?? 0) <= most) return null;
  return { code: "too-large", why: "the command started more processes than it may and was stopped" };
}

/** How many processes and threads there are on the machine; null where the system does not tell. */
function processesNow(): number | null {
  try {
    const at = pin("/proc/loadavg");
    try {
      const text = lendBytesAtOnce(at, 1024, new Scratch(), (bytes) => bytes.toString("latin1"));
      const count = typeof text === "string" ? Number(/\/(\d+) /.exec(text)?.[1]) : Number.NaN;
      return Number.isNaN(count) ? null : count;
    } finally {
      at.close();
    }
  } catch {
    return null;
  }
}
