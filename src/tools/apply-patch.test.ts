// apply_patch: every file judged and the whole worked out before the first is written; what does not fit changes nothing.

import { readdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";
import type { Guard } from "../core/guard/guard.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, text: (path: string) => readFileSync(it.path(path), "utf8"), ...toolbox(it, searcher()) };
};

/** A patch that exchanges one line of a file for another. */
const exchange = (path: string, before: string, after: string): string =>
  `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${before}\n+${after}\n`;
const fresh = (path: string, line: string): string => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;

describe("a patch that fits", () => {
  test("changes the files it names, and makes new ones with their directories", async () => {
    const { text, done } = open(["ws/a: one\n", "ws/d/b: two\n"]);
    const patch = exchange("a", "one", "1") + exchange("d/b", "two", "2") + fresh("new/dir/c", "three");
    expect(await done("apply_patch", { patch })).toEqual({ files: ["a", "d/b", "new/dir/c"] });
    expect([text("ws/a"), text("ws/d/b"), text("ws/new/dir/c")]).toEqual(["1\n", "2\n", "three\n"]);
  });

  test("may name its files without git's letters", async () => {
    const { text, done } = open(["ws/a: one\n"]);
    expect(await done("apply_patch", { patch: "--- a\n+++ a\n@@ -1 +1 @@\n-one\n+1\n" })).toEqual({ files: ["a"] });
    expect(text("ws/a")).toBe("1\n");
  });

  test("may be some lines off", async () => {
    const { text, done } = open([`ws/a: ${"filling\n".repeat(50)}one\n`]);
    await done("apply_patch", { patch: exchange("a", "one", "1") });
    expect(text("ws/a")).toBe(`${"filling\n".repeat(50)}1\n`);
  });

  test("keeps a byte order mark", async () => {
    const { text, done } = open(["ws/a: \ufeffone\ntwo\n"]);
    await done("apply_patch", { patch: "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" });
    expect(text("ws/a")).toBe("\ufeffone\n2\n");
  });
});

describe("a patch of which one file is refused or does not fit changes none", () => {
  test.each([
    ["outside", exchange("../lib/x", "outside", "changed"), "write-out-of-scope"],
    ["outside, a new file", fresh("../lib/y", "changed"), "write-out-of-scope"],
    ["an absolute path outside", "--- /etc/hostname\n+++ /etc/hostname\n@@ -1 +1 @@\n-x\n+y\n", "write-out-of-scope"],
    ["through a linked directory", exchange("to-lib/x", "outside", "changed"), "write-out-of-scope"],
    ["a link", exchange("link", "one", "changed"), "symlink-write"],
    ["a secret", exchange(".env", "S", "changed"), "secret-file"],
    ["a git hook", fresh(".git/hooks/pre-commit", "evil"), "protected-path"],
    ["a file that is not there", exchange("missing", "x", "y"), "not-found"],
    ["lines that are not there", exchange("b", "other", "y"), "bad-request"],
    ["a file to be removed", "--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-two\n", "bad-request"],
    ["a directory", exchange("d", "x", "y"), "is-directory"],
  ])("%s", async (_title, patch, code) => {
    const { it, text, failed } = open([
      "ws/a: one\n",
      "ws/b: two\n",
      "ws/d/",
      "ws/link => a",
      "ws/to-lib => ../lib",
      "ws/.env: S\n",
      "lib/.git/",
      "lib/x: outside\n",
    ]);
    const failure = await failed("apply_patch", { patch: exchange("a", "one", "1") + patch });
    expect(failure.code).toBe(code);
    expect([text("ws/a"), text("ws/b"), text("lib/x"), readdirSync(it.path("lib")).toSorted()]).toEqual([
      "one\n",
      "two\n",
      "outside\n",
      [".git", "x"],
    ]);
  });

  test.each([
    ["no patch at all", { patch: "hello" }],
    ["an empty one", { patch: "" }],
    ["one without a change", { patch: "--- a/a\n+++ b/a\n" }],
    ["more than a patch", { patch: fresh("a", "x"), path: "a" }],
  ])("%s is no input", async (_title, input) => {
    expect(await open(["ws/a: one\n"]).code("apply_patch", input)).toBe("bad-request");
  });
});

describe("a file that changed between working out and writing", () => {
  const meanwhile = (guard: Guard, change: () => void): Guard => ({
    ...guard,
    use: (access, session, work) =>
      guard.use(access, session, (opened) => {
        if (access.operation === "replace") change();
        return work(opened);
      }),
  });

  test("is left as it is", async () => {
    const { it, text, code } = open(["ws/a: one\n"]);
    const guard = meanwhile(it.guard, () => writeFileSync(it.path("ws/a"), "somebody else's\n"));
    expect(await code("apply_patch", { patch: exchange("a", "one", "1") }, { guard })).toBe("stale-path");
    expect(text("ws/a")).toBe("somebody else's\n");
  });

  test("and became a link is not written through", async () => {
    const { it, text, code } = open(["ws/a: one\n", "lib/x: one\n"]);
    const guard = meanwhile(it.guard, () => {
      unlinkSync(it.path("ws/a"));
      symlinkSync(it.path("lib/x"), it.path("ws/a"));
    });
    expect(await code("apply_patch", { patch: exchange("a", "one", "1") }, { guard })).toBe("symlink-write");
    expect(text("lib/x")).toBe("one\n");
  });

  test("a new file that somebody made first stays theirs", async () => {
    const { it, text, code } = open([]);
    const guard = meanwhile(it.guard, () => writeFileSync(it.path("ws/a"), "theirs"));
    expect(await code("apply_patch", { patch: fresh("a", "ours") }, { guard })).toBe("stale-path");
    expect(text("ws/a")).toBe("theirs");
  });

  test("what was written before that is told", async () => {
    const { it, text, failed } = open(["ws/a: one\n", "ws/b: two\n"]);
    let uses = 0;
    const guard = meanwhile(it.guard, () => {
      uses += 1;
      if (uses === 2) writeFileSync(it.path("ws/b"), "changed\n");
    });
    const failure = await failed("apply_patch", { patch: exchange("a", "one", "1") + exchange("b", "two", "2") }, { guard });
    expect([failure.code, failure.hint.includes("Written before that: a."), text("ws/a"), text("ws/b")]).toEqual([
      "stale-path",
      true,
      "1\n",
      "changed\n",
    ]);
  });
});

test("a patch that almost fits everywhere is given up instead of being looked for until somebody dies", async () => {
  const lines = 300_000;
  const { text, failed } = open([`ws/a: ${"x\n".repeat(lines)}`]);
  const context = " x\n".repeat(3_000);
  const patch = `--- a/a\n+++ b/a\n@@ -1,3001 +1,3001 @@\n${context}-y\n+z\n`;
  const failure = await failed("apply_patch", { patch });
  expect([failure.code, failure.hint.includes("give the right line numbers")]).toEqual(["bad-request", true]);
  expect(text("ws/a")).toHaveLength(2 * lines);
});
