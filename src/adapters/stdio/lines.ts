// Lines of a stream, as the protocol means them: whatever ends with a newline, and with nothing else. (Node's own reader ends a line at
// U+2028 too, which may stand in any JSON text.) A line that is too long is left out whole, so that nobody fills the memory with one.

import type { Readable } from "node:stream";

export interface LineListener {
  line(text: string): void;
  /** Told once for each line that was left out. */
  tooLong(): void;
  end(): void;
}

const NEWLINE = 0x0a;

/** Until the stream ends. What stands after the last newline is no line. */
export function listenToLines(input: Readable, longest: number, listener: LineListener): void {
  let pieces: Buffer[] = [];
  let size = 0;
  let leaving = false;
  const add = (piece: Buffer): void => {
    size += piece.length;
    if (leaving || piece.length === 0) return;
    if (size <= longest) return void pieces.push(piece);
    leaving = true;
    pieces = [];
    listener.tooLong();
  };
  input.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end));
      const text = leaving ? "" : Buffer.concat(pieces).toString("utf8").trim();
      from = end + 1;
      pieces = [];
      size = 0;
      leaving = false;
      if (text !== "") listener.line(text);
    }
    add(chunk.subarray(from));
  });
  input.once("end", () => listener.end());
  input.once("error", () => listener.end());
}
