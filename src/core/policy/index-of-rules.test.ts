// The quick index against the slow way: go through the list, try each pattern name by name, take the first that matches.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold } from "../path/fold.ts";
import { matchName, parseGlob, type PatternPiece } from "./glob.ts";
import { NONE, type PlacedPattern, RuleIndex } from "./index-of-rules.ts";

/** What a rule says; `lift` is an entry that takes a name off the list of secrets. */
type Verdict = "allow" | "ask" | "deny" | "lift";
type Line = readonly [pattern: string, verdict: Verdict];

/** Placed as `compile.ts` does it: denies and lists of names are folded, and what asks or denies covers what is below. */
function placed([pattern, verdict]: Line, order: number): PlacedPattern {
  const parsed = parseGlob(pattern, "/home/ada");
  if (!parsed.ok) throw new Error(`${pattern}: ${parsed.why}`);
  const folded = verdict === "deny" || verdict === "lift";
  return { order, glob: parsed.glob, folded, below: verdict === "ask" || verdict === "deny" || parsed.glob.subtree };
}

const indexOf = (lines: readonly Line[]): RuleIndex => new RuleIndex(lines.map(placed));

/** The definition of a match, without any cleverness. */
function slowly({ glob, folded, below }: PlacedPattern, path: string): boolean {
  const names = (folded ? fold(path) : path).split("/").filter((name) => name !== "");
  const matches = (pieces: readonly PatternPiece[], rest: readonly string[]): boolean => {
    const [piece, ...further] = pieces;
    if (piece === undefined) return rest.length === 0;
    if (piece.kind === "any-names") return rest.some((_, at) => matches(further, rest.slice(at))) || matches(further, []);
    const [name, ...others] = rest;
    return name !== undefined && matchName(folded ? fold(piece.text) : piece.text, name) && matches(further, others);
  };
  return names.some((_, at) => (below || at === names.length - 1) && matches(glob.pieces, names.slice(0, at + 1)));
}

const slowFirst = (rules: readonly PlacedPattern[], path: string): number => rules.find((rule) => slowly(rule, path))?.order ?? NONE;

/** As a walker asks: down to a directory at once, then name by name, and at the end about one entry. */
function byWalking(index: RuleIndex, path: string, depth: number): number {
  const names = path.split("/").slice(1);
  const start = Math.min(depth, names.length - 1);
  let walk = index.at(`/${names.slice(0, start).join("/")}`);
  for (const name of names.slice(start, -1)) walk = walk.enter(name);
  return walk.first(names.at(-1) ?? "");
}

const verdict = fc.constantFrom<Verdict>("allow", "ask", "deny", "lift");
// Literals, heads and tails of one, two and more characters, names with neither, capitals, and letters outside ASCII.
const piece = fc.constantFrom(
  "a",
  "b",
  "ab",
  "abc",
  "A",
  "Ab",
  "é",
  "É",
  "*",
  "?",
  "a*",
  "A*",
  "ab*",
  "*b",
  "*B",
  "*bc",
  "a*c",
  "?b",
  "*b*",
  "é*",
  "*é",
  "É*c",
  "**",
  "**",
  "**",
);
const pattern = fc
  .tuple(fc.constantFrom("", "/", "**/"), fc.array(piece, { minLength: 1, maxLength: 4 }))
  .filter(([, names]) => names.some((name) => name !== "**"))
  .map(([start, names]) => start + names.join("/"));
const line = fc.tuple(pattern, verdict);
const name = fc.constantFrom(
  "a",
  "b",
  "c",
  "ab",
  "bc",
  "abc",
  "aXc",
  "A",
  "B",
  "AB",
  "é",
  "É",
  "éc",
  "bé",
  "e\u0301",
  "a\u200b",
  "ﬁ",
  "\u007f",
);
const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => `/${names.join("/")}`);

describe("the first rule that matches speaks", () => {
  test("as going through the list one by one would have it, for any list and path", () => {
    const found = new Map<boolean, number>();
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(path, { minLength: 1, maxLength: 4 }), (lines, paths) => {
        const rules = lines.map(placed);
        const index = new RuleIndex(rules);
        for (const real of paths) {
          const wanted = slowFirst(rules, real);
          found.set(wanted === NONE, (found.get(wanted === NONE) ?? 0) + 1);
          expect([lines, real, index.first(real)]).toEqual([lines, real, wanted]);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(found.get(true) ?? 0, found.get(false) ?? 0)).toBeGreaterThan(500);
  });

  test("as asking an index for each rule by itself would have it", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), path, (lines, real) => {
        const alone = lines.map((one, order) => (indexOf([one]).first(real) === 0 ? order : NONE));
        expect(indexOf(lines).first(real)).toBe(Math.min(NONE, ...alone));
      }),
      { numRuns: 2_000 },
    );
  });

  test("one rule by itself, for any pattern", () => {
    fc.assert(
      fc.property(line, path, (one, real) => {
        expect(indexOf([one]).first(real)).toBe(slowFirst([placed(one, 0)], real));
      }),
      { numRuns: 5_000 },
    );
  });

  test("walking down to a path finds what asking for the whole path finds, wherever the walk begins", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), path, fc.nat({ max: 5 }), (lines, real, depth) => {
        const index = indexOf(lines);
        expect([lines, real, byWalking(index, real, depth)]).toEqual([lines, real, index.first(real)]);
      }),
      { numRuns: 6_000 },
    );
  });

  test("a walk can be asked again, about many names, and entered twice", () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.array(name, { minLength: 1, maxLength: 4 }),
        fc.array(name, { minLength: 1, maxLength: 6 }),
        (lines, dir, names) => {
          const index = indexOf(lines);
          const walk = index.at(`/${dir.join("/")}`);
          for (const one of names) {
            const whole = `/${dir.join("/")}/${one}`;
            expect([walk.first(one), walk.enter(one).first("b"), walk.first(one)]).toEqual([
              index.first(whole),
              index.first(`${whole}/b`),
              index.first(whole),
            ]);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test("names of any characters, literal in the pattern, match themselves", () => {
    const anyName = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 4 })
      .filter((text) => !/[/*?\0~]/.test(text) && text !== "." && text !== "..");
    fc.assert(
      fc.property(fc.array(anyName, { minLength: 1, maxLength: 3 }), verdict, fc.constantFrom("/", "**/"), (names, said, start) => {
        const index = indexOf([[start + names.join("/"), said]]);
        const real = `/${names.join("/")}`;
        expect([index.first(real), byWalking(index, real, 0), index.first(`${real}x`)]).toEqual([0, 0, NONE]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("letter case and spelling", () => {
  const SPELLINGS = ["/x/.ENV", "/x/．ｅｎｖ", "/x/.e\u200bnv", "/X/.Env"];

  test("a deny holds in every spelling of the path", () => {
    for (const real of SPELLINGS) {
      expect([
        indexOf([["/x/.env", "deny"]]).first(real),
        indexOf([[".env", "deny"]]).first(real),
        indexOf([[".e*", "deny"]]).first(real),
        indexOf([["*nv", "deny"]]).first(real),
      ]).toEqual([0, 0, 0, 0]);
    }
  });

  test("and in every spelling of the rule", () => {
    for (const rule of ["/X/.ENV", ".ENV", ".E*", "*NV", ".E*V", "．ｅ*", "*\u200b.env"]) {
      expect([rule, indexOf([[rule, "deny"]]).first("/x/.env"), byWalking(indexOf([[rule, "deny"]]), "/x/.env", 0)]).toEqual([rule, 0, 0]);
    }
  });

  test("allowing and asking hold for the spelling they are written in", () => {
    for (const said of ["allow", "ask"] as const) {
      for (const real of SPELLINGS) {
        expect([indexOf([["/x/.env", said]]).first(real), indexOf([["/x/*env", said]]).first(real)]).toEqual([NONE, NONE]);
      }
      expect(indexOf([["/X/.ENV", said]]).first("/X/.ENV")).toBe(0);
      expect(indexOf([["/X/.ENV", said]]).first("/x/.env")).toBe(NONE);
    }
  });

  test("an allow that comes first speaks for its own spelling only", () => {
    const index = indexOf([
      ["/x/Readme", "allow"],
      ["/x/readme", "deny"],
    ]);
    expect(["/x/Readme", "/x/readme", "/x/README", "/x/other"].map((real) => index.first(real))).toEqual([0, 1, 1, NONE]);
    expect(["Readme", "readme", "README", "other"].map((one) => index.at("/x").first(one))).toEqual([0, 1, 1, NONE]);
  });

  test("a sign that composes to a star is a name in a deny, not a star", () => {
    const index = indexOf([
      ["/x/＊", "deny"],
      ["/?/＊", "deny"],
      ["**/？", "deny"],
    ]);
    expect(["/x/＊", "/y/＊", "/y/z/？", "/x/abc", "/y/abc", "/y/z/a"].map((real) => index.first(real))).toEqual([
      0,
      1,
      2,
      NONE,
      NONE,
      NONE,
    ]);
  });

  test("an entry that lifts a name does so in every spelling, and for the name alone", () => {
    const index = indexOf([
      ["**/.env.example", "lift"],
      ["/x/Open", "lift"],
      ["**/.env*", "deny"],
      ["/x/open", "deny"],
    ]);
    const paths = ["/a/.ENV.Example", "/a/.env.example/b", "/X/OPEN", "/x/open/b"];
    expect(paths.map((real) => [index.first(real), byWalking(index, real, 0)])).toEqual([
      [0, 0],
      [2, 2],
      [1, 1],
      [3, 3],
    ]);
  });

  test("a name of nothing but ignored characters does not slip past a star", () => {
    const index = indexOf([["/x/*", "deny"]]);
    expect([index.first("/x/\u200b"), index.at("/x").first("\u200b")]).toEqual([0, 0]);
  });

  test("a name with a character that composes to a slash is still one name", () => {
    const index = indexOf([
      ["/x/a／b", "deny"],
      ["/x/a", "deny"],
    ]);
    expect([index.first("/x/a／b"), index.first("/x/a／c"), index.at("/x").first("a／b"), index.at("/x").first("a／c")]).toEqual([
      0,
      NONE,
      0,
      NONE,
    ]);
  });
});

describe("the edges", () => {
  test("no rules match nothing", () => {
    const index = new RuleIndex([]);
    expect([index.size, index.first("/a"), index.first("/"), index.at("/a").first("b"), index.at("/").enter("É").first("b")]).toEqual([
      0,
      NONE,
      NONE,
      NONE,
      NONE,
    ]);
  });

  test("no rule means a number after every order", () => {
    expect(Math.min(NONE, 1_000_000)).toBe(1_000_000);
  });

  test("a pattern with a star at both ends is found by what stands between them", () => {
    const index = indexOf([
      ["**/*.state.*", "deny"],
      ["**/*a*bc*/x", "deny"],
      ["**/?", "ask"],
    ]);
    const paths = ["/d/my.STATE.old", "/d/my.state", "/zaxbcz/x", "/zbcz/x1", "/d/e", "/.state./f1", "/dir.state.d/in/it"];
    expect(paths.map((path) => index.first(path))).toEqual([0, 2, 1, NONE, 2, 0, 0]);
    expect(["my.STATE.old", "my.stat", "e"].map((name) => index.at("/dd").first(name))).toEqual([0, NONE, 2]);
  });

  test("a head or tail longer than any file's name is no less a pattern", () => {
    const long = "n".repeat(300);
    const index = indexOf([
      [`**/${long}*`, "ask"],
      [`**/*${long}x`, "ask"],
    ]);
    expect([`/${long}`, `/${long}1`, `/1${long}x`, `/${long.slice(1)}`].map((path) => index.first(path))).toEqual([0, 0, 1, NONE]);
  });

  test("a path that comes with its folded spelling is answered as without", () => {
    const lists: readonly (readonly Line[])[] = [
      [["**/README", "deny"]],
      [["**/README", "allow"]],
      [
        ["**/x", "ask"],
        ["**/README", "deny"],
      ],
    ];
    for (const index of lists.map(indexOf)) {
      for (const path of ["/A/README", "/a/readme", "/A/ReadMe/x"]) expect(index.first(path, fold(path))).toBe(index.first(path));
    }
  });

  test("the size is the number of rules", () => {
    expect(
      indexOf([
        ["/a", "deny"],
        ["b", "ask"],
        ["/a", "deny"],
      ]).size,
    ).toBe(3);
  });

  test("the root matches no pattern", () => {
    expect(
      indexOf([
        ["/*", "deny"],
        ["**/*", "deny"],
      ]).first("/"),
    ).toBe(NONE);
  });

  test("rules for one path: the earliest, whatever their order of adding or their verdicts", () => {
    for (const [first, second] of [
      ["allow", "deny"],
      ["deny", "allow"],
      ["ask", "allow"],
      ["allow", "ask"],
      ["deny", "ask"],
      ["ask", "deny"],
      ["deny", "deny"],
      ["allow", "allow"],
      ["lift", "deny"],
      ["deny", "lift"],
      ["lift", "lift"],
      ["lift", "allow"],
    ] as const) {
      for (const written of ["/x/y", "y", "/x/*", "x/**/y", "*y", "y*"]) {
        const index = indexOf([
          [written, first],
          [written, second],
        ]);
        expect([written, index.first("/x/y"), index.at("/x").first("y")]).toEqual([written, 0, 0]);
      }
      expect(new RuleIndex([placed(["/x/y", first], 7), placed(["/x/y", second], 3)]).first("/x/y")).toBe(3);
      expect(new RuleIndex([placed(["/x", "deny"], 7), placed(["/x/y", second], 3)]).first("/x/y")).toBe(3);
    }
  });

  test.each(["allow", "ask", "deny"] as const)(
    "what holds for a directory holds below it, also where other rules (%s) branch off",
    (other) => {
      for (const said of ["ask", "deny"] as const) {
        const index = indexOf([
          ["/a", said],
          ["/a/b/c", other],
          ["/a/b/*/d", other],
          ["/x/a", said],
        ]);
        for (const real of ["/a", "/a/b", "/a/b/c", "/a/b/e", "/a/b/c/d/e"]) {
          expect([real, index.first(real), byWalking(index, real, 0), byWalking(index, real, 2)]).toEqual([real, 0, 0, 0]);
        }
        expect(index.first("/x/a/b/c")).toBe(3);
      }
    },
  );

  test("a later rule for a directory below does not hide the first, nor the first one that stands below", () => {
    for (const [first, second] of [
      ["ask", "ask"],
      ["deny", "deny"],
      ["ask", "deny"],
      ["deny", "ask"],
    ] as const) {
      const index = indexOf([
        ["/a/b", first],
        ["/a", second],
        ["/a/b/c", second],
      ]);
      expect(["/a/x", "/a/b", "/a/b/c", "/a/b/c/d"].map((real) => index.first(real))).toEqual([1, 0, 0, 0]);
    }
  });

  test("keys of one character do not hide longer ones, nor the other way round", () => {
    const index = indexOf([
      ["a*", "ask"],
      ["ab*", "ask"],
      ["*z", "ask"],
      ["*yz", "ask"],
      ["q", "ask"],
      ["qr", "ask"],
    ]);
    expect(["a", "ab", "abc", "z", "yz", "xyz", "q", "qr", "qrs", "r"].map((one) => index.first(`/d/${one}`))).toEqual([
      0,
      0,
      0,
      2,
      2,
      2,
      4,
      5,
      NONE,
      NONE,
    ]);
    const turned = indexOf([
      ["ab*", "ask"],
      ["a*", "ask"],
      ["*yz", "ask"],
      ["*z", "ask"],
    ]);
    expect(["a", "ab", "abc", "z", "yz", "xyz"].map((one) => turned.first(`/d/${one}`))).toEqual([1, 0, 0, 3, 2, 2]);
  });

  test("a pattern that is met again while it is under way starts anew", () => {
    const index = indexOf([
      ["**/a/b/c", "ask"],
      ["**/a/a/**/c", "ask"],
    ]);
    expect(["/a/a/b/c", "/a/b/a/b/c", "/a/b/b/c", "/a/a/x/x/c", "/a/x/a/c"].map((real) => index.first(real))).toEqual([
      0,
      0,
      NONE,
      1,
      NONE,
    ]);
  });

  test("characters beyond ASCII and DEL share a key and are told apart all the same", () => {
    const index = indexOf([
      ["é", "ask"],
      ["ü*", "ask"],
      ["*ö", "ask"],
      ["\u007f*", "ask"],
      ["}*", "ask"],
    ]);
    expect(["é", "ü", "üx", "ö", "xö", "\u007fx", "}x", "ß"].map((one) => index.first(`/d/${one}`))).toEqual([0, 1, 1, 2, 2, 3, 4, NONE]);
  });
});

describe("the work", () => {
  /** An index of rules that ask, and how often it looks at a piece of a pattern to answer. No clock: other work on the machine does not count. */
  function counted(patterns: readonly string[]): (path: string) => number {
    let looks = 0;
    const watched = (piece: PatternPiece): PatternPiece =>
      new Proxy(piece, {
        get(target, key) {
          if (key === "kind") looks += 1;
          return Reflect.get(target, key) as unknown;
        },
      });
    const rules = patterns.map((one, order) => placed([one, "ask"], order));
    const index = new RuleIndex(rules.map((rule) => ({ ...rule, glob: { ...rule.glob, pieces: rule.glob.pieces.map(watched) } })));
    return (path) => {
      looks = 0;
      index.first(path);
      return looks;
    };
  }

  const deep = (names: number): string => "/a".repeat(names);
  const times = (count: number, pattern: (at: number) => string): readonly string[] =>
    Array.from({ length: count }, (_, at) => pattern(at));

  test("grows with the path and not with its square, for a pattern of many stars", () => {
    const looks = counted([`**${"/a/**".repeat(7)}/b`]);
    const [short, long] = [looks(deep(250)), looks(deep(1_000))];
    expect(short).toBeGreaterThan(250);
    expect(long).toBeLessThan(short * 5);
    // Each name is tried against each piece of the pattern, and twice where there is a star.
    expect(long).toBeLessThan(1_000 * 16 * 3);
  });

  test("grows with the path and not with its square, for many patterns that begin alike", () => {
    const looks = counted(times(50, (at) => `**/a/a/**/x${at}`));
    const [short, long] = [looks(deep(100)), looks(deep(400))];
    expect(short).toBeGreaterThan(100);
    expect(long).toBeLessThan(short * 5);
    expect(long).toBeLessThan(400 * 50 * 5 * 3);
  });

  test("grows with the number of patterns that begin alike and not with its square", () => {
    const [few, many] = [50, 200].map((count) => counted(times(count, (at) => `**/a/a/**/x${at}`))(deep(100)));
    expect(many).toBeLessThan((few ?? 0) * 5);
  });

  test("a thousand patterns that all stay under way to the end of a long path", () => {
    const index = indexOf(times(1_000, (at) => `**/a/a/**/x${at}`).map((one): Line => [one, "ask"]));
    expect(index.first(deep(1_000))).toBe(NONE);
    expect(index.first(`${deep(1_000)}/x7`)).toBe(7);
  });

  test("does not grow with the number of rules that begin differently", () => {
    const patterns = (count: number) =>
      times(count, (at) => [`/srv/n${at}/x`, `n${at}`, `n${at}*`, `*.n${at}`, `/n${at}/**/x`][at % 5] ?? "");
    const paths = ["/srv/work/project/src/core/file.ts", "/srv/n5/x", "/home/n6", "/home/n7x", "/home/x.n8", "/n9/a/x"];
    const [few, many] = [counted(patterns(10)), counted(patterns(10_000))];
    expect(paths.map((path) => many(path))).toEqual(paths.map((path) => few(path)));
    const index = indexOf(patterns(10_000).map((one): Line => [one, "ask"]));
    expect(paths.map((path) => index.first(path))).toEqual([NONE, 5, 6, 7, 8, 9]);
  });
});
