// `npm run bench [suite…] [-- --quick]`: each suite built by esbuild and run in a process of
// its own, then a picture of all goals. A goal fails when it failed in two of three runs.
// Not run by tsx: tsx keeps names (`__name` around every inner function), which costs some
// 300 ns a closure and would be measured instead of the product.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { buildDir, cacheDir } from "./lib/cache.ts";
import { drawGoals } from "./lib/picture.ts";
import { parseGoal } from "./lib/report.ts";
import type { Judged } from "./lib/report.ts";

const SUITES = ["read", "decision", "grants", "discover", "grep", "agent", "bash", "hook", "store", "server", "mcp", "start"];
const MOST_RUNS = 3;

interface Ended {
  readonly goals: readonly Judged[];
  /** `broken`: it did not finish, or gave a wrong answer. */
  readonly state: "finished" | "broken";
}

const project = join(import.meta.dirname, "..");
// npm keeps an option before `--` for itself and says so in the environment.
const quick = process.argv.includes("--quick") || process.env["npm_config_quick"] === "true";
const asked = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = asked.filter((name) => !SUITES.includes(name));
if (unknown.length > 0) {
  console.error(`no suite is called ${unknown.join(", ")}; there are ${SUITES.join(", ")}`);
  process.exit(2);
}

const judged: Judged[] = [];
const broken: string[] = [];
for (const name of asked.length > 0 ? asked : SUITES) {
  const ended = await runUntilClear(name);
  judged.push(...ended.goals);
  if (ended.state === "broken") broken.push(name);
}
console.log(`\n${drawGoals(judged)}`);
if (broken.length > 0) console.log(`\nnot finished: ${broken.join(", ")}`);
writeTrend(judged);
if (broken.length > 0 || judged.some((goal) => goal.outcome === "fail")) process.exitCode = 1;

/** Runs a suite again while a goal of it stands at one failure; two failures decide. */
async function runUntilClear(name: string): Promise<Ended> {
  const failures = new Map<string, number>();
  let last: Ended = { goals: [], state: "broken" };
  for (let run = 1; run <= MOST_RUNS; run += 1) {
    last = await runOnce(name);
    if (last.state === "broken") return last;
    for (const goal of last.goals) {
      if (goal.outcome === "fail") failures.set(goal.name, (failures.get(goal.name) ?? 0) + 1);
    }
    const undecided = [...failures.values()].some((count) => count === 1) && run < MOST_RUNS;
    if (!undecided) break;
    console.log(`${name}: a goal failed once; running it again, two of three decide`);
  }
  const goals = last.goals.map((goal) => settle(goal, failures.get(goal.name) ?? 0));
  return { goals, state: "finished" };
}

function settle(goal: Judged, failed: number): Judged {
  if (failed >= 2) return { ...goal, outcome: "fail" };
  return goal.outcome === "fail" ? { ...goal, outcome: "ok" } : goal;
}

function runOnce(name: string): Promise<Ended> {
  const built = build(name);
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    HALLPASS_BENCH_CACHE: cacheDir(project, process.env),
  };
  // NODE_EXTRA_CA_CERTS alone triples Node's start; NODE_OPTIONS may bring a loader along.
  delete environment["NODE_EXTRA_CA_CERTS"];
  delete environment["NODE_OPTIONS"];
  // The harness collects garbage before every slice; V8 would take a variant that waits its turn for unused, throw its code away
  // and compile it again inside the slice.
  const options = ["--expose-gc", "--no-flush-bytecode", "--enable-source-maps", built, ...(quick ? ["--quick"] : [])];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, options, {
      cwd: project,
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      process.stdout.write(text);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const goals = output.split("\n").flatMap((line) => parseGoal(line) ?? []);
      const failed = goals.some((goal) => goal.outcome === "fail");
      const finished = goals.length > 0 && code === (failed ? 1 : 0);
      resolve({ goals, state: finished ? "finished" : "broken" });
    });
  });
}

/** Packages and the product's own `dist/` stay outside, to run as they are shipped. */
function build(name: string): string {
  const outfile = join(buildDir(project), `${name}.mjs`);
  buildSync({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    external: [join(project, "dist", "*")],
    sourcemap: "inline",
    logLevel: "warning",
  });
  return outfile;
}

/** One line a goal and run, for reading how it went over the commits; nothing is gated on it. */
function writeTrend(goals: readonly Judged[]): void {
  const commit = currentCommit();
  const dir = cacheDir(project, process.env);
  mkdirSync(dir, { recursive: true });
  const at = new Date().toISOString();
  const lines = goals.map((goal) => `${JSON.stringify({ at, commit, pace: quick ? "quick" : "full", ...goal })}\n`);
  appendFileSync(join(dir, "trend.jsonl"), lines.join(""));
}

function currentCommit(): string {
  const asked = spawnSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: project,
    encoding: "utf8",
  });
  return asked.status === 0 ? asked.stdout.trim() : "unknown";
}
