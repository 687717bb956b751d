// The short way of a plain read on the standard streams. Most of what an agent does is reading files, and the protocol's machinery would
// take longer over such a call than judging and reading take; so one that needs nobody is answered here, and every other line goes on to
// the SDK as it came. What is judged, how, and what is recorded is the same on both ways.

import { PassThrough, type Readable, type Writable } from "node:stream";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ReadGiven } from "./calls.ts";
import { JsonText } from "./json-text.ts";
import { lendInput } from "./lent-input.ts";
import { sendTo, type WriteNow } from "./sent-output.ts";

/**
 * Gives null where the SDK must see the call: nobody has greeted yet, or a person is to be asked. A promise only where something is to be
 * waited for. Never throws.
 */
export type ReadAtOnce = (input: unknown) => ReadGiven | Promise<ReadGiven>;

export interface ShortWay {
  /** What the SDK is to read. */
  readonly rest: Readable;
  /** Resolves when the input has ended, however. */
  readonly ended: Promise<void>;
  close(): void;
}

/** A longer line is not looked at. */
const LONGEST = 16_384;
/** A longer one is no message: it may hold a file that is written, escaped, and nothing is larger. */
export const LONGEST_LINE = 32 * 1_048_576;
const NEWLINE = 0x0a;

export function openShortWay(readAtOnce: ReadAtOnce, given: Readable, output: Writable, write: WriteNow | null = null): ShortWay {
  const rest = new PassThrough();
  const send = sendTo(output, write);
  /** The calls that are being answered here and wait for something; a client that takes one back takes it out. */
  const under: (string | number)[] = [];
  /** Was it among them? */
  const over = (id: string | number): boolean => {
    const at = under.indexOf(id);
    if (at !== -1) under.splice(at, 1);
    return at !== -1;
  };
  /** The beginning of a line whose end has not come, in pieces; nothing is kept of one that is too long. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let closed = false;
  /** Is the input held until the SDK has read what it has? */
  let held = false;

  const pass = (bytes: Buffer): void => {
    if (rest.write(bytes) || held) return;
    held = true;
    input.pause();
    rest.once("drain", () => {
      held = false;
      input.resume();
    });
  };

  /** The end of a long line: it goes on in one piece, which the SDK takes much quicker than many; or the client is told that it is too long. */
  const passLong = (): void => {
    if (begunBytes <= LONGEST_LINE) return pass(Buffer.concat(begun));
    const error = { code: -32_600, message: `a line may have at most ${LONGEST_LINE} bytes; this one was left out` };
    if (output.writable) output.write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error })}\n`);
  };

  /** The line from `from` to before `to`. Its bytes are lent: they are copied where they go on. */
  const line = (bytes: Buffer, from: number, to: number): void => {
    const text = to - from <= LONGEST ? bytes.toString("utf8", from, to) : null;
    const said = text === null ? null : messageIn(text);
    if (said?.kind === "cancelled") over(said.id);
    const reading = said?.kind === "read" && !under.includes(said.id) ? readAtOnce(said.input) : null;
    if (text === null || said === null || reading === null) return pass(Buffer.from(bytes.subarray(from, to)));
    if (!(reading instanceof Promise)) return answer(said.id, reading);
    under.push(said.id);
    void finish(said.id, reading, text);
  };

  const finish = async (id: string | number, reading: Promise<ReadGiven>, text: string): Promise<void> => {
    const result = await reading;
    // A call that was taken back is not answered, and not begun again.
    if (!over(id)) return;
    if (result === null) pass(Buffer.from(text));
    else answer(id, result);
  };

  const answer = (id: string | number, result: CallToolResult | JsonText): void => {
    if (!output.writable) return;
    if (result instanceof JsonText) {
      result.sendAs(typeof id === "number" ? String(id) : JSON.stringify(id), send);
      return;
    }
    const text = `${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`;
    // Of one byte a character it is ASCII, and Latin-1 is copied where UTF-8 is encoded.
    output.write(text, Buffer.byteLength(text) === text.length ? "latin1" : "utf8");
  };

  const add = (bytes: Buffer): void => {
    begunBytes += bytes.length;
    if (begunBytes <= LONGEST_LINE) begun.push(Buffer.from(bytes));
    else begun = [];
  };
  const take = (chunk: Buffer, length: number): void => {
    if (closed) return;
    let from = 0;
    while (from < length) {
      const to = chunk.indexOf(NEWLINE, from) + 1;
      if (to === 0 || to > length) return add(chunk.subarray(from, length));
      if (begunBytes === 0) line(chunk, from, to);
      else {
        add(chunk.subarray(from, to));
        if (begunBytes > LONGEST) passLong();
        else line(Buffer.concat(begun), 0, begunBytes);
        begun = [];
        begunBytes = 0;
      }
      from = to;
    }
  };
  const end = (): void => void rest.end(begun.length === 0 ? undefined : Buffer.concat(begun));

  const input = lendInput(given, take);
  input.once("end", end);
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
  });
  return {
    rest,
    ended,
    close() {
      closed = true;
      input.off("end", end);
      input.pause();
      under.length = 0;
    },
  };
}

interface Read {
  readonly kind: "read";
  readonly id: string | number;
  readonly input: object;
}
type Message = Read | { readonly kind: "cancelled"; readonly id: string | number };

/** What a line says, where it is to be known here. Anything out of the ordinary is the SDK's to understand or refuse: null. */
function messageIn(line: string): Message | null {
  if (!line.includes('"tools/call"') && !line.includes('"notifications/cancelled"')) return null;
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isObject(said) || said["jsonrpc"] !== "2.0" || !isObject(said["params"])) return null;
  const { id, method, params } = said;
  if (method === "notifications/cancelled") {
    const taken = params["requestId"];
    return isId(taken) ? { kind: "cancelled", id: taken } : null;
  }
  // The four it has are looked at here, so more keys are others. So for what is called.
  if (method !== "tools/call" || !isId(id) || Object.keys(said).length !== 4) return null;
  const { name, arguments: input, _meta: meta } = params;
  if (name !== "read_file" || !isObject(input) || Object.keys(params).length !== (meta === undefined ? 2 : 3)) return null;
  return meta === undefined || isPlainMeta(meta) ? { kind: "read", id, input } : null;
}

/** Keys of the protocol's own may change what a call means; of a host's own, none does. */
function isPlainMeta(meta: unknown): boolean {
  if (!isObject(meta)) return false;
  const { progressToken: token } = meta;
  return (token === undefined || isId(token)) && !Object.keys(meta).some((key) => key.includes("modelcontextprotocol"));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value));
}
