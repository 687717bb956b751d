// The pages, built into a directory. What they are made of is hashed first: where nothing changed, the last build is copied.

import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const top = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = ["scripts/web-pages.mjs", "web", "src/core", "src/slash", "src/wire", "package-lock.json"];
const MARK = "built-from.txt";

/** Build into `target`; `before` is where the last build may be. Says what it did. */
export async function buildWeb(target, before) {
  const hash = builtFrom();
  const last = existsSync(join(before, MARK)) ? readFileSync(join(before, MARK), "utf8") : null;
  if (last === hash || (process.env.HALLPASS_SKIP_WEB === "1" && last !== null)) {
    cpSync(before, target, { recursive: true });
    return "unchanged";
  }
  if (process.env.HALLPASS_SKIP_WEB === "1") return "left out";
  const { build } = await import("vite");
  // Under a test runner the variable says `test`, and React would be the slow one for developers.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  await build({ configFile: join(top, "web/vite.config.ts"), build: { outDir: target } });
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
  compress(join(target, "assets"));
  writeFileSync(join(target, MARK), hash);
  return "built";
}

/** Beside each file that gets shorter by it, the same compressed: what a browser is sent. */
function compress(directory) {
  for (const name of readdirSync(directory)) {
    const bytes = readFileSync(join(directory, name));
    if (bytes.length < 1024) continue;
    writeFileSync(join(directory, `${name}.br`), brotliCompressSync(bytes));
    writeFileSync(join(directory, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

/** What a build made now would be made of. */
export const builtFrom = () => hashOf(SOURCES);

function hashOf(paths) {
  const hash = createHash("sha256");
  const add = (path) => {
    if (statSync(join(top, path)).isDirectory()) {
      for (const name of readdirSync(join(top, path)).toSorted()) add(`${path}/${name}`);
    } else
      hash
        .update(`${path}\0`)
        .update(readFileSync(join(top, path)))
        .update("\0");
  };
  paths.forEach(add);
  return hash.digest("hex");
}
