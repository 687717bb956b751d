// The paired harness: all variants in one process, a short slice of each in every
// round, in shuffled order, and the ratio taken within the round. Drift and neighbours
// then land on both sides of a ratio. Promises ratios, not times: read the times as a
// hint. Whether the machine is quiet is for quiet.ts, what a ratio must be for report.ts.

/**
 * What is timed. A sync variant is never awaited: an await would cost more than it does. One that times itself gives the nanoseconds
 * of what is wanted, where that is over before the call is; a process of its own is timed by whoever started it.
 */
export type Variant =
  | { readonly name: string; readonly kind: "sync"; readonly run: () => unknown }
  | { readonly name: string; readonly kind: "async"; readonly run: () => Promise<unknown> }
  | { readonly name: string; readonly kind: "self-timed"; readonly run: () => Promise<number> }
  | { readonly name: string; readonly kind: "process"; readonly run: () => Promise<Sample> };

/**
 * How long a slice is. `one-call` is for work of tens of milliseconds and more: one call
 * a slice, one discarded call to warm up, and no retakes, since a call that long is
 * always interrupted somewhere and taking it again would not change that.
 */
export type Slicing = { readonly take: "milliseconds"; readonly milliseconds: number } | { readonly take: "one-call" };

export interface Plan {
  readonly variants: readonly Variant[];
  /** Name of the variant the ratios refer to. It runs a second time as its own A/A twin. */
  readonly anchor: string;
  /** Operations in one call of `run`; times are given per operation. */
  readonly operations: number;
  readonly rounds: number;
  readonly slicing: Slicing;
}

/** The outer world, so that a test can bring its own clock. Times in nanoseconds. */
export interface Ports {
  readonly now: () => number;
  /** User and system time of this process and of its ended children. */
  readonly cpu: () => number;
  /** Involuntary context switches of this process so far. */
  readonly switches: () => number;
  /** Collects garbage, or does nothing where `gc` is not exposed. */
  readonly collect: () => void;
  readonly random: () => number;
}

/** One slice, in nanoseconds per operation. */
export interface Sample {
  readonly wall: number;
  readonly cpu: number;
}

/** Ratio of two variants: over the rounds (median and quartiles) and of their best slices. */
export interface Ratio {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly minima: number;
}

export interface Measured {
  /** `noisy` when the A/A twin was out of bounds in every attempt: judge nothing by it. */
  readonly state: "steady" | "noisy";
  readonly anchor: string;
  /** Name and ratio of the anchor's twin. */
  readonly twin: { readonly name: string; readonly ratio: Ratio };
  readonly attempts: number;
  /** By variant (the twin included), one sample a round, rounds in the same order. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
}

export const SLICE: Slicing = { take: "milliseconds", milliseconds: 8 };
/** For calls near a millisecond that leave much garbage: eight calls would be too few to settle. */
export const LONG_SLICE: Slicing = { take: "milliseconds", milliseconds: 32 };
export const ONE_CALL: Slicing = { take: "one-call" };

const TWIN_LOW = 0.93;
const TWIN_HIGH = 1.07;
const ATTEMPTS = 3;
const TRIES = 4;
const NANOSECONDS = 1e6;

/**
 * Runs the plan. An attempt whose A/A median is outside 0.93–1.07 is void and repeated,
 * at most three in all; if none holds, the one nearest to 1 is given, marked `noisy`.
 */
export async function measure(plan: Plan, ports: Ports): Promise<Measured> {
  const anchor = plan.variants.find((variant) => variant.name === plan.anchor);
  if (anchor === undefined) throw new Error(`no variant is called \`${plan.anchor}\``);
  const twin: Variant = { ...anchor, name: `${anchor.name} (again)` };
  const variants = [...plan.variants, twin];

  let best: Measured | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const samples = await takeRounds(variants, plan, ports);
    const ratio = ratioBetween(samples, twin.name, anchor.name);
    const holds = ratio.median >= TWIN_LOW && ratio.median <= TWIN_HIGH;
    const measured: Measured = {
      state: holds ? "steady" : "noisy",
      anchor: anchor.name,
      twin: { name: twin.name, ratio },
      attempts: attempt,
      samples,
    };
    if (holds) return measured;
    const nearer = best === undefined || distance(ratio) < distance(best.twin.ratio);
    best = nearer ? measured : best;
  }
  if (best === undefined) throw new Error("no attempt was made");
  return { ...best, attempts: ATTEMPTS };
}

/** How long `variant` takes against `against`, both of the same run. */
export function compare(measured: Measured, variant: string, against: string): Ratio {
  return ratioBetween(measured.samples, variant, against);
}

/** Median time of an operation, in nanoseconds. */
export function timeOf(measured: Measured, variant: string): Sample {
  const samples = samplesOf(measured.samples, variant);
  return {
    wall: quantile(
      samples.map((sample) => sample.wall),
      0.5,
    ),
    cpu: quantile(
      samples.map((sample) => sample.cpu),
      0.5,
    ),
  };
}

/** Quantile with linear interpolation. Takes at least one value for granted. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new Error("no values to take a quantile of");
  return below + (above - below) * (position - Math.floor(position));
}

async function takeRounds(variants: readonly Variant[], plan: Plan, ports: Ports): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const samples = new Map<string, Sample[]>();
  const calls = new Map<string, number>();
  for (const variant of variants) {
    if (samples.has(variant.name)) throw new Error(`two variants are called \`${variant.name}\``);
    samples.set(variant.name, []);
    calls.set(variant.name, await warmUp(variant, plan.slicing, ports));
  }
  // INVARIANT: twins make the same number of calls a slice, or A/A would measure calibration.
  calls.set(`${plan.anchor} (again)`, calls.get(plan.anchor) ?? 1);

  for (let round = 0; round < plan.rounds; round += 1) {
    ports.collect();
    for (const variant of shuffle(variants, ports.random)) {
      const count = calls.get(variant.name) ?? 1;
      const slice = await takeSlice({ variant, calls: count, slicing: plan.slicing }, ports);
      const operations = count * plan.operations;
      samples.get(variant.name)?.push({ wall: slice.wall / operations, cpu: slice.cpu / operations });
    }
  }
  return samples;
}

interface Slice extends Sample {
  readonly switches: number;
}

interface Take {
  readonly variant: Variant;
  readonly calls: number;
  readonly slicing: Slicing;
}

/** Takes a slice again while it was interrupted, and keeps the least disturbed one. */
async function takeSlice(take: Take, ports: Ports): Promise<Slice> {
  let kept = await timeCalls(take.variant, take.calls, ports);
  if (take.slicing.take === "one-call") return kept;
  const tooLong = 4 * take.slicing.milliseconds * NANOSECONDS;
  for (let tried = 1; tried < TRIES && kept.switches > 0 && kept.wall < tooLong; tried += 1) {
    const slice = await timeCalls(take.variant, take.calls, ports);
    if (slice.switches < kept.switches) kept = slice;
  }
  return kept;
}

/**
 * Warms the variant up and gives the number of calls that fills a slice. The first calls
 * are slow (nothing is compiled yet), so the number is found again with each pass.
 */
async function warmUp(variant: Variant, slicing: Slicing, ports: Ports): Promise<number> {
  if (slicing.take === "one-call") {
    await timeCalls(variant, 1, ports);
    return 1;
  }
  const target = slicing.milliseconds * NANOSECONDS;
  let calls = 1;
  for (let pass = 0; pass < 24; pass += 1) {
    const { wall } = await timeCalls(variant, calls, ports);
    const settled = wall > target * 0.7 && wall < target * 1.4;
    const oneIsTooLong = calls === 1 && wall >= target;
    if (pass >= 5 && settled) return calls;
    if (pass >= 2 && oneIsTooLong) return calls;
    const fitting = Math.round((calls * target) / Math.max(wall, 1));
    calls = Math.max(1, Math.min(fitting, calls * 8));
  }
  return calls;
}

// Results go here, so that no call can be left out as having no effect.
const sink: { value: unknown } = { value: undefined };

async function timeCalls(variant: Variant, calls: number, ports: Ports): Promise<Slice> {
  const switches = ports.switches();
  if (variant.kind === "process") return { ...(await sumOfSamples(variant.run, calls)), switches: ports.switches() - switches };
  const cpu = ports.cpu();
  const start = ports.now();
  if (variant.kind === "sync") callAll(variant.run, calls);
  else if (variant.kind === "async") await callEach(variant.run, calls);
  const wall = variant.kind === "self-timed" ? await sumOf(variant.run, calls) : ports.now() - start;
  return { wall, cpu: ports.cpu() - cpu, switches: ports.switches() - switches };
}

function callAll(run: () => unknown, calls: number): void {
  for (let call = 0; call < calls; call += 1) sink.value = run();
}

async function callEach(run: () => Promise<unknown>, calls: number): Promise<void> {
  for (let call = 0; call < calls; call += 1) sink.value = await run();
}

async function sumOf(run: () => Promise<number>, calls: number): Promise<number> {
  let sum = 0;
  for (let call = 0; call < calls; call += 1) sum += await run();
  return sum;
}

async function sumOfSamples(run: () => Promise<Sample>, calls: number): Promise<Sample> {
  let [wall, cpu] = [0, 0];
  for (let call = 0; call < calls; call += 1) {
    const sample = await run();
    wall += sample.wall;
    cpu += sample.cpu;
  }
  return { wall, cpu };
}

function ratioBetween(samples: ReadonlyMap<string, readonly Sample[]>, variant: string, against: string): Ratio {
  const above = samplesOf(samples, variant).map((sample) => sample.wall);
  const below = samplesOf(samples, against).map((sample) => sample.wall);
  const ratios = above.map((time, round) => time / (below[round] ?? Number.NaN));
  return {
    median: quantile(ratios, 0.5),
    low: quantile(ratios, 0.25),
    high: quantile(ratios, 0.75),
    minima: Math.min(...above) / Math.min(...below),
  };
}

function samplesOf(samples: ReadonlyMap<string, readonly Sample[]>, variant: string): readonly Sample[] {
  const found = samples.get(variant);
  if (found === undefined) throw new Error(`no variant is called \`${variant}\``);
  return found;
}

function distance(ratio: Ratio): number {
  return Math.abs(Math.log(ratio.median));
}

function shuffle<T>(values: readonly T[], random: () => number): readonly T[] {
  const left = [...values];
  const shuffled: T[] = [];
  while (left.length > 0) shuffled.push(...left.splice(Math.floor(random() * left.length), 1));
  return shuffled;
}
