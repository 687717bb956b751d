// What the authors say about a path: precedence as a table, and what must hold for every policy as properties.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Right } from "../access.ts";
import { combinePolicies } from "./combine.ts";
import { compilePolicy } from "./compile.ts";
import { evaluate, type Evaluation, firstMatch, type RulePlace } from "./evaluate.ts";
import { NONE } from "./index-of-rules.ts";
import { type Author, parsePolicy, type PolicyPart } from "./parse.ts";
import { stricter, type Verdict } from "./rule.ts";

const HOME = "/home/ada";
type Said = readonly [author: Author, value: unknown];

function partOf([author, value]: Said): PolicyPart {
  const parsed = parsePolicy(value, { author, home: HOME });
  if (!parsed.ok) throw new Error(parsed.errors.map(({ message }) => message).join("\n"));
  return parsed.part;
}

const compiled = (said: readonly Said[]) => compilePolicy(combinePolicies(said.map(partOf)), HOME);

const INSIDE: RulePlace = { root: "/ws", outsideWorkspace: false, outsideScope: false };
const GRANTED: RulePlace = { root: "/repo", outsideWorkspace: true, outsideScope: false };
const OUTSIDE: RulePlace = { root: null, outsideWorkspace: true, outsideScope: true };

const ask = (said: readonly Said[], path: string, place: RulePlace, right: Right = "read"): Omit<Evaluation, "owners"> => {
  const { owners: _owners, ...rest } = evaluate(compiled(said), path, right, place);
  return rest;
};
const verdictOf = (said: readonly Said[], path: string, place: RulePlace, right: Right = "read"): Verdict | null =>
  ask(said, path, place, right).strictest?.verdict ?? null;

const byRule = (layer: Author, rule: string, glob: string, verdict: Verdict, why: string | null = null) => ({
  layer,
  verdict,
  rule: `${layer}:${rule}`,
  glob,
  why,
  source: null,
  byDefault: false,
});
const byDefault = (layer: Author, rule: string, verdict: Verdict) => ({
  layer,
  verdict,
  rule: `${layer}:${rule}`,
  glob: "*",
  why: null,
  source: null,
  byDefault: true,
});

describe("one author", () => {
  test("nobody says nothing", () => {
    expect(ask([], "/a", OUTSIDE)).toEqual({ strictest: null, layerVerdicts: [] });
  });

  test("an author without a list says nothing", () => {
    expect(ask([["operator", { gitignored: "deny" }]], "/a", OUTSIDE)).toEqual({ strictest: null, layerVerdicts: [] });
  });

  test("an author with a list in which nothing matches says nothing, but has spoken of the right", () => {
    expect(ask([["operator", { read: { "/b": "allow" } }]], "/a", OUTSIDE)).toEqual({ strictest: null, layerVerdicts: [] });
    expect(ask([["operator", { read: { "/b": "allow" } }]], "/a", OUTSIDE, "write")).toEqual({
      strictest: null,
      layerVerdicts: [],
    });
    expect(
      ask(
        [
          ["operator", { write: {} }],
          ["project", {}],
        ],
        "/a",
        OUTSIDE,
        "write",
      ),
    ).toEqual({ strictest: null, layerVerdicts: [] });
  });

  test("the first rule that matches speaks, with its reason", () => {
    const said: Said[] = [["operator", { read: { "/a/b": { verdict: "deny", why: "old" }, "/a/**": "allow", "/a/c": "ask" } }]];
    const deny = byRule("operator", "read./a/b", "/a/b", "deny", "old");
    const allow = byRule("operator", "read./a/**", "/a/**", "allow");
    expect(ask(said, "/a/b/x", OUTSIDE)).toEqual({ strictest: deny, layerVerdicts: [deny] });
    expect(ask(said, "/a/c", OUTSIDE)).toEqual({ strictest: allow, layerVerdicts: [allow] });
  });

  test("where the rule stands in its file is passed on", () => {
    const parsed = parsePolicy(
      { read: { "/a": "ask", "*": "deny" } },
      { author: "operator", home: HOME, locate: (keys) => ({ file: "p", line: keys.length, column: 1 }) },
    );
    const policy = compilePolicy(combinePolicies(parsed.ok ? [parsed.part] : []), HOME);
    const source = { file: "p", line: 2, column: 1 };
    expect(evaluate(policy, "/a", "read", OUTSIDE).strictest).toEqual({ ...byRule("operator", "read./a", "/a", "ask"), source });
    expect(evaluate(policy, "/b", "read", OUTSIDE).strictest).toEqual({ ...byDefault("operator", "read.*", "deny"), source });
  });

  test("the star is the last word, and only on what is outside scope", () => {
    const said: Said[] = [["operator", { read: { "*": "deny", "/a": "allow" } }]];
    const last = byDefault("operator", "read.*", "deny");
    expect(ask(said, "/b", OUTSIDE)).toEqual({ strictest: last, layerVerdicts: [last] });
    expect(verdictOf(said, "/a", OUTSIDE)).toBe("allow");
    expect(ask(said, "/ws/b", INSIDE)).toEqual({ strictest: null, layerVerdicts: [] });
    expect(ask(said, "/repo/b", GRANTED)).toEqual({ strictest: null, layerVerdicts: [] });
    expect(verdictOf(said, "/b", OUTSIDE, "write")).toBeNull();
  });

  test("each right has its own list and its own star", () => {
    const said: Said[] = [["operator", { read: { "/a": "allow", "*": "ask" }, write: { "/a": "deny", "*": "deny" } }]];
    expect([
      verdictOf(said, "/a", OUTSIDE),
      verdictOf(said, "/a", OUTSIDE, "write"),
      verdictOf(said, "/b", OUTSIDE),
      verdictOf(said, "/b", OUTSIDE, "write"),
    ]).toEqual(["allow", "deny", "ask", "deny"]);
  });
});

describe("where a rule holds", () => {
  test("an absolute one, a name, and one in the home directory: everywhere", () => {
    for (const [pattern, path] of [
      ["/ws/x", "/ws/x"],
      ["x", "/ws/a/x"],
      ["**/x", "/ws/a/x"],
      ["~/x", "/home/ada/x"],
    ] as const) {
      for (const place of [INSIDE, { ...INSIDE, root: null }, GRANTED, OUTSIDE])
        expect(
          verdictOf([["operator", { read: { [pattern]: "deny" } }]], path, place === GRANTED ? { ...GRANTED, root: "/" } : place),
        ).toBe("deny");
    }
  });

  test("a relative one: below each root, and nowhere without one", () => {
    const said: Said[] = [["operator", { read: { "gen/*": "deny" } }]];
    expect(verdictOf(said, "/ws/gen/x", INSIDE)).toBe("deny");
    expect(verdictOf(said, "/repo/gen/x", GRANTED)).toBe("deny");
    expect(verdictOf(said, "/repo/gen/x", { ...OUTSIDE, root: "/repo" })).toBe("deny");
    expect(verdictOf(said, "/ws/src/gen/x", INSIDE)).toBeNull();
    expect(verdictOf(said, "/gen/x", OUTSIDE)).toBeNull();
    expect(verdictOf(said, "/gen/x", { ...OUTSIDE, root: "/" })).toBe("deny");
    expect(verdictOf(said, "/ws", INSIDE)).toBeNull();
  });

  test("one of the shape for outside: only outside the workspace, granted or not", () => {
    const said: Said[] = [["operator", { permission: { external_directory: { read: { "**/x": "deny", "*": "ask" } } } }]];
    expect([
      verdictOf(said, "/ws/x", INSIDE),
      verdictOf(said, "/repo/x", GRANTED),
      verdictOf(said, "/b/x", OUTSIDE),
      verdictOf(said, "/b/y", OUTSIDE),
      verdictOf(said, "/repo/y", GRANTED),
    ]).toEqual([null, "deny", "deny", "ask", null]);
  });

  test("the first in the author's order wins, wherever each of them holds", () => {
    const lists = {
      read: { "gen/a": "ask", "/repo/gen/**": "allow", "gen/b": "ask" },
      permission: { external_directory: { read: { "**/gen/**": "deny" } } },
    };
    // The two shapes are one list: what holds everywhere stands before what holds outside.
    const said = (value: object): Said[] => [["operator", value]];
    expect(() => verdictOf(said(lists), "/repo/gen/a", GRANTED)).not.toThrow();
    expect(["a", "b", "c"].map((name) => verdictOf(said(lists), `/repo/gen/${name}`, GRANTED))).toEqual(["ask", "allow", "allow"]);
    expect(["a", "b", "c"].map((name) => verdictOf(said(lists), `/other/gen/${name}`, { ...GRANTED, root: "/other" }))).toEqual([
      "ask",
      "ask",
      "deny",
    ]);
    expect(["a", "b", "c"].map((name) => verdictOf(said(lists), `/ws/gen/${name}`, INSIDE))).toEqual(["ask", "ask", null]);
  });

  test("the place in the list of the first match", () => {
    const [layer] = compiled([
      ["operator", { read: { "/a": "ask", "b/c": "deny", d: "deny" }, permission: { external_directory: { read: { "/e": "ask" } } } }],
    ]).layers;
    const first = (path: string, place: RulePlace) => (layer === undefined ? null : firstMatch(layer.read, path, place));
    expect([
      first("/a", OUTSIDE),
      first("/b/c", OUTSIDE),
      first("/r/b/c", { ...OUTSIDE, root: "/r" }),
      first("/x/d", INSIDE),
      first("/e", OUTSIDE),
      first("/e", INSIDE),
      first("/r/b/c/d", { ...OUTSIDE, root: "/r" }),
    ]).toEqual([0, NONE, 1, 2, 3, NONE, 1]);
  });

  test("an allow holds for what it names and in its own spelling; asks hold below, denies in every spelling", () => {
    const said = (verdict: Verdict): Said[] => [["operator", { read: { "/a/Dir": verdict } }]];
    const paths = ["/a/Dir", "/a/Dir/x", "/a/dir", "/a/DIR/x"];
    expect((["allow", "ask", "deny"] as const).map((verdict) => paths.map((path) => verdictOf(said(verdict), path, OUTSIDE)))).toEqual([
      ["allow", null, null, null],
      ["ask", "ask", null, null],
      ["deny", "deny", "deny", "deny"],
    ]);
  });
});

describe("several authors", () => {
  const said: Said[] = [
    ["administrator", { read: { "/a": "ask", "/c": "deny", "*": "allow" } }],
    ["operator", { read: { "/a": "allow", "/b": "allow", "/c": "allow", "*": "allow" } }],
    ["project", { read: { "/b": "deny", "/d": "ask" } }],
  ];
  const [a1, c1, star1] = [
    byRule("administrator", "read./a", "/a", "ask"),
    byRule("administrator", "read./c", "/c", "deny"),
    byDefault("administrator", "read.*", "allow"),
  ];
  const [a2, b2, c2, star2] = [
    byRule("operator", "read./a", "/a", "allow"),
    byRule("operator", "read./b", "/b", "allow"),
    byRule("operator", "read./c", "/c", "allow"),
    byDefault("operator", "read.*", "allow"),
  ];
  const [b3, d3] = [byRule("project", "read./b", "/b", "deny"), byRule("project", "read./d", "/d", "ask")];

  test.each([
    ["the first asks", "/a", a1, [a1, a2]],
    ["the last denies", "/b", b3, [star1, b2, b3]],
    ["the first denies", "/c", c1, [c1, c2]],
    ["a default and a rule", "/d", d3, [star1, star2, d3]],
    ["all of one mind: the first is named", "/e", star1, [star1, star2]],
  ])("the strictest stands: %s", (_what, path, strictest, all) => {
    expect(ask(said, path, OUTSIDE)).toEqual({ strictest, layerVerdicts: all });
  });

  test.each([
    ["/a", a1],
    ["/b", star1],
    ["/c", c1],
    ["/d", star1],
  ])("what the owners of the machine say of %s stands by itself, whatever the repository says", (path, strictest) => {
    expect(evaluate(compiled(said), path, "read", OUTSIDE).owners).toEqual(strictest);
    expect(evaluate(compiled([["project", { read: "ask" }]]), path, "read", OUTSIDE).owners).toBeNull();
  });

  test.each([
    ["allow", "allow", "allow"],
    ["allow", "ask", "ask"],
    ["allow", "deny", "deny"],
    ["ask", "allow", "ask"],
    ["ask", "deny", "deny"],
    ["deny", "allow", "deny"],
    ["deny", "ask", "deny"],
  ] as const)("%s and %s make %s", (one, other, strictest) => {
    expect(
      verdictOf(
        [
          ["administrator", { read: { "/a": one } }],
          ["operator", { read: { "/a": other } }],
        ],
        "/a",
        OUTSIDE,
      ),
    ).toBe(strictest);
  });
});

describe("whatever the policies are", () => {
  const verdict = fc.constantFrom<Verdict>("allow", "ask", "deny");
  const pattern = fc.constantFrom<string>(
    "/a",
    "/a/b",
    "/a/**",
    "/a/*",
    "b",
    "c",
    "A",
    "**/b/c",
    "*b",
    "a/b",
    "a/**",
    "*",
    "/ws/**",
    "/ws/a",
    "ws",
  );
  const list = fc.uniqueArray(fc.tuple(pattern, verdict), { maxLength: 5, selector: ([one]) => one });
  const outsideList = list.map((lines) => lines.filter(([one]) => !one.startsWith("a/")));
  const author = fc.constantFrom<Author>("administrator", "operator", "project");
  const said = fc
    .record({ author, read: list, write: list, outside: outsideList })
    .map(({ author: who, read, write, outside }): Said => [
      who,
      {
        read: Object.fromEntries(read),
        write: Object.fromEntries(write),
        permission: { external_directory: { read: Object.fromEntries(outside) } },
      },
    ])
    .filter(([who, value]) => parsePolicy(value, { author: who, home: HOME }).ok);
  const path = fc
    .array(fc.constantFrom("a", "b", "c", "A", "ws", "ab"), { minLength: 1, maxLength: 4 })
    .map((names) => `/${names.join("/")}`);
  const place = fc
    .record({ outsideWorkspace: fc.boolean(), outsideScope: fc.boolean(), root: fc.constantFrom("/", "/a", "/ws", null) })
    .map((one): RulePlace => one);
  const right = fc.constantFrom<Right>("read", "write");
  const fits = ({ root }: RulePlace, real: string): boolean => root === null || root === "/" || `${real}/`.startsWith(`${root}/`);
  const severity = (one: Verdict | null): number => (one === null ? -1 : { allow: 0, ask: 1, deny: 2 }[one]);

  test("one more author never makes a verdict less strict", () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 2 }), said, fc.nat({ max: 2 }), path, place, right, (some, more, at, real, where, which) => {
        fc.pre(fits(where, real));
        const after = verdictOf(some.toSpliced(at, 0, more), real, where, which);
        expect(severity(after)).toBeGreaterThanOrEqual(severity(verdictOf(some, real, where, which)));
      }),
      { numRuns: 400 },
    );
  });

  test("a deny of one author is never allowed by others, in whatever order they come", () => {
    fc.assert(
      fc.property(said, fc.array(said, { maxLength: 3 }), fc.nat({ max: 3 }), path, place, right, (one, others, at, real, where, which) => {
        fc.pre(fits(where, real) && verdictOf([one], real, where, which) === "deny");
        expect(verdictOf(others.toSpliced(at, 0, one), real, where, which)).toBe("deny");
      }),
      { numRuns: 150 },
    );
  });

  test("the verdict of all is the strictest of what each says alone", () => {
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 3 }), path, place, right, (all, real, where, which) => {
        fc.pre(fits(where, real));
        const each = all.map((one) => verdictOf([one], real, where, which)).filter((one) => one !== null);
        const wanted = each.length === 0 ? null : each.reduce(stricter);
        expect(verdictOf(all, real, where, which)).toBe(wanted);
      }),
      { numRuns: 400 },
    );
  });

  test("where a star stands in its list makes no difference", () => {
    fc.assert(
      fc.property(
        list,
        verdict,
        fc.constantFrom("*", "**", "/**"),
        fc.nat({ max: 5 }),
        path,
        place,
        (lines, star, written, at, real, where) => {
          fc.pre(fits(where, real));
          const rules = lines.filter(([one]) => one !== "*");
          const withStar = (position: number): Said => [
            "operator",
            { read: Object.fromEntries(rules.toSpliced(position, 0, [written, star])) },
          ];
          fc.pre(parsePolicy(withStar(0)[1], { author: "operator", home: HOME }).ok);
          const without = verdictOf([["operator", { read: Object.fromEntries(rules) }]], real, where);
          const wanted = without ?? (where.outsideScope ? star : null);
          expect([verdictOf([withStar(0)], real, where), verdictOf([withStar(at)], real, where)]).toEqual([wanted, wanted]);
        },
      ),
      { numRuns: 400 },
    );
  });

  test("inside scope only rules speak, never a default", () => {
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 3 }), path, place, right, (all, real, where, which) => {
        fc.pre(fits(where, real));
        const { layerVerdicts: spoken, strictest } = ask(all, real, { ...where, outsideScope: false }, which);
        expect(spoken.filter((one) => one.byDefault)).toEqual([]);
        expect(strictest === null).toBe(spoken.length === 0);
      }),
      { numRuns: 400 },
    );
  });
});
