// Tells whether a person is at a terminal, and when to leave it.

import { ReadStream, WriteStream } from "node:tty";
import type { Host } from "./host.ts";
import { colourFor } from "./paint.ts";

export interface Streams {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly errors: WriteStream;
  readonly colour: boolean;
}

/** The streams where both ends are a terminal's; null where nobody is there to read a card or to answer it. */
export function terminalOf(host: Pick<Host, "input" | "output" | "errors" | "env">): Streams | null {
  const { input, output, errors } = host;
  if (!(input instanceof ReadStream && output instanceof WriteStream)) return null;
  return { input, output, errors: errors instanceof WriteStream ? errors : output, colour: colourFor(output, host.env) };
}

/** Calls `leave` when the process is told to end, or its terminal goes away. Returns a function that stops listening. */
export function onEnd(leave: () => void): () => void {
  process.on("SIGTERM", leave);
  process.on("SIGHUP", leave);
  process.stdin.on("end", leave);
  return () => {
    process.off("SIGTERM", leave);
    process.off("SIGHUP", leave);
    process.stdin.off("end", leave);
  };
}

/** Stops this process and what it started, as Ctrl-Z does; not where a system knows no such thing. */
export function stopProcess(): void {
  try {
    process.kill(0, "SIGTSTP");
  } catch {
    // Then it goes on, which is what the caller expects.
  }
}
