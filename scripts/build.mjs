// Bundles the program and the library into dist/. One build with shared chunks, so that there is one copy of core in a process.

import { renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// Built aside and put in place at once, so that nobody meets half a program.
const aside = `dist.${process.pid}`;
const result = await build({
  absWorkingDir: at("."),
  entryPoints: {
    index: "src/core/index.ts",
    tools: "src/tools/index.ts",
    agent: "src/agent/index.ts",
    store: "src/store/index.ts",
    ai: "src/adapters/ai/index.ts",
    cli: "src/cli/main.ts",
    "search-worker": "src/tools/search/search-worker.ts",
  },
  outdir: aside,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  // Loaded where they are used, when they are used: a native binary, and SDKs a host has its own copy of.
  external: ["ai", "@ai-sdk/*", "libsql", "kysely"],
  mainFields: ["module", "main"],
  chunkNames: "chunk-[hash]",
  sourcemap: true,
  metafile: true,
  logLevel: "warning",
});
rmSync(at("dist"), { recursive: true, force: true });
renameSync(at(aside), at("dist"));
const bytes = Object.values(result.metafile.outputs).reduce((sum, { bytes: size }) => sum + size, 0);
console.log(`built dist/ (${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} KB with maps)`);
