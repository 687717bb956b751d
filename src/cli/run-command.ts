// Finds and runs one command, for the whole program and for its quick part. An error becomes one line on standard error and an exit code.

import { homedir } from "node:os";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { nearNames } from "../tools/near.ts";
import { exitCodes } from "./exit-codes.ts";
import { type AnyCommand, commandTable, isCommandName } from "./command-table.ts";
import { readCall } from "./flags.ts";
import { commandHelp, fullHelp, help } from "./help.ts";
import { type Host, UsageError } from "./host.ts";

/** The real environment. Streams are made when first used: making one costs more than many a command. */
export function realHost(): Host {
  // A reader that has seen enough (`| head`) is no fault; what is left to do is done without telling.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return hostWith(process.stdout);
}

/** The same with another output. */
export function hostWith(output: Host["output"]): Host {
  return {
    cwd: process.cwd(),
    home: homedir(),
    env: process.env,
    platform: process.platform,
    get input() {
      return process.stdin;
    },
    output,
    get errors() {
      return process.stderr;
    },
  };
}

/** `loaded`: commands that are here already; the others are loaded when they are asked for. */
export async function runCommand(words: readonly string[], host: Host, loaded: Readonly<Record<string, AnyCommand>> = {}): Promise<number> {
  const [name = "serve", ...rest] = words;
  try {
    if (asksForHelp(words)) {
      host.output.write(helpAbout(name === "help" ? (rest[0] ?? "") : name));
      return exitCodes.done;
    }
    if (!isCommandName(name)) throw new UsageError(unknownCommandText(name));
    const call = readCall(name, rest);
    const command = loaded[name] ?? (await commandTable[name].load());
    return await command(call, host);
  } catch (error) {
    if (error instanceof UsageError)
      host.errors.write(`hallpass: ${error.message}\nTry hallpass ${isCommandName(name) ? `${name} ` : ""}--help.\n`);
    else if (error instanceof HallpassError || isWireError(error)) host.errors.write(`hallpass: ${error.code}: ${error.message}\n`);
    else throw error;
    return error instanceof UsageError ? exitCodes.usage : exitCodes.fault;
  }
}

/** The daemon refused, or is gone. Told by its name, so that nothing is loaded for it. */
function isWireError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && error.name === "WireError" && "code" in error && typeof error.code === "string";
}

/** Does one of the words ask for help? What stands after `--` is another program's. */
function asksForHelp(words: readonly string[]): boolean {
  if (words[0] === "help") return true;
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

function helpAbout(word: string): string {
  if (word === "" || word.startsWith("-") || word === "help") return help();
  if (word === "all") return fullHelp();
  if (isCommandName(word)) return commandHelp(word);
  throw new UsageError(unknownCommandText(word));
}

function unknownCommandText(name: string): string {
  const near = nearNames(name, Object.keys(commandTable));
  return `unknown command ${show(name)}${near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`}`;
}
