// Starts one child process that inherits nothing: an explicit environment, no input, both outputs collected up to a limit (or, for a
// program a person works with, our own input and outputs), and exactly the descriptors it is given.

import { type ChildProcess, spawn } from "node:child_process";
import { Duplex, type Readable } from "node:stream";
import { KeptOutput } from "./kept-output.ts";

export interface ChildProgram {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Two-way channels, from descriptor 3 on. */
  readonly channels: number;
  /** What it reads, each to its end, from the descriptors after those. */
  readonly inputs: readonly (Buffer | string)[];
  /** Descriptors of ours it gets after those. */
  readonly descriptors: readonly number[];
  /** A process group of its own, killed as a whole. */
  readonly group: boolean;
  /** It has our own input and outputs, and nothing of them is collected. */
  readonly attached: boolean;
  /** May processes that it leaves go on, and hold its outputs? */
  readonly leaves?: boolean;
  readonly outputBytes: number;
}

export interface ChildExit {
  /** Null where it could not be started; `stderr` then says why. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** Was it stopped because it printed without end? */
  readonly endless: boolean;
}

export interface Child {
  /** Null where it could not be started. */
  readonly pid: number | null;
  readonly channels: readonly Duplex[];
  /** Settles when the process has ended and its outputs are closed, or nothing more comes from what it left. Never rejects. */
  readonly ended: Promise<ChildExit>;
  kill(): void;
}

/** Milliseconds that whoever else holds its outputs has to let go of them once it has ended; where it may go on, in which nothing came. */
const GRACE = 1000;
const SILENCE = 50;
/** What is printed beyond this is not worth reading, and reading it would keep a processor busy. */
const MOST_PRINTED = 64 * 1_048_576;

const INHERITED = ["inherit", "inherit", "inherit"] as const;
const COLLECTED = ["ignore", "pipe", "pipe"] as const;

export function startChild(program: ChildProgram): Child {
  const { file, args, env, cwd, channels, inputs, descriptors, group, attached, leaves = false, outputBytes } = program;
  const stdout = new KeptOutput(outputBytes);
  const stderr = new KeptOutput(outputBytes);
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      cwd,
      env,
      detached: group,
      stdio: [
        ...(attached ? INHERITED : COLLECTED),
        ...Array.from({ length: channels + inputs.length }, () => "pipe" as const),
        ...descriptors,
      ],
    });
  } catch (error) {
    return { pid: null, channels: [], ended: Promise.resolve(notStarted(error)), kill: () => {} };
  }
  let endless = false;
  let lastOutputAt = 0;
  const kill = (): void => {
    if (group && child.pid !== undefined) killGroup(child.pid);
    child.kill("SIGKILL");
  };
  const collect = (output: KeptOutput) => (chunk: Buffer) => {
    output.add(chunk);
    lastOutputAt = performance.now();
    if (output.total <= MOST_PRINTED || endless) return;
    endless = true;
    kill();
  };
  child.stdout?.on("data", collect(stdout));
  child.stderr?.on("data", collect(stderr));
  const opened = child.stdio.slice(3).filter((stream) => stream instanceof Duplex);
  for (const channel of opened) channel.on("error", () => {}); // the other end is gone; the exit says it
  for (const [index, input] of inputs.entries()) opened[channels + index]?.end(input);
  return {
    pid: child.pid ?? null,
    channels: opened.slice(0, channels),
    kill,
    ended: new Promise((resolve) => {
      child.on("error", (error) => {
        if (child.pid === undefined) resolve(notStarted(error));
      });
      let grace: NodeJS.Timeout | undefined;
      const settle = (code: number | null, signal: NodeJS.Signals | null): void => {
        clearTimeout(grace);
        resolve({
          exitCode: code ?? 128 + (signal === null ? 0 : (signalNumbers[signal] ?? 9)),
          stdout: stdout.text(),
          stderr: stderr.text(),
          truncated: stdout.truncated || stderr.truncated,
          endless,
        });
      };
      /** What goes on is read, so that it is not held up, and thrown away. */
      const settleWhenSilent = (code: number | null, signal: NodeJS.Signals | null): void => {
        const rest = lastOutputAt + SILENCE - performance.now();
        if (rest > 0) grace = setTimeout(() => settleWhenSilent(code, signal), rest);
        else {
          settle(code, signal);
          for (const output of [child.stdout, child.stderr]) if (output !== null) throwAway(output);
        }
      };
      child.on("exit", (code, signal) => {
        for (const channel of opened) channel.destroy();
        if (group) kill();
        lastOutputAt = performance.now();
        if (leaves && !endless) return settleWhenSilent(code, signal);
        // A process that left the group may hold an output for ever; it is not waited for.
        grace = setTimeout(() => {
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, GRACE);
      });
      child.on("close", settle);
    }),
  };
}

/** After so much that nobody wants it is told that nobody listens. */
function throwAway(output: Readable): void {
  let thrown = 0;
  output.removeAllListeners("data");
  output.on("data", (chunk: Buffer) => {
    thrown += chunk.length;
    if (thrown > MOST_PRINTED) output.destroy();
  });
  // It is no reason for this program to go on.
  if (isSocket(output)) output.unref();
}

const isSocket = (output: Readable): output is Readable & { unref(): void } => "unref" in output && typeof output.unref === "function";

function notStarted(error: unknown): ChildExit {
  const stderr = error instanceof Error ? error.message : String(error);
  return { exitCode: null, stdout: "", stderr, truncated: false, endless: false };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody of the group is left.
  }
}

/** Of the signals that end programs; a shell adds 128 to the number. */
const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};
