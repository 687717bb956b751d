// Finding an earlier pattern that covers a later one, against comparing with each in turn.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CoverIndex } from "./cover.ts";
import { covers, type Glob, parseGlob } from "./glob.ts";

function globOf(pattern: string): Glob {
  const parsed = parseGlob(pattern, "/home/ada");
  if (!parsed.ok) throw new Error(`${pattern}: ${parsed.why}`);
  return parsed.glob;
}

function indexOf(patterns: readonly string[]): CoverIndex<string> {
  const index = new CoverIndex<string>();
  for (const pattern of patterns) index.add(globOf(pattern), pattern);
  return index;
}

describe("the pattern that covers a later one is found", () => {
  test.each([
    ["the same", "/a/b", "/a/b"],
    ["a directory above", "/a/**", "/a/b/c"],
    ["a top-level star", "/*/**", "/a/b"],
    ["a star half-way", "/a/*/c", "/a/b/c"],
    ["a name at any depth", "**/b", "/a/b"],
    ["a name at any depth, half-way", "**/b/**", "/a/b/c"],
    ["a star at any depth", "**/*.pem", "/a/x.pem"],
    ["a star at any depth, for one at any depth", "*.pem", "x.pem"],
    ["relative to the root", "a/**", "a/b"],
  ])("%s: `%s` for `%s`", (_what, wide, narrow) => {
    expect(indexOf(["/zzz", "zzz", "z*/**", wide]).find(globOf(narrow))).toBe(wide);
    expect(indexOf(["/zzz", "zzz", "z*/**"]).find(globOf(narrow))).toBeNull();
  });

  test("the first of those that begin alike", () => {
    expect(indexOf(["/a/b", "/a/b/**"]).find(globOf("/a/b"))).toBe("/a/b");
    expect(indexOf(["**/b/**", "**/b"]).find(globOf("/a/b"))).toBe("**/b/**");
    expect(indexOf(["*.pem", "x*"]).find(globOf("/x.pem"))).toBe("*.pem");
  });

  test("nothing is found in an empty list", () => {
    expect(indexOf([]).find(globOf("/a"))).toBeNull();
  });

  test("exactly when comparing with each in turn would find one, and what is found covers", () => {
    const piece = fc.constantFrom("a", "b", "ab", "*", "a*", "?", "**", "**");
    const pattern = fc
      .tuple(
        fc.constantFrom("/", ""),
        fc.array(piece, { minLength: 1, maxLength: 4 }).filter((names) => names.some((name) => name !== "**")),
      )
      .map(([slash, names]) => slash + names.join("/"));
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 6 }), pattern, (patterns, narrow) => {
        const found = indexOf(patterns).find(globOf(narrow));
        const wanted = patterns.filter((wide) => covers(globOf(wide), globOf(narrow)));
        expect([patterns, narrow, wanted.length === 0 ? found : wanted.includes(found ?? "")]).toEqual([
          patterns,
          narrow,
          wanted.length === 0 ? null : true,
        ]);
      }),
      { numRuns: 5_000 },
    );
  });

  test("in a long list, without a look at those that begin differently", () => {
    let looks = 0;
    const watched = (glob: Glob): Glob =>
      new Proxy(glob, {
        get(target, key) {
          if (key === "anchor") looks += 1;
          return Reflect.get(target, key) as unknown;
        },
      });
    const index = new CoverIndex<string>();
    for (let at = 0; at < 1_000; at += 1) {
      for (const pattern of [
        `/n${at}/a/**`,
        `/srv/n${at}/**`,
        `n${at}`,
        `**/n${at}/b`,
        `/srv/n${at}/*/c`,
        `**/w*${at}*/x`,
        `/srv/**/v${at}`,
      ])
        index.add(watched(globOf(pattern)), pattern);
    }
    index.add(watched(globOf("/wild/*/x")), "/wild/*/x");
    index.add(watched(globOf("*.pem")), "*.pem");
    const looksFor = (narrow: string): readonly [string | null, number] => {
      looks = 0;
      return [index.find(globOf(narrow)), looks];
    };
    // Each time, a look at those of the list that begin like it, and at the stars that may stand for a name of it.
    expect(
      [
        "/n7/a/b",
        "/srv/n7/x",
        "/home/n7",
        "/home/n7/b",
        "/srv/n7",
        "/other/place",
        "/srv/?/n8",
        "/wild/y/x",
        "/home/x.pem",
        "/wild/y/z",
      ].map(looksFor),
    ).toEqual([
      ["/n7/a/**", 3],
      ["/srv/n7/**", 3],
      ["n7", 1],
      ["**/n7/b", 2],
      ["n7", 1],
      [null, 0],
      ["n8", 1],
      ["/wild/*/x", 1],
      ["*.pem", 1],
      [null, 1],
    ]);
  });
});
