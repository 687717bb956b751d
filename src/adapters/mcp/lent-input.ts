// The server's input in pieces that are lent. A pipe is read into one buffer, again and again: as a stream every piece would be an allocation
// of 64 KB and a dozen calls, which for a short line is a large part of what it costs.

import { type OnReadOpts, Socket, type SocketConstructorOpts } from "node:net";
import type { Readable } from "node:stream";

/** As much as Node reads at once. */
const PIECE = 65_536;

/**
 * Give every piece of `input` to `take`: the first `length` bytes of a buffer, which are others as soon as it returns. From now on the stream that is given back is the input:
 * its end and errors count, and it is the one to pause.
 */
export function lendInput(input: Readable, take: (buffer: Buffer, length: number) => void): Readable {
  const fd = descriptorOf(input);
  if (fd === null) return input.on("data", (piece: Buffer) => take(piece, piece.length));
  const buffer = Buffer.allocUnsafeSlow(PIECE);
  const callback = (length: number): boolean => {
    take(buffer, length);
    return true;
  };
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
    fd,
    readable: true,
    writable: false,
    onread: { buffer, callback },
  };
  return new Socket(options).resume();
}

/**
 * The descriptor of a pipe or socket that nobody has read from; null for everything else: a file, a terminal, a stream without a descriptor,
 * and on Windows, where a pipe can be opened as one stream only.
 */
function descriptorOf(input: Readable): number | null {
  const untouched = input instanceof Socket && input.readableFlowing === null && input.readableLength === 0;
  if (process.platform === "win32" || !untouched || ("isTTY" in input && input.isTTY === true)) return null;
  return "fd" in input && typeof input.fd === "number" ? input.fd : null;
}
