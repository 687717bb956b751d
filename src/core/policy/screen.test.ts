// The quick look at a list: it never says no to what a pattern of the list matches, so a list answers the same before and after its index.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { protectScreen, secretScreen } from "./builtin-screens.ts";
import { compilePolicy, NameList } from "./compile.ts";
import { protectedNames } from "./protected.ts";
import { emptyPolicy } from "./rule.ts";
import { mayMatch, screenOf } from "./screen.ts";
import { notSecret, secretDirs, secretNames, secretPlaces } from "./secrets.ts";

const HOME = "/home/ann";

const word = fc.constantFrom("a", "b", "A", "ß", "ſ", "é", ".env", "key", "K", "x\ny", "x\u2028y", "*", "?", "-");
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(""));
const patternName = name.filter((text) => !text.includes("**"));
const pattern = fc
  .tuple(fc.constantFrom("", "/", "**/", "~/"), fc.array(patternName, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "/**"))
  .map(([start, names, end]) => start + names.join("/") + end);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join("/")}`);
const line = fc.record({ pattern, holds: fc.boolean() });

describe("a list answers the same", () => {
  test("for its first paths as with an index of all its lines, for any list and path", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), fc.array(path, { minLength: 1, maxLength: 6 }), (lines, paths) => {
        const fresh = new NameList(() => lines, [], HOME);
        const indexed = new NameList(() => lines, [], HOME);
        indexed.walk("/");
        for (const one of [...paths, ...paths.map((each) => HOME + each)]) expect(fresh.find(one)).toBe(indexed.find(one));
      }),
      { numRuns: 3_000 },
    );
  });

  test("for every builtin name, in any letter case, by itself and below a directory", () => {
    const all = [...secretDirs, ...secretPlaces, ...notSecret, ...secretNames, ...protectedNames];
    const examples = all.map((one) => one.replace(/^\*\*\//u, "/srv/").replaceAll("*", "x"));
    const indexed = compilePolicy(emptyPolicy, HOME);
    indexed.secrets.walk("/");
    indexed.protect.walk("/");
    for (const example of examples.flatMap((one) => [one, one.toUpperCase(), `${one}/below`, `${one}.bak`, `${one}2`])) {
      const fresh = compilePolicy(emptyPolicy, HOME);
      expect([example, fresh.secrets.find(example)]).toEqual([example, indexed.secrets.find(example)]);
      expect([example, fresh.protect.find(example)]).toEqual([example, indexed.protect.find(example)]);
    }
  });

  test("after many paths as before", () => {
    const { secrets } = compilePolicy({ ...emptyPolicy, secrets: { except: [], add: ["/srv/own", "mine?"] } }, HOME);
    const paths = ["/srv/own/a", "/w/mine1", "/w/.env", "/w/a.txt", "/w/.ENV.example", "/w/id_rsa.bak"];
    const first = paths.map((one) => secrets.find(one));
    for (let round = 0; round < 20; round += 1) expect(paths.map((one) => secrets.find(one))).toEqual(first);
    expect(first).toEqual(["/srv/own", "mine?", "**/.env*", null, null, "**/id_rsa*"]);
  });
});

test("most paths are passed over by the quick look", () => {
  for (const folded of ["/home/ann/project/src/main.ts", "/w/lib/index.js", "/w/c/readme.md", "/w/a.txt"]) {
    expect([folded, mayMatch(secretScreen(), folded), mayMatch(protectScreen(), folded)]).toEqual([folded, false, false]);
  }
  expect(mayMatch(screenOf([]), "/a")).toBe(false);
});
