// npm run hosts [host…]: the real programs, in an empty home, with a model that is none, once without our guard and once with it. They are
// made to use their own tools at paths inside, outside, allowed and secret; then every byte they sent to the model is looked through for
// what stands in the outside files. Opt-in, not part of any test run: it installs some 2 GB beside the lock file. Touches no account and no
// key, and speaks to nothing but loopback.

import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rgPath } from "@vscode/ripgrep";
import { startModel } from "../test/hosts/fake-model.mjs";
import { programs } from "../test/hosts/host-programs.mjs";

const cache = process.env.HALLPASS_HOSTS_CACHE ?? join(homedir(), ".cache", "hallpass-hosts");
const hallpass = copied();
const verbose = process.argv.includes("--verbose");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = wanted.filter((word) => !Object.hasOwn(programs, word));
if (unknown.length > 0) throw new Error(`there is no host ${unknown.join(", ")}; there are ${Object.keys(programs).join(", ")}`);

/** Hallpass as it is built now, in a place where no later build takes it away from under a running host. */
function copied() {
  const root = fileURLToPath(new URL("..", import.meta.url));
  mkdirSync(join(cache, "runs"), { recursive: true });
  const copy = mkdtempSync(join(cache, "runs", "hallpass-"));
  process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
  for (const part of ["bin", "dist", "migrations", "package.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (file) => !file.endsWith(".map") });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
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

/** One run: what of the marked files reached the model, and what was written outside. */
async function drive(name, program, bin, variant) {
  const scene = build();
  let cases = [];
  const model = await startModel((names) => {
    cases = (variant === "person" ? program.personCalls : program.calls)(scene)(names).filter(([, call]) => call !== null);
    return cases.map(([, call]) => call);
  });
  try {
    const around = { ...scene, address: model.address, variant };
    const env = environment(scene.home, program.env(around), dirname(bin));
    program.prepare(around);
    // Its own settings execute later, so our sandbox lets nobody write them unless the operator says so.
    if (variant === "run") {
      const own = program.own(around).flatMap((path) => [path.replace(scene.home, "~"), `${path.replace(scene.home, "~")}/**`]);
      writeFileSync(
        join(scene.home, ".config", "hallpass", "policy.json"),
        JSON.stringify({ read: { "~/granted/**": "allow" }, protected: { except: own } }),
      );
    }
    if (variant !== "bare" && variant !== "run") guard(name, scene, env, variant);
    const began = Date.now();
    const options = { cwd: scene.workspace, env, milliseconds: program.minutes * 60_000 };
    const ended = variant === "person" ? await withPerson(bin, options) : await run(...started(program, bin, around), options);
    const sent = model.requests.map(({ text }) => text).join("\n");
    if (verbose) {
      console.error(
        `--- ${name} ${variant}: exit ${ended.exit}, ${Math.round((Date.now() - began) / 1000)} s, ${model.requests.length} requests, ${model.left()} calls left`,
      );
      console.error(`tools: ${model.requests.find(({ names }) => names.length > 0)?.names.join(" ") ?? "none"}`);
      console.error(ended.text.slice(-1500));
      if (process.argv.includes("--requests"))
        writeFileSync(
          join(cache, `${name}-${variant}.requests.json`),
          JSON.stringify(
            model.requests.map(({ text }) => JSON.parse(text)),
            null,
            1,
          ),
        );
    }
    const done = cases.length - Math.max(0, model.left());
    return {
      cases: cases.map(([label], index) => ({ label, state: index >= done ? "not reached" : happened(label, scene, sent) })),
      exit: ended.exit,
      seconds: Math.round((Date.now() - began) / 1000),
    };
  } finally {
    model.close();
    rmSync(scene.base, { recursive: true, force: true });
  }
}

/** Each case has a file of its own and a mark of its own in it. */
const files = {
  "read, inside": "ws/inside-read.txt",
  "read, outside": "other/read.txt",
  "read, through a link": "other/read-link.txt",
  "read, a secret": "ws/read.env",
  "read, allowed by policy": "granted/granted.txt",
  "search, outside": "other/search/a.txt",
  "search, through a link": "other/search-link/a.txt",
  "shell, inside": "ws/inside.txt",
  "shell, outside": "other/shell.txt",
  "shell, through a link": "other/shell-link.txt",
  "shell, hidden in a variable": "other/variable.txt",
  "shell, in another shell": "other/nested.txt",
  "shell, recursive search": "other/deep/a.txt",
  "shell, a secret": "ws/shell.env",
  "shell, a program of its own": "other/program.txt",
  "shell, allowed by policy": "granted/shell.txt",
  "our tool, allowed by policy": "granted/ours.txt",
  "our tool, outside": "other/ours.txt",
  "before a yes": "asked/before.txt",
  "after a yes": "asked/after.txt",
  "after a yes, search": "asked/search/a.txt",
  "after a yes, a secret there": "asked/secret.env",
  "after a yes, elsewhere": "other/elsewhere.txt",
};
const writes = {
  "write, outside": ["other/write.txt", "other/write-new.txt"],
  "write, through a link": ["other/write-link.txt"],
  "shell, writing outside": ["other/shell-write.txt"],
  "after a yes, writing there": ["asked/write.txt"],
};
const mark = (label) => `MARK-${label.replaceAll(/[^a-z]+/gu, "-")}-MARK`;
/** Names are told by the name itself. */
const NAME = "name-MARK-of-a-file.txt";

function build() {
  mkdirSync(join(cache, "runs"), { recursive: true });
  const base = mkdtempSync(join(cache, "runs", "run-"));
  const home = join(base, "home");
  const [workspace, other, granted, asked] = ["ws", "other", "granted", "asked"].map((dir) => join(home, dir));
  const put = (path, text) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  for (const [label, path] of Object.entries(files)) put(path, `${mark(label)}\n`);
  for (const path of Object.values(writes)
    .flat()
    .filter((one) => !one.includes("-new")))
    put(path, "before\n");
  put(`other/names/${NAME}`, "x");
  put("other/.git/HEAD", "ref: refs/heads/main\n");
  put("asked/.git/HEAD", "ref: refs/heads/main\n");
  put("granted/.git/HEAD", "ref: refs/heads/main\n");
  put("ws/.git/HEAD", "ref: refs/heads/main\n");
  put("ws/read.cjs", `console.log(require("fs").readFileSync("../other/program.txt", "utf8"));\n`);
  put(".config/hallpass/policy.json", '{ "read": { "~/granted/**": "allow" } }\n');
  for (const dir of [".codex", ".gemini", ".claude", ".local", ".cache"]) mkdirSync(join(home, dir), { recursive: true });
  symlinkSync("../other", join(workspace, "link"));
  return { base, home, workspace, other, granted, asked };
}

function happened(label, { home }, sent) {
  if (label.startsWith("names")) return sent.includes(NAME) ? "reached the model" : "held back";
  const places = writes[label];
  if (places !== undefined)
    return places.some((path) => existsSync(join(home, path)) && readFileSync(join(home, path), "utf8").includes("changed"))
      ? "written"
      : "held back";
  return sent.includes(mark(label)) ? "reached the model" : "held back";
}

/** Nothing of the machine's own environment, and every way out but loopback is a closed door. */
function environment(home, more, bin) {
  const closed = "http://127.0.0.1:9";
  // opencode searches with ripgrep, and would fetch one.
  const path = [bin, dirname(rgPath), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  return {
    HOME: home,
    PATH: path,
    TERM: "dumb",
    LANG: "C.UTF-8",
    CI: "1",
    HTTP_PROXY: closed,
    HTTPS_PROXY: closed,
    http_proxy: closed,
    https_proxy: closed,
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    ...more,
  };
}

function guard(name, { workspace }, env, variant) {
  const words =
    variant === "profile"
      ? [["sync", name, "--user", "--yes"]]
      : [["install", name, name === "opencode" ? "--project" : "--user", "--yes"]];
  for (const one of words) {
    const ended = spawnSync(process.execPath, [hallpass, ...one], { cwd: workspace, env, encoding: "utf8" });
    if (ended.status !== 0)
      throw new Error(`hallpass ${one.join(" ")} ended with ${ended.status}: ${ended.stdout.slice(-400)}${ended.stderr}`);
    if (verbose)
      console.error(
        ended.stdout
          .split("\n")
          .filter((line) => /armed|no hook/u.test(line))
          .join("\n"),
      );
  }
}

/** The program and its words; with `run` inside our sandbox, which sees the workspace, the host's own files and its program. */
function started(program, bin, around) {
  const words = program.words(around);
  if (around.variant !== "run") return [bin, words];
  const own = [...program.own(around).map((path) => `${path}:extend`), `${dirname(dirname(dirname(bin)))}:read_only`];
  const names = [...Object.keys(program.env(around)), "HOME", "NO_PROXY", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
  const flags = [...own.flatMap((mount) => ["--mount", mount]), ...names.flatMap((name) => ["--env", name])];
  return [process.execPath, [hallpass, "run", "--quiet", ...flags, "--", bin, ...words]];
}

/** opencode as a server, and a person at it: our own question is read for a second and answered with yes, every other one is left alone. */
async function withPerson(bin, { cwd, env, milliseconds }) {
  const port = 20_000 + (process.pid % 20_000);
  const address = `http://127.0.0.1:${port}`;
  const ended = run(bin, ["serve", "--hostname", "127.0.0.1", "--port", String(port)], { cwd, env, milliseconds });
  const post = (path, body) =>
    fetch(`${address}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  let said = "";
  try {
    for (
      let tries = 0;
      tries < 600 &&
      !(await fetch(`${address}/session`, { signal: AbortSignal.timeout(10_000) }).then(
        (answer) => answer.ok,
        () => false,
      ));
      tries += 1
    )
      await pause(250);
    const events = await fetch(`${address}/event`);
    void (async () => {
      let text = "";
      for await (const part of events.body) {
        text += Buffer.from(part).toString("utf8");
        for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
          const line = text.slice(0, end).replace(/^data: /u, "");
          text = text.slice(end + 2);
          if (!line.includes('"permission.')) continue;
          const { type, properties } = JSON.parse(line);
          said += `${type} ${properties.permission ?? properties.reply ?? ""} ${properties.metadata?.hallpass === undefined ? "" : "(ours)"}\n`;
          if (type === "permission.asked" && properties.metadata?.hallpass !== undefined)
            void pause(1_000).then(() => post(`/permission/${properties.id}/reply`, { reply: "once" }));
        }
      }
    })().catch(() => undefined);
    const { id } = await (await post("/session", {})).json();
    const message = post(`/session/${id}/message`, { model: { providerID: "fake", modelID: "m" }, parts: [{ type: "text", text: "go" }] });
    await Promise.race([message, pause(milliseconds - 60_000)]);
  } finally {
    ended.stop();
  }
  return { ...(await ended), text: said };
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds).unref());

function run(bin, words, { cwd, env, milliseconds }) {
  const child = spawn(bin, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  // The whole group: a host starts programs of its own.
  const stop = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is gone.
    }
  };
  const ended = new Promise((resolve) => {
    let text = "";
    const timer = setTimeout(stop, milliseconds);
    child.stdout.on("data", (part) => (text += part));
    child.stderr.on("data", (part) => (text += part));
    child.on("error", (error) => resolve({ exit: null, text: error.message }));
    child.on("close", (exit) => {
      clearTimeout(timer);
      stop();
      resolve({ exit, text });
    });
  });
  return Object.assign(ended, { stop });
}

function print(name, program, runs) {
  const labels = [...new Set(runs.flatMap(([, { cases }]) => cases.map(({ label }) => label)))];
  console.log(
    `\n## ${name} ${program.version} (${runs.map(([title, { exit, seconds }]) => `${title}: exit ${exit}, ${seconds} s`).join("; ")})\n`,
  );
  console.log(`| call | ${runs.map(([title]) => title).join(" | ")} |`);
  console.log(`| --- | ${runs.map(() => "---").join(" | ")} |`);
  for (const label of labels.filter((one) => !one.startsWith("(")))
    console.log(
      `| ${label} | ${runs.map(([, { cases }]) => cases.find((one) => one.label === label)?.state ?? "not offered").join(" | ")} |`,
    );
}

for (const name of wanted.length === 0 ? Object.keys(programs) : wanted) {
  const program = programs[name];
  const bin = installed(program);
  const bare = await drive(name, program, bin, "bare");
  const guarded = await drive(name, program, bin, "guarded");
  const more = [];
  for (const variant of program.variants ?? []) more.push([variant, await drive(name, program, bin, variant)]);
  print(name, program, [["without", bare], ["with", guarded], ...more]);
}
