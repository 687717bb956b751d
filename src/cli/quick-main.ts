// The quick part of the program, in one small bundle (dist/quick.cjs): what other programs call often, and what must answer at once.
// Nothing is in it that judging one path does not need.

import { check } from "./commands/check.ts";
import { explain } from "./commands/explain.ts";
import { directOutput } from "./direct-output.ts";
import { hostWith, realHost, runCommand } from "./run-command.ts";

/** `check …`, `explain …` and `--help`. */
export async function quickMain(words: readonly string[]): Promise<void> {
  // One line of JSON does not need a stream, which would take as long to load as the judging takes.
  const plain = words[0] === "check" && !words.includes("--stdin");
  process.exitCode = await runCommand(words, plain ? hostWith(directOutput()) : realHost(), { check, explain });
}
