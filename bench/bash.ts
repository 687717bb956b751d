// What confining a command costs: `true` in a bash of its own, against the same in the sandbox with
// ten grants. As one of a session's many: `sandbox.ts`. The sandbox has no door of its own, so it is
// taken from its source, and core with it.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session } from "../src/core/session/session.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import type { Sandbox } from "../src/sandbox/port.ts";
import { ANCHOR, bare, bareAndLater, limit, options, plant, sessionOn, start } from "./lib/command-scene.ts";
import { runSuite } from "./lib/suite.ts";
import type { Suite } from "./lib/suite.ts";
import { ensureTree } from "./lib/tree.ts";
import type { TreeSize } from "./lib/tree.ts";

const GRANTS = 10;
const MILLISECONDS = 15;
/** In a large workspace with many secrets. */
const LARGE_MILLISECONDS = 100;
const PRODUCT = `hallpass, ${GRANTS} grants`;

await runSuite("bash", async (suite) => {
  const { sandbox, why } = await detect();
  if (why !== null) throw new Error(`commands cannot be confined here: ${why}`);
  const scene = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-")));
  try {
    await measureStart(suite, sandbox, scene);
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

/** Not timed: that what is timed is confined. */
async function requireConfined(sandbox: Sandbox, session: Session, grants: readonly string[]): Promise<void> {
  const command = `cat .env; cat ${grants[3]}/src/3.ts; echo x > ${grants[3]}/src/3.ts; ls /root`;
  const ran = await sandbox.run(command, options(session));
  if (!ran.ok || ran.stdout !== "SECRET-OR-NOT" || !ran.stderr.includes("Read-only file system"))
    throw new Error(`not confined: ${JSON.stringify(ran)}`);
}

async function confined(sandbox: Sandbox, session: Session): Promise<void> {
  const ran = await sandbox.run("true", options(session));
  if (!ran.ok || ran.exitCode !== 0) throw new Error(`it did not run: ${JSON.stringify(ran)}`);
}
