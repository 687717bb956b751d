// What starting costs, as a ratio to `node -e 0` within the same round: the help, one check, and a chat up to its first picture in a real
// terminal. Rounds are paired and their order is shuffled; the median over the rounds is judged. Processor time of the children, as
// the kernel counts it, where another program keeps the machine busy; the wall clock for the chat, since a person waits by it: against
// `node -e 0` from its start to its end, by the same clock, and beside it against Node writing one word to a terminal.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pty from "@lydell/node-pty";

const project = resolve(process.env["HALLPASS_PROJECT"] ?? process.cwd());
const program = process.env["HALLPASS_PROGRAM"] ?? join(project, "bin", "hallpass.cjs");
const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 9 : 25;

const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-start-")));
const workspace = join(place, "code", "app");
mkdirSync(workspace, { recursive: true });
writeFileSync(join(workspace, "a.txt"), "text\n");
// Every child is told the same way to say what it used; it costs the anchor as much as the others.
writeFileSync(
  join(place, "tell.cjs"),
  `process.on("exit", () => { const { user, system } = process.cpuUsage(); require("node:fs").writeSync(2, "cpu " + (user + system) + "\\n"); });`,
);
// Nothing of the surroundings: extra certificates alone would cost more than all the rest.
const env = { PATH: process.env["PATH"] ?? "", HOME: place, TERM: "xterm-256color" };

const variants: Readonly<Record<string, () => number | Promise<number>>> = {
  node: () => spawned(["-e", "0"]),
  help: () => spawned([program, "--help"]),
  check: () => spawned([program, "check", "a.txt"]),
  "node by the clock": () => lasted(["-e", "0"]),
  "node in a terminal": () => painted(["-e", "console.log('painted')"], "painted"),
  chat: () => painted([program, "chat"], "write to the agent"),
};

const taken = new Map<string, number[]>(Object.keys(variants).map((name) => [name, []]));
try {
  for (const run of Object.values(variants)) await run();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of shuffled(Object.entries(variants))) taken.get(name)?.push(await run());
  }
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}

console.log("\nstart");
for (const [name, times] of taken) console.log(`  ${name.padEnd(20)} ${median(times).toFixed(1)} ms`);
goal("--help against node -e 0", 1.6, ratio("help", "node"));
goal("check against node -e 0", 1.9, ratio("check", "node"));
goal("chat's first picture against node -e 0", 9, ratio("chat", "node by the clock"));
console.log(`  against node in a terminal ${ratio("chat", "node in a terminal").toFixed(2)}`);

/** Milliseconds of processor time that one start took. */
function spawned(words: readonly string[]): number {
  // Time of ended children comes in steps of 10 ms, too coarse here: the child itself tells, on its way out, to the microsecond.
  const { stderr, status } = spawnSync(process.execPath, ["--require", join(place, "tell.cjs"), ...words], {
    cwd: workspace,
    env,
    encoding: "utf8",
  });
  const told = /cpu (\d+)/u.exec(stderr)?.[1];
  if (told === undefined || status !== 0) throw new Error(`it failed, or told no time: ${stderr}`);
  return Number(told) / 1000;
}

/** Milliseconds from the start to the end, by the clock. */
function lasted(words: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, [...words], { cwd: workspace, env, stdio: "ignore" });
  if (status !== 0) throw new Error(`it failed: ${String(status)}`);
  return performance.now() - started;
}

/** Milliseconds from the start to the first picture, on a terminal. */
function painted(words: readonly string[], what: string): Promise<number> {
  return new Promise((done, failed) => {
    const started = performance.now();
    const child = pty.spawn(process.execPath, [...words], { cols: 80, rows: 24, cwd: workspace, env, name: "xterm-256color" });
    let seen = "";
    const timer = setTimeout(() => failed(new Error(`not painted: ${seen}`)), 20_000);
    child.onData((data) => {
      if (seen.includes(what)) return;
      seen += data;
      if (!seen.includes(what)) return;
      const took = performance.now() - started;
      clearTimeout(timer);
      child.onExit(() => done(took));
      child.kill("SIGKILL");
    });
  });
}

function ratio(name: string, anchor: string): number {
  const anchors = taken.get(anchor) ?? [];
  return median((taken.get(name) ?? []).map((time, round) => time / (anchors[round] ?? Number.NaN)));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function goal(name: string, limit: number, measured: number): void {
  const fine = measured <= limit;
  console.log(`goal ${name} ≤ ${limit.toFixed(2)} measured ${measured.toFixed(2)} ${fine ? "ok" : "fail"}`);
  if (!fine) process.exitCode = 1;
}
