// Our dialect of patterns: what is refused, what each form means, and minimatch as the oracle where the dialects agree.

import * as fc from "fast-check";
import { minimatch } from "minimatch";
import { describe, expect, test } from "vitest";
import { covers, type Glob, GLOB_DEPTHS, GLOB_LENGTH, GLOB_PIECES, isDefault, matchName, parseGlob, pieceOf } from "./glob.ts";
import { RuleIndex } from "./index-of-rules.ts";

const HOME = "/home/ada";

function globOf(pattern: string): Glob {
  const parsed = parseGlob(pattern, HOME);
  if (!parsed.ok) throw new Error(`${pattern}: ${parsed.why}`);
  return parsed.glob;
}

const literal = (text: string) => ({ kind: "literal", text });
const wild = (text: string, head: string, tail: string) => ({ kind: "wild", text, head, tail });
const anyNames = { kind: "any-names" };

/** Does the pattern match the path, as an allow does (it covers no more than it says)? */
function matchesPath(pattern: string, path: string): boolean {
  const glob = globOf(pattern);
  return new RuleIndex([{ order: 0, glob, folded: false, below: glob.subtree }]).first(path) === 0;
}

const OPTIONS = { dot: true, nocomment: true, nonegate: true, noext: true, nobrace: true, platform: "linux" } as const;

describe("a pattern is read as its author wrote it", () => {
  test.each([
    ["an absolute path", "/a/b", { anchor: "anywhere", pieces: [literal("a"), literal("b")], subtree: false }],
    ["one top-level name", "/a", { anchor: "anywhere", pieces: [literal("a")], subtree: false }],
    ["a directory's content", "/a/**", { anchor: "anywhere", pieces: [literal("a")], subtree: true }],
    ["a slash at the end says nothing", "/a/b/", { anchor: "anywhere", pieces: [literal("a"), literal("b")], subtree: false }],
    ["the same after two stars", "/a/**/", { anchor: "anywhere", pieces: [literal("a")], subtree: true }],
    ["a lone name, at any depth", "a", { anchor: "anywhere", pieces: [anyNames, literal("a")], subtree: false }],
    ["a lone name with a slash", "a/", { anchor: "anywhere", pieces: [anyNames, literal("a")], subtree: false }],
    ["a lone name with a star", "*.pem", { anchor: "anywhere", pieces: [anyNames, wild("*.pem", "", ".pem")], subtree: false }],
    ["two stars in front", "**/a", { anchor: "anywhere", pieces: [anyNames, literal("a")], subtree: false }],
    ["two stars after a slash", "/**/a", { anchor: "anywhere", pieces: [anyNames, literal("a")], subtree: false }],
    ["two stars twice are once", "/**/**/a/**/**", { anchor: "anywhere", pieces: [anyNames, literal("a")], subtree: true }],
    ["two stars between", "/a/**/b", { anchor: "anywhere", pieces: [literal("a"), anyNames, literal("b")], subtree: false }],
    ["a relative path, below each root", "a/b", { anchor: "root", pieces: [literal("a"), literal("b")], subtree: false }],
    ["a relative directory's content", "a/**", { anchor: "root", pieces: [literal("a")], subtree: true }],
    ["a star that begins a relative path", "*/b", { anchor: "root", pieces: [wild("*", "", ""), literal("b")], subtree: false }],
    ["the home directory", "~", { anchor: "anywhere", pieces: [literal("home"), literal("ada")], subtree: false }],
    ["the home directory with a slash", "~/", { anchor: "anywhere", pieces: [literal("home"), literal("ada")], subtree: false }],
    [
      "a path in the home directory",
      "~/x*",
      { anchor: "anywhere", pieces: [literal("home"), literal("ada"), wild("x*", "x", "")], subtree: false },
    ],
    ["a tilde inside", "/a/~/b~", { anchor: "anywhere", pieces: [literal("a"), literal("~"), literal("b~")], subtree: false }],
    [
      "signs that other dialects read are names here",
      "/[a]/{b,c}/!(d)/+e",
      { anchor: "anywhere", pieces: [literal("[a]"), literal("{b,c}"), literal("!(d)"), literal("+e")], subtree: false },
    ],
    ["an exclamation mark or a hash in front too", "!#a", { anchor: "anywhere", pieces: [anyNames, literal("!#a")], subtree: false }],
    ["names of many dots", "/.../..a", { anchor: "anywhere", pieces: [literal("..."), literal("..a")], subtree: false }],
  ])("%s: `%s`", (_what, pattern, glob) => {
    expect(parseGlob(pattern, HOME)).toEqual({ ok: true, glob });
  });

  test("the home directory stands for itself, whatever it is called", () => {
    expect(parseGlob("~/x*", "/home/a*b?")).toEqual({
      ok: true,
      glob: { anchor: "anywhere", pieces: [literal("home"), literal("a*b?"), wild("x*", "x", "")], subtree: false },
    });
    expect(parseGlob("~/**", "/home/ada/")).toEqual({
      ok: true,
      glob: { anchor: "anywhere", pieces: [literal("home"), literal("ada")], subtree: true },
    });
    expect(parseGlob("~/x", "/")).toEqual({ ok: true, glob: { anchor: "anywhere", pieces: [literal("x")], subtree: false } });
    expect([parseGlob("~", "/").ok, parseGlob("~/", "/").ok, parseGlob("~/**", "/").ok]).toEqual([false, false, false]);
  });

  test.each([
    ["plain", literal("plain")],
    ["a*", wild("a*", "a", "")],
    ["*a", wild("*a", "", "a")],
    ["?", wild("?", "", "")],
    ["ab*cd?ef", wild("ab*cd?ef", "ab", "ef")],
    ["ab?cd*ef", wild("ab?cd*ef", "ab", "ef")],
    ["a**b", wild("a**b", "a", "b")],
  ])("the name `%s` in pieces", (name, piece) => {
    expect(pieceOf(name)).toEqual(piece);
  });

  test.each([
    ["*", true],
    ["**", true],
    ["/**", true],
    ["", false],
    ["/*", false],
    ["**/", false],
    ["**/*", false],
    ["/", false],
  ])("`%s` is a list's default: %s", (pattern, answer) => {
    expect(isDefault(pattern)).toBe(answer);
  });
});

describe("what cannot be a pattern is refused with the reason", () => {
  const EMPTY_NAME = "a pattern must not have an empty name (two slashes)";
  const DOTS = "a pattern is matched against real paths, which have no `.` or `..` in them";
  const TILDE = "`~` stands for the home directory only before a slash";
  const STARS = "`**` must be a whole name between slashes";
  const NOTHING = "a pattern of only `**` is a list's default; write it as `*`";
  test.each([
    ["", "a pattern must not be empty"],
    ["a\0b", "a pattern must not hold a NUL character"],
    ["/a\ud83d", "a pattern must not hold half of a surrogate pair"],
    ["\ude00", "a pattern must not hold half of a surrogate pair"],
    ["~ada", TILDE],
    ["~ada/x", TILDE],
    ["~*", TILDE],
    ["~~", TILDE],
    ["/", "`/` alone is not a pattern; `*` stands for everything"],
    ["//", EMPTY_NAME],
    ["//a", EMPTY_NAME],
    ["/a//b", EMPTY_NAME],
    ["a//", EMPTY_NAME],
    ["**//a", EMPTY_NAME],
    ["~//a", EMPTY_NAME],
    [".", DOTS],
    ["..", DOTS],
    ["./a", DOTS],
    ["../a", DOTS],
    ["/a/./b", DOTS],
    ["/a/../b", DOTS],
    ["/a/..", DOTS],
    ["~/..", DOTS],
    ["a**", STARS],
    ["**a", STARS],
    ["/a/b**c", STARS],
    ["***", STARS],
    ["/a/**b/c", STARS],
    ["**", NOTHING],
    ["/**", NOTHING],
    ["**/", NOTHING],
    ["**/**", NOTHING],
    ["/**/**/", NOTHING],
  ])("%j", (pattern, why) => {
    expect(parseGlob(pattern, HOME)).toEqual({ ok: false, why });
  });

  test("at most 4096 characters", () => {
    expect(GLOB_LENGTH).toBe(4096);
    expect(parseGlob(`/${"a".repeat(4095)}`, HOME).ok).toBe(true);
    expect(parseGlob(`/${"a".repeat(4096)}`, HOME)).toEqual({ ok: false, why: "a pattern must not be longer than 4096 characters" });
  });

  test("`**` at most eight times", () => {
    expect(GLOB_DEPTHS).toBe(8);
    expect(parseGlob("**/a/".repeat(8), HOME).ok).toBe(true);
    expect(parseGlob("**/a/".repeat(9), HOME)).toEqual({ ok: false, why: "a pattern must not have `**` more than 8 times" });
  });

  test("at most 256 names, the stars among them", () => {
    expect(GLOB_PIECES).toBe(256);
    const refusal = { ok: false, why: "a pattern must not have more than 256 names" };
    expect(parseGlob("/a".repeat(256), HOME).ok).toBe(true);
    expect(parseGlob("/a".repeat(257), HOME)).toEqual(refusal);
    expect(parseGlob(`**${"/a".repeat(255)}`, HOME).ok).toBe(true);
    expect(parseGlob(`**${"/a".repeat(256)}`, HOME)).toEqual(refusal);
    expect(parseGlob(`a${"/a".repeat(255)}/`, HOME).ok).toBe(true);
    expect(parseGlob(`a${"/a".repeat(256)}`, HOME)).toEqual(refusal);
  });
});

describe("a star is any run of characters of one name, a question mark one character", () => {
  test.each([
    ["*", ""],
    ["*", "a"],
    ["*", ".hidden"],
    ["**", "a"],
    ["a*", "a"],
    ["a*", "abc"],
    ["*c", "abc"],
    ["a*c", "ac"],
    ["a*c", "abcbc"],
    ["*b*", "abc"],
    ["*.tfstate.*", "x.tfstate.backup"],
    ["a*b*c", "aXbXbXc"],
    ["*ab", "aab"],
    ["*aab", "aaab"],
    ["?", "a"],
    ["?", "é"],
    ["?", "😀"],
    ["??", "😀a"],
    ["?a", "😀a"],
    ["*?", "😀"],
    ["?*", "😀"],
    ["a?c", "abc"],
    ["*a?", "aab"],
    ["", ""],
    ["a**", "a"],
    ["?", "\u{103ff}"],
    ["?", "\u{10000}"],
    ["?", "\u{10ffff}"],
    ["a?c", "a\u{10ffff}c"],
    ["?", "\ue000"],
    ["?", "\ud7ff"],
  ])("`%s` matches `%s`", (pattern, name) => {
    expect(matchName(pattern, name)).toBe(true);
  });

  test.each([
    ["", "a"],
    ["a", ""],
    ["?", ""],
    ["?", "ab"],
    ["??", "a"],
    ["??", "😀"],
    ["???", "😀a"],
    ["*??", "😀"],
    ["a*", "ba"],
    ["*a", "ab"],
    ["a*c", "acd"],
    ["a*b*c", "acb"],
    ["a?c", "ac"],
    ["a*?", "a"],
    ["?*?", "a"],
    ["*a*b", "ba"],
    ["A*", "a"],
    ["?", "\ue000\ue000"],
    ["?", "\ud7ffa"],
  ])("`%s` does not match `%s`", (pattern, name) => {
    expect(matchName(pattern, name)).toBe(false);
  });

  test("minimatch says the same about every short name and pattern", () => {
    const pattern = fc
      .string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), minLength: 1, maxLength: 7 })
      .filter((text) => !text.includes("**") && !/^\.{1,2}$/.test(text));
    const name = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 7 }).filter((text) => !/^\.{1,2}$/.test(text));
    let matched = 0;
    fc.assert(
      fc.property(pattern, name, (one, other) => {
        const answer = minimatch(other, one, OPTIONS);
        matched += answer ? 1 : 0;
        expect(matchName(one, other)).toBe(answer);
      }),
      { numRuns: 10_000 },
    );
    expect(matched).toBeGreaterThan(200);
  });

  test("a text of stars and questions takes at most its length times that of the name", () => {
    /** A text that counts how often somebody looks at a character of it. */
    const looks = (pattern: string, name: string): number => {
      let count = 0;
      const counted = (text: string): string =>
        ({ length: text.length, charCodeAt: (at: number) => ((count += 1), text.charCodeAt(at)) }) as unknown as string;
      matchName(counted(pattern), counted(name));
      return count;
    };
    for (const pattern of ["*a*a*a*b", "*a*a*a*a*a*a*a*a*a*a*b", "a*a*a*a*a*?b", "*?a?*?a?*b"]) {
      const [short, long] = [looks(pattern, "a".repeat(1_000)), looks(pattern, "a".repeat(4_000))];
      expect(long).toBeLessThan(short * 4.5);
      expect(long).toBeLessThan(4_000 * 3 * (pattern.length + 1));
    }
  });
});

describe("whole paths", () => {
  const piece = fc.constantFrom("a", "b", "ab", "*", "a*", "*b", "?", "?b", "a*b", "**", "**");
  const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).filter((names) => names.some((name) => name !== "**"));
  const path = fc.array(fc.constantFrom("a", "b", "ab", "ba", "abb"), { minLength: 1, maxLength: 6 });

  // The dialects differ in one thing here: for us `x/**` is also `x` itself.
  const oracle = (names: readonly string[], real: string): boolean =>
    minimatch(real, `/${names.join("/")}`, OPTIONS) ||
    (names.at(-1) === "**" && minimatch(real, `/${names.join("/")}`.replace(/(?:\/\*\*)+$/, ""), OPTIONS));

  test("minimatch says the same about absolute patterns", () => {
    let matched = 0;
    fc.assert(
      fc.property(pattern, path, (names, parts) => {
        const real = `/${parts.join("/")}`;
        const answer = oracle(names, real);
        matched += answer ? 1 : 0;
        expect(matchesPath(`/${names.join("/")}`, real)).toBe(answer);
      }),
      { numRuns: 10_000 },
    );
    expect(matched).toBeGreaterThan(300);
  });

  test("a lone name is one at any depth, and a relative pattern is the absolute one below a root", () => {
    fc.assert(
      fc.property(pattern, path, (names, parts) => {
        const [relative, real] = [names.join("/"), `/${parts.join("/")}`];
        const wanted = names.length === 1 ? `/**/${relative}` : `/${relative}`;
        expect(matchesPath(relative, real)).toBe(matchesPath(wanted, real));
      }),
      { numRuns: 2_000 },
    );
  });

  test("what denies or asks about a directory covers all below it", () => {
    fc.assert(
      fc.property(pattern, path, (names, parts) => {
        const glob = globOf(`/${names.join("/")}`);
        const covered = parts.some((_, at) => oracle(names, `/${parts.slice(0, at + 1).join("/")}`));
        expect(new RuleIndex([{ order: 0, glob, folded: false, below: true }]).first(`/${parts.join("/")}`) === 0).toBe(covered);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ["/x/**", "/x", true],
    ["/x/**", "/x/y/z", true],
    ["/x/**", "/xy", false],
    ["/x/**/*", "/x", false],
    ["/x/**/*", "/x/y/z", true],
    ["/x/*", "/x/.hidden", true],
    ["/x/*", "/x/y/z", false],
    ["/x/**/z", "/x/z", true],
    ["/x/**/z", "/x/y/y/z", true],
    ["*.pem", "/a/b/c.pem", true],
    ["*.pem", "/a/c.pem/d", false],
    ["~/x", "/home/ada/x", true],
    ["~/x", "/root/x", false],
    ["/a", "/", false],
  ])("`%s` and %s: %s", (one, real, answer) => {
    expect(matchesPath(one, real)).toBe(answer);
  });
});

describe("one pattern covers another", () => {
  test.each([
    ["/a", "/a"],
    ["/a/**", "/a"],
    ["/a/**", "/a/**"],
    ["/a/**", "/a/b/c"],
    ["/a/**", "/a/b/**"],
    ["/a/**", "/a/**/b"],
    ["/a/**", "/a/*"],
    ["/a/*", "/a/b"],
    ["/a/*", "/a/b*"],
    ["/a/b*", "/a/bc"],
    ["/a/b*", "/a/b*"],
    ["/a/?", "/a/😀"],
    ["**/a", "/a"],
    ["**/a", "/x/y/a"],
    ["**/a", "**/a"],
    ["**/a", "/x/**/a"],
    ["**/a/**", "/x/a/y"],
    ["**/a/**", "/x/a/**/y"],
    ["**/a/b", "/a/a/b"],
    ["/x/**/a", "/x/y/a"],
    ["/x/**/a", "/x/a"],
    ["**/*", "/a"],
    ["**/*", "/a/**"],
    ["**/*", "**/a/**"],
    ["/x/**/*", "/x/a/**"],
    ["/x/**/*", "/x/**/a"],
    ["*.pem", "/a/b.pem"],
    ["a/**", "a/b"],
  ])("`%s` matches everything that `%s` does", (wide, narrow) => {
    expect(covers(globOf(wide), globOf(narrow))).toBe(true);
  });

  test.each([
    ["/a", "/b"],
    ["/a", "/a/**"],
    ["/a", "/a/b"],
    ["/a/b", "/a"],
    ["/a/*", "/a/**"],
    ["/a/*", "/a"],
    ["/a/*", "/a/b/c"],
    ["/a/*", "/a/b/**"],
    ["/a/b*", "/a/*"],
    ["/a/b*", "/a/c"],
    ["/a/?", "/a/bc"],
    ["/a/b", "/a/?"],
    ["**/a", "**/b"],
    ["**/a", "/a/**"],
    ["**/a", "/a/b"],
    ["/*/a", "**/a"],
    ["/*/**", "**/a"],
    ["/x/**/*", "/x/**"],
    ["/x/**/*", "/x"],
    ["/x/**/*", "/y/a"],
    ["/x/**/?", "/x/ab"],
    ["/x/**/*/b", "/x/a/c"],
    ["/x/**/b/*", "/x/b"],
    ["a/**", "/a/b"],
    ["/a/**", "a/b"],
    ["**/x", "a/x"],
  ])("`%s` does not match everything that `%s` does", (wide, narrow) => {
    expect(covers(globOf(wide), globOf(narrow))).toBe(false);
  });

  const piece = fc.constantFrom("a", "b", "ab", "*", "a*", "?", "**", "**");
  const pattern = fc
    .tuple(
      fc.constantFrom("/", ""),
      fc.array(piece, { minLength: 1, maxLength: 4 }).filter((names) => names.some((name) => name !== "**")),
    )
    .map(([slash, names]) => slash + names.join("/"));
  const path = fc.array(fc.constantFrom("a", "b", "ab", "c"), { minLength: 1, maxLength: 5 });

  test("who covers a pattern matches every path that it matches", () => {
    let told = 0;
    fc.assert(
      fc.property(pattern, pattern, fc.array(path, { minLength: 10, maxLength: 10 }), (wide, narrow, paths) => {
        if (!covers(globOf(wide), globOf(narrow))) return;
        for (const parts of paths) {
          const real = `/${parts.join("/")}`;
          if (!matchesPath(narrow, real)) continue;
          told += 1;
          expect([wide, narrow, real, matchesPath(wide, real)]).toEqual([wide, narrow, real, true]);
        }
      }),
      { numRuns: 10_000 },
    );
    expect(told).toBeGreaterThan(300);
  });

  test("every pattern covers itself, and two stars below a pattern cover it", () => {
    fc.assert(
      fc.property(pattern, (one) => {
        const glob = globOf(one);
        expect([covers(glob, glob), covers({ ...glob, subtree: true }, glob)]).toEqual([true, true]);
      }),
    );
  });

  test("many stars do not make comparing slow", () => {
    const stars = (times: number, end: string): Glob => globOf(`${"/**/a".repeat(times)}${end}`);
    expect(covers(stars(8, "/b"), stars(8, "/c"))).toBe(false);
    expect(covers(stars(8, ""), stars(8, ""))).toBe(true);
  });
});
