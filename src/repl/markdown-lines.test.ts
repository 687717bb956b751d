import fc from "fast-check";
import { expect, test } from "vitest";
import { columns } from "./columns.ts";
import { textOf } from "./lines.ts";
import { markdownLines } from "./markdown-lines.ts";

const texts = (text: string, width = 40): readonly string[] => markdownLines(text, width).map(textOf);
const styled = (text: string): readonly string[] =>
  markdownLines(text, 60).flatMap((line) => line.flatMap(({ text: words, style }) => (style === "plain" ? [] : [`${style}:${words}`])));

test("headings, strong words, code, lists, quotes and links are readable without their signs", () => {
  expect(texts("# A **big** title #\n\n- one `x`\n  2. two\n> said\n---\n[here](http://a.example/b)")).toEqual([
    "A big title",
    "",
    "• one x",
    "  2. two",
    "│ said",
    "─".repeat(24),
    "here (http://a.example/b)",
  ]);
  expect(styled("# Title\nsome **strong** and `code`")).toEqual(["bold:Title", "bold:strong", "cyan:code"]);
});

test("a block of code stands behind a bar as it is, also one that has not ended yet", () => {
  expect(texts("```ts\nconst a = **1**;\n\n# no title\n```\nafter\n~~~\nopen")).toEqual([
    "│ const a = **1**;",
    "│ ",
    "│ # no title",
    "after",
    "│ open",
  ]);
});

test("what is not understood stays as it is, and what is unusual is written out", () => {
  expect(texts("a * b ** c ` d\n#no\n**not closed\n\u001b[2K`\u202e`")).toEqual([
    "a * b ** c ` d",
    "#no",
    "**not closed",
    "\\u{1b}[2K\\u{202e}",
  ]);
});

test("long lines are broken with their styles, and lists hang", () => {
  expect(texts("- one two three four `five six` seven", 16)).toEqual(["• one two three", "  four five six", "  seven"]);
});

test("no line is wider than the window, and no word is lost, whatever is written", () => {
  const word = fc.stringMatching(/^[a-z`*#>_~\-.[\]() ]{0,30}$/u);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), fc.integer({ min: 12, max: 40 }), (lines, width) => {
      const shown = markdownLines(lines.join("\n"), width);
      for (const line of shown) expect(columns(textOf(line))).toBeLessThanOrEqual(width);
      const letters = (text: string): string => text.replaceAll(/[^a-z]/gu, "");
      const fences = lines.some((line) => /`{3}|~{3}/u.test(line));
      if (!fences) expect(letters(shown.map(textOf).join(""))).toBe(letters(lines.join("")));
    }),
    { numRuns: 300 },
  );
});
