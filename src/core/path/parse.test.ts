// What a tool call may call a path, and what that means. Refusals are compared whole: people read them.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NAME_BYTES, PATH_BYTES, parsePath } from "./parse.ts";

const parse = (raw: unknown) => parsePath(raw, "/ws", "/home/ada");
const taken = (path: string) => ({ ok: true, path });
const refused = (why: string) => ({ ok: false, why });
const TOO_LONG = refused("the path, or one name in it, is longer than the system allows");
const NUL = refused("the path holds a NUL character");
const HALF = refused("the path holds half of a surrogate pair, which no file name can");
const TILDE = refused("`~name` is not read as a user's home; write the path in full, or `./~name` for a file of that name");

describe("a path is taken as it is written", () => {
  test.each([
    ["an absolute path stays", "/etc/hosts", "/etc/hosts"],
    ["the root", "/", "/"],
    ["a relative path is seen from the base", "src/a.ts", "/ws/src/a.ts"],
    ["dots keep the kernel's meaning", "../x/./y", "/ws/../x/./y"],
    ["a lone dot", ".", "/ws/."],
    ["slashes are not tidied", "//a///b/", "//a///b/"],
    ["spaces are not trimmed", " a ", "/ws/ a "],
    ["quotes are not taken off", '"a"', '/ws/"a"'],
    ["escapes are not undone", "a\\ b", "/ws/a\\ b"],
    ["nor are percent signs", "%2e%2e/a", "/ws/%2e%2e/a"],
    ["a URL is a name like any other", "file:///etc/passwd", "/ws/file:///etc/passwd"],
    ["a line break is part of a name", "a\nb", "/ws/a\nb"],
    ["spellings are not composed", "e\u0301", "/ws/e\u0301"],
    ["whole surrogate pairs are characters", "/😀", "/😀"],
    ["the home directory", "~", "/home/ada"],
    ["a path in the home directory", "~/notes.txt", "/home/ada/notes.txt"],
    ["the home directory with a slash", "~/", "/home/ada/"],
    ["a tilde elsewhere is a tilde", "a/~/b", "/ws/a/~/b"],
    ["a file called like a user's home can be meant", "./~ada", "/ws/./~ada"],
    ["a tilde at the end", "a~", "/ws/a~"],
  ])("%s", (_what, raw, path) => {
    expect(parse(raw)).toEqual(taken(path));
  });
});

describe("what cannot be a path is refused with the reason", () => {
  test.each([[undefined], [null], [1], [true], [["/a"]], [{ path: "/a" }], [Buffer.from("/a")]])("%j is no string", (raw) => {
    expect(parse(raw)).toEqual(refused("a path must be a string"));
  });

  test("nothing at all", () => {
    expect(parse("")).toEqual(refused("the path is empty"));
  });

  test.each([["\0"], ["/a\0"], ["/a\0b"], ["~/\0"]])("%j holds a NUL", (raw) => {
    expect(parse(raw)).toEqual(NUL);
  });

  test.each([["/\ud83d"], ["/\ude00"], ["/\ude00\ud83d"], ["/a\ud83d/b"], ["a\udfff"]])("%j holds half a pair", (raw) => {
    expect(parse(raw)).toEqual(HALF);
  });

  test.each([["~ada"], ["~ada/x"], ["~~"], ["~\\"], ["~."], ["~ /"]])("%s might be a home or a file", (raw) => {
    expect(parse(raw)).toEqual(TILDE);
  });
});

describe("lengths are counted in bytes, as the kernel counts", () => {
  test("the limits are the kernel's", () => {
    expect([NAME_BYTES, PATH_BYTES]).toEqual([255, 4095]);
  });

  // [character, bytes in UTF-8]: both sides of each change of length.
  test.each([
    ["\u0001", 1],
    ["a", 1],
    ["\u007f", 1],
    ["\u0080", 2],
    ["é", 2],
    ["\u07ff", 2],
    ["\u0800", 3],
    ["€", 3],
    ["\ud7ff", 3],
    ["\ue000", 3],
    ["\uffff", 3],
    ["\u{10000}", 4],
    ["😀", 4],
    ["\u{10ffff}", 4],
  ])("%j takes %i bytes", (character, size) => {
    expect(Buffer.byteLength(character)).toBe(size);
    const fill = (bytes: number): string => character.repeat(Math.floor(bytes / size)) + "a".repeat(bytes % size);
    for (const at of ["/", "/d/", "/d/d/"]) {
      expect(parse(`${at}${fill(255)}`)).toEqual(taken(`${at}${fill(255)}`));
      expect(parse(`${at}${fill(255)}/d`)).toEqual(taken(`${at}${fill(255)}/d`));
      expect(parse(`${at}${fill(256)}`)).toEqual(TOO_LONG);
      expect(parse(`${at}${fill(256)}/d`)).toEqual(TOO_LONG);
    }
  });

  test.each([["a"], ["é"], ["€"], ["😀"]])("a path of 4095 bytes in names of %s is the longest", (character) => {
    const size = Buffer.byteLength(character);
    const names = `/${character.repeat(Math.floor(99 / size))}${"a".repeat(99 % size)}`.repeat(40);
    expect(Buffer.byteLength(names)).toBe(4000);
    const longest = `${names}/${"b".repeat(94)}`;
    expect(parse(longest)).toEqual(taken(longest));
    expect(parse(`${longest}b`)).toEqual(TOO_LONG);
  });

  test("what the base or the home directory adds is counted", () => {
    const rest = `${"a".repeat(199)}/`.repeat(20).concat("b".repeat(91));
    expect(rest.length).toBe(4091);
    expect(parse(rest)).toEqual(taken(`/ws/${rest}`));
    expect(parse(`${rest}b`)).toEqual(TOO_LONG);
    expect(parse(`~/${rest}`)).toEqual(TOO_LONG);
  });

  test("a name of 86 characters may be 258 bytes, and one of 85 is never too long", () => {
    expect(parse(`/${"€".repeat(86)}`)).toEqual(TOO_LONG);
    expect(parse(`/${"€".repeat(85)}`)).toEqual(taken(`/${"€".repeat(85)}`));
  });

  test("the answer agrees with counting the encoded bytes, for any text", () => {
    const piece = fc.oneof(fc.constantFrom("a", "é", "€", "😀", "/"), fc.string({ unit: "binary", maxLength: 3 }));
    const text = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 300 })), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(text, (parts) => {
        const raw = `/${parts.map(([one, times]) => one.repeat(times)).join("")}`;
        const long = Buffer.byteLength(raw) > 4095 || raw.split("/").some((name) => Buffer.byteLength(name) > 255);
        expect(parse(raw)).toEqual(raw.includes("\0") ? NUL : !raw.isWellFormed() ? HALF : long ? TOO_LONG : taken(raw));
      }),
      { numRuns: 500 },
    );
  });
});
