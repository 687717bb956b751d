// Runs every story in examples/, one after the other, and prints a line for each. Fails if one fails, with what it said.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
if (!existsSync(at("dist/index.js"))) await import("./build.mjs");

const stories = readdirSync(at("examples"))
  .filter((name) => /^\d\d-.+\.mjs$/.test(name))
  .toSorted();
let failed = 0;
for (const story of stories) {
  const since = performance.now();
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [at(`examples/${story}`)], {
    cwd: at("."),
    encoding: "utf8",
    timeout: 60_000,
  });
  const lasted = `${Math.round(performance.now() - since)} ms`;
  if (status === 0) {
    console.log(`✓ ${story} (${lasted})`);
  } else {
    failed += 1;
    console.log(`✗ ${story} (${lasted}): ${signal === null ? `exit code ${status}` : signal}\n${stdout}${stderr}`);
  }
}
console.log(failed === 0 ? `all ${stories.length} examples did what they say` : `${failed} of ${stories.length} examples failed`);
process.exitCode = failed === 0 && stories.length > 0 ? 0 : 1;
