// Standard output for a few lines, written where it is and at once, without the streams Node would load for it.

import { writeSync } from "node:fs";
import { Writable } from "node:stream";
import { errnoOf } from "../core/errno.ts";

export function directOutput(): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      try {
        writeWhole(Buffer.from(text));
        done();
      } catch (error) {
        // A reader that has seen enough is no fault.
        done(errnoOf(error) === "EPIPE" ? null : error instanceof Error ? error : new Error("cannot be written"));
      }
    },
  });
}

function writeWhole(bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      // A pipe that does not wait and is full: once more, when its reader has taken something.
      if (errnoOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
