// One suite, one process: waits for a quiet machine, runs its paired measurements, prints
// the table and the goal lines, and sets the exit code. Puts the harness together with the
// real clock; suites only say what to measure.
import { readFileSync } from "node:fs";
import { cacheDir } from "./cache.ts";
import { LONG_SLICE, measure, ONE_CALL, SLICE } from "./paired.ts";
import type { Ports, Variant } from "./paired.ts";
import { describePressure, isNoisy, pressureBetween, realQuietPorts, waitForQuiet } from "./quiet.ts";
import { formatGoal, formatTable, judge } from "./report.ts";
import type { Goal, Section } from "./report.ts";
import { seeded } from "./seed.ts";

/** One paired run, and the goals that are judged by it. */
export interface Run {
  readonly title: string;
  readonly variants: readonly Variant[];
  readonly anchor: string;
  readonly operations: number;
  /** Slices of 8 ms, of 32 ms, or for slow work `calls`: one call a slice and fewer rounds; `processes`: one call, and more rounds. */
  readonly by: "slices" | "long-slices" | "calls" | "processes";
  readonly goals: readonly Goal[];
}

export interface Suite {
  readonly pace: "quick" | "full";
  readonly cache: string;
  readonly random: () => number;
  /** Measures now; the table and the goals are printed when the suite ends. */
  readonly run: (run: Run) => Promise<void>;
}

const SLICINGS = {
  slices: { slicing: SLICE, quick: 15, full: 31 },
  "long-slices": { slicing: LONG_SLICE, quick: 15, full: 31 },
  calls: { slicing: ONE_CALL, quick: 9, full: 21 },
  processes: { slicing: ONE_CALL, quick: 25, full: 61 },
} as const;

/** Exit code 1 if a goal fails; an error (a wrong answer, say) is thrown and ends the process. */
export async function runSuite(name: string, body: (suite: Suite) => Promise<void>): Promise<void> {
  const pace = process.argv.includes("--quick") || process.env["CI"] !== undefined ? "quick" : "full";
  const before = await waitForQuiet(pace === "quick" ? 5 : 60, realQuietPorts);
  console.log(`\n${name} (${pace}); before: ${describePressure(before)}`);

  const started = performance.now();
  const sections: Section[] = [];
  const goals: { readonly goal: Goal; readonly section: Section }[] = [];
  await body({
    pace,
    cache: cacheDir(process.cwd(), process.env),
    random: seeded(1),
    run: async (run) => {
      const { slicing, [pace]: rounds } = SLICINGS[run.by];
      const plan = { ...run, rounds, slicing };
      const measured = await measure(plan, realPorts());
      const section = {
        title: run.title,
        measured,
        rows: run.variants.map((variant) => variant.name),
      };
      sections.push(section);
      for (const goal of run.goals) goals.push({ goal, section });
    },
  });

  const after = realQuietPorts.pressure();
  const elapsed = performance.now() - started;
  const meanwhile = pressureBetween(before, after, elapsed);
  console.log(formatTable(sections));
  console.log(`after ${(elapsed / 1000).toFixed(1)} s: ${describePressure(after)}; over all: ${describePressure(meanwhile)}`);
  const quiet = [before, meanwhile, after].some(isNoisy) ? "noisy" : "quiet";
  const judged = goals.map(({ goal, section }) => judge(goal, section.measured, quiet));
  for (const goal of judged) console.log(formatGoal(goal));
  if (judged.some((goal) => goal.outcome === "fail")) process.exitCode = 1;
}

function realPorts(): Ports {
  // Only the young: a whole collection drops the optimised code of every variant that waits its turn ("weak objects"), and what is
  // timed next would be the compiler.
  const collect = (): void => {
    globalThis.gc?.({ type: "minor" });
  };
  return {
    now: () => performance.now() * 1e6,
    cpu: () => {
      const used = process.cpuUsage();
      return (used.user + used.system) * 1e3 + childrenCpu();
    },
    switches: () => process.resourceUsage().involuntaryContextSwitches,
    collect,
    random: seeded(Math.floor(performance.now())),
  };
}

/** What ended children have used, in steps of 10 ms: without it ripgrep would seem to be free. */
function childrenCpu(): number {
  try {
    const fields = readFileSync("/proc/self/stat", "latin1").split(") ")[1]?.split(" ") ?? [];
    // cutime and cstime, the 16th and 17th field of the line; the first two are cut off above.
    return (Number(fields[13]) + Number(fields[14])) * 1e7;
  } catch {
    return 0;
  }
}
