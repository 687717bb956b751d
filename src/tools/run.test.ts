// Calling a tool by name with anything as input: names that are no tools, faults, and the eight categories of error (T-6).

import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";
import { codes } from "../core/errors.ts";
import { meanings } from "../core/guard/explain.ts";
import { distance, nearNames } from "./near.ts";
import { tools } from "./registry.ts";
import { categoryOf } from "../core/errors.ts";
import { type Category, failed as failure } from "./result.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, ...toolbox(it, searcher()) };
};

describe("a name that is no tool", () => {
  test.each(["constructor", "__proto__", "toString", "hasOwnProperty", "", "READ_FILE", "read_file ", "rm", "\u202eread"])(
    "`%s`",
    async (name) => {
      const { failed } = open(["ws/a: 1"]);
      expect(await failed(name, { path: "a" })).toMatchObject({
        ok: false,
        code: "unknown-tool",
        category: "invalid-input",
        verdict: null,
        proposal: null,
        flags: [],
      });
    },
  );

  test("a mistyped one is answered with what was meant, an odd one with the list", async () => {
    const { failed } = open([]);
    expect((await failed("read_flie", {})).hint).toMatch(/`read_flie`.*did you mean read_file\b/);
    expect((await failed("xyzzy", {})).hint).toContain(Object.keys(tools).join(", "));
    expect((await failed("\u202e\nx", {})).hint).toContain("`\\u{202e}\\u{a}x`");
  });

  test.each([null, undefined, 7, true, {}, [], { toString: 1, valueOf: 1 }, Object.create(null), Symbol("x")])(
    "%o is no name, and no reason to fall over",
    async (name) => {
      const { code } = open([]);
      expect(await code(name as string, {})).toBe("unknown-tool");
    },
  );
});

describe("input that is anything", () => {
  test.each(Object.keys(tools).map((name) => [name]))("%s refuses what it does not take, without a fault", async (name) => {
    const { failed } = open(["ws/a: 1"]);
    for (const input of [
      null,
      undefined,
      7,
      "text",
      [],
      { surprise: 1 },
      { path: 7, pattern: 7 },
      JSON.parse('{"__proto__": {"path": "a"}}'),
    ]) {
      const { code, category, hint } = await failed(name, input);
      expect([["bad-request", "invalid-path"].includes(code), category]).toEqual([true, "invalid-input"]);
      expect(hint).not.toBe("");
    }
  });
});

describe("a fault inside a tool", () => {
  test("refuses, and its message stays with us", async () => {
    const { it, failed } = open(["ws/a: 1"]);
    const guard = {
      ...it.guard,
      use: (): never => {
        throw new RangeError("secret detail");
      },
    };
    const { code, category, verdict, hint } = await failed("read_file", { path: "a" }, { guard });
    expect([code, category, verdict]).toEqual(["guard-fault", "denied-by-policy", "deny"]);
    expect([hint.includes("`a`"), hint.includes("secret detail")]).toEqual([true, false]);
  });
});

describe("the eight categories", () => {
  const examples: Record<Category, readonly string[]> = {
    "invalid-input": ["invalid-path", "bad-request", "unknown-tool", "is-directory", "not-directory", "invalid-policy"],
    "denied-by-policy": [
      "secret-file",
      "protected-path",
      "policy-deny",
      "out-of-whitelist",
      "read-only-grant",
      "guard-fault",
      "no-prompt-channel",
      "already-in-scope",
    ],
    "denied-by-person": ["person-declined", "recently-denied"],
    "file-too-large": ["too-large"],
    "not-found": ["not-found"],
    "not-accessible": ["os-denied", "symlink-loop", "unresolvable-path"],
    "not-text": ["binary-file"],
    "read-failed": ["io-error", "timeout", "stale-path", "output-truncated"],
  };
  test.each(Object.entries(examples))("%s: %o", (category, members) => {
    expect(codes.filter((code) => members.includes(code)).map(categoryOf)).toEqual(members.map(() => category));
  });

  test("every code belongs to one of them, but for those that ask: there nothing is refused yet", () => {
    expect(codes.filter((code) => categoryOf(code) === null)).toEqual(["out-of-scope", "policy-ask", "no-network", "grant-stale"]);
    expect(new Set(codes.map(categoryOf))).toEqual(new Set([...Object.keys(examples), null]));
  });

  test.each(codes.map((code) => [code]))("a failure with %s names the path as it was written, and says what it means", (code) => {
    expect(failure(code, "d/\u202ea")).toEqual({
      ok: false,
      code,
      category: categoryOf(code),
      hint: `\`d/\\u{202e}a\` ${meanings[code]}.`,
      verdict: "allow",
      proposal: null,
      flags: [],
      ask: null,
    });
    expect(failure(code, "a", "Do this.").hint).toBe(`\`a\` ${meanings[code]}. Do this.`);
  });
});

describe("near names", () => {
  test.each([
    ["kitten", "sitting", 3],
    ["", "abc", 3],
    ["abc", "", 3],
    ["same", "same", 0],
    ["ab", "ba", 1],
    ["main", "mian", 1],
    ["read", "reads", 1],
  ])("%s and %s are %i apart", (one, other, far) => {
    expect(distance(one, other)).toBe(far);
  });

  test("the nearest come first, at most three, whatever their letter case; far ones do not come", () => {
    expect(nearNames("main.ts", ["Main.ts", "maim.ts", "mian.tsx", "mains.ts", "zebra"])).toEqual(["Main.ts", "maim.ts", "mains.ts"]);
    expect(nearNames("x", ["yyyy", "zzzz"])).toEqual([]);
    expect(nearNames("main", ["maim", "mait"], 1)).toEqual(["maim"]);
  });

  test("of very many names two thousand of about the same length are compared", () => {
    let seen = 0;
    const many = function* () {
      for (; seen < 1_000_000; seen += 1) yield seen % 2 === 0 ? "x".repeat(60) : `name-${seen % 10_000}`;
    };
    expect(nearNames("name-0001", many())).not.toEqual([]);
    expect(seen).toBeLessThan(5_000);
  });

  test("names of any length are compared in a moment", () => {
    const before = performance.now();
    nearNames(
      "x".repeat(1_000_000),
      Array.from({ length: 2000 }, (_, at) => "y".repeat(200) + at),
    );
    expect(performance.now() - before).toBeLessThan(2000);
  });
});
