// Bundles the hook: what answers a plain call in one small file (hook-body.cjs), what other calls need besides in further ones, and beside
// each of them the code V8 made of it. Whatever the source imports when it is needed goes into one of those.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { build, transform } from "esbuild";
import { parseAst } from "vite";
import { keptSettings } from "./kept-bundle.mjs";

/** What most other calls need: the words of a refusal, understanding a policy, asking a daemon. */
const REST = "hook-rest";
/** Reading a command; it has many tables. */
const COMMANDS = "hook-commands";
/** The lists of names and what finds a path on one, where a path looks as if it were on one or a rule may speak of it. */
const LISTS = "hook-lists";
/** What is looked at besides before something is written. */
const WRITES = "hook-writes";
/** Every host but the one that calls most. */
const HOSTS = "hook-hosts";

/**
 * Functions that a plain call does not need, and the file they may be had from: what goes in and comes out is data, or is asked by its own
 * methods. A pin or a pass is known only to the copy that made it, so a function that takes one is not among them.
 */
const rare = {
  "src/adapters/hook/refusal-words.ts": { from: REST, names: ["hintOf", "spansRoots", "alertOf", "asWritten"] },
  "src/core/guard/gitignored.ts": { from: REST, names: ["isGitignored"] },
  "src/core/path/show.ts": { from: REST, names: ["show", "unshow", "hasForeignLetters", "shorten"] },
  "src/core/session/propose.ts": { from: REST, names: ["propose", "narrower", "wider"] },
  "src/core/session/survey.ts": { from: REST, names: ["survey"] },
  "src/core/session/grant.ts": { from: REST, names: ["reopenGrants", "revoke", "settle"] },
  "src/core/policy/builtin-lines.ts": { from: LISTS, names: ["secretLines", "protectLines"] },
  "src/core/policy/glob.ts": { from: LISTS, names: ["parseGlob", "plainPieceOf"] },
  "src/core/policy/index-of-rules.ts": { from: LISTS, names: [], classes: ["RuleIndex"], values: ["NONE"] },
  "src/core/guard/git-runs.ts": { from: WRITES, names: ["gitRuns"] },
  "src/core/guard/protected-links.ts": { from: WRITES, names: ["protectedLinkTo"] },
  "src/adapters/hook/hosts/codex.ts": { from: HOSTS, names: ["codex"] },
  "src/adapters/hook/hosts/copilot.ts": { from: HOSTS, names: ["copilot"] },
  "src/adapters/hook/hosts/cursor.ts": { from: HOSTS, names: ["cursor"] },
  "src/adapters/hook/hosts/gemini.ts": { from: HOSTS, names: ["gemini"] },
  "src/adapters/hook/hosts/opencode.ts": { from: HOSTS, names: ["opencode"] },
};
/** Files that are imported when they are needed are in the first of them, but for these. */
const elsewhere = {
  "src/adapters/hook/shell/command-paths.ts": COMMANDS,
  "src/adapters/hook/mentions.ts": COMMANDS,
  "src/adapters/hook/secret-pattern.ts": COMMANDS,
};
/** What a hook never does: it opens nothing. */
const never = { "src/core/guard/open.ts": ["open"] };
const project = fileURLToPath(new URL("../", import.meta.url));

/** Build everything of the hook into `outdir` (absolute); the files that went into it are returned. */
export async function buildHook(outdir) {
  const later = new Map([REST, COMMANDS, LISTS, WRITES, HOSTS].map((part) => [part, new Set()]));
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
      building.onLoad({ filter: /.*/, namespace: "later" }, async ({ path }) => ({ contents: await standIns(path) }));
    },
  };
  // What is the same each time is worked out once, here.
  const workedOut = {
    name: "worked-out",
    setup(building) {
      building.onLoad({ filter: /\/core\/policy\/builtin-screens\.ts$/ }, async ({ path }) => {
        const made = Object.entries(await exportsOf(path));
        return { contents: made.map(([name, make]) => `export const ${name} = () => (${JSON.stringify(make())});`).join("\n") };
      });
    },
  };
  const version = JSON.stringify(String(Date.now()));
  const settings = {
    ...keptSettings,
    outdir,
    // Made small afterwards: see `makeQuick`.
    minify: false,
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
  const parts = readFileSync(join(project, "scripts/hook-parts.cjs"), "utf8");
  const body = await build({
    ...settings,
    banner: { js: `(function(fs,vm,builtin,folder,give,keep){"use strict";\n${parts}` },
    entryPoints: ["hook-body"],
    plugins: [entry(`import { hookMain } from ${JSON.stringify(main)};\ngive.exports = { hookMain };`), laterElsewhere, workedOut],
  });
  const built = [body];
  for (const [part, files] of later)
    built.push(await build({ ...settings, entryPoints: [part], plugins: [entry(givingAll([...files])), workedOut] }));
  for (const [at, name] of ["hook-body", ...later.keys()].entries())
    await makeQuick(join(outdir, `${name}.cjs`), built[at].metafile.inputs);
  // Compiled at each start, so that its names are short too.
  writeFileSync(
    join(outdir, "hook.cjs"),
    await minified(readFileSync(join(project, "scripts/hook-loader.cjs"), "utf8"), { format: "cjs" }),
  );
  warm(outdir);
  return built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** Without comments, and with short names where nobody else can see them. */
async function minified(text, settings) {
  const { code } = await transform(text, { minify: true, charset: "ascii", target: "node20.19", ...settings });
  return code;
}

/** A bundle as V8 loads and runs it quickest the first time. Nothing of what it does is changed. */
async function makeQuick(file, inputs) {
  // A function that nobody uses would be left out.
  const code = await minified(`used = ${inScopes(readFileSync(file, "utf8"), inputs)}`);
  writeFileSync(file, withoutShapes(code.replace(/^used=(.*?);?\s*$/su, "($1)")));
}

/**
 * V8 makes the shape of an object literal beforehand, and changes it for each value that it could not know then, which takes longer than
 * adding one after the other. It does so where a literal begins with a spread, be it of nothing.
 */
function withoutShapes(code) {
  const starts = [];
  const look = (node) => {
    if (node === null || typeof node !== "object") return;
    if (node.type === "ObjectExpression" && node.properties.some(({ value }) => value !== undefined && value.type !== "Literal"))
      starts.push(node.start + 1);
    Object.values(node).forEach(look);
  };
  look(parseAst(code));
  starts.sort((one, other) => one - other);
  return [0, ...starts].map((start, at) => `${at === 0 ? "" : "...null,"}${code.slice(start, starts[at])}`).join("");
}

/**
 * The modules of a bundle in scopes of few names, each inside the one before: a module names those before it, and modules that name each
 * other stay together. V8 keeps the names of a scope with more than 75 in a table, which it makes anew each time the code is loaded.
 */
function inScopes(text, inputs) {
  const [start, ...modules] = text.slice(0, text.lastIndexOf("})")).split(/^(?=\/\/ [a-z]+[:/])/mu);
  const order = modules.map((module) => module.slice("// ".length, module.indexOf("\n")));
  const namesIn = (piece) => piece.match(/^(?:var|let|const|class|(?:async )?function\*?) /gmu)?.length ?? 0;
  let [opened, names, furthest] = [0, namesIn(start), -1];
  const scoped = modules.map((module, at) => {
    const more = namesIn(module);
    const isFull = names + more > 65 && furthest < at;
    names = isFull ? more : names + more;
    opened += isFull ? 1 : 0;
    // A module may stand in two pieces, of which the first asks for what is Node's and may name what the second gives.
    const isFirst = order.lastIndexOf(order[at]) > at;
    const first = module.includes("__export(") ? [order[at]] : [];
    const named = isFirst ? first : (inputs[order[at]]?.imports ?? []).map(({ path }) => path);
    furthest = Math.max(furthest, ...named.map((path) => order.lastIndexOf(path)));
    return isFull ? `(() => {\n${module}` : module;
  });
  return `${start}${scoped.join("")}${"})();\n".repeat(opened)}})`;
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
  return [...imports, `give.exports = { ${files.map((_, at) => `...m${at}`).join(", ")} };`].join("\n");
}

/** What a module of ours gives, had by loading it here. */
async function exportsOf(file) {
  const made = { exports: {} };
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: [file],
    bundle: true,
    format: "cjs",
    platform: "node",
    write: false,
  });
  compileFunction(outputFiles[0].text, ["module"])(made);
  return made.exports;
}

/** The module of this name, of functions and classes that ask another file, and plain values; a name that is missing here fails the build. */
async function standIns(name) {
  const { from, names, classes = [], values = [] } = rare[name] ?? { names: [] };
  const there = names.map((one) => `export const ${one} = (...words) => require("./${from}.cjs").${one}(...words);`);
  const made = classes.map((one) => `export function ${one}(...words) { return new (require("./${from}.cjs").${one})(...words); }`);
  const known = values.length === 0 ? {} : await exportsOf(name);
  const plain = values.map((one) => `export const ${one} = ${JSON.stringify(known[one])};`);
  const nowhere = (never[name] ?? []).map((one) => `export const ${one} = () => { throw new Error("a hook does not ${one}"); };`);
  return [...there, ...made, ...plain, ...nowhere].join("\n");
}

/**
 * Let the hook answer, and keep the code V8 made: of each file for a call that needs it, and of the body for a plain call after them, and no
 * more, since all that is kept is loaded each time. A hook without it is slower, not wrong.
 */
function warm(outdir) {
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
    { keep: WRITES, tool_name: "Edit", tool_input: { file_path: join(workspace, "a.txt"), old_string: "a", new_string: "b" } },
    { keep: LISTS, tool_name: "Read", tool_input: { file_path: join(workspace, ".env.example") } },
    {
      keep: HOSTS,
      host: "gemini",
      hook_event_name: "BeforeTool",
      tool_name: "read_file",
      tool_input: { file_path: join(workspace, "a.txt") },
    },
    { keep: "hook-body", tool_name: "Read", tool_input: { file_path: join(workspace, "a.txt") } },
  ];
  for (const { keep, host = "claude-code", ...call } of calls) {
    const { status, stderr } = spawnSync(process.execPath, [join(project, "scripts/hook-warm.cjs"), outdir, keep, host], {
      input: JSON.stringify({ hook_event_name: "PreToolUse", session_id: "warm", cwd: workspace, ...call }),
      cwd: workspace,
      env: { PATH: process.env.PATH, HOME: home },
      timeout: 20_000,
      encoding: "utf8",
    });
    if (status !== 0) console.warn(`the code kept of ${keep} is of a call that failed: ${stderr}`);
  }
  rmSync(home, { recursive: true, force: true });
}
