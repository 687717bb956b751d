// `npm run bench [suite…] [-- --quick]`: each suite built by esbuild and run in a process of
// its own, then a picture of all goals. A goal fails when it failed in two of three runs.
// `-- --report` measures how costs grow instead, and writes docs/figures.md with its plots.
// Not run by tsx: tsx keeps names (`__name` around every inner function), which costs some
// 300 ns a closure and would be measured instead of the product.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { buildDir, cacheDir } from "./lib/cache.ts";
import { drawGoals } from "./lib/picture.ts";
import type { Growth } from "./growth.ts";
import { type Line, plotOf } from "./lib/plot.ts";
import { figure, parseGoal } from "./lib/report.ts";
import type { Judged } from "./lib/report.ts";

const SUITES = ["read", "decision", "grants", "discover", "grep", "agent", "bash", "sandbox", "hook", "store", "server", "mcp", "start"];
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

if (process.argv.includes("--report") || process.env["npm_config_report"] === "true") {
  const { output, code } = await runBuilt("growth");
  if (code === 0) writeReport(output);
  process.exit(code ?? 1);
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

async function runOnce(name: string): Promise<Ended> {
  const { output, code } = await runBuilt(name);
  const goals = output.split("\n").flatMap((line) => parseGoal(line) ?? []);
  const failed = goals.some((goal) => goal.outcome === "fail");
  const finished = goals.length > 0 && code === (failed ? 1 : 0);
  return { goals, state: finished ? "finished" : "broken" };
}

/** In a process of its own; built, but for the growth, whose milliseconds a closure's name does not change. */
function runBuilt(name: string): Promise<{ readonly output: string; readonly code: number | null }> {
  const program = name === "growth" ? ["--import", "tsx", join(import.meta.dirname, "growth.ts")] : [build(name)];
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    HALLPASS_BENCH_CACHE: cacheDir(project, process.env),
  };
  // NODE_EXTRA_CA_CERTS alone triples Node's start; NODE_OPTIONS may bring a loader along.
  delete environment["NODE_EXTRA_CA_CERTS"];
  delete environment["NODE_OPTIONS"];
  // The harness collects garbage before every slice; V8 would take a variant that waits its turn for unused, throw its code away
  // and compile it again inside the slice.
  const options = ["--expose-gc", "--no-flush-bytecode", "--enable-source-maps", ...program, ...(quick ? ["--quick"] : [])];
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
    child.on("close", (code) => resolve({ output, code }));
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
  // The sandbox starts it from where it stands itself.
  if (name === "sandbox") {
    const keeper = join(project, "src", "sandbox", "keeper-main.ts");
    buildSync({ entryPoints: [keeper], outfile: join(buildDir(project), "keeper.js"), bundle: true, platform: "node", format: "cjs" });
  }
  return outfile;
}

/** docs/figures.md, and a plot for each thing that costs grow with. */
function writeReport(output: string): void {
  const growths = output.split("\n").flatMap((line) => (line.startsWith("growth ") ? [JSON.parse(line.slice(7)) as Growth] : []));
  const parts = growths.map(({ name, what, across, unit, lines }) => {
    const title = `${what}, by ${across}`;
    writeFileSync(join(project, "docs/pictures", `figures-${name}.svg`), plotOf(title, across, unit, lines));
    const sizes = [...new Set(lines.flatMap(({ points }) => points.map(([size]) => size)))].toSorted((a, b) => a - b);
    const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
    const cost = (line: Line, size: number): string => figure(line.points.find(([its]) => its === size)?.[1] ?? 0);
    const rows = lines.map((line) => row([line.name, ...sizes.map((size) => cost(line, size))]));
    const head = [row([unit, ...sizes.map((size) => size.toLocaleString("en-US"))]), row(["---", ...sizes.map(() => "---")])];
    return [`## ${title}`, `![${title}](pictures/figures-${name}.svg)`, [...head, ...rows].join("\n")].join("\n\n");
  });
  const intro = `How costs grow with what is there, in milliseconds: the first call on each store or tree, and the median of those after it. Written by
\`npm run bench -- --report\` at ${currentCommit()} with ${quick ? "small" : "the usual"} sizes. Read the growth: single figures are those of one machine, which may have been busy, and a first call on
it may be slow for that alone. \`npm run scale\` holds the same against goals.`;
  writeFileSync(join(project, "docs/figures.md"), `${["# Figures", intro, ...parts].join("\n\n")}\n`);
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
