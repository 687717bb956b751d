// What a soak has shown: each check can fail, and what was not measured fails.

/** What was seen of the daemon at one moment. Null: it could not be told. */
export interface Sample {
  readonly minute: number;
  /** Megabytes. */
  readonly memory: number | null;
  readonly descriptors: number | null;
  /** The write-ahead log, in megabytes. */
  readonly log: number | null;
  /** Milliseconds of the processor since the daemon began. */
  readonly cpu: number | null;
  /** How often each kind of work was done so far. */
  readonly done: Readonly<Record<string, number>>;
  /** How many decisions were acknowledged so far. */
  readonly decisions: number;
}

/** What was found when everything had stopped. */
export interface SoakEnd {
  readonly faults: number;
  /** The first record whose hash does not fit; null where all do. */
  readonly brokenAt: number | null;
  /** How many decisions the record has. */
  readonly recorded: number;
  /** Calls that were answered and are in no record. */
  readonly unrecorded: readonly string[];
  readonly exitCode: number | null;
}

export interface Check {
  readonly name: string;
  readonly isOk: boolean;
  readonly says: string;
}

/** So much may anything grow. */
const SHARE = 1.1;
/** A kind of work that is done less than this share as often at the end as before has come to a stand. */
const LEAST = 0.25;

/** Minute five until ten of thirty, against the last five; of another length the same shares of it. */
export function judgeSoak(samples: readonly Sample[], minutes: number, end: SoakEnd): readonly Check[] {
  const early = samples.filter(({ minute }) => minute >= minutes / 6 && minute <= minutes / 3);
  const late = samples.filter(({ minute }) => minute >= (minutes * 5) / 6);
  const grows = (name: string, of: (samples: readonly Sample[]) => number | null): Check => {
    const [before, after] = [of(early), of(late)];
    if (before === null || after === null) return { name, isOk: false, says: "was not measured" };
    return { name, isOk: after <= before * SHARE, says: `${before.toFixed(2)} → ${after.toFixed(2)}` };
  };
  const level = (name: "memory" | "descriptors" | "log"): Check => grows(name, (of) => median(of.map((sample) => sample[name])));
  const { faults, brokenAt, recorded, unrecorded, exitCode } = end;
  const decisions = samples.at(-1)?.decisions ?? 0;
  return [
    level("memory"),
    level("descriptors"),
    level("log"),
    grows("CPU a decision", cpuOfDecision),
    ...workOf(early, late),
    { name: "faults", isOk: faults === 0, says: String(faults) },
    {
      name: "recorded",
      isOk: decisions > 0 && recorded >= decisions && unrecorded.length === 0,
      says: `${recorded} decisions of ${decisions}; missing: ${unrecorded.length === 0 ? "none" : unrecorded.slice(0, 5).join(", ")}`,
    },
    { name: "chain", isOk: brokenAt === null && recorded > 0, says: brokenAt === null ? "is whole" : `breaks at ${brokenAt}` },
    { name: "the daemon", isOk: exitCode === 0, says: `ended with ${exitCode}` },
  ];
}

/** Null where one is missing: a value that was not told is no small value. */
function median(values: readonly (number | null)[]): number | null {
  const told = values.filter((value) => value !== null && value > 0) as readonly number[];
  return told.length < values.length ? null : (told.toSorted((a, b) => a - b)[told.length >> 1] ?? null);
}

/** Milliseconds of the daemon's processor time for each decision within these samples. */
function cpuOfDecision(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first.cpu === null || last.cpu === null) return null;
  const decisions = last.decisions - first.decisions;
  return decisions <= 0 || last.cpu <= first.cpu ? null : (last.cpu - first.cpu) / decisions;
}

/** Is each kind of work still done? */
function workOf(early: readonly Sample[], late: readonly Sample[]): readonly Check[] {
  return Object.keys(late.at(-1)?.done ?? {}).map((kind) => {
    const [before, after] = [rateOf(early, kind), rateOf(late, kind)];
    return { name: kind, isOk: before > 0 && after >= LEAST * before, says: `${before.toFixed(0)} → ${after.toFixed(0)} a minute` };
  });
}

function rateOf(samples: readonly Sample[], kind: string): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.minute <= first.minute) return 0;
  return ((last.done[kind] ?? 0) - (first.done[kind] ?? 0)) / (last.minute - first.minute);
}
