// The text of a file as the inside of a JSON string, made from its bytes in one pass. By way of a string and JSON.stringify the same text
// is copied four times, and a byte at a time; here four plain bytes are looked at and copied at once.

import { isUtf8 } from "node:buffer";
import { decodeText } from "../../tools/text.ts";

/** Room before the text for what a message begins with, and after it for what it ends with. */
const [BEFORE, AFTER] = [256, 32];
/** A longer text goes by way of a string: it would need a buffer of its own each time. */
const LONGEST = 65_536;
/** Texts are put one behind the other, and a full slab is left to the collector: whoever still sends from it keeps it. */
const SLAB = 4 * LONGEST;

/** A text that is ready to be sent between the two halves of a message. */
export class JsonText {
  readonly #slab: Buffer;
  readonly #from: number;
  readonly #to: number;

  constructor(slab: Buffer, from: number, to: number) {
    this.#slab = slab;
    this.#from = from;
    this.#to = to;
  }

  /** The whole message. `begin` and `end` are JSON already. */
  between(begin: string, end: string): Buffer {
    const length = Buffer.byteLength(begin);
    if (length > BEFORE || end.length > AFTER) {
      return Buffer.concat([Buffer.from(begin), this.#slab.subarray(this.#from, this.#to), Buffer.from(end)]);
    }
    const from = this.#from - length;
    this.#slab.write(begin, from, "utf8");
    return this.#slab.subarray(from, this.#to + this.#slab.write(end, this.#to, "latin1"));
  }
}

/** A maker of such texts: the bytes' text; as a string where that is the better way; null where they are not text, as for `decodeText`. */
export function createJsonTexts(): (bytes: Buffer) => JsonText | string | null {
  let slab = Buffer.alloc(0);
  let view = new DataView(slab.buffer, slab.byteOffset, slab.length);
  let used = 0;

  return (bytes) => {
    if (bytes.length > LONGEST || !isUtf8(bytes)) return decodeText(bytes);
    // At most two bytes come of one.
    if (used + BEFORE + 2 * bytes.length + AFTER > slab.length) {
      slab = Buffer.allocUnsafeSlow(SLAB);
      view = new DataView(slab.buffer, slab.byteOffset, slab.length);
      used = 0;
    }
    const from = used + BEFORE;
    const to = escapeInto(view, from, bytes);
    if (to === -1) return decodeText(bytes);
    used = to + AFTER;
    return new JsonText(slab, from, to);
  };
}

/** Write `bytes`, which are UTF-8, to `into` from `at` on, without a byte order mark; gives the end, or -1 where a byte has no pair. */
function escapeInto(into: DataView, at: number, bytes: Buffer): number {
  const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let read = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let write = at;
  for (; read + 4 <= bytes.length; read += 4) {
    const four = from.getInt32(read, true);
    if (arePlain(four)) {
      into.setInt32(write, four, true);
      write += 4;
      continue;
    }
    for (let shift = 0; shift < 32; shift += 8) {
      const pair = PAIRS[(four >>> shift) & 0xff] ?? 0;
      if (pair === 0) return -1;
      into.setUint16(write, pair, true);
      write += lengthOf(pair);
    }
  }
  for (; read < bytes.length; read += 1) {
    const pair = PAIRS[from.getUint8(read)] ?? 0;
    if (pair === 0) return -1;
    into.setUint16(write, pair, true);
    write += lengthOf(pair);
  }
  return write;
}

/**
 * Are these four bytes ASCII, and none of them a control character, a quotation mark or a backslash? In each sum the highest bit of a byte
 * says that it is not below a space, or is not the character: below 0x80 nothing carries over, and of bytes from 0x80 on the first lacks it.
 */
function arePlain(four: number): boolean {
  return ((four + 0x60606060) & ((four ^ 0x22222222) + 0x7f7f7f7f) & ((four ^ 0x5c5c5c5c) + 0x7f7f7f7f) & HIGHEST) === HIGHEST;
}
const HIGHEST = 0x80808080 | 0;

/** What is written for a byte: itself, or a backslash and the letter after it; 0 for a control character that has no such letter. */
const PAIRS = pairsByByte();

/** One or two, without a branch: which it will be cannot be guessed. */
const lengthOf = (pair: number): number => 1 + ((pair + 0xff00) >>> 16);

function pairsByByte(): Uint16Array {
  const pairs = Uint16Array.from({ length: 256 }, (_, byte) => (byte < 0x20 ? 0 : byte));
  for (const [byte, letter] of ['""', "\\\\", "\nn", "\tt", "\rr", "\bb", "\ff"].map((two) => Buffer.from(two)))
    if (byte !== undefined && letter !== undefined) pairs[byte] = 0x5c | (letter << 8);
  return pairs;
}
