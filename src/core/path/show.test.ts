// What a person sees must be harmless and must say exactly what was there.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasForeignLetters, shorten, show, unshow } from "./show.ts";

/** Any text: whole characters, halves of pairs, and many of what is unusual. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.string({
    unit: fc.constantFrom(...("ab/ \\u{}0\u0000\n\u001b\u202e\u200b\ufe0f\u2028😀é".match(/./gsu) ?? []), "\ud83d", "\ude00", "\u{e0041}"),
  }),
);

describe("unusual characters are written out, never removed", () => {
  test.each([
    ["plain text", "/home/ada/a b.txt", "/home/ada/a b.txt"],
    ["letters and signs of the world", "żółw-東京-😀-ß", "żółw-東京-😀-ß"],
    ["a backslash is doubled", "a\\b", "a\\\\b"],
    ["what looks like an escape is not one", "\\u{202e}", "\\\\u{202e}"],
    ["NUL", "\0", "\\u{0}"],
    ["a line break", "a\nb\r", "a\\u{a}b\\u{d}"],
    ["a tab", "\t", "\\u{9}"],
    ["the escape that starts a terminal's commands", "\u001b[31m", "\\u{1b}[31m"],
    ["DEL and C1", "\u007f\u0080\u009b\u009f", "\\u{7f}\\u{80}\\u{9b}\\u{9f}"],
    ["the right-to-left override", "a\u202etxt.exe", "a\\u{202e}txt.exe"],
    ["half a pair before and after", "\ud83dx\ude00", "\\u{d83d}x\\u{de00}"],
    ["halves in the wrong order", "\ude00\ud83d", "\\u{de00}\\u{d83d}"],
    ["a tag", "\u{e0041}", "\\u{e0041}"],
    ["the replacement character", "\ufffd", "\\u{fffd}"],
    ["the empty text", "", ""],
  ])("%s", (_what, text, shown) => {
    expect([show(text), unshow(shown)]).toEqual([shown, text]);
  });

  // First and last of each run of characters that are written out, with their neighbours, which are not.
  test.each([
    ["controls", 0x00, 0x1f],
    ["DEL, C1 and the no-break space", 0x7f, 0xa0],
    ["the soft hyphen", 0xad, 0xad],
    ["the grapheme joiner", 0x34f, 0x34f],
    ["the Arabic letter mark", 0x61c, 0x61c],
    ["Hangul fillers", 0x115f, 0x1160],
    ["the Ogham space", 0x1680, 0x1680],
    ["Khmer inherent vowels", 0x17b4, 0x17b5],
    ["Mongolian selectors", 0x180b, 0x180f],
    ["spaces, zero-width and direction marks", 0x2000, 0x200f],
    ["line and paragraph separators, bidi embeddings, the narrow space", 0x2028, 0x202f],
    ["the mathematical space, joiners, isolates", 0x205f, 0x206f],
    ["the blank Braille cell", 0x2800, 0x2800],
    ["the ideographic space", 0x3000, 0x3000],
    ["the Hangul filler", 0x3164, 0x3164],
    ["variation selectors", 0xfe00, 0xfe0f],
    ["the byte order mark", 0xfeff, 0xfeff],
    ["the half-width filler", 0xffa0, 0xffa0],
    ["specials", 0xfff0, 0xffff],
    ["shorthand formats", 0x1bca0, 0x1bca3],
    ["musical formats", 0x1d173, 0x1d17a],
    ["tags and further variation selectors", 0xe0000, 0xe0fff],
  ])("%s", (_what, first, last) => {
    for (let code = first; code <= last; code += 1) expect(show(String.fromCodePoint(code))).toBe(`\\u{${code.toString(16)}}`);
    for (const code of [first - 1, last + 1].filter((one) => one >= 0 && one !== 0x10000)) {
      expect(show(String.fromCodePoint(code))).toBe(String.fromCodePoint(code));
    }
  });

  test("both ends of the surrogates, alone", () => {
    expect(["\ud7ff", "\ud800", "\udbff", "\udc00", "\udfff", "\ue000"].map(show)).toEqual([
      "\ud7ff",
      "\\u{d800}",
      "\\u{dbff}",
      "\\u{dc00}",
      "\\u{dfff}",
      "\ue000",
    ]);
  });

  test("no control, separator, bidi mark, joiner, selector or ignorable of all of Unicode comes through", () => {
    const unusual =
      /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\p{Join_Control}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}]|(?! )\p{White_Space}/u;
    const raw: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (unusual.test(character) && show(character) === character) raw.push(code.toString(16));
    }
    expect(raw).toEqual([]);
  });

  test("whatever came in, one line without anything unusual comes out", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(show(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]|\p{Cs}/u);
        expect(show(text).isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("what is shown can be read back, halves of pairs and all", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(unshow(show(text))).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test("two texts are never shown alike", () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => (show(one) === show(other)) === (one === other)),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["a lone backslash", "\\"],
    ["a backslash before a letter", "a\\n"],
    ["an escape for what needs none", "\\u{41}"],
    ["leading zeros", "\\u{00a}"],
    ["capital digits", "\\u{202E}"],
    ["no digits", "\\u{}"],
    ["too many digits", "\\u{0000202e}"],
    ["no such character", "\\u{110000}"],
    ["the largest number that fits", "\\u{ffffff}"],
    ["two halves that make a whole", "\\u{d83d}\\u{de00}"],
    ["a control left raw", "a\nb"],
    ["not closed", "\\u{202e"],
  ])("what was never shown cannot be read back: %s", (_what, shown) => {
    expect(unshow(shown)).toBeNull();
  });

  test("the last character of all is read back", () => {
    expect(unshow("\\u{10ffff}")).toBeNull();
    expect(unshow("\u{10ffff}")).toBe("\u{10ffff}");
    expect(unshow("\\u{e0fff}")).toBe("\u{e0fff}");
  });
});

describe("letters that may look like others are pointed out", () => {
  test.each([
    ["", false],
    ["/home/ada/~!\u007f\u0000", false],
    ["/home/аda", true],
    ["\u0080", true],
    ["😀", true],
    ["\ud83d", true],
  ])("%j: %s", (text, foreign) => {
    expect(hasForeignLetters(text)).toBe(foreign);
  });
});

describe("a long text is cut in the middle", () => {
  test.each([
    ["what fits is left whole", "abcdef", 6, "abcdef"],
    ["what has room to spare too", "abc", 100, "abc"],
    ["nothing", "", 1, ""],
    ["one too many", "abcdefg", 6, "abc…fg"],
    ["an odd width", "abcdefghi", 5, "ab…hi"],
    ["an even width", "abcdefghi", 4, "ab…i"],
    ["hardly any room", "abcdefghi", 3, "a…i"],
    ["room for the beginning", "abcdefghi", 2, "a…"],
    ["room for the mark alone", "abcdefghi", 1, "…"],
    ["two characters in the room of one", "ab", 1, "…"],
    ["an escape is kept whole", "\\u{202e}bcdefghijklm", 12, "\\u{202e}…klm"],
    ["or left out whole", "abcdefgh\\u{202e}", 8, "a…"],
    ["one escape alone", "\\u{202e}", 7, "…"],
    ["two escapes", "\\u{202e}\\u{202d}", 15, "\\u{202e}…"],
    ["a doubled backslash is kept together", "\\\\bcdefghi", 6, "\\\\b…hi"],
    ["or left out together", "abcdefgh\\\\", 4, "a…\\\\"],
    ["a doubled backslash with no room", "abcdefgh\\\\", 3, "a…"],
    ["an emoji is not cut in half", "😀bcdefg", 4, "😀…g"],
    ["nor at the end", "abcdef😀", 3, "a…"],
    ["a brace without an escape is a brace", "a{bcdefgh", 5, "a{…gh"],
  ])("%s", (_what, shown, width, cut) => {
    expect(shorten(shown, width)).toBe(cut);
  });

  test("it is never wider than asked, keeps both ends, and cuts no escape", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, width) => {
        const shown = show(text);
        const cut = shorten(shown, width);
        expect(cut.length).toBeLessThanOrEqual(width);
        if (shown.length <= width) {
          expect(cut).toBe(shown);
          return;
        }
        const marks = [...cut.matchAll(/…/g)].map((found) => found.index);
        // The text may hold such marks itself; one of those in the result is ours.
        const isCut = marks.some((at) => {
          const [head, tail] = [cut.slice(0, at), cut.slice(at + 1)];
          const whole = unshow(head) !== null && unshow(tail) !== null && head.isWellFormed() && tail.isWellFormed();
          return whole && shown.startsWith(head) && shown.endsWith(tail) && head.length + tail.length < shown.length;
        });
        expect(isCut).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("of plain text as much is kept as there is room for, the beginning first", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "/"), minLength: 5, maxLength: 60 }),
        fc.integer({ min: 1, max: 60 }),
        (text, width) => {
          const room = width - 1;
          const wanted =
            text.length <= width ? text : `${text.slice(0, Math.ceil(room / 2))}…${text.slice(text.length - Math.floor(room / 2))}`;
          expect(shorten(text, width)).toBe(wanted);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
