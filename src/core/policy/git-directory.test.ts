// A git directory under any name: known by its pieces, refused with the last of them, in whatever order they come.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { completesGitDirectory, gitDirectoryNamedIn, gitPieces, type GitPieceName, gitPiecesAt, hooksPathsIn } from "./git-directory.ts";

describe("a path that puts a piece somewhere", () => {
  test.each<[string, readonly [string, string][]]>([
    ["/ws/vendor/HEAD", [["/ws/vendor", "HEAD"]]],
    ["/ws/vendor/head", [["/ws/vendor", "HEAD"]]],
    ["/ws/vendor/config", [["/ws/vendor", "config"]]],
    ["/ws/vendor/config.worktree", [["/ws/vendor", "config.worktree"]]],
    ["/ws/vendor/commondir", [["/ws/vendor", "commondir"]]],
    ["/ws/vendor/objects/x", [["/ws/vendor", "objects"]]],
    ["/ws/vendor/objects/info/alternates", [["/ws/vendor", "objects"]]],
    ["/ws/vendor/refs/heads/main", [["/ws/vendor", "refs"]]],
    ["/ws/vendor/hooks/pre-commit", [["/ws/vendor", "hooks"]]],
    [
      "/ws/vendor/hooks/d/HEAD",
      [
        ["/ws/vendor", "hooks"],
        ["/ws/vendor/hooks/d", "HEAD"],
      ],
    ],
    ["/HEAD", [["/", "HEAD"]]],
    // A file called like a directory of git's, and a directory called like a file of it.
    ["/ws/objects", []],
    ["/ws/hooks", []],
    ["/ws/config/a.ts", []],
    ["/ws/HEAD/x", []],
    ["/ws/config/refs/x", [["/ws/config", "refs"]]],
    ["/ws/objects/hooks", [["/ws", "objects"]]],
    ["/ws/config.json", []],
    ["/ws/src/a.ts", []],
    ["/", []],
  ])("%s", (path, pieces) => {
    expect(gitPiecesAt(path).map(({ dir, piece }) => [dir, piece])).toEqual(pieces);
  });
});

describe("the last piece is refused", () => {
  /** Write the pieces one by one, each unless it is refused, and see what there is in the end. */
  function written(order: readonly GitPieceName[]): ReadonlySet<GitPieceName> {
    const there = new Set<GitPieceName>();
    for (const piece of order) if (!completesGitDirectory(piece, (name) => there.has(name))) there.add(piece);
    return there;
  }
  /** What makes git run something, by git's own test of a directory. */
  const runs = (there: ReadonlySet<GitPieceName>): boolean =>
    there.has("HEAD") &&
    (there.has("commondir") ||
      (there.has("objects") && there.has("refs") && (there.has("config") || there.has("config.worktree") || there.has("hooks"))));

  test("in whatever order they are written, any number of times", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...gitPieces), { maxLength: 14 }), (order) => {
        expect([order, runs(written(order))]).toEqual([order, false]);
      }),
      { numRuns: 3_000 },
    );
  });

  test("and in a directory that is one already no piece is written again", () => {
    const there = new Set<GitPieceName>(["HEAD", "objects", "refs", "config"]);
    for (const piece of gitPieces) expect([piece, completesGitDirectory(piece, (name) => there.has(name))]).toEqual([piece, true]);
  });

  test("directories of a project that are called like some of them are written as ever", () => {
    const project = new Set<GitPieceName>(["hooks", "objects", "refs"]);
    expect(completesGitDirectory("hooks", (name) => project.has(name))).toBe(false);
    expect(completesGitDirectory("refs", (name) => project.has(name))).toBe(false);
    expect(completesGitDirectory("config", () => false)).toBe(false);
    expect(completesGitDirectory("HEAD", (name) => name === "config")).toBe(false);
    expect(completesGitDirectory("HEAD", (name) => name === "objects")).toBe(false);
    expect(completesGitDirectory("hooks", (name) => name === "HEAD" || name === "objects")).toBe(false);
    // No settings and no hooks: git runs nothing from it.
    expect(completesGitDirectory("HEAD", (name) => name === "objects" || name === "refs")).toBe(false);
  });

  test("the settings that worktrees share need no HEAD beside them", () => {
    expect(completesGitDirectory("config", (name) => name === "objects" || name === "refs")).toBe(true);
  });
});

test.each<[string, string | null]>([
  ["gitdir: .meta\n", ".meta"],
  ["gitdir: ../a b/.git/worktrees/x\r\n", "../a b/.git/worktrees/x"],
  ["gitdir:/abs", "/abs"],
  ["gitdir: \n", null],
  ["", null],
  ["x gitdir: a", null],
])("a `.git` file that says %j leads to %j", (text, wanted) => {
  expect(gitDirectoryNamedIn(text)).toBe(wanted);
});

test.each<[string, readonly string[]]>([
  ["[core]\n\thooksPath = .githooks\n", [".githooks"]],
  ["[CORE]\nHOOKSPATH=a/b ; where\n", ["a/b"]],
  ['[core] hooksPath = "a b" # where\n', ["a b"]],
  ['[core]\n\thooksPath = "a # b; c"\n', ["a # b; c"]],
  ["[core]\n\thooksPath = a\\\nb\n", ["ab"]],
  ["  [ core ]\n\thooksPath = in\n", ["in"]],
  ['[remote "[core]"]\n\thooksPath = x\n', []],
  ["[core]\r\n\thooksPath = a\\\r\nb\r\n", ["ab"]],
  ["[core]\n\thooksPath = one\n[user]\n\thooksPath = two\n[core]\n\thooksPath = three\n", ["one", "three"]],
  ["[core]\n\thooksPath =\n\tbare = false", []],
  ["hooksPath = x", []],
  ["[core]\n# hooksPath = x\n; hooksPath = y", []],
  ['[core]\n\thooksPath = C:\\\\hooks"', ["C:\\hooks"]],
  ["", []],
])("the hooks of %j are in %j", (config, wanted) => {
  expect(hooksPathsIn(config)).toEqual(wanted);
});
