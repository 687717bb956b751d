// A small CommonJS bundle that is loaded with the code V8 made of it: `NAME-body.cjs`, its loader `NAME.cjs`, and `NAME.cache`. CommonJS,
// since a module's entry costs a third of Node's own start.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const project = fileURLToPath(new URL("../", import.meta.url));
const scriptText = (name) => readFileSync(join(project, "scripts", name), "utf8");

/** What a hook runs, and what must answer at once: `check`, `explain` and the help. */
export async function buildCachedBundles(outdir) {
  const command = { tool_name: "Bash", tool_input: { command: "cd src && grep -n word *.txt > out.txt" } };
  await buildBundle("hook", "src/cli/hook-main.ts", outdir, {
    before: scriptText("hook-start.cjs"),
    after: "if (require.main === module) module.exports.hookMain(process.argv.slice(2));\n",
    warm: (home) => ({
      use: 'hookMain(["claude-code"])',
      input: JSON.stringify({ hook_event_name: "PreToolUse", session_id: "warm", cwd: join(home, "app"), ...command }),
    }),
  });
  await buildBundle("quick", "src/cli/quick-main.ts", outdir, { warm: () => ({ use: 'quickMain(["check", "a.txt"])', input: "" }) });
}

/** The table of commands is read in a small bundle; the commands themselves stay with the program. */
const commandsElsewhere = {
  name: "commands-elsewhere",
  setup(building) {
    building.onResolve({ filter: /\.ts$/ }, ({ path, importer, kind }) =>
      kind === "dynamic-import" && importer.endsWith("/cli/command-table.ts") ? { path, external: true } : null,
    );
  },
};

async function buildBundle(name, entry, outdir, { before = "", after = "", warm }) {
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: { [`${name}-body`]: entry },
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
    mainFields: ["module", "main"],
    // Read as Latin-1: a text of one byte a character is quicker to read and to keep.
    charset: "ascii",
    minify: true,
    // A script that is run with its cache has no `import()`.
    supported: { "dynamic-import": false },
    banner: { js: "(function(exports,require,module){" },
    footer: { js: "})" },
    define: { "process.env.HALLPASS_BUILD": JSON.stringify(String(Date.now())) },
    metafile: true,
    plugins: [commandsElsewhere],
    logLevel: "warning",
  });
  const strangers = Object.keys(metafile.inputs).filter((file) => /node_modules\/(?!jsonc-parser\/)/u.test(file));
  if (strangers.length > 0) throw new Error(`the small bundles must stay small; they took in ${strangers.join(", ")}`);
  writeFileSync(join(outdir, `${name}.cjs`), before + scriptText("cached-loader.cjs") + after);
  keepCode(join(outdir, name), warm);
}

/** Let the bundle work, and keep the code V8 made of it meanwhile: twice, since the first call understands the policy and the second finds it. */
function keepCode(stem, warm) {
  const home = mkdtempSync(join(tmpdir(), "hallpass-warm-"));
  const workspace = join(home, "app");
  const policy = join(home, ".config", "hallpass", "policy.json");
  for (const folder of [join(workspace, "src"), dirname(policy)]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "");
  // As most are who have a policy: it has rules, and none of them speaks of the path. One saved a moment ago would not be kept.
  writeFileSync(policy, JSON.stringify({ read: { "/srv/**": "ask" } }));
  const minuteAgo = new Date(Date.now() - 60_000);
  utimesSync(policy, minuteAgo, minuteAgo);
  const { use, input } = warm(home);
  const body = JSON.stringify(`${stem}-body.cjs`);
  const program = `const fs = require("node:fs");
const script = new (require("node:vm").Script)(fs.readFileSync(${body}, "latin1"), { filename: ${body} });
process.on("exit", () => fs.writeFileSync(${JSON.stringify(`${stem}.cache`)}, script.createCachedData()));
script.runInThisContext()(module.exports, require, module);
module.exports.${use};`;
  for (let run = 0; run < 2; run += 1) {
    const env = { PATH: process.env.PATH, HOME: home };
    const { status, stderr } = spawnSync(process.execPath, ["-e", program], {
      input,
      cwd: workspace,
      env,
      timeout: 20_000,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${stem} failed when its code was kept: ${stderr}`);
  }
  rmSync(home, { recursive: true, force: true });
}
