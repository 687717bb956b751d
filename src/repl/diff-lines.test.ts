import { expect, test } from "vitest";
import { diffLines } from "./diff-lines.ts";
import { textOf } from "./lines.ts";

test("a change of nothing but the last newline can be seen", () => {
  const diff = "Index: a\n===\n--- a\n+++ a\n@@ -1,1 +1,1 @@\n-new\n+new\n\\ No newline at end of file\n";
  const shown = diffLines(diff, 80).map(textOf);
  expect(shown).toEqual(["@@ -1,1 +1,1 @@", "-new", "+new", expect.stringContaining("No newline at end of file")]);
});
