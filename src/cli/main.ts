// The program: a word, a command. Commands are loaded when they are asked for, so that the quick ones stay quick.

import { homedir } from "node:os";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { exitCodes } from "./exit-codes.ts";
import { help } from "./help.ts";
import { type Host, UsageError } from "./host.ts";

type Command = (words: readonly string[], host: Host) => Promise<number>;

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  check: async () => (await import("./commands/check.ts")).check,
  explain: async () => (await import("./commands/explain.ts")).explain,
  tool: async () => (await import("./commands/tool.ts")).tool,
  policy: async () => (await import("./commands/policy.ts")).policy,
  tour: async () => (await import("./commands/tour.ts")).tour,
};

/** Run the program on its words. Sets the exit code; does not end the process, so that everything written is written. */
export async function main(words: readonly string[]): Promise<void> {
  const host: Host = {
    cwd: process.cwd(),
    home: homedir(),
    env: process.env,
    platform: process.platform,
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
  };
  // A reader that has seen enough (`| head`) is no fault; what is left to do is done without telling.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.exitCode = await run(words, host);
}

export async function run(words: readonly string[], host: Host): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || name === "--help" || name === "-h" || name === "help" || rest.includes("--help") || rest.includes("-h")) {
    host.output.write(help);
    return exitCodes.done;
  }
  try {
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (load === undefined) throw new UsageError(await unknown(name));
    return await (
      await load()
    )(rest, host);
  } catch (error) {
    if (error instanceof UsageError) host.errors.write(`hallpass: ${error.message}\nTry hallpass --help.\n`);
    else if (error instanceof HallpassError) host.errors.write(`hallpass: ${error.code}: ${error.message}\n`);
    else throw error;
    return error instanceof UsageError ? exitCodes.usage : exitCodes.fault;
  }
}

async function unknown(name: string): Promise<string> {
  const { nearNames } = await import("../tools/near.ts");
  const near = nearNames(name, Object.keys(commands));
  return `there is no command ${show(name)}${near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`}`;
}
