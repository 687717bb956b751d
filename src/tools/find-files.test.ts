// find_files: patterns, what git ignores, what is withheld.

import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";
import { joinFound } from "./find-files.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, ...toolbox(it, searcher()) };
};

const spec = [
  "ws/.gitignore: *.log\n/dist/\n",
  "ws/a.ts: 1",
  "ws/b.js: 1",
  "ws/src/a.ts: 1",
  "ws/src/a.test.ts: 1",
  "ws/src/deep/er/a.ts: 1",
  "ws/src/deep/.hidden.ts: 1",
  "ws/src/.gitignore: local.ts\n!keep.log\n",
  "ws/src/local.ts: 1",
  "ws/src/keep.log: 1",
  "ws/src/x.log: 1",
  "ws/local.ts: 1",
  "ws/dist/a.ts: 1",
  "ws/.env: S",
  "ws/src/secrets.yaml: S",
  "ws/.git/a.ts: 1",
  "ws/link.ts => a.ts",
  "ws/to-lib => ../lib",
  "lib/.git/",
  "lib/a.ts: 1",
];

describe("finding", () => {
  const all = [
    ".gitignore",
    "a.ts",
    "b.js",
    "local.ts",
    "src/.gitignore",
    "src/a.test.ts",
    "src/a.ts",
    "src/deep/.hidden.ts",
    "src/deep/er/a.ts",
    "src/keep.log",
  ];
  test.each<[string, string, readonly string[]]>([
    ["an ending, at any depth", "*.ts", ["a.ts", "local.ts", "src/a.test.ts", "src/a.ts", "src/deep/.hidden.ts", "src/deep/er/a.ts"]],
    ["a name, at any depth", "a.ts", ["a.ts", "src/a.ts", "src/deep/er/a.ts"]],
    ["one character", "?.ts", ["a.ts", "src/a.ts", "src/deep/er/a.ts"]],
    ["in one directory", "src/*.ts", ["src/a.test.ts", "src/a.ts"]],
    ["in one directory, spelt with a dot", "./src/*.ts", ["src/a.test.ts", "src/a.ts"]],
    ["below a directory", "src/**/*.ts", ["src/a.test.ts", "src/a.ts", "src/deep/.hidden.ts", "src/deep/er/a.ts"]],
    ["everything below a directory", "src/deep/**", ["src/deep/.hidden.ts", "src/deep/er/a.ts"]],
    ["two endings", "*.test.ts", ["src/a.test.ts"]],
    ["a beginning", "**/a*", ["a.ts", "src/a.test.ts", "src/a.ts", "src/deep/er/a.ts"]],
    ["everything", "*", all],
    ["everything, otherwise", "**", all],
    ["everything, in full", "**/*", all],
    ["nothing", "*.rs", []],
    ["another letter case", "A.TS", []],
  ])("%s: `%s`", async (_title, pattern, files) => {
    const { it, done } = open(spec);
    expect(await done("find_files", { pattern })).toEqual({ path: it.path("ws"), files, withheld: 2, truncated: false });
  });

  test("what git ignores comes when it is asked for, with nested ignore files; `.git` and links never do", async () => {
    const { done } = open(spec);
    const files = [
      ".gitignore",
      "a.ts",
      "b.js",
      "dist/a.ts",
      "local.ts",
      "src/.gitignore",
      "src/a.test.ts",
      "src/a.ts",
      "src/deep/.hidden.ts",
      "src/deep/er/a.ts",
      "src/keep.log",
      "src/local.ts",
      "src/x.log",
    ];
    expect(await done("find_files", { pattern: "*", ignored: true })).toMatchObject({ files });
  });

  test("a policy that shuts what git ignores is stronger than the wish, and counts it", async () => {
    const { done } = open(spec, { policy: { gitignored: "deny" } });
    expect(await done("find_files", { pattern: "*.ts", ignored: true })).toMatchObject({
      files: ["a.ts", "local.ts", "src/a.test.ts", "src/a.ts", "src/deep/.hidden.ts", "src/deep/er/a.ts"],
      withheld: 5,
    });
  });

  test("found paths can be used as they are: below the path that was searched, as it was written", async () => {
    const { it, done } = open(spec);
    expect(await done("find_files", { pattern: "*.ts", path: "src/deep" })).toEqual({
      path: it.path("ws/src/deep"),
      files: ["src/deep/.hidden.ts", "src/deep/er/a.ts"],
      withheld: 0,
      truncated: false,
    });
    expect(await done("find_files", { pattern: "a.ts", path: "src/deep/" })).toMatchObject({ files: ["src/deep/er/a.ts"] });
    expect(await done("find_files", { pattern: "a.ts", path: it.path("ws/src/deep") })).toMatchObject({
      files: [it.path("ws/src/deep/er/a.ts")],
    });
    expect([joinFound(".", "a"), joinFound("d", ""), joinFound("d/", "a"), joinFound("d", "a")]).toEqual(["a", "d", "d/a", "d/a"]);
  });

  test("more files than are wanted are cut, and it is said", async () => {
    const { done } = open(spec);
    const few = await done("find_files", { pattern: "*" }, { limits: { files: 3 } });
    expect(few).toMatchObject({ truncated: true });
    expect((few as { files: string[] }).files.length).toBe(3);
    const rest = (await done("view_truncated_output", { handle: (few as { handle: string }).handle })) as { text: string };
    expect(rest.text).toBe(((await done("find_files", { pattern: "*" })) as { files: string[] }).files.join("\n"));
    const one = await done("find_files", { pattern: "*", path: "src" }, { limits: { files: 0 } });
    expect(one).toMatchObject({ truncated: true, files: [] });
    expect(await done("find_files", { pattern: "*" }, { limits: { files: 10 } })).toMatchObject({ truncated: false });
  });
});

describe("refusals", () => {
  test.each([
    ["a file to find in", { pattern: "*", path: "a.ts" }, "not-directory", "invalid-input"],
    ["what is not there", { pattern: "*", path: "missing" }, "not-found", "not-found"],
    ["a repository outside", { pattern: "*", path: "../lib" }, "out-of-scope", null],
    ["the same through a link", { pattern: "*", path: "to-lib" }, "out-of-scope", null],
    ["an absolute pattern", { pattern: "/etc/*" }, "bad-request", "invalid-input"],
    ["a pattern from home", { pattern: "~/x" }, "bad-request", "invalid-input"],
    ["a pattern that is none", { pattern: "a**b" }, "bad-request", "invalid-input"],
    ["no pattern", {}, "bad-request", "invalid-input"],
    ["an empty pattern", { pattern: "" }, "bad-request", "invalid-input"],
  ])("%s", async (_title, input, code, category) => {
    const { failed } = open(spec);
    expect(await failed("find_files", input)).toMatchObject({ code, category });
  });

  test("a pattern that goes up is refused: it would find nothing outside", async () => {
    expect(await open(spec).code("find_files", { pattern: "../lib/*" })).toBe("bad-request");
  });
});
