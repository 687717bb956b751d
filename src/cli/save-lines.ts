// Lines into a new file of the person's own, as they come. A file that is there already is never written over.

import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";

/** Gives the path. Throws `io-error` where it cannot be written. */
export async function saveLines(path: string, lines: AsyncIterable<string>): Promise<string> {
  const ended = async function* (): AsyncGenerator<string> {
    for await (const line of lines) yield `${line}\n`;
  };
  try {
    await pipeline(ended(), createWriteStream(path, { mode: 0o600, flags: "wx" }));
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause) || "problem" in cause) throw cause;
    const why = cause.code === "EEXIST" ? "it already exists; move it away first" : cause.message;
    throw new HallpassError("io-error", `${show(path)} cannot be written: ${why}`, { cause });
  }
  return path;
}
