import fc from "fast-check";
import { expect, test } from "vitest";
import { type Difference, differences } from "./compare.ts";
import { timeOf } from "../../../../test/support/growth.ts";

const told = (left: string, right: string): readonly string[] =>
  differences(left, right).map(({ side, line, text }) => `${side === "left" ? "-" : "+"}${line} ${text}`);

test.each<[string, string, ...string[]]>([
  ["", ""],
  ["a\n", "a\n"],
  ["a\n", "a"],
  ["", "a\n", "+1 a"],
  ["a\nb\nc\n", "a\nc\n", "-2 b"],
  ["a\nb\n", "b\na\n", "-1 a", "+2 a"],
  ["a\n", "b\n", "-1 a", "+1 b"],
])("%o against %o", (left, right, ...expected) => expect(told(left, right)).toEqual(expected));

const lines = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
const without = (text: string, side: Difference["side"], found: readonly Difference[]): string[] =>
  lines(text).filter((_, at) => !found.some((one) => one.side === side && one.line === at + 1));

test("what is left of both sides without their differences is the same, and each difference stands where it says", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "")).map((all) => all.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (left, right) => {
      const found = differences(left, right);
      expect(without(left, "left", found)).toEqual(without(right, "right", found));
      for (const { side, line, text: said } of found) expect(lines(side === "left" ? left : right)[line - 1]).toBe(said);
    }),
  );
});

test("texts that differ in very many lines are still told apart, in time", () => {
  const many = (word: string): string => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}\n`).join("");
  const [left, right] = [many("a"), many("b")];
  expect(timeOf(() => expect(differences(left, right)).toHaveLength(40_000), left.length)).toBeLessThan(2_000);
});
