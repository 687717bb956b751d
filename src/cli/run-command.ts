// A word, a command: what is common to the whole program and to its quick part. Faults become one line on standard error and an exit code.

import { homedir } from "node:os";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { exitCodes } from "./exit-codes.ts";
import { help } from "./help.ts";
import { type Host, UsageError } from "./host.ts";

export type Command = (words: readonly string[], host: Host) => Promise<number>;
export type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** The help of one command; null where the general one serves it. */
export type HelpFor = (command: string) => Promise<string | null>;

/** The world as it is. Streams are made when they are first used: making one costs more than many a command. */
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

export async function runCommand(commands: Commands, helpFor: HelpFor, words: readonly string[], host: Host): Promise<number> {
  const [name = "serve", ...rest] = words;
  if (name === "--help" || name === "-h" || name === "help" || asksForHelp(rest)) {
    const about = name === "help" ? (rest[0] ?? "") : name;
    host.output.write((Object.hasOwn(commands, about) ? await helpFor(about) : null) ?? help);
    return exitCodes.done;
  }
  try {
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (load === undefined) throw new UsageError(await unknown(name, Object.keys(commands)));
    const command = await load();
    return await command(rest, host);
  } catch (error) {
    if (error instanceof UsageError)
      host.errors.write(`hallpass: ${error.message}\nTry hallpass ${Object.hasOwn(commands, name) ? `${name} ` : ""}--help.\n`);
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
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

async function unknown(name: string, known: readonly string[]): Promise<string> {
  const { nearNames } = await import("../tools/near.ts");
  const near = nearNames(name, known);
  return `there is no command ${show(name)}${near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`}`;
}
