// A small fuzzer led by coverage: texts are changed at random, and those that reach code no other text reached are kept and changed further.
// V8 itself says what was reached, through node:inspector.

import { Session } from "node:inspector";
import { timeOf } from "../support/growth.ts";
import type { Target } from "./targets.ts";

export interface Finding {
  readonly text: string;
  readonly why: string;
}

export interface Ran {
  readonly tried: number;
  readonly kept: number;
  readonly places: number;
  readonly findings: readonly Finding[];
}

/** Longer texts reach nothing new; how time grows with them is shown elsewhere. */
const LONGEST = 4096;
const SLOW_MS = 100;

export function fuzz(target: Target, { seconds, random }: { readonly seconds: number; readonly random: () => number }): Ran {
  const coverage = new Coverage();
  const kept: string[] = [];
  const findings = new Map<string, Finding>();
  let tried = 0;
  const attempt = (text: string): void => {
    tried += 1;
    const why = faultOf(target, text);
    if (why !== null && !findings.has(why)) findings.set(why, { text, why });
    if (!coverage.isNew()) return;
    kept.push(text);
    const said = faultOf({ check: (one) => target.judge?.(one) }, text);
    if (said !== null && !findings.has(said)) findings.set(said, { text, why: said });
  };
  try {
    for (const seed of target.seeds) attempt(seed);
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end && findings.size < 20) attempt(mutate(kept.length === 0 ? target.seeds : kept, target.words, random));
    return { tried, kept: kept.length, places: coverage.size, findings: [...findings.values()] };
  } finally {
    coverage.stop();
  }
}

/** Why the text is a finding; null if it is none. */
export function faultOf(target: Pick<Target, "check">, text: string): string | null {
  let why: string | null = null;
  const run = (): void => {
    try {
      target.check(text);
    } catch (error) {
      why = error instanceof Error ? `${error.name}: ${error.message}` : "a fault";
    }
  };
  // Once more where it was slow: the first run of new code is.
  if (timeOf(run, 0) > SLOW_MS && timeOf(run, 0) > SLOW_MS) why ??= `it takes more than ${SLOW_MS} ms`;
  return why;
}

function mutate(texts: readonly string[], words: readonly string[], random: () => number): string {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  let text = pick(texts) ?? "";
  for (let left = 1 + Math.floor(random() * 4); left > 0; left -= 1) {
    const from = Math.floor(random() * (text.length + 1));
    const to = Math.min(text.length, from + Math.floor(random() * 12));
    const piece = text.slice(from, to);
    const put = [
      () => (pick(words) ?? "") + piece,
      () => pick(words) ?? "",
      () => "",
      () => piece + piece,
      () => String.fromCharCode(Math.floor(random() * 128)),
      () => (pick(texts) ?? "").slice(0, Math.floor(random() * 40)) + piece,
      () => (pick(words) ?? "").repeat(1 + Math.floor(random() * 20)),
    ];
    text = (text.slice(0, from) + (pick(put)?.() ?? "") + text.slice(to)).slice(0, LONGEST);
  }
  return text;
}

/** Which blocks of our own code ran, and how often as a power of two. */
class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  get size(): number {
    return this.#seen.size;
  }

  /** Was something reached since the last question that never was before? */
  isNew(): boolean {
    const before = this.#seen.size;
    this.#session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error !== null) throw error;
      for (const { url, functions } of taken.result) {
        if (!url.includes("/src/")) continue;
        for (const { ranges } of functions)
          for (const { startOffset, endOffset, count } of ranges)
            if (count > 0) this.#seen.add(`${url}:${startOffset}-${endOffset}:${Math.floor(Math.log2(count))}`);
      }
    });
    return this.#seen.size > before;
  }

  stop(): void {
    this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }
}
