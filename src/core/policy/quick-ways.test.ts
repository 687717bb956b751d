// Each quick way of matching against the plain one: a pattern as a regular expression, tried line by line. Whatever a quick way passes
// over, the plain one must not match.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold } from "../path/fold.ts";
import { undecorated } from "./backup-names.ts";
import { compilePolicy, NameList, Patterns } from "./compile.ts";
import { FirstNames } from "./first-names.ts";
import { pieceOf } from "./glob.ts";
import { NONE } from "./index-of-rules.ts";
import { protectedNames } from "./protected.ts";
import { emptyPolicy } from "./rule.ts";
import { notSecret, secretDirs, secretNames, secretPlaces } from "./secrets.ts";

const HOME = "/home/ann";

interface Line {
  readonly pattern: string;
  readonly holds: boolean;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** One name of a pattern as a regular expression. */
function nameSource(name: string): string {
  if (!/[*?]/.test(name)) return escaped(fold(name));
  const sources: Readonly<Record<string, string>> = { "*": "[^/]*", "?": "[^/]" };
  return Array.from(fold(name), (character) => sources[character] ?? escaped(character)).join("");
}

/** A whole pattern as a regular expression on folded paths. What holds covers what is below; what lifts does so only with two stars. */
function plainly({ pattern, holds }: Line): RegExp {
  const names = (pattern.startsWith("~/") ? HOME + pattern.slice(1) : pattern).split("/");
  if (names[0] === "") names.shift();
  else if (names.length === 1) names.unshift("**");
  const subtree = names.at(-1) === "**";
  if (subtree) names.pop();
  const source = names.map((name) => (name === "**" ? "(?:/[^/]+)*" : `/${nameSource(name)}`)).join("");
  return new RegExp(`^${source}${holds || subtree ? "(?:/[^]*)?" : ""}$`, "u");
}

/** A list asked line by line. */
function askedPlainly(lines: readonly Line[], path: string): string | null {
  for (const spelling of [fold(path), ...undecorated(fold(path)).map(fold)]) {
    const first = lines.find((line) => plainly(line).test(spelling));
    if (first?.holds === true) return first.pattern;
  }
  return null;
}

const word = fc.constantFrom("a", "b", "A", "ß", "ſ", "é", "𝔞", ".env", "key", "K", "x\ny", "x\u2028y", "-", "~", ".bak");
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(""));
const patternName = fc
  .array(fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: fc.constantFrom("*", "?") }), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(""))
  .filter((text) => !text.includes("**") && !text.startsWith("~"));
const pattern = fc
  .tuple(fc.constantFrom("", "/", "**/", "~/"), fc.array(patternName, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "", "/**"))
  .map(([start, names, end]) => start + names.join("/") + end)
  .filter((text) => !["*", "*/**", "/*", "**/*"].includes(text));
const line: fc.Arbitrary<Line> = fc.record({ pattern, holds: fc.boolean() });
const path = fc
  .tuple(fc.constantFrom("", HOME), fc.array(name, { minLength: 1, maxLength: 4 }))
  .map(([start, names]) => `${start}/${names.join("/")}`);

/** A path that the pattern matches, in capitals or not, with something below it or not: by chance alone few would. */
function fitting(text: string, capitals: boolean, below: string): string {
  const start = text.startsWith("~/") ? HOME : text.startsWith("/") ? "" : text.includes("/") && !text.startsWith("**/") ? "" : "/x/y";
  const names = text
    .replace(/^(?:~|\*\*)?\//, "")
    .replace(/\/\*\*$/, "")
    .replaceAll("*", "z")
    .replaceAll("?", "a");
  return `${start}/${capitals ? names.toUpperCase() : names}${below}`;
}
const bend = fc.tuple(fc.boolean(), fc.constantFrom("", "", "/b", ".bak"));

/** Lines of a list, and paths: some by chance, some that one of the lines means. */
const listAndPaths = (most: number) =>
  fc
    .tuple(
      fc.array(line, { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(path, fc.nat(), bend), { minLength: 1, maxLength: most, size: "max" }),
    )
    .map(([lines, drawn]): readonly [readonly Line[], readonly string[]] => [
      lines,
      drawn.map(([random, at, [capitals, below]]) =>
        at % 2 === 0 ? random : fitting(lines[at % lines.length]?.pattern ?? "", capitals, below),
      ),
    ])
    .filter(([, paths]) => !paths.some((one) => one.includes("//")));

/** Both answers must have been met often, or the property shows nothing. */
function bothWays(): { note(answer: boolean): void; check(): void } {
  const met = { true: 0, false: 0 };
  return {
    note: (answer) => (met[answer ? "true" : "false"] += 1),
    check: () => expect(Math.min(met.true, met.false)).toBeGreaterThan(200),
  };
}

describe("the quick way gives what the plain one gives", () => {
  test("patterns answer for their first paths as with an index of all of them, whether matched exactly or folded", () => {
    const met = bothWays();
    fc.assert(
      fc.property(listAndPaths(6), fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), ([lines, paths], folded) => {
        const patterns = lines.map((one, order) => ({ order, pattern: one.pattern, folded: folded[order] ?? true, below: one.holds }));
        const [fresh, indexed] = [new Patterns(patterns, HOME), new Patterns(patterns, HOME)];
        indexed.at("/");
        for (const one of paths) {
          const wanted = indexed.first(one);
          met.note(wanted !== NONE);
          expect([one, fresh.first(one)]).toEqual([one, wanted]);
        }
      }),
      { numRuns: 3_000 },
    );
    met.check();
  });

  test("the tables of first names show every pattern whose first name matches, wherever the name stands in a path", () => {
    const met = bothWays();
    fc.assert(
      fc.property(fc.array(patternName, { minLength: 1, maxLength: 6 }), path, (patterns, one) => {
        const table = new FirstNames<string>();
        for (const each of patterns) {
          const piece = pieceOf(each);
          if (piece.kind !== "any-names") table.add(piece, each);
        }
        let start = 1;
        for (const each of one.slice(1).split("/")) {
          const shown = new Set<string>();
          if (table.mayMeet(one, start, start + each.length)) table.meet(each, (entries) => entries.forEach((entry) => shown.add(entry)));
          for (const entry of [...table.othersIn(each), ...table.othersIn(one)]) shown.add(entry);
          for (const text of patterns) {
            const source = Array.from(text, (sign) => (sign === "*" ? "[^/]*" : sign === "?" ? "[^/]" : escaped(sign))).join("");
            const matches = new RegExp(`^${source}$`, "u").test(each);
            met.note(matches);
            if (matches) expect([text, each, shown.has(text)]).toEqual([text, each, true]);
          }
          start += each.length + 1;
        }
      }),
      { numRuns: 6_000 },
    );
    met.check();
  });

  test("a list of names answers as line by line, for its first sixteen paths and for those after them", () => {
    const met = bothWays();
    fc.assert(
      fc.property(listAndPaths(40), ([lines, paths]) => {
        const list = new NameList(lines, [], HOME);
        for (const one of paths) {
          const wanted = askedPlainly(lines, one);
          met.note(wanted !== null);
          expect([one, list.find(one)]).toEqual([one, wanted]);
        }
      }),
      { numRuns: 500 },
    );
    met.check();
  });

  test("a builtin list answers the same with its index and without, for every builtin name, in any letter case and below a directory", () => {
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

  test("a list answers after many paths as before", () => {
    const { secrets } = compilePolicy({ ...emptyPolicy, secrets: { except: [], add: ["/srv/own", "mine?"] } }, HOME);
    const paths = ["/srv/own/a", "/w/mine1", "/w/.env", "/w/a.txt", "/w/.ENV.example", "/w/id_rsa.bak"];
    const first = paths.map((one) => secrets.find(one));
    for (let round = 0; round < 20; round += 1) expect(paths.map((one) => secrets.find(one))).toEqual(first);
    expect(first).toEqual(["/srv/own", "mine?", "**/.env*", null, null, "**/id_rsa*"]);
  });
});
