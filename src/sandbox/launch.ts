// Starts one bubblewrap, with everything that it gets by descriptors, and reads what it reports before the command in it starts.

import type { Duplex } from "node:stream";
import type { Pin } from "../core/fs/pin.ts";
import type { Ability } from "./ability.ts";
import { type Child, startChild } from "./child.ts";
import { commandLine, type CommandLineOptions, isPinned, isText, type KeptDirectories } from "./command-line.ts";
import { NSENTER, UNSHARE } from "./keeper.ts";
import { layingArguments, ordersFor } from "./laid-covers.ts";
import type { SandboxMount } from "./mount-draft.ts";

/** Milliseconds for setting up, which takes some ten. */
const SET_UP_TIME = 15_000;

/** Start bubblewrap with the command in it, which waits for the word. `descriptorOf`: of a pin that what is mounted is compared with. */
export function launch(
  command: string,
  options: CommandLineOptions,
  able: Ability,
  sandboxMounts: readonly SandboxMount[],
  descriptorOf: (pin: Pin) => number,
): Child {
  const { args, mounts, variables } = commandLine(command, sandboxMounts, able, options);
  const { keptDirectories, laid, files, attached } = options;
  const texts = [...sandboxMounts.filter(isText), ...files].map(({ text }) => Buffer.from(text, "latin1"));
  const inputs = [terminated(mounts), able.filter ?? "", ...texts, terminated(variables)];
  const start = attached?.start ?? startChild;
  const [file = "", ...childArgs] = [
    ...(keptDirectories === undefined ? [] : enter(keptDirectories, options.network)),
    ...(laid === undefined ? [] : [UNSHARE, ...layingArguments(laid.perl, keptDirectories !== undefined, FIRST_INPUT + inputs.length)]),
    able.bwrap,
    ...args,
  ];
  return start({
    file,
    args: childArgs,
    // INVARIANT: nothing that runs before the command takes orders from an environment: bubblewrap has an empty one, and what it starts only what
    // `passedOn` lets pass.
    env: {},
    cwd: "/",
    channels: 1,
    inputs: laid === undefined ? inputs : [...inputs, ordersFor(laid.covers, laid.judged)],
    descriptors: [...sandboxMounts.filter(isPinned).map(({ pin }) => pin), ...options.covers.map(({ dir }) => dir)].map(descriptorOf),
    // RACE: killed in its very first moments, bubblewrap leaves behind a child that nobody would wake; its group is killed with it.
    // A program at the terminal must be in our group, or the terminal would not let it read.
    group: attached === undefined,
    attached: attached !== undefined,
    leaves: keptDirectories !== undefined && keptDirectories.processes !== null,
    outputBytes: options.outputBytes,
  });
}

const terminated = (texts: readonly string[]): Buffer => Buffer.from(texts.map((text) => `${text}\0`).join(""), "latin1");

/** The descriptors before it are its input and outputs, and the channel. */
const FIRST_INPUT = 4;

function enter({ pid, processes }: KeptDirectories, network: CommandLineOptions["network"]): readonly string[] {
  // INVARIANT: bubblewrap itself stays outside of the process namespace, and only what it starts is in there: it sees all of the disk.
  const spaces =
    processes === null
      ? []
      : [
          ...(network === "none" ? ["net", "pid"] : ["pid"]).map((name) => `--${name}=/proc/${processes.first.pid}/ns/${name}`),
          "--no-fork",
        ];
  return [NSENTER, "--target", String(pid), "--user", "--mount", ...spaces, "--preserve-credentials", "--"];
}

/** The kernel's table of mounts, as the prelude tells it. */
export interface ToldTable {
  /** Null if it never did. */
  readonly table: string | null;
  /** What was wrong instead, where it said so. */
  readonly fault?: string;
}

export function mountTable(channel: Duplex, child: Child): Promise<ToldTable> {
  return new Promise((resolve) => {
    let received = "";
    const timer = setTimeout(child.kill, SET_UP_TIME);
    const settle = (told: ToldTable): void => {
      clearTimeout(timer);
      resolve(told);
    };
    channel.on("data", (part: Buffer) => {
      received += part.toString("latin1");
      if (received.endsWith("\nend\n")) settle({ table: received });
    });
    channel.on("close", () => {
      const fault = /^fault (.+)$/m.exec(received)?.[1];
      settle({ table: null, ...(fault === undefined ? {} : { fault }) });
    });
  });
}
