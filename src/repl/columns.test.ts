import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { show } from "../core/path/show.ts";
import { chop, columns, cutEnd, cutMiddle, hang, wrap } from "./columns.ts";

describe("columns", () => {
  test.each([
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本", 4],
    ["ｆｕｌｌ", 8],
    ["🙂", 2],
    ["한글", 4],
    ["", 0],
  ])("%j takes %i", (text, count) => {
    expect(columns(text)).toBe(count);
  });

  const shown = fc.string({ unit: "grapheme" }).map(show);
  const width = fc.integer({ min: 10, max: 80 });

  test("nothing that was fitted is wider than it may be", () => {
    fc.assert(
      fc.property(shown, width, (text, most) => {
        for (const line of [...wrap(text, most), ...hang(text, most), ...chop(text, most), cutMiddle(text, most), cutEnd(text, most)])
          expect(columns(line)).toBeLessThanOrEqual(most);
      }),
    );
  });

  test("a path that was chopped is whole", () => {
    fc.assert(
      fc.property(shown, width, (text, most) => {
        expect(chop(text, most).join("")).toBe(text);
      }),
    );
  });

  test("wrapping loses nothing but spaces", () => {
    fc.assert(
      fc.property(shown, width, (text, most) => {
        expect(wrap(text, most).join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });

  test("an escape is never cut through", () => {
    const text = show("\u001b".repeat(40));
    for (const line of chop(text, 10)) expect(line.replaceAll("\\u{1b}", "")).toBe("");
    expect(cutMiddle(text, 20).replaceAll("\\u{1b}", "")).toBe("…");
  });

  test("what goes on below a line of a list stands where its text began", () => {
    expect(hang("/mount  DIR: add a root that is read only", 24)).toEqual([
      "/mount  DIR: add a root",
      "        that is read",
      "        only",
    ]);
    expect(hang("  indented text that goes on", 16)).toEqual(["  indented text", "  that goes on"]);
    expect(hang("a sentence like any other", 12)).toEqual(["a sentence", "like any", "other"]);
    // A first word that takes most of the line is no head.
    expect(hang("a-very-long-word  and text", 20)).toEqual(["a-very-long-word", "and text"]);
  });
});
