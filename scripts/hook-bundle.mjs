// Bundles the hook: what answers a plain call in one small file (hook-body.cjs), what other calls need besides in further ones, and beside
// each of them the code V8 made of it. Whatever the source imports when it is needed goes into one of those.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { build, transform } from "esbuild";
import { keptSettings } from "./kept-bundle.mjs";

/** What most other calls need: the words of a refusal, understanding a policy, asking a daemon. */
const REST = "hook-rest";
/** Reading a command; it has many tables. */
const COMMANDS = "hook-commands";
/** The lists of names, where a path looks as if it were on one. */
const LISTS = "hook-lists";

/**
 * Functions that a plain call does not need, and the file they may be had from: what goes in and comes out is data, or is asked by its own
 * methods. A pin or a pass is known only to the copy that made it, so a function that takes one is not among them.
 */
const rare = {
  "src/adapters/hook/refusal-words.ts": { from: REST, names: ["hintOf", "spansRoots", "alertOf"] },
  "src/core/guard/gitignored.ts": { from: REST, names: ["isGitignored"] },
  "src/core/path/show.ts": { from: REST, names: ["show", "unshow", "hasForeignLetters", "shorten"] },
  "src/core/session/propose.ts": { from: REST, names: ["propose"] },
  "src/core/session/survey.ts": { from: REST, names: ["survey"] },
  "src/core/session/grant.ts": { from: REST, names: ["reopenGrants", "revoke", "settle"] },
  "src/core/policy/builtin-lines.ts": { from: LISTS, names: ["secretLines", "protectLines"] },
};
/** Files that are imported when they are needed are in the first of them, but for these. */
const elsewhere = { "src/adapters/hook/shell/command-paths.ts": COMMANDS };
/** What a hook never does: it opens nothing. */
const never = { "src/core/guard/open.ts": ["open"] };
const project = fileURLToPath(new URL("../", import.meta.url));

/** Build everything of the hook into `outdir` (absolute); the files that went into it are returned. */
export async function buildHook(outdir) {
  const later = new Map([REST, COMMANDS, LISTS].map((part) => [part, new Set()]));
  for (const [file, { from }] of Object.entries(rare)) later.get(from).add(join(project, file));
  const laterElsewhere = {
    name: "later-elsewhere",
    setup(building) {
      building.onResolve({ filter: /\.ts$/ }, ({ path, importer, kind }) => {
        const file = resolve(dirname(importer), path);
        const name = relative(project, file);
        if (name in rare || name in never) return { path: name, namespace: "later" };
        // None of our modules does anything by being loaded: what nobody asks for is left out.
        if (kind !== "dynamic-import") return { path: file, sideEffects: false };
        const part = elsewhere[name] ?? REST;
        later.get(part).add(file);
        return { path: `./${part}.cjs`, external: true };
      });
      building.onResolve({ filter: /^\.\/hook-/, namespace: "later" }, ({ path }) => ({ path, external: true }));
      building.onLoad({ filter: /.*/, namespace: "later" }, ({ path }) => ({ contents: standIns(path) }));
    },
  };
  // What is the same each time is worked out once, here.
  const screens = "src/core/policy/builtin-screens.ts";
  const workedOut = {
    name: "worked-out",
    setup(building) {
      building.onLoad({ filter: /\/core\/policy\/builtin-screens\.ts$/ }, async () => {
        const made = { exports: {} };
        const settingsOfOne = { absWorkingDir: project, entryPoints: [screens], bundle: true, format: "cjs", write: false };
        const { outputFiles } = await build(settingsOfOne);
        compileFunction(outputFiles[0].text, ["module"])(made);
        return {
          contents: Object.entries(made.exports)
            .map(([name, make]) => `export const ${name} = () => (${JSON.stringify(make())});`)
            .join("\n"),
        };
      });
    },
  };
  const version = JSON.stringify(String(Date.now()));
  const settings = {
    ...keptSettings,
    outdir,
    // What is loaded by the code kept of it has no `import()`.
    supported: { "dynamic-import": false },
    // Fields are made where the constructor sets them, not twice.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    // Each file is one function, which is given what it may ask for and gives back what it has.
    banner: { js: '(function(require,give){"use strict";' },
    footer: { js: "})" },
    define: { "process.env.HALLPASS_BUILD": version },
    metafile: true,
  };
  const main = join(project, "src/cli/hook-main.ts");
  const parts = await smaller("scripts/hook-parts.cjs");
  const body = await build({
    ...settings,
    banner: { js: `(function(from,give){"use strict";${parts}` },
    entryPoints: ["hook-body"],
    plugins: [entry(`import { hookMain } from ${JSON.stringify(main)};\ngive({ hookMain });`), laterElsewhere, workedOut],
  });
  const built = [body];
  for (const [part, files] of later)
    built.push(await build({ ...settings, entryPoints: [part], plugins: [entry(givingAll([...files])), workedOut] }));
  writeFileSync(join(outdir, "hook.cjs"), await smaller("scripts/hook-loader.cjs"));
  warm(join(outdir, "hook.cjs"));
  return built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** A script of ours without its comments: it is compiled at each start. */
async function smaller(file) {
  const { code } = await transform(readFileSync(join(project, file), "utf8"), { minify: true, target: "node20.19" });
  return code;
}

/** The bundle's first file, of these words. */
function entry(contents) {
  return {
    name: "entry",
    setup(building) {
      building.onResolve({ filter: /^hook-[a-z]+$/ }, ({ path }) => ({ path, namespace: "entry" }));
      building.onLoad({ filter: /.*/, namespace: "entry" }, () => ({ contents, resolveDir: project }));
    },
  };
}

/** Gives everything of these files, as plain fields: getters, which a bundle has otherwise, take their time. */
function givingAll(files) {
  const imports = files.map((file, at) => `import * as m${at} from ${JSON.stringify(file)};`);
  return [...imports, `give({ ${files.map((_, at) => `...m${at}`).join(", ")} });`].join("\n");
}

/** The module of this name, of functions that ask another file; a name that is missing here fails the build. */
function standIns(name) {
  const { from, names } = rare[name] ?? { names: [] };
  const there = names.map((one) => `export const ${one} = (...words) => require("./${from}.cjs").${one}(...words);`);
  const nowhere = (never[name] ?? []).map((one) => `export const ${one} = () => { throw new Error("a hook does not ${one}"); };`);
  return [...there, ...nowhere].join("\n");
}

/**
 * Let the hook answer, and keep the code V8 made: of each file for a call that needs it, and of the body for a plain call after them, and no
 * more, since all that is kept is loaded each time. A hook without it is slower, not wrong.
 */
function warm(file) {
  const home = mkdtempSync(join(tmpdir(), "hallpass-warm-"));
  const workspace = join(home, "app");
  const policy = join(home, ".config", "hallpass", "policy.json");
  for (const folder of [join(workspace, "src"), dirname(policy)]) mkdirSync(folder, { recursive: true });
  for (const name of ["a.txt", ".env.example"]) writeFileSync(join(workspace, name), "");
  // As most are who have a policy: it has rules, and none of them speaks of the path. One saved a moment ago would not be kept.
  writeFileSync(policy, JSON.stringify({ read: { "/srv/**": "ask" } }));
  const before = new Date(Date.now() - 60_000);
  utimesSync(policy, before, before);
  const calls = [
    // The first call understands the policy, and is refused.
    { keep: REST, tool_name: "Read", tool_input: { file_path: join(workspace, ".env") } },
    { keep: COMMANDS, tool_name: "Bash", tool_input: { command: "cd src && grep -n word *.txt > out.txt" } },
    { keep: LISTS, tool_name: "Read", tool_input: { file_path: join(workspace, ".env.example") } },
    { keep: "hook-body", tool_name: "Read", tool_input: { file_path: join(workspace, "a.txt") } },
  ];
  for (const { keep, ...call } of calls) {
    const { status, stderr } = spawnSync(process.execPath, [file, "claude-code"], {
      input: JSON.stringify({ hook_event_name: "PreToolUse", session_id: "warm", cwd: workspace, ...call }),
      cwd: workspace,
      env: { PATH: process.env.PATH, HOME: home, HALLPASS_HOOK_WARM: keep },
      timeout: 20_000,
      encoding: "utf8",
    });
    if (status !== 0) console.warn(`the code kept of ${keep} is of a call that failed: ${stderr}`);
  }
  rmSync(home, { recursive: true, force: true });
}
