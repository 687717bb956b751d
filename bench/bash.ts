// What confining a command costs: `true` in a bash of its own, against the same in the sandbox with
// ten grants. The goal is a sum and the harness knows ratios, so the limit is a variant: bare, and
// fifteen milliseconds later. The sandbox has no door of its own, so it is taken from its source,
// and core with it.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reopenGrants } from "../src/core/session/grant.ts";
import { openSession } from "../src/core/session/session.ts";
import type { Session } from "../src/core/session/session.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import type { Sandbox } from "../src/sandbox/sandbox.ts";
import { runSuite } from "./lib/suite.ts";
import type { Suite } from "./lib/suite.ts";
import { ensureTree } from "./lib/tree.ts";

const GRANTS = 10;
const MILLISECONDS = 15;
const PRODUCT = `hallpass, ${GRANTS} grants`;
const ANCHOR = "bash -c true";
const LIMIT = `${ANCHOR}, and ${MILLISECONDS} ms`;

await runSuite("bash", async (suite) => {
  const { sandbox, why } = await detect();
  if (why !== null) throw new Error(`commands cannot be confined here: ${why}`);
  const scene = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-")));
  try {
    await measureStart(suite, sandbox, scene);
    await measureTree(suite, sandbox, scene);
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
      { name: LIMIT, kind: "async", run: () => bareAndLater() },
      { name: ANCHOR, kind: "async", run: bare },
    ],
    goals: [{ name: `a confined command of a bare one and ${MILLISECONDS} ms`, limit: 1, variant: PRODUCT, against: LIMIT }],
  });
}

/** Looking for secrets before and for what executes later afterwards, in a workspace of ten thousand files. */
async function measureTree(suite: Suite, sandbox: Sandbox, scene: string): Promise<void> {
  const tree = ensureTree("10k", suite.cache);
  const [large, small] = [sessionOn(tree.root, []), sessionOn(plant(scene, "small", ["a.ts"]), [])];
  await suite.run({
    title: `true, ${tree.files} files with ${tree.secrets} secrets`,
    anchor: "hallpass, one file",
    operations: 1,
    by: "calls",
    variants: [
      { name: "hallpass, 10k files", kind: "async", run: () => confined(sandbox, large) },
      { name: "hallpass, one file", kind: "async", run: () => confined(sandbox, small) },
    ],
    goals: [],
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

function sessionOn(workspace: string, grants: readonly string[]): Session {
  const opened = openSession({ workspace, home: "/nonexistent" });
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
async function bareAndLater(): Promise<void> {
  await bare();
  const end = performance.now() + MILLISECONDS;
  await new Promise((resolve) => setTimeout(resolve, MILLISECONDS - 2));
  while (performance.now() < end);
}
