// Compiles a small C program once, into a cache; a changed source has another name there.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** The path of the program, or null where nothing compiles it. Where the cache is somebody else's, it is compiled into the temporary directory. */
export function compileC(source: string, cache: string, flags: readonly string[] = ["-pthread"]): string | null {
  const digest = createHash("sha256").update(readFileSync(source)).update(flags.join(" ")).digest("hex").slice(0, 12);
  return compileInto(cache, source, digest, flags) ?? compileInto(tmpdir(), source, digest, flags);
}

function compileInto(dir: string, source: string, digest: string, flags: readonly string[]): string | null {
  const binary = join(dir, `${basename(source, ".c")}-${digest}`);
  if (existsSync(binary)) return binary;
  try {
    mkdirSync(dir, { recursive: true });
    execFileSync("cc", ["-O2", "-Wall", ...flags, "-o", `${binary}.${process.pid}`, source], { stdio: "pipe" });
    renameSync(`${binary}.${process.pid}`, binary);
    return binary;
  } catch {
    return null;
  }
}
