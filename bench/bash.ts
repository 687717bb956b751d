// What confining a command costs: `true` in a bash of its own, against the same in the sandbox with
// ten grants, by itself and as one of a session's many that may ask. The goals are sums and the
// harness knows ratios, so each limit is a variant: bare, and so many milliseconds later. The
// sandbox has no door of its own, so it is taken from its source, and core with it.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reopenGrants } from "../src/core/session/grant.ts";
import { openSession } from "../src/core/session/session.ts";
import type { Session } from "../src/core/session/session.ts";
import { createSandbox, detect } from "../src/sandbox/sandbox.ts";
import type { RunOptions, Sandbox } from "../src/sandbox/sandbox.ts";
import { runSuite } from "./lib/suite.ts";
import type { Suite } from "./lib/suite.ts";
import { ensureTree } from "./lib/tree.ts";
import type { TreeSize } from "./lib/tree.ts";

const GRANTS = 10;
const MILLISECONDS = 15;
const SESSION_MILLISECONDS = 25;
/** In a large workspace with many secrets. */
const LARGE_MILLISECONDS = 100;
const PRODUCT = `hallpass, ${GRANTS} grants`;
const ANCHOR = "bash -c true";
const limit = (milliseconds: number) => `${ANCHOR}, and ${milliseconds} ms`;

await runSuite("bash", async (suite) => {
  const { sandbox, why } = await detect();
  if (why !== null) throw new Error(`commands cannot be confined here: ${why}`);
  const scene = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-")));
  try {
    await measureStart(suite, sandbox, scene);
    await measureSession(suite, scene);
    const sizes: readonly TreeSize[] = suite.pace === "quick" ? ["10k", "100k"] : ["10k", "100k", "1m"];
    for (const size of sizes) await measureTree(suite, sandbox, scene, size);
  } finally {
    rmSync(scene, { recursive: true, force: true });
  }
});

async function measureStart(suite: Suite, sandbox: Sandbox, scene: string): Promise<void> {
  const grants = Array.from({ length: GRANTS }, (_, index) => plant(scene, `grant-${index}`, [`src/${index}.ts`]));
  const workspace = plant(scene, "workspace", ["src/a.ts", ".env", ".git/config", ".git/hooks/sample"]);
  const [bound, alone] = [sessionOn(workspace, grants), sessionOn(workspace, [])];
  await requireConfined(sandbox, bound, grants);
  await suite.run({
    title: "true",
    anchor: ANCHOR,
    operations: 1,
    by: "calls",
    variants: [
      { name: PRODUCT, kind: "async", run: () => confined(sandbox, bound) },
      { name: "hallpass, no grants", kind: "async", run: () => confined(sandbox, alone) },
      {
        name: "bwrap --ro-bind / /",
        kind: "async",
        run: () => start("/usr/bin/bwrap", ["--ro-bind", "/", "/", "/bin/bash", "-c", "true"]),
      },
      { name: limit(MILLISECONDS), kind: "async", run: () => bareAndLater(MILLISECONDS) },
      { name: ANCHOR, kind: "async", run: bare },
    ],
    goals: [{ name: `a confined command of a bare one and ${MILLISECONDS} ms`, limit: 1, variant: PRODUCT, against: limit(MILLISECONDS) }],
  });
}

/** One more command of a session that keeps its keeper, with toolchains in the home directory. */
async function measureSession(suite: Suite, scene: string): Promise<void> {
  const home = join(scene, "home");
  const tools = [".cargo/bin", ".local/bin", ".pyenv/shims"].map((dir) => join(home, dir));
  for (const dir of tools) mkdirSync(dir, { recursive: true });
  const workspace = plant(scene, "home/code/app", ["src/a.ts", ".env", ".git/config", ".git/hooks/sample"]);
  const grants = Array.from({ length: GRANTS }, (_, index) => plant(scene, `home/code/grant-${index}`, [`src/${index}.ts`]));
  const session = sessionOn(workspace, grants, home);
  const sandbox = createSandbox({ lasting: true, path: [...tools, "/usr/bin", "/bin"].join(":") });
  const asking = { patience: 1000, ask: () => Promise.resolve(null) };
  const run = async (more: Partial<RunOptions>): Promise<void> => {
    const ran = await sandbox.run("true", { ...options(session), ...more });
    if (!ran.ok || ran.exitCode !== 0) throw new Error(`it did not run: ${JSON.stringify(ran)}`);
  };
  const first = await sandbox.run("true", { ...options(session), asking });
  const waits = first.ok && first.notAsked === undefined;
  const product = `hallpass, a session with ${GRANTS} grants`;
  try {
    await suite.run({
      title: "true, in a session",
      anchor: ANCHOR,
      operations: 1,
      by: "calls",
      variants: [
        { name: product, kind: "async", run: () => run(waits ? { asking } : {}) },
        { name: limit(SESSION_MILLISECONDS), kind: "async", run: () => bareAndLater(SESSION_MILLISECONDS) },
        { name: ANCHOR, kind: "async", run: bare },
      ],
      goals: [
        {
          name: `a command of a session of a bare one and ${SESSION_MILLISECONDS} ms`,
          limit: 1,
          variant: product,
          against: limit(SESSION_MILLISECONDS),
        },
      ],
    });
  } finally {
    sandbox.endSession(session.id);
  }
}

/** Looking for secrets before and for what executes later afterwards, in a large workspace, and covering them. The first look is told beside. */
async function measureTree(suite: Suite, sandbox: Sandbox, scene: string, size: TreeSize): Promise<void> {
  const tree = ensureTree(size, suite.cache);
  const [large, small] = [sessionOn(tree.root, []), sessionOn(plant(scene, `small-${size}`, ["a.ts"]), [])];
  const [began, used] = [performance.now(), process.cpuUsage()];
  await confined(sandbox, large);
  const { user, system } = process.cpuUsage(used);
  const [clock, processor] = [performance.now() - began, (user + system) / 1000].map(Math.round);
  console.log(`the first command in ${tree.files} files: ${clock} ms by the clock, ${processor} ms of our processor time`);
  const product = `hallpass, ${size} files`;
  const name = `a command in ${size} files of a bare one and ${LARGE_MILLISECONDS} ms`;
  await suite.run({
    title: `true, ${tree.files} files with ${tree.secrets} secrets`,
    anchor: "hallpass, one file",
    operations: 1,
    by: "calls",
    variants: [
      { name: product, kind: "async", run: () => confined(sandbox, large) },
      { name: limit(LARGE_MILLISECONDS), kind: "async", run: () => bareAndLater(LARGE_MILLISECONDS) },
      { name: "hallpass, one file", kind: "async", run: () => confined(sandbox, small) },
    ],
    goals: [{ name, limit: 1, variant: product, against: limit(LARGE_MILLISECONDS) }],
  });
}

function plant(scene: string, name: string, files: readonly string[]): string {
  const root = join(scene, name);
  for (const file of files) {
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), "SECRET-OR-NOT");
  }
  return root;
}

function sessionOn(workspace: string, grants: readonly string[], home = "/nonexistent"): Session {
  const opened = openSession({ workspace, home });
  if (!opened.ok) throw new Error(opened.message);
  let count = 0;
  const ids = () => `id-${(count += 1)}`;
  return reopenGrants(opened.session, grants, { clock: Date.now, ids }).session;
}

/** Not timed: that what is timed is confined. */
async function requireConfined(sandbox: Sandbox, session: Session, grants: readonly string[]): Promise<void> {
  const command = `cat .env; cat ${grants[3]}/src/3.ts; echo x > ${grants[3]}/src/3.ts; ls /root`;
  const ran = await sandbox.run(command, options(session));
  if (!ran.ok || ran.stdout !== "SECRET-OR-NOT" || !ran.stderr.includes("Read-only file system"))
    throw new Error(`not confined: ${JSON.stringify(ran)}`);
}

function options(session: Session) {
  return { session, cwd: session.workspace.dir, network: "none", time: 60_000, outputBytes: 65_536 } as const;
}

async function confined(sandbox: Sandbox, session: Session): Promise<void> {
  const ran = await sandbox.run("true", options(session));
  if (!ran.ok || ran.exitCode !== 0) throw new Error(`it did not run: ${JSON.stringify(ran)}`);
}

function start(file: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], env: {} });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`))));
  });
}

function bare(): Promise<void> {
  return start("/bin/bash", ["-c", "true"]);
}

/** A timer for most of it, and the rest by looking at the clock: a timer alone is a millisecond late. */
async function bareAndLater(milliseconds: number): Promise<void> {
  await bare();
  const end = performance.now() + milliseconds;
  await new Promise((resolve) => setTimeout(resolve, milliseconds - 2));
  while (performance.now() < end);
}
