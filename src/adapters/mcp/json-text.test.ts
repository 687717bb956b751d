import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeText } from "../../tools/text.ts";
import { createJsonTexts, JsonText } from "./json-text.ts";

const [BEGIN, END] = ['{"text":"', '"}\n'];
/** What is sent for these bytes, with the way it took; a text that goes as a string is put into JSON as it always was. */
function sent(bytes: Buffer, make = createJsonTexts()): { readonly quick: boolean; readonly line: string | null } {
  const text = make(bytes);
  if (text instanceof JsonText) return { quick: true, line: text.between(BEGIN, END).toString("utf8") };
  return { quick: false, line: text === null ? null : `${JSON.stringify({ text })}\n` };
}
/** What JSON.stringify says of the same bytes. */
function expected(bytes: Buffer): string | null {
  const text = decodeText(bytes);
  return text === null ? null : `${JSON.stringify({ text })}\n`;
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

  test("is so for each byte at each place of a group of four, between plain ones and between others", () => {
    const make = createJsonTexts();
    for (let byte = 0; byte < 256; byte += 1)
      for (let at = 0; at < 9; at += 1)
        for (const around of [0x61, 0x7f, 0x20, 0x22]) {
          const bytes = Buffer.alloc(9, around).fill(byte, at, at + 1);
          expect(sent(bytes, make).line).toBe(expected(bytes));
        }
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
    const lines = made.map((text) => (text instanceof JsonText ? text.between(BEGIN, END) : null));
    expect(lines.map(String)).toEqual(
      lengths.map((length, index) => `${BEGIN}${String.fromCharCode(97 + (index % 26)).repeat(length)}${END}`),
    );
  });

  test("goes behind a beginning of any length", () => {
    const make = createJsonTexts();
    for (const begin of ["", "x".repeat(256), "x".repeat(257), "ü".repeat(128), "ü".repeat(129)]) {
      const text = make(Buffer.from("a\nb"));
      expect(text instanceof JsonText && text.between(begin, END).toString("utf8")).toBe(`${begin}a\\nb${END}`);
    }
  });
});
