// JSON lines in, JSON lines out, in order, one process for any number of them. A bad line is answered with what is wrong, and the
// next one is served. For other languages; docs/line-protocol.md specifies it.

import { parseStrictJson } from "../config/strict-json.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import type { Host } from "./host.ts";
import { readLines } from "./lines.ts";
import { bad, recordOf } from "./situation.ts";

export type ReplyLine = Readonly<Record<string, unknown>>;

export interface Protocol {
  /** The longest line, in bytes. */
  readonly longest: number;
  /** Answer one line. What it throws becomes `wrong`. */
  answer(line: Readonly<Record<string, unknown>>): Promise<ReplyLine>;
  /** The answer to a line that could not be served. */
  wrong(code: string, message: string): ReplyLine;
}

/** Serve until the input ends. Answers are written in the order of the lines; a reader that does not read holds us up, not our memory. */
export async function serveLines({ input, output }: Host, protocol: Protocol): Promise<void> {
  // Loaded where it is used: one path is judged without it.
  const { pipeline } = await import("node:stream/promises");
  let fault: unknown = null;
  const answers = async function* (): AsyncGenerator<string> {
    try {
      for await (const line of readLines(input, protocol.longest)) yield `${JSON.stringify(await answerLine(line, protocol))}\n`;
    } catch (error) {
      fault = error;
    }
  };
  // A reader that is gone is no fault; what cannot be read is.
  await pipeline(answers(), output, { end: false }).catch(() => {});
  if (fault !== null) throw fault;
}

async function answerLine(
  line: { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string },
  protocol: Protocol,
): Promise<ReplyLine> {
  let id: unknown = null;
  try {
    if (!line.ok) throw bad(line.why);
    const record = recordOf(parseJson(line.text), "a line");
    id = record["id"] ?? null;
    return { id, ...(await protocol.answer(record)) };
  } catch (error) {
    if (error instanceof HallpassError) return { id, ...protocol.wrong(error.code, error.message) };
    return { id, ...protocol.wrong("guard-fault", `the line could not be served (${error instanceof Error ? error.message : "fault"})`) };
  }
}

/** Refuses a key that occurs twice: two programs could each use a different one. */
function parseJson(text: string): unknown {
  const parsed = parseStrictJson(text);
  if (!parsed.ok) throw bad(`a line must be one JSON object: ${parsed.why}`);
  return parsed.value;
}

/** Refuse keys that mean nothing here: a misspelt `policy` must not be judged without one. */
export function onlyKeys(line: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const odd = Object.keys(line).find((key) => !known.includes(key));
  if (odd !== undefined) throw bad(`unknown key \`${show(odd.slice(0, 60))}\`; known are ${known.join(", ")}`);
}
