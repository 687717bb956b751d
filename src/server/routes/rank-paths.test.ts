import { describe, expect, test } from "vitest";
import { doAtOnce } from "../../core/steps.ts";
import { fitOf, rankPaths } from "./rank-paths.ts";

const paths = [
  "README.md",
  "docs/composition.md",
  "src/cart.ts",
  "src/chat/composer.test.ts",
  "src/chat/composer.tsx",
  "src/chat/",
  "src/core/path/completeHere.ts",
  "web/src/parts/copy-button.tsx",
];
const ranked = (typed: string, most = 3): readonly string[] =>
  doAtOnce(
    rankPaths(
      typed,
      paths.map((path) => ({ path, name: path })),
      most,
    ),
  );

describe("what is meant by what was typed of a path", () => {
  test.each([
    ["composer", "src/chat/composer.tsx"],
    ["COMPOSER", "src/chat/composer.tsx"],
    ["composer.test", "src/chat/composer.test.ts"],
    ["cmpsr", "src/chat/composer.tsx"],
    ["cb", "web/src/parts/copy-button.tsx"],
    ["cH", "src/chat/"],
    ["src/cart", "src/cart.ts"],
    ["scart", "src/cart.ts"],
    ["here", "src/core/path/completeHere.ts"],
    ["readme", "README.md"],
  ])("%s means %s", (typed, meant) => expect(ranked(typed)[0]).toBe(meant));

  test("what does not hold the characters in their order does not fit", () => {
    expect(ranked("zzz")).toEqual([]);
    expect(fitOf("trac", "src/cart.ts")).toBeNull();
  });

  test("nothing typed fits everything, the shortest first, and no more than wanted", () => {
    expect(ranked("", 2)).toEqual(["README.md", "src/chat/"]);
  });
});
