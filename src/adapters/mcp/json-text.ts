// The text of a file as the inside of a JSON string, made from its bytes in one pass. By way of a string and JSON.stringify the same text
// is copied four times, and a byte at a time; here eight plain bytes are looked at and copied at once.

import { isUtf8 } from "node:buffer";
import { decodeText } from "../../tools/text.ts";
import type { Send } from "./sent-output.ts";

/** What is around the call's id and the text. */
const HEAD = Buffer.from('{"jsonrpc":"2.0","id":');
const BEGIN = Buffer.from(',"result":{"content":[{"type":"text","text":"');
const END = Buffer.from('"}]}}\n');
const LONGEST_ID = 128;
/** Room before the text for what a message begins with, and after it for what it ends with. */
const [BEFORE, AFTER] = [HEAD.length + LONGEST_ID + BEGIN.length, END.length];
/** A longer text goes by way of a string: it would need a buffer of its own each time. */
const LONGEST = 65_536;
/** Texts are put one behind the other, and a full slab is left to the collector: whoever still sends from it keeps it. */
const SLAB = 4 * LONGEST;

class Slab {
  readonly bytes: Buffer;
  readonly view: DataView;
  used = 0;

  constructor(length: number) {
    this.bytes = Buffer.allocUnsafeSlow(length);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, length);
  }
}

/** The text of a file, ready to be sent as the answer to a call. */
export class JsonText {
  readonly #slab: Slab;
  readonly #from: number;
  readonly #to: number;

  constructor(slab: Slab, from: number, to: number) {
    this.#slab = slab;
    this.#from = from;
    this.#to = to;
  }

  /** Send the whole message. `id` is JSON already. What is gone at once leaves its room to the next text. Once only. */
  sendAs(id: string, send: Send): void {
    const { bytes } = this.#slab;
    const begin = this.#from - BEGIN.length - id.length - HEAD.length;
    if (id.length > LONGEST_ID || !putAscii(id, bytes, begin + HEAD.length)) {
      const whole = Buffer.concat([HEAD, Buffer.from(id), BEGIN, bytes.subarray(this.#from, this.#to), END]);
      send(whole, 0, whole.length);
      return;
    }
    put(HEAD, bytes, begin);
    put(BEGIN, bytes, this.#from - BEGIN.length);
    put(END, bytes, this.#to);
    const isGone = send(bytes, begin, this.#to + END.length);
    // INVARIANT: only the latest text gives its room back: behind it nothing stands that may still be sent.
    if (isGone && this.#slab.used === this.#to + AFTER) this.#slab.used = this.#from - BEFORE;
  }
}

/** Byte by byte: a call for so few takes longer than they do. */
function put(from: Buffer, to: Buffer, at: number): void {
  for (let index = 0; index < from.length; index += 1) to[at + index] = from[index] ?? 0;
}

/** False, with nothing of use written, where a character is not ASCII. */
function putAscii(text: string, to: Buffer, at: number): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return false;
    to[at + index] = unit;
  }
  return true;
}

/** A maker of such texts: the bytes' text; as a string where that is the better way; null where they are not text, as for `decodeText`. */
export function createJsonTexts(): (bytes: Buffer) => JsonText | string | null {
  let slab = new Slab(0);

  return (bytes) => {
    if (bytes.length > LONGEST || !isUtf8(bytes)) return decodeText(bytes);
    // At most two bytes come of one.
    if (slab.used + BEFORE + 2 * bytes.length + AFTER > slab.bytes.length) slab = new Slab(SLAB);
    const from = slab.used + BEFORE;
    const to = escapeInto(slab.view, from, bytes);
    if (to === -1) return decodeText(bytes);
    slab.used = to + AFTER;
    return new JsonText(slab, from, to);
  };
}

/** Write `bytes`, which are UTF-8, to `into` from `at` on, without a byte order mark; gives the end, or -1 where a byte has no pair. */
function escapeInto(into: DataView, at: number, bytes: Buffer): number {
  const { length } = bytes;
  const from = new DataView(bytes.buffer, bytes.byteOffset, length);
  let read = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let write = at;
  for (; read + 8 <= length; read += 8) {
    const [first, second] = [from.getInt32(read, true), from.getInt32(read + 4, true)];
    const [one, other] = [plainOf(first), plainOf(second)];
    if ((one & other & HIGHEST) === HIGHEST) {
      into.setInt32(write, first, true);
      into.setInt32(write + 4, second, true);
      write += 8;
      continue;
    }
    write = (one & HIGHEST) === HIGHEST ? fourInto(into, write, first) : pairsInto(into, write, first);
    if (write === -1) return -1;
    write = (other & HIGHEST) === HIGHEST ? fourInto(into, write, second) : pairsInto(into, write, second);
    if (write === -1) return -1;
  }
  for (; read < length; read += 1) {
    const pair = PAIRS[from.getUint8(read)] ?? 0;
    if (pair === 0) return -1;
    into.setUint16(write, pair, true);
    write += lengthOf(pair);
  }
  return write;
}

function fourInto(into: DataView, at: number, four: number): number {
  into.setInt32(at, four, true);
  return at + 4;
}

/** Each of four bytes as itself or as a pair. */
function pairsInto(into: DataView, at: number, four: number): number {
  let write = at;
  for (let shift = 0; shift < 32; shift += 8) {
    const pair = PAIRS[(four >>> shift) & 0xff] ?? 0;
    if (pair === 0) return -1;
    into.setUint16(write, pair, true);
    write += lengthOf(pair);
  }
  return write;
}

/**
 * In the highest bit of each of four bytes: is it written as it is? So is what is not ASCII. Of the lower seven bits nothing carries over: with
 * the second bit turned, what is to be escaped at the bottom (control characters and the quotation mark) is all that is below 0x21; and
 * only a backslash, turned by itself, adds up to less than 0x80.
 */
function plainOf(four: number): number {
  const ascii = four & 0x7f7f7f7f;
  return four | (((ascii ^ 0x02020202) + 0x5f5f5f5f) & ((ascii ^ 0x5c5c5c5c) + 0x7f7f7f7f));
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
