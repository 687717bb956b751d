// Lines of any length from a stream, in order, without ever holding more than the longest allowed. For the line protocol.

import type { Readable } from "node:stream";

export type LineRead = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** The lines of `input`. One that is longer than `longest` bytes, or is not UTF-8, comes as what is wrong with it. Empty lines are left out. */
export async function* readLines(input: Readable, longest: number): AsyncGenerator<LineRead> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let parts: Buffer[] = [];
  let length = 0;
  const finish = (): LineRead | null => {
    const line = parts;
    const size = length;
    parts = [];
    length = 0;
    if (size > longest) return { ok: false, why: `a line may have at most ${longest} bytes; this one had ${size}` };
    try {
      const text = decoder.decode(line.length === 1 ? line[0] : Buffer.concat(line));
      return text.trim() === "" ? null : { ok: true, text };
    } catch {
      return { ok: false, why: "a line must be UTF-8" };
    }
  };
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= longest) parts.push(part);
    else parts = [];
  };
  for await (const chunk of input) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      add(bytes.subarray(start, end));
      start = end + 1;
      const line = finish();
      if (line !== null) yield line;
    }
    if (start < bytes.length) add(bytes.subarray(start));
  }
  if (length > 0) {
    const line = finish();
    if (line !== null) yield line;
  }
}
