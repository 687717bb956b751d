// A small CommonJS bundle that is loaded with the code V8 kept of it: `NAME-body.cjs`, the loader `NAME.cjs` before it, and the cache that
// one run of it leaves.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const project = fileURLToPath(new URL("../", import.meta.url));

/** What esbuild is told for every bundle that is loaded so. */
export const keptSettings = {
  absWorkingDir: project,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  // A module's entry costs a third of Node's start.
  format: "cjs",
  platform: "node",
  target: "node20.19",
  mainFields: ["module", "main"],
  // Read as Latin-1: a text of one byte a character is quicker to read and to keep.
  charset: "ascii",
  minify: true,
  logLevel: "warning",
};

/** The table of commands is read in a small bundle; the commands themselves stay with the program. */
const commandsElsewhere = {
  name: "commands-elsewhere",
  setup(building) {
    building.onResolve({ filter: /\.ts$/ }, ({ path, importer, kind }) =>
      kind === "dynamic-import" && importer.endsWith("/cli/command-table.ts") ? { path, external: true } : null,
    );
  },
};

/** Build `NAME-body.cjs` of `entry` into `outdir`, with further settings of esbuild's. */
export function buildBody(name, entry, outdir, { plugins = [], ...settings }) {
  const all = [commandsElsewhere, ...plugins];
  return build({ ...keptSettings, entryPoints: { [`${name}-body`]: entry }, outdir, plugins: all, ...settings });
}

/**
 * Put the loader before the body in `outdir` (absolute), and run once what `useOf(loader, home)` says, so that the code V8 made is kept.
 * How it ended is given back: without the cache a bundle is slower, not wrong.
 */
export function addLoader(name, outdir, useOf) {
  const loader = join(outdir, `${name}.cjs`);
  copyFileSync(join(project, "scripts/quick-loader.cjs"), loader);
  const home = mkdtempSync(join(tmpdir(), "hallpass-warm-"));
  const env = { PATH: process.env.PATH, HOME: home, HALLPASS_WARM: name };
  const ended = spawnSync(process.execPath, ["-e", useOf(JSON.stringify(loader), JSON.stringify(home))], {
    cwd: home,
    env,
    timeout: 20_000,
    encoding: "utf8",
  });
  rmSync(home, { recursive: true, force: true });
  return ended;
}
