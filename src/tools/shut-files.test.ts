// What stays shut stays shut through every tool alike: what read_file refuses, grep and find do not show, and nothing writes.

import { spawnSync } from "node:child_process";
import { linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, ...toolbox(it, searcher()) };
};
/** Once on this thread, once on others. */
const ways = [
  { pattern: "NEEDLE", literal: true },
  { pattern: "NEEDL[E]", literal: false },
];

describe("a file with several names", () => {
  const spec = ["ws/a.txt: NEEDLE alone", "ws/sub/", "$OUT/diary.txt: NEEDLE elsewhere"];

  test.each(["deny", "ask"])("is not searched where the policy says %s, and counted", async (hardlinks) => {
    const { it, done, code } = open(spec, { policy: { hardlinks } });
    linkSync(join(it.out, "diary.txt"), it.path("ws/sub/notes.txt"));
    expect(await code("read_file", { path: "sub/notes.txt" })).toBe(hardlinks === "deny" ? "policy-deny" : "policy-ask");
    for (const way of ways) {
      const found = { matches: [{ file: "a.txt", line: 1, text: "NEEDLE alone" }], withheld: 1 };
      expect(await done("grep", way)).toMatchObject(found);
      expect(await done("grep", { ...way, path: "sub" })).toMatchObject({ matches: [], withheld: 1 });
      expect(await code("grep", { ...way, path: "sub/notes.txt" })).toBe(hardlinks === "deny" ? "policy-deny" : "policy-ask");
    }
    // Its content is there to be had, were it not for the policy.
    expect(readFileSync(it.path("ws/sub/notes.txt"), "utf8")).toBe("NEEDLE elsewhere");
  });

  test("is searched where the policy does not mind", async () => {
    const { it, done } = open(spec);
    linkSync(join(it.out, "diary.txt"), it.path("ws/sub/notes.txt"));
    for (const way of ways)
      expect(await done("grep", way)).toMatchObject({ matches: [{ file: "a.txt" }, { file: "sub/notes.txt" }], withheld: 0 });
  });
});

describe("a backup of a file that holds a token", () => {
  const token = "//registry.example.org/:_authToken=NEEDLE";
  const plain = "registry=https://NEEDLE.example.org/";
  const names = [
    ".npmrc.bak",
    ".npmrc~",
    ".npmrc.orig",
    ".npmrc.swp",
    "#.npmrc#",
    ".yarnrc.yml.bak",
    "pip.conf.orig",
    "bunfig.toml.old",
    ".NPMRC.BAK",
  ];

  test.each(names)("%s is neither read nor searched nor written", async (name) => {
    const { it, done, code } = open([`ws/${name}: ${token}`, `ws/sub/${name}: ${plain}`]);
    expect(await code("read_file", { path: name })).toBe("secret-file");
    for (const way of ways) {
      expect(await done("grep", way)).toMatchObject({ matches: [{ file: `sub/${name}`, line: 1, text: plain }] });
      expect(await code("grep", { ...way, path: name })).toBe("secret-file");
    }
    expect(await done("read_file", { path: `sub/${name}` })).toMatchObject({ content: plain });
    expect(readFileSync(it.path(`ws/${name}`), "utf8")).toContain("NEEDLE");
  });
});

describe("git's settings", () => {
  const remote = (url: string): string => `[remote "origin"]\n\turl = ${url}\n`;
  const shut = remote("https://ada:ghp_NEEDLE@github.com/a/b.git");
  const header = '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic NEEDLE\n';
  const plain = remote("https://github.com/NEEDLE/b.git");

  test.each([
    [".git/config", shut],
    [".git/config", header],
    [".git/config.bak", shut],
    [".git/modules/x/config", shut],
    [".git/config.worktree", shut],
    ["fixtures/repo.git/config", shut],
    [".gitmodules", shut],
    ["home/.gitconfig", header],
  ])("%s is shut while it holds a credential: %j", async (name, text) => {
    const { it, done, code } = open([`ws/${name}: ${text}`]);
    expect(await code("read_file", { path: name })).toBe("secret-file");
    for (const way of ways) {
      expect(await code("grep", { ...way, path: name })).toBe("secret-file");
      expect(await done("grep", { ...way, path: name.slice(0, name.lastIndexOf("/") + 1) || "." })).toMatchObject({ matches: [] });
    }
    writeFileSync(it.path(`ws/${name}`), plain);
    expect(await done("read_file", { path: name })).toMatchObject({ content: plain });
    expect(await done("grep", { pattern: "NEEDLE", path: name })).toMatchObject({ matches: [{ line: 2 }] });
  });
});

test.each([
  ".github/hooks/x.json",
  ".github/mcp.json",
  ".githooks/pre-commit",
  "app.code-workspace",
  ".yarnrc.yml",
  ".yarn/releases/yarn.cjs",
  ".pnpmfile.cjs",
  "mise.toml",
  ".mise.local.toml",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  ".lefthook-local.yml",
  ".run/all.run.xml",
  ".husky/pre-commit",
  ".envrc",
])("%s runs later and is not written, by any tool", async (path) => {
  const { it, code } = open([]);
  const patch = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
  expect(await code("write_file", { path, content: "x", create_parents: true })).toBe("protected-path");
  expect(await code("apply_patch", { patch })).toBe("protected-path");
  expect(it.words("replace", path)).toBe("deny protected-path");
});

test.each([
  "package.json",
  "Makefile",
  ".github/workflows/ci.yml",
  ".npmrc",
  ".tool-versions",
  "src/hooks/use-x.ts",
  "config",
  "src/config/a.ts",
])("%s is written as ever", async (path) => {
  const { it, done } = open([]);
  await done("write_file", { path, content: "{}", create_parents: true });
  expect(readFileSync(it.path(`ws/${path}`), "utf8")).toBe("{}");
});

// A file system can be mounted for one process and its children alone, by root.
const mounts = process.platform === "linux" && spawnSync("unshare", ["-m", "true"]).status === 0;

test.skipIf(!mounts)("the kernel's own state, mounted in the workspace, is neither searched nor named", () => {
  const from = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const driver = `
    import { createGuard } from ${from("../core/guard/guard.ts")};
    import { compilePolicy } from ${from("../core/policy/compile.ts")};
    import { emptyPolicy } from ${from("../core/policy/rule.ts")};
    import { openSession } from ${from("../core/session/session.ts")};
    import { defaultLimits } from ${from("./limits.ts")};
    import { createOutputs } from ${from("./outputs.ts")};
    import { runTool } from ${from("./run.ts")};
    import { createSearcher } from ${from("./search/searcher.ts")};
    const [workspace, home] = process.argv.slice(2);
    const { session } = openSession({ workspace, home, policy: compilePolicy(emptyPolicy, home) });
    const [guard, searcher, outputs] = [createGuard(), createSearcher(), createOutputs(() => "o")];
    const calls = [
      ["read_file", { path: "p/1/status" }],
      ["list_dir", { path: "p/1" }],
      ["grep", { pattern: "Name:", literal: true }],
      ["grep", { pattern: "Name:", literal: true, glob: "p/1/*" }],
      ["grep", { pattern: "Name:", path: "p" }],
      ["find_files", { pattern: "status" }],
    ];
    for (const [name, input] of calls) {
      const { ok, code, output } = await runTool(name, input, { guard, session, call: "c", limits: defaultLimits, searcher, outputs });
      console.log(JSON.stringify([name, ok ? (output.matches ?? output.files).map((one) => one.file ?? one) : code]));
    }
    process.exit(0);
  `;
  const it = scene(["ws/a.txt: Name: here", "ws/p/", `driver.mts: ${driver}`]);
  const inside = 'mount -t proc proc "$1/p" && head -n 1 "$1/p/1/status" && exec "$0" --import tsx "$3" "$1" "$2"';
  const argv = ["-mpf", "sh", "-c", inside, process.execPath, it.path("ws"), it.path("home"), it.path("driver.mts")];
  const ran = spawnSync("unshare", argv, { encoding: "utf8", timeout: 120_000 });
  expect(ran.stderr).toBe("");
  const [harm, ...answers] = ran.stdout.trim().split("\n");
  // Without a guard it is read.
  expect(harm).toMatch(/^Name:/);
  expect(answers.map((one) => JSON.parse(one))).toEqual([
    ["read_file", "virtual-fs"],
    ["list_dir", "virtual-fs"],
    ["grep", ["a.txt"]],
    ["grep", []],
    ["grep", "virtual-fs"],
    ["find_files", []],
  ]);
});
