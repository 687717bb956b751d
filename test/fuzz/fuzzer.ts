// A small fuzzer led by coverage: texts are changed at random, and those that reach code no other text reached are kept and changed further.
// V8 itself says what was reached, through node:inspector.

import { readFileSync } from "node:fs";
import { Session } from "node:inspector";
import type { Opened, Target } from "./target.ts";

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

/** What differs each time in words that say the same: ids, and names of temporary directories. */
const RANDOM = /[\da-f]{8}-[\da-f-]{27}|hallpass-\w{6}/g;

type Check = (text: string) => void | Promise<void>;

/** Longer texts reach nothing new; how time grows with them is shown elsewhere. */
const LONGEST = 4096;
const SLOW_MS = 100;
/** Texts that one opening serves. Then it is opened afresh, so that what many texts have left behind makes none of them slow. */
const SERVED = 250;

export interface Effort {
  readonly seconds: number;
  readonly random: () => number;
  /** It ends with so many findings. Default: 20. */
  readonly most?: number;
}

export async function fuzz(target: Target, { seconds, random, most = 20 }: Effort): Promise<Ran> {
  const stray = strayFaults();
  const subject = new Subject(target);
  const coverage = new Coverage();
  const kept: string[] = [];
  const findings = new Map<string, Finding>();
  let tried = 0;
  const found = (text: string, why: string | null): void => {
    const kind = why?.replaceAll(RANDOM, "…") ?? null;
    if (why !== null && kind !== null && !findings.has(kind)) findings.set(kind, { text, why });
  };
  const attempt = async (text: string, isSeed = false): Promise<void> => {
    tried += 1;
    found(text, await subject.faultOf(text));
    for (const why of stray.take()) found(text, why);
    const isNew = coverage.isNew();
    if (isNew) kept.push(text);
    if (target.judge !== undefined && (isNew || isSeed)) found(text, (await tryOnce(target.judge, text)).why);
  };
  try {
    for (const seed of target.seeds) await attempt(seed, true);
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end && findings.size < most)
      await attempt(mutate(kept.length === 0 ? target.seeds : kept, target.words, random));
    return { tried, kept: kept.length, places: coverage.size, findings: [...findings.values()] };
  } finally {
    coverage.stop();
    await subject.close();
    stray.stop();
  }
}

/** Why these texts are findings; empty if none is. */
export async function faultsIn(target: Target, texts: readonly string[]): Promise<readonly string[]> {
  const subject = new Subject(target);
  const stray = strayFaults();
  const faults: (string | null)[] = [];
  try {
    for (const text of texts) {
      faults.push(await subject.faultOf(text), ...stray.take());
      if (target.judge !== undefined) faults.push((await tryOnce(target.judge, text)).why);
    }
    return faults.filter((why) => why !== null);
  } finally {
    await subject.close();
    stray.stop();
  }
}

/** What is tried, open for as many texts as it serves. */
class Subject {
  readonly #target: Target;
  #opened: Opened | null = null;
  #served = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  async faultOf(text: string): Promise<string | null> {
    const { why, time } = await tryOnce(await this.#check(), text, processTime);
    if (why === null && time <= SLOW_MS) return null;
    // Once more by itself: the first run of new code is slow, a busy machine is late, and many texts leave much behind.
    await this.close();
    const again = await tryOnce(await this.#check(), text, threadTime);
    if (again.why !== null) return again.why;
    if (why !== null) return why.startsWith("Late:") ? null : `${why} (only after other texts)`;
    const isSlow = again.time > SLOW_MS && (await tryOnce(await this.#check(), text, threadTime)).time > SLOW_MS;
    return isSlow ? `it takes more than ${SLOW_MS} ms` : null;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    await opened?.close();
  }

  async #check(): Promise<Check> {
    const target = this.#target;
    if (!("open" in target)) return (text) => target.check(text);
    if (this.#opened !== null && this.#served >= SERVED) await this.close();
    if (this.#opened === null) {
      this.#opened = await target.open();
      this.#served = 0;
    }
    this.#served += 1;
    const opened = this.#opened;
    return (text) => opened.check(text);
  }
}

/** Time is the processor's, so that a busy machine changes nothing. */
async function tryOnce(check: Check, text: string, clock = processTime): Promise<{ readonly why: string | null; readonly time: number }> {
  let why: string | null = null;
  const before = clock();
  try {
    // What is read at once takes no turn of the loop.
    const checking = check(text);
    if (checking instanceof Promise) await checking;
  } catch (error) {
    why = error instanceof Error ? `${error.name}: ${error.message}` : "a fault";
  }
  return { why, time: clock() - before };
}

/** Milliseconds of the processor, in all threads. */
function processTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The same in this thread alone, where the kernel says: other threads hold nobody up. */
function threadTime(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
  } catch {
    return processTime();
  }
}

/** Faults that nobody waits for. Each would end the program. */
function strayFaults(): { take(): string[]; stop(): void } {
  const faults: string[] = [];
  const note = (error: unknown): void => void faults.push(`nobody caught ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  return {
    take: () => faults.splice(0),
    stop() {
      process.off("uncaughtException", note);
      process.off("unhandledRejection", note);
    },
  };
}

function mutate(texts: readonly string[], words: readonly string[], random: () => number): string {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  let text = pick(texts) ?? "";
  for (let left = 1 + Math.floor(random() * 4); left > 0; left -= 1) {
    // Half of the time a whole word gives way to another, so that what is around it can still be read.
    const token = random() < 0.5 ? pick([...text.matchAll(TOKEN)]) : undefined;
    const from = token?.index ?? Math.floor(random() * (text.length + 1));
    const to = token === undefined ? Math.min(text.length, from + Math.floor(random() * 12)) : from + token[0].length;
    const piece = text.slice(from, to);
    const put = [
      () => (pick(words) ?? "") + piece,
      () => pick(words) ?? "",
      () => "",
      () => piece + piece,
      () => String.fromCharCode(Math.floor(random() * 128)),
      () => (pick(texts) ?? "").slice(0, Math.floor(random() * 40)) + piece,
      () => (pick(words) ?? "").repeat(1 + Math.floor(random() * 20)),
      () => `${piece}\n${pick((pick(texts) ?? "").split("\n")) ?? ""}\n`,
    ];
    const wholes = [() => pick(words) ?? "", () => pick((pick(texts) ?? "").match(TOKEN) ?? []) ?? "", () => ""];
    const made = pick(token === undefined ? put : wholes)?.() ?? "";
    text = (text.slice(0, from) + made + text.slice(to)).slice(0, LONGEST);
  }
  return text;
}

/** A text in quotation marks, a word, a number, a name with a dollar. */
const TOKEN = /"[^"\n]*"|[$\w./~-]+/g;

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
