// What a person is told about a directory before saying yes.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asNobody, grow, canBecomeNobody, mkfifo, nothingStaysPinned, pins, policyOf } from "../../../test/scene.ts";
import { type Flag, flagsOf, type Survey, survey } from "./survey.ts";

nothingStaysPinned();

const balanced = policyOf({}, "/home/ada");
const plain: Survey = { repositories: 0, secrets: 0, files: 0, worktree: false, submodule: false, complete: true };
const look = (spec: readonly string[]): Survey | null => survey(grow(spec).root, balanced);

describe("a look at a directory", () => {
  test.each<[string, readonly string[], Partial<Survey>]>([
    ["an empty one", [], {}],
    ["its own repository is not counted, nor what is in `.git`", [".git/HEAD: x", ".git/config: y", "a: 1"], { files: 1 }],
    ["files at any depth", ["a: 1", "b/c: 1", "b/d/e/f: 1"], { files: 3 }],
    ["links are neither files nor entered", ["d/a: 1", "l => d", "m => d/a", "n => /"], { files: 1 }],
    [
      "repositories inside, each once",
      [".git/HEAD: x", "one/.git/HEAD: x", "one/two/.git: gitdir: x", "three/.git => ../.git"],
      { repositories: 3 },
    ],
    [
      "secrets, by name and by directory, which is not entered",
      [".env: 1", "a/id_rsa: 1", ".ssh/config: 1", ".ssh/more/x: 1", "b: 1"],
      { secrets: 3, files: 1 },
    ],
    ["names made to be shared are no secrets", [".env.example: 1", "id_rsa.pub: 1"], { files: 2 }],
    [
      "`node_modules` is not entered, and that is told",
      ["node_modules/p/.git/HEAD: x", "node_modules/p/.env: 1", "a: 1"],
      { files: 1, uncounted: true },
    ],
    ["a linked worktree", [".git: gitdir: /src/main/.git/worktrees/w\n"], { worktree: true }],
    ["a submodule", [".git: gitdir: ../.git/modules/m\n"], { submodule: true }],
    ["a `.git` file that says nothing of the kind", [".git: gitdir: /somewhere\n"], {}],
    ["a `.git` file further down is another repository, and no worktree", ["sub/.git: gitdir: /x/.git/worktrees/w\n"], { repositories: 1 }],
    ["a `.git` file too large to be one", [`.git: gitdir: /x/.git/worktrees/w${"x".repeat(5000)}`], {}],
  ])("%s", (_title, spec, expected) => {
    expect(look(spec)).toEqual({ ...plain, ...expected });
  });

  test("a pipe in the place of `.git` holds nobody up", () => {
    const it = grow(["a: 1"]);
    mkfifo(it.path(".git"));
    expect(survey(it.root, balanced)).toEqual({ ...plain, files: 1 });
  });

  test("what the policy calls a secret is one here", () => {
    const it = grow(["notes.txt: 1", "a: 1"]);
    expect(survey(it.root, policyOf({ secrets: { add: ["notes.txt"] } }, "/home/ada"))).toEqual({ ...plain, secrets: 1, files: 1 });
  });

  test("what rules deny, and what they ask about each time, is not counted among what a yes opens", () => {
    const it = grow(["a: 1", "drafts/x: 1", "drafts/y: 1", "old/x: 1", "asked/x: 1", "asked/y/z: 1"]);
    const policy = policyOf({ read: { drafts: "deny", [`${it.root}/old/x`]: "deny", "asked/**": "ask" } }, "/home/ada");
    expect(survey(it.root, policy)).toEqual({ ...plain, files: 1, shut: 2, asked: 2 });
  });

  test("what the policy says of files that git ignores, and of files with several names", () => {
    const it = grow(["a: 1"]);
    const policy = policyOf({ gitignored: "deny", hardlinks: "ask" }, "/home/ada");
    expect(survey(it.root, policy)).toEqual({ ...plain, files: 1, gitignored: "deny", hardlinks: "ask" });
  });

  test("what is not there, and what is no directory, cannot be looked at", () => {
    const it = grow(["file: x"]);
    expect(survey(it.path("missing"), balanced)).toBeNull();
    expect(survey(it.path("file"), balanced)).toBeNull();
  });

  test("four thousand entries are looked at, and no more: then the counts are at least", () => {
    const it = grow([]);
    for (let at = 0; at < 3999; at += 1) writeFileSync(join(it.root, `f${at}`), "");
    mkdirSync(it.path("zz"));
    expect(survey(it.root, balanced)).toEqual({ ...plain, files: 3999 });
    writeFileSync(it.path("zz/one-too-many"), "");
    expect(survey(it.root, balanced)).toEqual({ ...plain, files: 3999, complete: false });
    rmSync(it.path("zz"), { recursive: true });
    for (let at = 0; at < 5; at += 1) {
      writeFileSync(join(it.root, `g${at}`), "");
      mkdirSync(join(it.root, `d${at}/e`), { recursive: true });
    }
    expect(survey(it.root, balanced)).toMatchObject({ complete: false });
    expect(pins()).toEqual([]);
  });

  test.skipIf(!canBecomeNobody)("a directory that may not be read ends the look, and it says so", () => {
    const it = grow(["a: 1", "shut/b: 1"]);
    chmodSync(join(it.root, ".."), 0o755);
    chmodSync(it.path("shut"), 0o711);
    expect(asNobody(() => survey(it.root, balanced))).toEqual({ ...plain, files: 1, complete: false });
    chmodSync(it.root, 0o711);
    expect(asNobody(() => survey(it.root, balanced))).toBeNull();
  });
});

test.each<[Partial<Survey>, readonly Flag[]]>([
  [{}, []],
  [{ files: 12, complete: false }, []],
  [{ repositories: 1 }, ["contains-repos"]],
  [{ secrets: 1 }, ["contains-secrets"]],
  [{ worktree: true }, ["worktree"]],
  [{ submodule: true }, ["submodule"]],
  [{ repositories: 2, secrets: 3, worktree: true, submodule: true }, ["contains-repos", "contains-secrets", "worktree", "submodule"]],
])("a survey %o has the flags %o", (found, flags) => {
  expect(flagsOf({ ...plain, ...found })).toEqual(flags);
});
