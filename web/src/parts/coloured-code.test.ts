import { expect, test } from "vitest";
import { codeTokens, tokenLines } from "./code-tokens.ts";
import { diffTokens, languageOf } from "./coloured-code.tsx";

const all = (tokens: readonly { readonly text: string }[]): string => tokens.map(({ text }) => text).join("");

test("code is the same text in pieces, each with what it is", () => {
  const code = 'const x = "a"; // <script>alert(1)</script>\n';
  const tokens = codeTokens("ts", code);
  expect(all(tokens)).toBe(code);
  expect(tokens).toContainEqual({ text: "const", kind: "keyword" });
  expect(tokens).toContainEqual({ text: '"a"', kind: "string" });
  expect(tokens.at(-2)).toEqual({ text: "// <script>alert(1)</script>", kind: "comment" });
});

test("of a language nobody knows, and of long code, there is one plain piece", () => {
  expect(codeTokens("nonsense", "if x")).toEqual([{ text: "if x", kind: null }]);
  expect(codeTokens("ts", "if;".repeat(20_000))).toHaveLength(1);
});

test.each(["py", "rs", "go", "sh", "tsx", "jsx", "html", "yml", "toml", "json", "md", "rb", "makefile", "sql", "kt", "cs", "mts", "h"])(
  "%s is known",
  (language) => expect(codeTokens(language, "")).toEqual([]),
);

test("a change is coloured by the file's name, each side as one text", () => {
  const lines = ["--- a/x.ts", "+++ b/x.ts", "@@ -1,3 +1,3 @@", " /* one", "-two */ let a = 1;", "+two", "+*/ let a = 2;"];
  const tokens = diffTokens(lines);
  expect(tokens.slice(0, 3)).toEqual([null, null, null]);
  expect(tokens.slice(3).map((line, at) => all(line ?? []) === lines[at + 3]?.slice(1))).toEqual([true, true, true, true]);
  expect(tokens[4]?.[0]).toEqual({ text: "two */", kind: "comment" });
  expect(tokens[5]).toEqual([{ text: "two", kind: "comment" }]);
  expect(tokenLines([])).toEqual([[]]);
  expect(["src/a.test.ts", "Dockerfile", "x/Makefile", ""].map(languageOf)).toEqual(["ts", "dockerfile", "makefile", ""]);
});
