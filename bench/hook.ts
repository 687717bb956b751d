// A hook is a process a call: the lean bundle against an empty Node program, with 30 and 1,000 rules and no daemon, and the shell's
// client against it with a daemon up. Interleaved, each timed from its start to its end, NODE_EXTRA_CA_CERTS and NODE_OPTIONS unset.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnedVariant } from "./lib/spawner.ts";
import { runSuite } from "./lib/suite.ts";
import type { Run, Suite } from "./lib/suite.ts";

const EMPTY = "node empty.cjs";
const project = process.cwd();
const hook = join(project, "dist", "hook.cjs");
const client = join(project, "bin", "hallpass-hook");

await runSuite("hook", async (suite) => {
  const scene = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-")));
  try {
    await measureCold(suite, scene);
    await measureWarm(suite, scene);
  } finally {
    rmSync(scene, { recursive: true, force: true });
  }
});

async function measureCold(suite: Suite, scene: string): Promise<void> {
  const payload = payloadIn(scene);
  const empty = emptyProgram(scene);
  const few = homeWith(scene, 30);
  const many = homeWith(scene, 1_000);
  for (const home of [few, many]) await mustPass(scene, home, payload);
  const timed = timing(suite, { scene, payload });
  await timed.run({
    title: "cold, no daemon",
    variants: [
      timed.variant(EMPTY, few, [process.execPath, empty]),
      timed.variant("hook, 30 rules", few, [process.execPath, hook, "claude-code"]),
      timed.variant("hook, 1,000 rules", many, [process.execPath, hook, "claude-code"]),
    ],
    goals: [
      { name: "hook at 30 rules of an empty Node program", limit: 1.4, variant: "hook, 30 rules", against: EMPTY },
      { name: "hook at 1000 rules of an empty Node program", limit: 1.75, variant: "hook, 1,000 rules", against: EMPTY },
    ],
  });
}

async function measureWarm(suite: Suite, scene: string): Promise<void> {
  const payload = payloadIn(scene);
  const home = join(scene, "warm");
  mkdirSync(home);
  const stop = await startDaemon(home, scene);
  try {
    const empty = emptyProgram(scene);
    await mustPass(scene, home, payload);
    const timed = timing(suite, { scene, payload });
    await timed.run({
      title: "with a daemon",
      variants: [
        timed.variant(EMPTY, home, [process.execPath, empty]),
        timed.variant("the shell's client", home, ["/bin/bash", "-p", client, "claude-code"]),
        timed.variant("bash -c :", home, ["/bin/bash", "-p", "-c", ":"]),
      ],
      goals: [{ name: "the shell's client of an empty Node program", limit: 0.2, variant: "the shell's client", against: EMPTY }],
    });
  } finally {
    stop();
  }
}

/** Processes that read the payload from a file, as variants of one run against the empty program. */
function timing(suite: Suite, { scene, payload }: { readonly scene: string; readonly payload: string }) {
  const input = join(scene, "payload.json");
  writeFileSync(input, payload);
  const cwd = join(scene, "workspace");
  return {
    variant: (name: string, home: string, command: readonly [string, ...string[]]) =>
      spawnedVariant(name, { command, input, cwd, env: { PATH: process.env["PATH"] ?? "", HOME: home } }, suite.cache),
    async run(plan: Pick<Run, "title" | "goals"> & { readonly variants: readonly ReturnType<typeof spawnedVariant>[] }): Promise<void> {
      try {
        await suite.run({ ...plan, anchor: EMPTY, operations: 1, by: "processes" });
      } finally {
        for (const { stop } of plan.variants) stop();
      }
    },
  };
}

/** The real daemon, as a process of its own; resolves when its hook socket is open. */
async function startDaemon(home: string, cwd: string): Promise<() => void> {
  const words = [join(project, "bin", "hallpass.cjs"), "serve", "--no-open", "--port", "0"];
  const daemon = spawn(process.execPath, words, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise<void>((resolve, reject) => {
    daemon.stdout.on("data", (text: Buffer) => text.toString().includes("http://") && resolve());
    daemon.on("exit", () => reject(new Error("the daemon did not start")));
  });
  return () => void daemon.kill();
}

function emptyProgram(scene: string): string {
  const file = join(scene, "empty.cjs");
  writeFileSync(file, "");
  return file;
}

function payloadIn(scene: string): string {
  const workspace = join(scene, "workspace");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "inside");
  return JSON.stringify({
    session_id: "bench",
    cwd: workspace,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Read",
    tool_input: { file_path: join(workspace, "a.txt") },
    tool_use_id: "t",
  });
}

/** A home with an operator's policy of so many rules, of five shapes. */
function homeWith(scene: string, count: number): string {
  const home = join(scene, `home-${count}`);
  const file = join(home, ".config", "hallpass", "policy.json");
  mkdirSync(join(file, ".."), { recursive: true });
  const shapes = (at: number) => [`/srv/x${at}/**`, `/a/b${at}/**/*.ts`, `**/name${at}*.zem`, `**/.dir${at}/**`, `/d${at}/*.json`];
  const rules = Array.from({ length: count }, (_, at) => [shapes(at)[at % 5] ?? "", ["allow", "ask", "deny"][at % 3] ?? "ask"]);
  writeFileSync(file, JSON.stringify({ read: Object.fromEntries(rules) }, null, 2));
  // A policy saved a moment ago is understood anew at each call.
  const before = new Date(Date.now() - 60_000);
  utimesSync(file, before, before);
  return home;
}

/** Both the answer and that what is kept is kept: the second call finds it. */
async function mustPass(scene: string, home: string, payload: string): Promise<void> {
  for (const command of [
    [process.execPath, hook, "claude-code"],
    ["/bin/bash", "-p", client, "claude-code"],
  ]) {
    const { exit, stdout } = await run(command, { home, scene, payload });
    if (exit !== 0 || stdout !== "") throw new Error(`a wrong answer: ${exit} ${stdout}`);
  }
}

function run(
  command: readonly string[],
  { home, scene, payload }: { readonly home: string; readonly scene: string; readonly payload: string },
): Promise<{ readonly exit: number | null; readonly stdout: string }> {
  const [file = "", ...words] = command;
  return new Promise((resolve) => {
    const child = spawn(file, words, { cwd: join(scene, "workspace"), env: { PATH: process.env["PATH"], HOME: home } });
    let stdout = "";
    child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
    child.stderr.resume();
    child.stdin.on("error", () => undefined);
    child.on("close", (exit) => resolve({ exit, stdout }));
    child.stdin.end(payload);
  });
}
