// The server's output for messages that are ready: a pipe that has room is written where it is. By way of the stream a short answer would be
// queued, dispatched and told of afterwards, each in a turn of its own, and its bytes be needed until nobody knows when.

import { Socket } from "node:net";
import type { Writable } from "node:stream";

/** Bytes `from` to before `to`; gives whether all of them are gone, so that their room may be used again. */
export type Send = (bytes: Buffer, from: number, to: number) => boolean;

/** Write to a descriptor at once; gives how many bytes were taken, and throws the system's error. Null: everything goes by the stream. */
export type WriteNow = (descriptor: number, bytes: Buffer, from: number, length: number) => number;

/** A sender on `output`, in order with what is written to it otherwise. What goes wrong is told by the stream, as always. */
export function sendTo(output: Writable, write: WriteNow | null): Send {
  const descriptor = write === null ? null : descriptorOf(output);
  /** How many were taken; none where the pipe is full or gone: then the stream waits for it, or says so. */
  const writtenNow = (bytes: Buffer, from: number, to: number): number => {
    if (write === null || descriptor === null || !isIdle(output)) return 0;
    try {
      return write(descriptor, bytes, from, to - from);
    } catch {
      return 0;
    }
  };
  return (bytes, from, to) => {
    const gone = writtenNow(bytes, from, to);
    if (gone === to - from) return true;
    if (output.writable) output.write(bytes.subarray(from + gone, to));
    return false;
  };
}

/** INVARIANT: nothing overtakes what waits in the stream. */
const isIdle = (output: Writable): boolean => output.writable && output.writableLength === 0 && output.writableCorked === 0;

/** The descriptor of a pipe or socket of this process; null for everything else, and on Windows, where it is not written like a file. */
function descriptorOf(output: Writable): number | null {
  if (process.platform === "win32" || !(output instanceof Socket) || ("isTTY" in output && output.isTTY === true)) return null;
  return "fd" in output && typeof output.fd === "number" ? output.fd : null;
}
