// Folding: what any file system takes for the same name must come out the same, and nothing that is plain may change.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold } from "./fold.ts";

/** Every character that folding could change: those beyond are ideographs of one spelling, private or unassigned. */
const everyCharacter: readonly string[] = [
  [0, 0x33ff],
  [0xa000, 0xd7ff],
  [0xf900, 0x12000],
  [0x16100, 0x16fff],
  [0x1bc00, 0x1fbff],
  [0x2f800, 0x2fa1f],
  [0xe0000, 0xe0fff],
].flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)));

describe("one name in two spellings folds to one", () => {
  test.each([
    ["capitals", ".ENV", ".env"],
    ["capitals in a path", "/Home/Ada/README.md", "/home/ada/readme.md"],
    ["capitals beside other letters", "É.PEM", "é.pem"],
    ["an accent apart from its letter", "cafe\u0301", "café"],
    ["a capital with its accent apart", "CAFE\u0301", "café"],
    ["full-width letters", "．ｅｎｖ", ".env"],
    ["full-width capitals", "ＩＤ＿ＲＳＡ", "id_rsa"],
    ["a ligature", "con\ufb01g", "config"],
    ["a ligature of three", "o\ufb03ce", "office"],
    ["the Kelvin sign", "id.\u212aey", "id.key"],
    ["the Ångström sign", "\u212b", "å"],
    ["the long s", "\u017fecrets", "secrets"],
    ["the sharp s, as APFS and ext4 compare it", ".ßh", ".ssh"],
    ["the capital sharp s", ".\u1e9eh", ".ssh"],
    ["the sigma at the end of a word", "οδος", "οδοσ"],
    ["capital sigmas, wherever they stand", "ΣΟΔΟΣ", "σοδοσ"],
    ["the dotted capital I", "İ", "i\u0307"],
    ["the dotless i", "\u0131d_rsa", "id_rsa"],
    ["letters in circles", "ⓔⓝⓥ", "env"],
    ["mathematical letters", "\u{1d41e}\u{1d427}\u{1d42f}", "env"],
    ["superscripts", "p¹²", "p12"],
    ["the ellipsis", "a…", "a..."],
    ["a no-break space", "a\u00a0b", "a b"],
  ])("%s", (_what, one, other) => {
    expect([fold(one), fold(other)]).toEqual([other, other]);
  });

  test.each([
    ["soft hyphen", "\u00ad"],
    ["combining grapheme joiner", "\u034f"],
    ["Arabic letter mark", "\u061c"],
    ["Hangul fillers", "\u115f\u1160\u3164\uffa0"],
    ["Khmer inherent vowels", "\u17b4\u17b5"],
    ["Mongolian selectors", "\u180b\u180c\u180d\u180e\u180f"],
    ["zero-width space, joiners and marks", "\u200b\u200c\u200d\u200e\u200f"],
    ["bidi embeddings", "\u202a\u202b\u202c\u202d\u202e"],
    ["word joiner and invisible operators", "\u2060\u2061\u2064"],
    ["bidi isolates and deprecated formats", "\u2066\u2067\u2068\u2069\u206a\u206f"],
    ["variation selectors", "\ufe00\ufe0f\u{e0100}\u{e01ef}"],
    ["byte order mark", "\ufeff"],
    ["unassigned ignorables", "\u2065\ufff0\ufff8"],
    ["shorthand formats", "\u{1bca0}\u{1bca3}"],
    ["musical formats", "\u{1d173}\u{1d17a}"],
    ["tags", "\u{e0001}\u{e0020}\u{e007f}\u{e0000}\u{e0fff}"],
  ])("a name with %s in it is the name without", (_what, marks) => {
    expect(fold(`.g${marks}it`)).toBe(".git");
    expect(fold(`${marks}.git${marks}`)).toBe(".git");
    for (const mark of marks) expect(fold(`.g${mark}it`)).toBe(".git");
  });

  test("every code point that Unicode says to ignore is ignored", () => {
    const kept = everyCharacter.filter(
      (character) => /\p{Default_Ignorable_Code_Point}/u.test(character) && fold(`.g${character}it`) !== ".git",
    );
    expect(kept).toEqual([]);
  });

  test("what lies beside the ignored code points is kept", () => {
    const beside =
      "\u00ac\u00ae\u034e\u0350\u061b\u061d\u17b3\u17b6\u180a\u1810\u2010\u2028\u2029\u205e\u2070\u3163\u3165\ufdff\ufe10\ufefe\uff00\uff9f\uffef\ufff9\u{1bc9f}\u{1bca4}\u{1d172}\u{1d17b}\u{dffff}\u{e1000}";
    const lost = Array.from(beside).filter((character) => fold(`a${character}b`) === "ab");
    expect(lost).toEqual([]);
  });

  test("an ignored code point between a letter and its accent does not keep them apart", () => {
    expect(fold("e\u200b\u0301")).toBe("é");
  });

  test("a letter in either case folds to one, for every letter there is", () => {
    const apart = everyCharacter.filter((character) => {
      const folded = fold(`a${character}b`);
      return fold(`A${character.toUpperCase()}B`) !== folded || fold(`a${character.toLowerCase()}b`) !== folded;
    });
    expect(apart).toEqual([]);
  });

  test("a character and its decomposed spelling fold to one, for every character there is", () => {
    const apart = everyCharacter.filter(
      (character) => !character.normalize("NFKD").includes("/") && fold(`a${character.normalize("NFD")}b`) !== fold(`a${character}b`),
    );
    expect(apart).toEqual([]);
  });
});

describe("what is plain stays as it is", () => {
  test("ASCII without capitals is unchanged", () => {
    const plain = fc.string({ unit: fc.constantFrom(...Array.from("abcxyz0189 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")) });
    fc.assert(fc.property(plain, (text) => fold(text) === text));
  });

  test("ASCII with capitals is only lower-cased, controls and all", () => {
    fc.assert(fc.property(fc.string({ unit: "binary-ascii" }), (text) => fold(text) === text.toLowerCase()));
  });

  test("the empty text", () => {
    expect(fold("")).toBe("");
  });

  test("lower-case letters of other scripts", () => {
    expect(fold("żółw/мир/東京/σίσυφοσ/שלום")).toBe("żółw/мир/東京/σίσυφοσ/שלום");
  });
});

describe("a path keeps its names", () => {
  test("a character that composes to a slash makes no second name", () => {
    expect(fold("/a／B/℀/c")).toBe("/a／b/a／c/c");
    expect(fold("℅")).toBe("c／o");
  });

  test("a name of nothing but ignored code points does not vanish", () => {
    expect([fold("\u200b"), fold("/A/\u200b\u200c/b"), fold("/é/\u200b")]).toEqual(["\u200b", "/a/\u200b\u200c/b", "/é/\u200b"]);
  });

  test("folding a path folds each name by itself, for any text", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 6 }), { maxLength: 5 }), (names) => {
        expect(fold(names.join("/"))).toBe(names.join("/").split("/").map(fold).join("/"));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("folding twice changes nothing more", () => {
  test("for every character by itself", () => {
    expect(everyCharacter.filter((character) => fold(fold(character)) !== fold(character))).toEqual([]);
  });

  test("for any text of characters that fold", () => {
    const unit = fc.constantFrom(...Array.from("aZÉßẞςΣİıſKﬁ／．＊\u0301\u0323\u0345\u00ad\u200b\ufe0f\u{e0041}Ǆǅᾳΐ㎏①/. "));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: "binary" })), (text) => fold(fold(text)) === fold(text)),
      { numRuns: 5_000 },
    );
  });
});
