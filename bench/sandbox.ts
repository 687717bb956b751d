// What a session's sandbox costs that asks: one more command with toolchains and ten grants, how
// soon a yes is seen by the program that waits for it, a build inside beside the same outside, and
// the keeper's memory between two commands. Taken from the source, like `bash.ts`.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, detect } from "../src/sandbox/sandbox.ts";
import type { CommandOutcome, RunOptions, Sandbox } from "../src/sandbox/port.ts";
import type { Session } from "../src/core/session/session.ts";
import { ANCHOR, bare, bareAndLater, granted, limit, options, plant, sessionOn, start } from "./lib/command-scene.ts";
import { runSuite } from "./lib/suite.ts";
import type { Suite } from "./lib/suite.ts";

const GRANTS = 10;
const MILLISECONDS = 25;
const YES_MILLISECONDS = 50;
const BUILD_RATIO = 1.05;
const KEEPER_MEGABYTES = 60;
const MODULES = 500;
const NOBODY = { patience: 1000, ask: () => Promise.resolve(null) };

await runSuite("sandbox", async (suite) => {
  const { why } = await detect();
  if (why !== null) throw new Error(`commands cannot be confined here: ${why}`);
  const scene = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-")));
  try {
    await measureSession(suite, scene);
    await measureYes(suite, scene);
    await measureBuild(suite, scene);
  } finally {
    rmSync(scene, { recursive: true, force: true });
  }
});

/** One more command of a session that keeps its keeper, with toolchains in the home directory; then the keeper's memory. */
async function measureSession(suite: Suite, scene: string): Promise<void> {
  const home = join(scene, "home");
  const tools = [".cargo/bin", ".local/bin", ".pyenv/shims"].map((dir) => join(home, dir));
  for (const dir of tools) mkdirSync(dir, { recursive: true });
  const workspace = plant(scene, "home/code/app", ["src/a.ts", ".env", ".git/config", ".git/hooks/sample"]);
  const grants = Array.from({ length: GRANTS }, (_, index) => plant(scene, `home/code/grant-${index}`, [`src/${index}.ts`]));
  const session = sessionOn(workspace, grants, home);
  const sandbox = createSandbox({ lasting: true, path: [...tools, "/usr/bin", "/bin"].join(":") });
  const asking = (await canWait(sandbox, session)) ? { asking: NOBODY } : {};
  const product = `hallpass, a session with ${GRANTS} grants`;
  try {
    await suite.run({
      title: "true, in a session",
      anchor: ANCHOR,
      operations: 1,
      by: "calls",
      variants: [
        { name: product, kind: "async", run: () => run(sandbox, "true", { ...options(session), ...asking }) },
        { name: limit(MILLISECONDS), kind: "async", run: () => bareAndLater(MILLISECONDS) },
        { name: ANCHOR, kind: "async", run: bare },
      ],
      goals: [
        { name: `a command of a session of a bare one and ${MILLISECONDS} ms`, limit: 1, variant: product, against: limit(MILLISECONDS) },
      ],
    });
    const megabytes = keeperMegabytes();
    console.log(
      `goal the idle keeper in MB ≤ ${KEEPER_MEGABYTES.toFixed(2)} measured ${megabytes.toFixed(2)} ${megabytes <= KEEPER_MEGABYTES ? "ok" : "fail"}`,
    );
    if (megabytes > KEEPER_MEGABYTES) process.exitCode = 1;
  } finally {
    sandbox.endSession(session.id);
  }
}

/** From the moment in which the yes is there until the program that waits has the file. A clock outside and one inside: it is the same. */
async function measureYes(suite: Suite, scene: string): Promise<void> {
  const home = join(scene, "asking");
  const workspace = plant(scene, "asking/code/app", ["src/a.ts"]);
  const library = plant(scene, "asking/code/library", ["package.json", "src/b.ts", ".env"]);
  const session = sessionOn(workspace, [], home);
  const sandbox = createSandbox({ lasting: true });
  try {
    if (!(await canWait(sandbox, session)))
      return console.log("programs cannot be made to wait here: how soon a yes is seen is not measured");
    const seenAfter = async (): Promise<number> => {
      let storedAt = 0;
      const asking = {
        patience: 30_000,
        ask: () => {
          storedAt = performance.timeOrigin + performance.now();
          return Promise.resolve(granted(session, [library]));
        },
      };
      const ran = await run(sandbox, 'cat ../library/src/b.ts >/dev/null && echo "$EPOCHREALTIME"', { ...options(session), asking });
      return (Number(ran.stdout) * 1000 - storedAt) * 1e6;
    };
    await suite.run({
      title: "a yes, until the program has the file",
      anchor: "a yes",
      operations: 1,
      by: "calls",
      variants: [{ name: "a yes", kind: "self-timed", run: seenAfter }],
      goals: [{ name: "a yes is seen inside, in ms", limit: YES_MILLISECONDS, variant: "a yes" }],
    });
  } finally {
    sandbox.endSession(session.id);
  }
}

/** `tsc` over modules that import each other. Its package is shown read-only, as a person would mount it. */
async function measureBuild(suite: Suite, scene: string): Promise<void> {
  const workspace = plant(scene, "building/app", []);
  mkdirSync(join(workspace, "src"), { recursive: true });
  for (let index = 0; index < MODULES; index += 1) {
    const from = index === 0 ? "" : `import { value${index - 1} } from "./m${index - 1}.js";\n`;
    const types = Array.from(
      { length: 30 },
      (_, at) => `export interface T${at} { a: T${(at * 7) % 30} | null; b: Partial<Pick<T${(at * 3) % 30}, "a">>; }`,
    );
    writeFileSync(
      join(workspace, "src", `m${index}.ts`),
      `${from}${types.join("\n")}\nexport const value${index}: number = ${index === 0 ? "0" : `value${index - 1} + 1`};\n`,
    );
  }
  const compilerOptions = { strict: true, target: "es2022", module: "nodenext", rootDir: "src", outDir: "out", types: [] };
  writeFileSync(join(workspace, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  const packages = join(process.cwd(), "node_modules");
  const mounts = ["typescript", "@typescript"].map((name) => ({ path: realpathSync(join(packages, name)), mode: "read_only" as const }));
  const build = `${process.execPath} ${join(packages, "typescript/bin/tsc")} -p .`;
  const session = sessionOn(workspace, [], "/nonexistent", { mounts });
  const sandbox = createSandbox({ lasting: true, path: process.env["PATH"] ?? "" });
  try {
    await suite.run({
      title: `tsc, ${MODULES} modules`,
      anchor: "outside",
      operations: 1,
      by: "calls",
      variants: [
        { name: "hallpass, inside", kind: "async", run: () => run(sandbox, build, options(session)) },
        { name: "outside", kind: "async", run: () => start("/bin/bash", ["-c", build], workspace, { PATH: process.env["PATH"] }) },
      ],
      goals: [{ name: "a build inside of one outside", limit: BUILD_RATIO, variant: "hallpass, inside", against: "outside" }],
    });
  } finally {
    sandbox.endSession(session.id);
  }
}

async function run(sandbox: Sandbox, command: string, runOptions: RunOptions): Promise<Extract<CommandOutcome, { readonly ok: true }>> {
  const ran = await sandbox.run(command, runOptions);
  if (!ran.ok || ran.exitCode !== 0) throw new Error(`it did not run: ${JSON.stringify(ran)}`);
  return ran;
}

/** Also the session's first command, which starts the keeper. */
async function canWait(sandbox: Sandbox, session: Session): Promise<boolean> {
  return (await run(sandbox, "true", { ...options(session), asking: NOBODY })).notAsked === undefined;
}

/** What the keepers of this process have in memory that nobody else has, and their share of the rest. */
function keeperMegabytes(): number {
  const own = readdirSync("/proc").filter((pid) => /^\d+$/u.test(pid) && isKeeper(pid));
  if (own.length === 0) throw new Error("there is no keeper");
  return Math.max(
    ...own.map((pid) => Number(/^Rss:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1] ?? 0) / 1024),
  );
}

function isKeeper(pid: string): boolean {
  try {
    const parent = / (\d+) /u.exec(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.slice(1) ?? "")?.[1];
    return parent === String(process.pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("keeper.js");
  } catch {
    return false;
  }
}
