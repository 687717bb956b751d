// npm run build, then node scripts/count-commands.mjs [host…]: how many commands is it from nothing to an armed guard? In an empty home and a new
// repository, with the packed program installed from its file, each command that a person would type is run and counted until the hook is
// armed; then it is taken back, and git must have nothing to say. Ends with 1 where it takes more than three, or something is left.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const MOST = 3;
const HOSTS = ["claude-code", "codex", "gemini", "copilot", "opencode"];
const top = fileURLToPath(new URL("..", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "hallpass-count-"));
const home = join(place, "home");
const env = {
  // Nothing of ours, and no other home; how this machine reaches npm's packages stays.
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:HALLPASS_|XDG_|CLAUDE|CODEX|GEMINI|COPILOT|OPENCODE)/u.test(name)),
  ),
  PATH: `${join(place, "prefix", "bin")}:${process.env.PATH}`,
  HOME: home,
  npm_config_prefix: join(place, "prefix"),
  npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), ".npmrc"),
};

/** One command line, as it is typed. Throws with what it said where it fails. */
function run(line, cwd) {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", line], { cwd, env, encoding: "utf8", timeout: 600_000 });
  if (status !== 0) throw new Error(`${line}\nended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

let failed = false;
try {
  mkdirSync(home, { recursive: true });
  run(`npm pack --ignore-scripts --silent --pack-destination ${place}`, top);
  const packed = resolve(
    place,
    readdirSync(place).find((name) => name.endsWith(".tgz")),
  );
  const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : HOSTS;
  for (const host of wanted) {
    const project = join(home, "code", host);
    mkdirSync(project, { recursive: true });
    run("git init --quiet", project);
    writeFileSync(join(project, "README.md"), "a project\n");
    run("git add . && git -c user.name=a -c user.email=a@example.com commit --quiet -m first", project);
    const typed = [`npm install --global --no-audit --no-fund ${packed}`, `hallpass install ${host} --yes`];
    const said = typed.map((line) => run(line, project)).join("");
    const isArmed = new RegExp(`^armed: ${host}:`, "mu").test(said);
    const shared = run("git status --porcelain", project);
    run(`hallpass uninstall ${host} --yes`, project);
    const left = run("git status --porcelain --ignored", project);
    const isWell = isArmed && typed.length <= MOST && shared === "" && left === "";
    failed ||= !isWell;
    console.log(
      `${isWell ? "ok " : "NOT"} ${host}: ${typed.length} commands, ${isArmed ? "armed" : "not armed"}${shared === "" ? "" : `; git sees ${shared}`}`,
    );
    if (left !== "") console.log(`after uninstall git sees:\n${left}`);
    if (!isArmed) console.log(said);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
