// npm run build, then npm run install-time [package…]: how long does it take to install the packed program, how large is it, and how is that
// beside other agents? Each is installed into an empty directory twice: with an empty npm cache, and then with the cache that this left.
// Needs npm's registry. What is given replaces the other agents.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("..", import.meta.url));
const others = process.argv.length > 2 ? process.argv.slice(2) : ["opencode-ai", "@anthropic-ai/claude-code"];
const place = mkdtempSync(join(tmpdir(), "hallpass-install-"));

/** Throws with what it said where it fails. */
function npm(words, cwd) {
  const { status, stdout, stderr } = spawnSync("npm", words, { cwd, encoding: "utf8", timeout: 900_000 });
  if (status !== 0) throw new Error(`npm ${words.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Seconds that one installation into an empty directory takes. */
function install(wanted, cache, at) {
  mkdirSync(at);
  const start = performance.now();
  npm(["install", "--no-audit", "--no-fund", "--silent", "--cache", cache, wanted], at);
  return (performance.now() - start) / 1000;
}

/** What is on the disk below a directory: links are not followed, and a file with two names counts once. */
function measure(at) {
  const seen = new Set();
  let bytes = 0;
  for (const entry of readdirSync(at, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { ino, size } = statSync(join(entry.parentPath, entry.name));
    if (!seen.has(ino)) bytes += size;
    seen.add(ino);
  }
  return { files: seen.size, megabytes: bytes / 1_000_000 };
}

try {
  const packed = npm(["pack", "--ignore-scripts", "--silent", "--pack-destination", place], top).trim().split("\n").at(-1);
  console.log("| package | empty cache | warm cache | MB | files |\n| --- | ---: | ---: | ---: | ---: |");
  for (const [number, wanted] of [join(place, packed), ...others].entries()) {
    const at = join(place, String(number));
    mkdirSync(at);
    const cold = install(wanted, join(at, "cache"), join(at, "cold"));
    const warm = install(wanted, join(at, "cache"), join(at, "warm"));
    const { files, megabytes } = measure(join(at, "warm", "node_modules"));
    const name = number === 0 ? packed : wanted;
    console.log(`| ${name} | ${cold.toFixed(1)} s | ${warm.toFixed(1)} s | ${megabytes.toFixed(1)} | ${files} |`);
    rmSync(at, { recursive: true });
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
