import { expect, test } from "vitest";
import { callDiff } from "./call-diff.ts";

test("an edit is shown as what goes and what comes", () => {
  const diff = callDiff("edit_file", { path: "a.txt", old: "one\ntwo\n", new: "one\nthree\n" });
  expect(diff).toContain("--- a.txt");
  expect(diff).toContain("-two");
  expect(diff).toContain("+three");
});

test("a whole file is shown as new, a patch as it is", () => {
  expect(callDiff("write_file", { path: "a.txt", content: "new\n" })).toContain("+new");
  expect(callDiff("apply_patch", { patch: "--- a\n+++ b\n" })).toBe("--- a\n+++ b\n");
});

test("what is malformed, or no write of ours, has no difference", () => {
  for (const input of [null, {}, { path: 1, content: 2 }, "text"])
    for (const tool of ["write_file", "edit_file", "apply_patch", "read_file"]) expect(callDiff(tool, input)).toBeNull();
});

test("a difference is never longer than a card can show, and never takes long to work out", () => {
  const old = Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join("\n");
  const began = performance.now();
  const diff = callDiff("edit_file", { path: "a", old, new: old.split("").toReversed().join("") });
  expect(performance.now() - began).toBeLessThan(5000);
  expect(diff).toContain("-line 0");
  expect((diff ?? "").length).toBeLessThan(200_000);
});
