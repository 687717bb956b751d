// npm run hosts -- [host…] [--only VARIANT] [--write] [--verbose] [--requests]: the real programs, in an empty home, with a model that is
// none, with our guard and without it. They are made to use their own tools at paths inside, outside, granted and secret, with and without a person at
// the inbox; then every byte they sent to the model is looked through for what stands in the outside files. Ends with 1 where something
// promised did not hold. Opt-in, not part of any test run: it installs some 2 GB beside the lock file. Touches no account and no key, and
// speaks to nothing but loopback.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { changedCopies } from "../test/hosts/changed-copies.mjs";
import { endDaemonOf, sitDown, startDaemon } from "../test/hosts/daemon.mjs";
import { startModel } from "../test/hosts/fake-model.mjs";
import { programs } from "../test/hosts/host-programs.mjs";
import { unknownTools } from "../test/hosts/known-tools.mjs";
import { withPerson } from "../test/hosts/opencode-dialog.mjs";
import { broken, setups } from "../test/hosts/promises.mjs";
import { buildScene, whatBecame } from "../test/hosts/scene.mjs";
import { scriptOf } from "../test/hosts/script.mjs";
import { environment, run, started } from "../test/hosts/start-host.mjs";
import { answerIn, summary } from "../test/hosts/summary.mjs";

const cache = process.env.HALLPASS_HOSTS_CACHE ?? join(homedir(), ".cache", "hallpass-hosts");
mkdirSync(join(cache, "runs"), { recursive: true });
const flags = {
  verbose: { type: "boolean" },
  requests: { type: "boolean" },
  write: { type: "boolean" },
  only: { type: "string", multiple: true },
};
const { values: options, positionals: wanted } = parseArgs({ options: flags, allowPositionals: true });
const unknown = wanted.filter((word) => !Object.hasOwn(programs, word));
if (unknown.length > 0) throw new Error(`there is no host ${unknown.join(", ")}; there are ${Object.keys(programs).join(", ")}`);
/** Hallpass, by what is other in a copy of it. */
const copies = new Map();
const copyOf = (kind = "as built") => copies.get(kind) ?? copies.set(kind, copied(kind)).get(kind);

/** Hallpass in a place where no later build takes it away from under a running host: as it is built now, or built once more with a change. */
function copied(kind) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const copy = mkdtempSync(join(cache, "runs", "hallpass-"));
  process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
  for (const part of [
    "bin",
    "dist",
    "migrations",
    "package.json",
    ...(kind === "as built" ? [] : ["src", "scripts", "web", "tsconfig.json", "package-lock.json"]),
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (file) => !file.endsWith(".map") });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  if (kind !== "as built") {
    for (const [file, change] of changedCopies[kind]) writeFileSync(join(copy, file), change(readFileSync(join(copy, file), "utf8")));
    const ended = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: copy, encoding: "utf8" });
    if (ended.status !== 0) throw new Error(`the copy with ${kind} could not be built: ${ended.stderr}`);
  }
  return join(copy, "bin", "hallpass.cjs");
}

/** The program, put into the cache the first time. */
function installed({ package: pack, version, bin }) {
  const dir = join(cache, `${pack.replace("/", "+")}@${version}`);
  const file = join(dir, "node_modules", ".bin", bin);
  if (!existsSync(file)) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "package.json"), '{"private":true}\n');
    console.error(`installing ${pack}@${version} into ${dir}`);
    const ended = spawnSync("npm", ["install", "--no-audit", "--no-fund", `${pack}@${version}`], { cwd: dir, stdio: "inherit" });
    if (ended.status !== 0) throw new Error(`${pack}@${version} could not be installed`);
  }
  return file;
}

/** Where nothing guards, a server without a guard stands in for ours. */
const naive = { command: process.execPath, args: [fileURLToPath(new URL("../test/hosts/naive-server.mjs", import.meta.url))] };

/** One variant of one host: what of the marked files reached the model, what was written outside, and what came to the inbox. */
async function drive(name, program, bin, variant) {
  const setup = setups[variant];
  const hallpass = copyOf(setup.copy);
  const built = buildScene(join(cache, "runs"));
  const scene = { ...built, settings: program.settings(built) };
  const around = {
    ...scene,
    variant,
    guarded: setup.guard === "install",
    confined: program.confined === true,
    inside: setup.guard === "run",
    again: false,
    naive: setup.guard === null ? naive : null,
  };
  const script = scriptOf(program, around, setup);
  const model = await startModel(script.turn);
  let daemon = null;
  let person = null;
  try {
    around.address = model.address;
    const env = environment(scene.home, program.env(around), dirname(bin));
    program.prepare(around);
    if (!existsSync(scene.settings)) {
      mkdirSync(dirname(scene.settings), { recursive: true });
      writeFileSync(scene.settings, "{}\n");
    }
    guard(program.host ?? name, program, around, env, hallpass);
    if (setup.change !== undefined) program[setup.change](around);
    if (around.guarded) await program.trust?.(around, bin, env);
    if (setup.daemon === true) {
      daemon = await startDaemon(hallpass, { cwd: scene.workspace, env });
      person = sitDown(daemon);
      script.meet(person);
    }
    const began = Date.now();
    const options = {
      cwd: scene.workspace,
      env,
      milliseconds: program.minutes * (setup.copy === undefined ? 1 : 3) * 60_000,
      talk: program.talk?.(around) ?? null,
    };
    const runs = [variant === "dialog" ? await withPerson(bin, options) : await run(...started(program, bin, around, hallpass), options)];
    const before = model.requests.length;
    if (script.goOn()) runs.push(await run(...started(program, bin, { ...around, again: true }, hallpass), options));
    await script.end();
    const seconds = Math.round((Date.now() - began) / 1000);
    told(name, variant, model, runs, seconds);
    const textOf = (requests) => requests.map(({ keys, text }) => `${keys} ${text}`).join("\n");
    const said = { sent: textOf(model.requests), again: textOf(model.requests.slice(before)) };
    const login = variant === "run, asked" && program.login !== undefined ? [{ label: "its login", opens: true, made: true }] : [];
    const cases = [...login, ...script.cases()].map((one) => ({
      ...one,
      state: one.made ? whatBecame(one.label, scene, said) : "not reached",
    }));
    const names = setup.guard === "install" ? model.requests.flatMap(({ names: offered }) => offered) : [];
    const strange =
      variant === (program.offersAll ?? "with") ? unknownTools(program.host ?? name, names, hallpass, { cwd: scene.workspace, env }) : [];
    return { cases, strange, exits: runs.map(({ exit }) => exit), seconds };
  } finally {
    await person?.leave();
    await daemon?.stop();
    endDaemonOf(scene.home);
    model.close();
    rmSync(scene.base, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What could not be started at all is told with the rest. */
function notDriven(error) {
  console.error(error);
  return { cases: [], strange: [], exits: [], seconds: 0 };
}

function told(name, variant, { requests }, runs, seconds) {
  if (options.requests === true)
    writeFileSync(
      join(cache, `${name}-${variant.replaceAll(/[^a-z]+/gu, "-")}.requests.json`),
      JSON.stringify(
        requests.map(({ text }) => JSON.parse(text)),
        null,
        1,
      ),
    );
  if (options.verbose !== true) return;
  console.error(`--- ${name}, ${variant}: ${seconds} s, ${requests.length} requests, exits ${runs.map(({ exit }) => exit).join(", ")}`);
  console.error(`tools: ${requests.find(({ names }) => names.length > 0)?.names.join(" ") ?? "none"}`);
  for (const { text } of runs) console.error(text.slice(-1500));
}

function guard(name, program, around, env, hallpass) {
  const { guard: by, rules, copy } = setups[around.variant];
  if (rules === "none") rmSync(join(around.home, ".config", "hallpass", "policy.json"));
  if (by !== "install" && by !== "sync") return;
  const words = [by, name, by === "sync" ? "--user" : (program.level ?? "--user"), "--yes"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [hallpass, ...words], { cwd: around.workspace, env, encoding: "utf8" });
  const said = `hallpass ${words.join(" ")} ended with ${status}: ${stdout.slice(-400)}${stderr}`;
  // A hook that reads no commands is not armed where a host has commands alone, and must be said not to be; it is written all the same.
  const isUnread = copy === "no reader" && /^not armed/mu.test(stdout);
  if (status !== 0 && !isUnread) throw new Error(said);
  if (by === "install" && !isUnread && !/^armed/mu.test(stdout)) throw new Error(`did not arm: ${said}`);
  shorten(around);
}

/** Nobody answers some of the calls, and what is installed waits nearly ten minutes for a person. */
function shorten({ home, workspace }) {
  for (const dir of [home, workspace])
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      const text = entry.isFile() ? readFileSync(file, "utf8") : "";
      if (/--wait=570|"wait":570/u.test(text))
        writeFileSync(file, text.replaceAll("--wait=570", "--wait=5").replaceAll('"wait":570', '"wait":5'));
    }
}

const short = { "reached the model": "reached", written: "written", "held back": "held back", "not reached": "**not made**" };

function print(runs) {
  for (const asked of [false, true]) {
    const shown = runs.filter(([variant]) => (setups[variant].cases !== "plain") === asked);
    const labels = [...new Set(shown.flatMap(([, { cases }]) => cases.map(({ label }) => label)))].filter((one) => !one.startsWith("("));
    if (labels.length === 0) continue;
    console.log(`\n| ${asked ? "call, with a person there" : "call"} | ${shown.map(([variant]) => variant).join(" | ")} |`);
    console.log(`| --- | ${shown.map(() => "---").join(" | ")} |`);
    for (const label of labels) {
      const cells = shown.map(([, { cases }]) => cases.find((one) => one.label === label));
      console.log(`| ${label} | ${cells.map((one) => (one === undefined ? "–" : `${short[one.state]}${answerIn(one)}`)).join(" | ")} |`);
    }
  }
}

/** What the program says of itself, in a home of nobody's. */
function versionOf(bin) {
  const home = mkdtempSync(join(cache, "runs", "home-"));
  const ended = spawnSync(bin, ["--version"], { env: environment(home, {}, dirname(bin)), cwd: home, encoding: "utf8", timeout: 30_000 });
  rmSync(home, { recursive: true, force: true });
  return /\d+\.\d+\.\d+[\w.-]*/u.exec(ended.stdout ?? "")?.[0].replace(/\.$/u, "") ?? "unknown";
}

/** The page of results holds what was measured last, between two marks; what did not hold stands there too. */
function intoPage(text) {
  const page = fileURLToPath(new URL("../docs/hosts.md", import.meta.url));
  const measured = `Measured on ${today} with Node ${process.version.slice(1)} on ${process.platform}.`;
  const wrong = failures.length === 0 ? "" : `### What did not hold\n\n${failures.map((line) => `- ${line}`).join("\n")}\n\n`;
  const [begin, end] = ["<!-- measured -->", "<!-- /measured -->"];
  const old = readFileSync(page, "utf8");
  const [before, after] = [old.slice(0, old.indexOf(begin) + begin.length), old.slice(old.indexOf(end))];
  writeFileSync(page, `${before}\n\n${measured}\n\n${text}\n\n${wrong}${after}`);
}

const today = new Date().toISOString().slice(0, 10);
const failures = [];
const results = [];
console.log(`${today}, node ${process.version}, ${process.platform}`);
for (const name of wanted.length === 0 ? Object.keys(programs) : wanted) {
  const program = programs[name];
  const bin = installed(program);
  const version = versionOf(bin);
  if (version !== program.version) failures.push(`${name}: it says it is ${version}, and ${program.version} was installed`);
  const runs = [];
  for (const variant of program.variants.filter((one) => options.only === undefined || options.only.includes(one)))
    runs.push([variant, await drive(name, program, bin, variant).catch((error) => notDriven(error))]);
  console.log(`\n## ${program.title} ${version}\n`);
  console.log(
    runs
      .map(([variant, { exits, seconds }]) => `${variant}: ${seconds} s, exit ${exits.map((exit) => exit ?? "by our end").join(" and ")}`)
      .join("; "),
  );
  print(runs);
  const strange = runs.flatMap(([, { strange: names }]) => names);
  if (strange.length > 0) console.log(`\ntools of this host that the hook does not know, and asks about or denies: ${strange.join(", ")}`);
  results.push({ program, version, runs });
  const wrong = runs.flatMap(([variant, { cases }]) => [
    ...(cases.length === 0 ? [`${variant}: no call was made at all`] : []),
    ...(setups[variant].guard === "install" &&
    !["dialog", "rules"].includes(setups[variant].cases) &&
    !cases.some(({ label }) => label.startsWith("our tool"))
      ? [`${variant}: the tools of our server were never offered`]
      : []),
    ...cases.flatMap((one) => broken(one, variant, program) ?? []),
  ]);
  console.log(wrong.length === 0 ? "\neverything promised held" : `\nDID NOT HOLD:\n${wrong.map((line) => `- ${line}`).join("\n")}`);
  failures.push(...wrong.map((line) => `${name}: ${line}`));
}
console.log(`\n${summary(results)}`);
if (options.write === true) intoPage(summary(results));
console.log(failures.length === 0 ? "\nall held" : `\n${failures.length} promises did not hold`);
process.exitCode = failures.length === 0 ? 0 : 1;
