// Runs the tests of the sandbox, the tools and the boundary as an ordinary user: root is refused nothing, so that much of what people
// meet shows to others only. As root it becomes a user whom nobody else is, with a home and a temporary directory of its own; an ordinary
// user just runs them. Nothing is built: that was done before.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const files = [
  "src/sandbox/",
  "src/tools/",
  "src/core/fs/",
  "src/core/guard/",
  ...[
    "sandbox",
    "asking",
    "asking-programs",
    "keeper-steps",
    "everyday",
    "session-room",
    "run",
    "run-asking",
    "hook/shell-entrance",
    "tree",
    "guarded-tools",
    "escapes",
    "corpus",
  ].map((name) => `test/${name}.test.ts`),
];
// The other loader of configurations writes beside them.
const OPTIONS = "--configLoader runner --project unit --project whole --reporter dot --reporter json".split(" ");
/** Fewer would mean that they are not the tests they were. */
const AT_LEAST = 1000;

const checkout = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));
if (!existsSync(join(checkout, "dist"))) fail("there is no dist/; run `npm run build` first");

const isRoot = process.getuid?.() === 0;
const base = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-ordinary-")));
// On many machines it is root's alone. Ordinary users of a desktop may open it, so the tests may; afterwards it is as it was.
const device = isRoot && existsSync("/dev/fuse") ? statSync("/dev/fuse") : null;
if (device !== null) chmodSync("/dev/fuse", 0o666);
try {
  process.exitCode = run();
} finally {
  if (device !== null) chmodSync("/dev/fuse", device.mode & 0o7777);
  // What a test may have closed is opened first.
  spawnSync("chmod", ["-R", "u+rwX", base], { stdio: "ignore" });
  rmSync(base, { recursive: true, force: true });
}

function run() {
  const user = isRoot ? freeUser() : {};
  const who = isRoot ? `as the user ${user.uid}, whom nobody else is` : "as you, who are an ordinary user";
  console.log(`the tests of the sandbox and the tools, ${who}`);
  const [home, temporary] = ["home", "tmp"].map((name) => join(base, name));
  for (const dir of [base, home, temporary]) {
    mkdirSync(dir, { recursive: true });
    if (isRoot) chownSync(dir, user.uid, user.gid);
  }
  const at = isRoot ? readableFor(user) : checkout;
  const report = join(base, "report.json");
  const { status, error } = spawnSync(
    process.execPath,
    [join(at, "node_modules/vitest/vitest.mjs"), "run", ...OPTIONS, `--outputFile.json=${report}`, ...files],
    { cwd: at, stdio: "inherit", env: environment(home, temporary), ...user },
  );
  if (error !== undefined) fail(`the tests could not be started: ${error.message}`);
  const { numPassedTests: passed = 0, numFailedTests: failed = 0 } = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};
  console.log(`${passed} tests passed ${who}, ${failed} failed`);
  if (status !== 0 || failed > 0) return 1;
  if (passed >= AT_LEAST) return 0;
  console.error(`at least ${AT_LEAST} were to pass`);
  return 1;
}

/** The first user and group from here on that the machine does not know. */
function freeUser() {
  const taken = new Set(
    ["/etc/passwd", "/etc/group"].flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .map((line) => line.split(":")[2]),
    ),
  );
  let id = 61_000;
  while (taken.has(String(id))) id += 1;
  return { uid: id, gid: id };
}

/** The checkout where the user can read it: itself, or a copy where it lies in a directory that is closed to others. */
function readableFor(user) {
  const canRead = (dir) =>
    spawnSync(
      "/bin/sh",
      ["-c", 'test -r "$1/package.json" && test -r "$1/dist" && test -r "$1/node_modules/vitest/vitest.mjs"', "sh", dir],
      user,
    ).status === 0;
  if (canRead(checkout)) return checkout;
  console.log("the checkout is closed to other users, so it is copied");
  const copy = join(base, "checkout");
  execFileSync("cp", ["-a", "--reflink=auto", checkout, copy]);
  execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, copy]);
  if (!canRead(copy)) fail(`the copy of ${checkout} cannot be read by other users`);
  return copy;
}

function environment(HOME, TMPDIR) {
  const kept = Object.fromEntries(
    ["PATH", "CI", "LANG", "TERM"].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  // The races have a run of their own; here a few turns show that they are run by others than root too.
  return { ...kept, HOME, TMPDIR, HALLPASS_SKIP_BUILD: "1", HALLPASS_SANDBOX_ATTEMPTS: "20" };
}

function fail(why) {
  console.error(why);
  process.exit(1);
}
