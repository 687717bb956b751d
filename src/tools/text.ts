// What counts as text, and windows of its lines. UTF-8 only; a NUL anywhere means it is not text.

import { isAscii, isUtf8 } from "node:buffer";

/** The bytes as text, a byte order mark left out; null if they are not UTF-8 or hold a NUL. */
export function decodeText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  if (isAscii(bytes)) return bytes.toString("latin1");
  if (!isUtf8(bytes)) return null;
  return bytes.toString("utf8", hasMark(bytes) ? 3 : 0);
}

export interface Window {
  readonly text: string;
  /** First and last line returned, counted from 1; `to` is `from - 1` when nothing is. */
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/** `limit` lines from line `offset` (counted from 1), with their line ends. */
export function windowOf(text: string, offset: number, limit: number): Window {
  let start = 0;
  let line = 1;
  while (line < offset && start < text.length) {
    const end = text.indexOf("\n", start);
    start = end === -1 ? text.length : end + 1;
    line += 1;
  }
  let stop = start;
  let lineCount = 0;
  while (lineCount < limit && stop < text.length) {
    const end = text.indexOf("\n", stop);
    stop = end === -1 ? text.length : end + 1;
    lineCount += 1;
  }
  return { text: text.slice(start, stop), from: offset, to: offset + lineCount - 1, total: countLines(text) };
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return text.length === 0 || text.endsWith("\n") ? lines : lines + 1;
}

/** Do the bytes begin with a byte order mark? Readers leave it out; whoever writes the text back puts it there again. */
export const hasMark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
