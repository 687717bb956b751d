// Bundles the hook: what answers a plain call in one small file (hook-body.cjs), what other calls need besides in a second one
// (hook-rest.cjs), and beside each of them the code V8 made of it. Whatever the source imports when it is needed goes into the second.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { build, transform } from "esbuild";

const REST = "./hook-rest.cjs";

/**
 * Functions that a plain call does not need, and that may be had from the second file: what goes in and comes out is data, or is asked
 * by its own methods. A pin or a pass is known only to the copy that made it, so a function that takes one is not among them.
 */
const rare = {
  "src/adapters/hook/refusal-words.ts": ["hintOf", "spansRoots", "alertOf"],
  "src/core/guard/gitignored.ts": ["isGitignored"],
  "src/core/session/propose.ts": ["propose"],
  "src/core/session/survey.ts": ["survey"],
  "src/core/session/grant.ts": ["reopenGrants", "revoke", "settle"],
};
/** What a hook never does: it opens nothing. */
const never = { "src/core/guard/open.ts": ["open"] };
const project = fileURLToPath(new URL("../", import.meta.url));

/** Build everything of the hook into `outdir` (absolute); the files that went into it are returned. */
export async function buildHook(outdir) {
  const later = new Set(Object.keys(rare).map((file) => join(project, file)));
  const laterElsewhere = {
    name: "later-elsewhere",
    setup(building) {
      building.onResolve({ filter: /\.ts$/ }, ({ path, importer, kind }) => {
        const file = resolve(dirname(importer), path);
        const name = relative(project, file);
        if (name in rare || name in never) return { path: name, namespace: "later" };
        if (kind !== "dynamic-import") return undefined;
        later.add(file);
        return { path: REST, external: true };
      });
      building.onResolve({ filter: /hook-rest/, namespace: "later" }, () => ({ path: REST, external: true }));
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
    absWorkingDir: project,
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    // A module's entry costs a third of Node's start.
    format: "cjs",
    platform: "node",
    target: "node20.19",
    // What is loaded by the code kept of it has no `import()`.
    supported: { "dynamic-import": false },
    mainFields: ["module", "main"],
    // A text of one byte a character is quicker to read and to keep.
    charset: "ascii",
    minify: true,
    // Each file is one function, which is given what it may ask for and gives back what it has.
    banner: { js: '(function(require,give){"use strict";' },
    footer: { js: "})" },
    define: { "process.env.HALLPASS_BUILD": version },
    metafile: true,
    logLevel: "warning",
  };
  const main = join(project, "src/cli/hook-main.ts");
  const body = await build({
    ...settings,
    entryPoints: ["hook-body"],
    plugins: [entry(`import { hookMain } from ${JSON.stringify(main)};\ngive({ hookMain });`), laterElsewhere, workedOut],
  });
  const rest = await build({ ...settings, entryPoints: ["hook-rest"], plugins: [entry(givingAll([...later])), workedOut] });
  // Compiled anew at each start, comments and all.
  const loader = await transform(readFileSync(join(project, "scripts/hook-loader.cjs"), "utf8"), { minify: true, target: "node20.19" });
  writeFileSync(join(outdir, "hook.cjs"), loader.code);
  warm(join(outdir, "hook.cjs"));
  return [body, rest].flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** The bundle's first file, of these words. */
function entry(contents) {
  return {
    name: "entry",
    setup(building) {
      building.onResolve({ filter: /^hook-(?:body|rest)$/ }, ({ path }) => ({ path, namespace: "entry" }));
      building.onLoad({ filter: /.*/, namespace: "entry" }, () => ({ contents, resolveDir: project }));
    },
  };
}

/** Gives everything of these files, as plain fields: getters, which a bundle has otherwise, take their time. */
function givingAll(files) {
  const imports = files.map((file, at) => `import * as m${at} from ${JSON.stringify(file)};`);
  return [...imports, `give({ ${files.map((_, at) => `...m${at}`).join(", ")} });`].join("\n");
}

/** The module of this name, of functions that ask the second file; a name that is missing here fails the build. */
function standIns(name) {
  const elsewhere = (rare[name] ?? []).map((one) => `export const ${one} = (...words) => require("${REST}").${one}(...words);`);
  const nowhere = (never[name] ?? []).map((one) => `export const ${one} = () => { throw new Error("a hook does not ${one}"); };`);
  return [...elsewhere, ...nowhere].join("\n");
}

/**
 * Let the hook answer, and keep the code V8 made: of the rest for a first call, which understands the policy and reads a command; of the
 * body for a plain call after it, and no more, since all that is kept is loaded each time. A hook without it is slower, not wrong.
 */
function warm(file) {
  const home = mkdtempSync(join(tmpdir(), "hallpass-warm-"));
  const calls = [
    { keep: "hook-rest", tool_name: "Bash", tool_input: { command: "cd src && grep -n word *.txt > out.txt" } },
    { keep: "hook-body", tool_name: "Read", tool_input: { file_path: join(home, "a.txt") } },
  ];
  for (const { keep, ...call } of calls)
    spawnSync(process.execPath, [file, "claude-code", "--workspace", home], {
      input: JSON.stringify({ hook_event_name: "PreToolUse", session_id: "warm", cwd: home, ...call }),
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, HALLPASS_HOOK_WARM: keep },
      timeout: 20_000,
    });
  rmSync(home, { recursive: true, force: true });
}
