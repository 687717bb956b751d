// Bundles the program and the library into dist/. One build with shared chunks, so that there is one copy of core in a process.

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildCachedBundles } from "./cached-bundle.mjs";
import { buildWeb } from "./web-pages.mjs";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const NO_REQUIRE = "throw Error('Dynamic require of ";

// Built aside and put in place at once, so that nobody meets half a program.
const aside = `dist.${process.pid}`;
const result = await build({
  absWorkingDir: at("."),
  entryPoints: {
    index: "src/library/index.ts",
    tools: "src/tools/index.ts",
    agent: "src/agent/index.ts",
    store: "src/store/index.ts",
    acp: "src/adapters/acp/index.ts",
    ai: "src/adapters/ai/index.ts",
    mcp: "src/adapters/mcp/index.ts",
    server: "src/server/index.ts",
    wire: "src/wire/index.ts",
    cli: "src/cli/main.ts",
    terminal: "src/cli/chat-picture.ts",
    "search-worker": "src/tools/search/search-worker.ts",
    keeper: "src/sandbox/keeper-main.ts",
  },
  outdir: aside,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  // A native binary, and what the user of `hallpass/ai` has a copy of. Everything else comes along, in chunks that are loaded when they are used.
  external: ["ai", "libsql", "pg-native", "react-devtools-core"],
  // In a terminal somebody watches, whether CI is set or not; and one rule says how wide a letter is, ours.
  alias: { "is-in-ci": "./scripts/not-in-ci.ts", "string-width": "./scripts/ink-width.ts" },
  mainFields: ["module", "main"],
  define: { "process.env.NODE_ENV": '"production"' },
  chunkNames: "chunk-[hash]",
  sourcemap: true,
  metafile: true,
  logLevel: "warning",
});
await buildCachedBundles(at(aside));
// opencode's plugin: one file that is copied into other places, so it takes nothing along.
await build({
  absWorkingDir: at("."),
  entryPoints: { "opencode-plugin": "src/adapters/opencode/plugin.ts" },
  outdir: aside,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  packages: "external",
  logLevel: "warning",
});
// Packages of the older kind ask for Node's own modules by `require`, which a module does not have. esbuild's stand-in for it throws.
for (const file of Object.keys(result.metafile.outputs).filter((name) => name.endsWith(".js"))) {
  const text = readFileSync(at(file), "utf8");
  if (text.includes(NO_REQUIRE))
    writeFileSync(at(file), text.replace(NO_REQUIRE, `if (process.getBuiltinModule(x)) return process.getBuiltinModule(x); ${NO_REQUIRE}`));
}
const pages = await buildWeb(at(`${aside}/web`), at("dist/web"));
rmSync(at("dist"), { recursive: true, force: true });
renameSync(at(aside), at("dist"));
const bytes = Object.values(result.metafile.outputs).reduce((sum, { bytes: size }) => sum + size, 0);
console.log(`built dist/ (${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} KB with maps; pages ${pages})`);
