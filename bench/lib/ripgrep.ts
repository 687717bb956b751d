// ripgrep as a tool would call it from Node: one process, its output split into lines.
// No configuration of the user, no global ignore file: the same answer on every machine.
import { spawnSync } from "node:child_process";
import { rgPath } from "@vscode/ripgrep";
import type { Hit } from "./product.ts";

const PLAIN = ["--no-config", "--no-ignore-global", "--hidden", "--color=never"];

/** Paths of the visible files relative to `root`; `options` such as `-j1` or `--glob=…`. */
export function ripgrepFiles(root: string, options: readonly string[]): readonly string[] {
  return linesOf(root, [...PLAIN, "--files", ...options]);
}

/** Lines with the literal. Takes for granted that no path has a colon. */
export function ripgrepLiteral(root: string, literal: string, options: readonly string[]): readonly Hit[] {
  const lines = linesOf(root, [...PLAIN, "--fixed-strings", "--line-number", "--no-heading", ...options, "--", literal]);
  return lines.map((text) => {
    const [path = "", line = ""] = text.split(":", 2);
    return { path, line: Number(line) };
  });
}

function linesOf(root: string, options: readonly string[]): readonly string[] {
  const done = spawnSync(rgPath, options, {
    cwd: root,
    // Standard input must not be a pipe, or ripgrep searches it instead of the folder.
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 29,
  });
  if (done.error !== undefined) throw done.error;
  if (done.status !== 0) throw new Error(`ripgrep ended with ${done.status}: ${done.stderr.toString()}`);
  const lines = done.stdout.toString().split("\n");
  lines.pop();
  return lines;
}
