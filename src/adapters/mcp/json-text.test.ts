import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeText } from "../../tools/text.ts";
import { createJsonTexts, JsonText } from "./json-text.ts";

const answer = (text: string, id: unknown = 7): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })}\n`;

/** The line a text is sent as; `isGone` says whether the bytes are said to be gone at once. */
function lineOf(text: JsonText, isGone = true, id: unknown = 7): string {
  const lines: string[] = [];
  text.sendAs(JSON.stringify(id), (bytes, from, to) => {
    lines.push(bytes.toString("utf8", from, to));
    return isGone;
  });
  return lines.join("");
}
/** What is sent for these bytes, with the way it took; a text that goes as a string is put into JSON as it always was. */
function sent(bytes: Buffer, make = createJsonTexts()): { readonly quick: boolean; readonly line: string | null } {
  const text = make(bytes);
  if (text instanceof JsonText) return { quick: true, line: lineOf(text) };
  return { quick: false, line: text === null ? null : answer(text) };
}
/** What JSON.stringify says of the same bytes. */
function expected(bytes: Buffer): string | null {
  const text = decodeText(bytes);
  return text === null ? null : answer(text);
}

describe("a file's text in JSON", () => {
  test("is what JSON.stringify makes of it, whatever the bytes are", () => {
    const make = createJsonTexts();
    const pieces = [
      fc.string({ unit: "binary" }),
      fc.constantFrom("\n", '"', "\\", "\t", "\r", "\b", "\f", "\u007f", "\u0080", "\u2028", "€", "👍", "\ufeff"),
    ];
    const written = fc.array(fc.oneof(...pieces)).map((parts) => Buffer.from(parts.join("")));
    const any = fc.oneof(
      written,
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(any, (bytes) => {
        expect(sent(bytes, make).line).toBe(expected(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test("is so for each byte at each place of a group of eight, between plain ones and between others", () => {
    const make = createJsonTexts();
    const wrong: unknown[] = [];
    for (let byte = 0; byte < 256; byte += 1)
      for (let at = 0; at < 19; at += 1)
        for (const around of ["a", "\u007f", " ", "#", "!", "^", '"', "\\", "ü", "€"]) {
          const bytes = Buffer.concat([Buffer.from(around.repeat(at)), Buffer.of(byte), Buffer.from(around.repeat(18 - at))]);
          if (sent(bytes, make).line !== expected(bytes)) wrong.push([byte, at, around]);
        }
    expect(wrong).toEqual([]);
  });

  test.each([
    ["plain text", Buffer.from('const a = 1;\n\treturn `${a}`; // "grüße" 👍\u2028\r\n'), true],
    ["nothing at all", Buffer.alloc(0), true],
    ["a byte order mark, which is left out", Buffer.from("\ufefftext"), true],
    ["nothing but a byte order mark", Buffer.from("\ufeff"), true],
    ["the longest", Buffer.alloc(65_536, '"'), true],
    ["one byte more", Buffer.alloc(65_537, '"'), false],
    ["a control character that has no letter", Buffer.from("a\u001b[1mb"), false],
    ["a NUL: no text", Buffer.from("a\0b"), false],
    ["no UTF-8: no text", Buffer.from([0x61, 0xc3, 0x28]), false],
    ["half a character: no text", Buffer.from([0x61, 0xe2, 0x82]), false],
    ["half of a pair, encoded: no text", Buffer.from([0xed, 0xa0, 0x80]), false],
  ])("takes the quick way where it can: %s", (_title, bytes, quick) => {
    expect(sent(bytes)).toEqual({ quick, line: expected(bytes) });
  });

  test("stays as it was while others are made after it, however many", () => {
    const make = createJsonTexts();
    const lengths = Array.from({ length: 200 }, (_, index) => (index * 7919) % 5000);
    const made = lengths.map((length, index) => make(Buffer.alloc(length, 97 + (index % 26))));
    const lines = made.map((text) => (text instanceof JsonText ? lineOf(text, false) : null));
    expect(lines).toEqual(lengths.map((length, index) => answer(String.fromCharCode(97 + (index % 26)).repeat(length))));
  });

  test("that is gone leaves its room to the next, and nothing that may still be sent is written over", () => {
    const ends = fc.array(fc.record({ length: fc.nat(70_000), waits: fc.nat(3), isGone: fc.boolean() }), { maxLength: 40 });
    fc.assert(
      fc.property(ends, (steps) => {
        const make = createJsonTexts();
        const open: { readonly text: JsonText; readonly line: string; readonly until: number; readonly isGone: boolean }[] = [];
        /** What a stream still holds of a line that was not gone at once. */
        const held: { readonly bytes: Buffer; readonly line: string }[] = [];
        for (const [step, { length, waits, isGone }] of steps.entries()) {
          const content = String.fromCharCode(97 + (step % 26)).repeat(length);
          const text = make(Buffer.from(content));
          if (text instanceof JsonText) open.push({ text, line: answer(content), until: step + waits, isGone });
          for (const one of open.filter(({ until }) => until <= step)) {
            open.splice(open.indexOf(one), 1);
            one.text.sendAs("7", (bytes, from, to) => {
              expect(bytes.toString("utf8", from, to) === one.line).toBe(true);
              if (!one.isGone) held.push({ bytes: bytes.subarray(from, to), line: one.line });
              return one.isGone;
            });
          }
          expect(held.every(({ bytes, line }) => bytes.toString("utf8") === line)).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("uses the same room again and again", () => {
    const make = createJsonTexts();
    const places = new Set<unknown>();
    for (let time = 0; time < 500; time += 1) {
      const text = make(Buffer.alloc(4096, "x"));
      if (!(text instanceof JsonText)) throw new Error("not the quick way");
      text.sendAs(String(time), (bytes) => {
        places.add(bytes.buffer);
        return true;
      });
    }
    expect(places.size).toBe(1);
  });

  test.each([
    [0],
    [-1],
    [Number.MAX_SAFE_INTEGER],
    [""],
    ["a"],
    ["x".repeat(126)],
    ["x".repeat(127)],
    ["ü"],
    ['"\\\n\u2028'],
    ["👍".repeat(90)],
  ])("answers a call of any name: %j", (id) => {
    const make = createJsonTexts();
    for (const content of ["before", "a\nb", "after"]) {
      const text = make(Buffer.from(content));
      expect(text instanceof JsonText && lineOf(text, true, id)).toBe(answer(content, id));
    }
  });
});
