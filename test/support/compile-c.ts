// Compiles a small C program once, into a cache; a changed source has another name there.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";

/** The path of the program, or null where nothing compiles it. */
export function compileC(source: string, cache: string): string | null {
  const digest = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 12);
  const binary = join(cache, `${basename(source, ".c")}-${digest}`);
  if (existsSync(binary)) return binary;
  try {
    mkdirSync(cache, { recursive: true });
    execFileSync("cc", ["-O2", "-Wall", "-o", `${binary}.${process.pid}`, source], { stdio: "pipe" });
    renameSync(`${binary}.${process.pid}`, binary);
    return binary;
  } catch {
    return null;
  }
}
