import fc from "fast-check";
import { expect, test } from "vitest";
import { block, clip, code, joinWords } from "./words.ts";

test("nothing in a block can end it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("`", "```", "\n", "a", "\r\n", "\u2028")).map((all) => all.join("")),
      (text) => {
        const [first = "", ...rest] = block(text).split("\n");
        const fence = /^`+/.exec(first)?.[0] ?? "";
        expect(fence.length).toBeGreaterThanOrEqual(3);
        expect(rest.at(-1)).toBe(fence);
        expect(rest.slice(0, -1).some((line) => line.includes(fence))).toBe(false);
      },
    ),
  );
});

test("tabs and backslashes stay, controls are shown", () => {
  expect(block("a\tb\\n\u0007\n")).toBe("```\na\tb\\n\\u{7}\n```");
});

test("names are code, with backticks or without", () => {
  expect(code("a b")).toBe("`a b`");
  expect(code("a`b")).toBe("`` a`b ``");
  expect(code("a\nb")).toBe("`a\\u{a}b`");
});

test("lists and cuts", () => {
  expect(["", "a", "a and b", "a, b and c"]).toEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(joinWords));
  expect(clip("a\nb", 10)).toBe("a b");
  expect(clip("ab😀", 3)).toBe("ab…");
});
