// The whole program: runs one command.

import type { Screen } from "../repl/screen.ts";
import type { Host } from "./host.ts";
import { realHost, runCommand } from "./run-command.ts";

/**
 * Run the program on its words; `drawn` is the screen with a chat's first picture, where there is one already. Sets the exit code; does not
 * end the process, so that everything written is written.
 */
export async function main(words: readonly string[], drawn: Screen | null = null): Promise<void> {
  process.exitCode = await run(words, drawn === null ? realHost() : { ...realHost(), drawn });
}

export function run(words: readonly string[], host: Host): Promise<number> {
  const [first = "", ...rest] = words;
  return runCommand(first === "--version" || first === "-v" ? ["version", ...rest] : words, host);
}
