// Git runs what the settings and hooks of its directories name, whatever a directory is called: file tools write neither.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, ...toolbox(it, searcher()) };
};
const write = (path: string, content = "x") => ({ path, content, create_parents: true });
const environment = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };

describe("a git directory under another name", () => {
  const files = {
    "vendor/HEAD": "ref: refs/heads/main\n",
    "vendor/config": '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = "."\n\tfsmonitor = "touch ../ran; false"\n',
    "vendor/objects/x": "x",
    "vendor/refs/x": "x",
  };
  const names = Object.keys(files);
  const orders = names.map((_, at) => [...names.slice(at), ...names.slice(0, at)]);

  test.each(orders)("is not finished by file tools: %s, %s, %s, %s", async (...order) => {
    const { it, done, code } = open([]);
    for (const name of order.slice(0, -1)) await done("write_file", write(name, files[name as keyof typeof files]));
    const last = order.at(-1) ?? "";
    expect(await code("write_file", write(last))).toBe("protected-path");
    const patch = `--- /dev/null\n+++ b/${last}\n@@ -0,0 +1 @@\n+x\n`;
    expect(await code("apply_patch", { patch })).toBe("protected-path");
    expect(spawnSync("git", ["status"], { cwd: it.path("ws/vendor"), env: environment }).status).not.toBe(0);
    expect(existsSync(it.path("ws/ran"))).toBe(false);
    // Written by anybody else, git runs it.
    mkdirSync(dirname(it.path(`ws/${last}`)), { recursive: true });
    writeFileSync(it.path(`ws/${last}`), files[last as keyof typeof files]);
    spawnSync("git", ["status"], { cwd: it.path("ws/vendor"), env: environment });
    expect(existsSync(it.path("ws/ran"))).toBe(true);
  });

  test("gets neither settings nor hooks, in one patch or by an edit", async () => {
    const { it, done, code } = open(["ws/bare.git/HEAD: x", "ws/bare.git/objects/", "ws/bare.git/refs/", "ws/bare.git/config: [core]\n"]);
    expect(await code("write_file", write("bare.git/config"))).toBe("protected-path");
    expect(await code("write_file", write("bare.git/hooks/pre-receive"))).toBe("protected-path");
    expect(await code("edit_file", { path: "bare.git/config", old: "[core]", new: "[x]" })).toBe("protected-path");
    expect(await code("write_file", write("bare.git/commondir"))).toBe("protected-path");
    await done("write_file", write("bare.git/description"));
    const patch = ["HEAD", "config", "objects/x", "refs/x"].map((name) => `--- /dev/null\n+++ b/new/${name}\n@@ -0,0 +1 @@\n+x\n`).join("");
    expect(await code("apply_patch", { patch })).toBe("protected-path");
    expect(existsSync(it.path("ws/new/refs/x"))).toBe(false);
  });

  test("directories of a project that are called like its pieces are written as ever", async () => {
    const { done } = open(["ws/src/objects/a.ts", "ws/src/refs/a.ts", "ws/src/config/a.ts"]);
    for (const path of ["src/hooks/use-x.ts", "src/objects/b.ts", "src/refs/b.ts", "src/config/b.ts", "config", "HEAD", "objects/x"])
      await done("write_file", write(path));
  });
});

describe("where `.git` leads", () => {
  test.each([
    ["a file", "ws/.git: gitdir: .meta\n"],
    ["a link", "ws/.git => .meta"],
  ])("%s: nothing is written there", async (_kind, pointer) => {
    const { it, done, code } = open([pointer, "ws/.meta/"]);
    rmSync(it.path("ws/.git"));
    execFileSync("git", ["init", "-q", "--separate-git-dir", it.path("ws/.meta"), it.path("ws")], { env: environment });
    if (pointer.includes("=>")) {
      rmSync(it.path("ws/.git"));
      execFileSync("ln", ["-s", ".meta", it.path("ws/.git")]);
    }
    for (const path of [".meta/config", ".meta/hooks/pre-commit", ".meta/info/attributes", ".meta/index"])
      expect([path, await code("write_file", write(path))]).toEqual([path, "protected-path"]);
    await done("write_file", write("a.txt"));
  });

  test("the part that worktrees share is not written either", async () => {
    const { code } = open(["ws/.git: gitdir: wt\n", "ws/wt/commondir: ../common\n", "ws/wt/HEAD: x", "ws/common/"]);
    for (const path of ["wt/config.worktree", "common/config", "common/hooks/pre-commit"])
      expect([path, await code("write_file", write(path))]).toEqual([path, "protected-path"]);
  });
});

describe("a root's own directory of hooks", () => {
  const config = (path: string): string => `[core]\n\thooksPath = ${path}\n`;

  test.each(["tools/hooks", "./tools/hooks/", '"tools/hooks"', "$ROOT/ws/tools/hooks"])("core.hooksPath = %s", async (path) => {
    const { it, done, code } = open(["ws/.git/HEAD: x"]);
    writeFileSync(it.path("ws/.git/config"), config(path.replace("$ROOT", it.root)));
    expect(await code("write_file", write("tools/hooks/pre-commit"))).toBe("protected-path");
    expect(await code("write_file", write("tools/hooks/lib/shared.sh"))).toBe("protected-path");
    await done("write_file", write("tools/build.sh"));
  });

  test("as settings of a worktree of its own have it, and in a repository within the root", async () => {
    const own = open([
      "ws/.git/HEAD: x",
      "ws/.git/config: [extensions]\n\tworktreeConfig = true\n",
      `ws/.git/config.worktree: ${config("tools/hooks")}`,
    ]);
    expect(await own.code("write_file", write("tools/hooks/pre-commit"))).toBe("protected-path");
    const inner = open(["ws/.git/HEAD: x", "ws/.git/config: [core]\n", "ws/sub/.git/HEAD: x", `ws/sub/.git/config: ${config("hooks.d")}`]);
    expect(await inner.code("write_file", write("sub/hooks.d/pre-commit"))).toBe("protected-path");
    await inner.done("write_file", write("hooks.d/pre-commit"));
    await inner.done("write_file", write("sub/src/a.ts"));
  });

  test("where it is the root itself, only the hooks are shut", async () => {
    const { done, code } = open(["ws/.git/HEAD: x", `ws/.git/config: ${config(".")}`]);
    expect(await code("write_file", write("pre-commit"))).toBe("protected-path");
    for (const path of ["a.ts", "src/pre-commit", "update.ts"]) await done("write_file", write(path));
  });

  test("the operator's exception lifts it", async () => {
    const policy = { protected: { except: ["**/tools/hooks/**"] } };
    const { done, code } = open(["ws/.git/HEAD: x", `ws/.git/config: ${config("tools/hooks")}`], { policy });
    await done("write_file", write("tools/hooks/pre-commit"));
    expect(await code("write_file", write(".git/hooks/pre-commit"))).toBe("protected-path");
  });
});

describe("what links lead to, in place of what executes later", () => {
  const git = ["ws/.git/HEAD: x", "ws/.git/config: [core]\n"];

  test.each([
    ["a hook", [...git, "ws/.git/hooks/pre-commit => ../../scripts/check.sh", "ws/scripts/check.sh: true"], "scripts/check.sh"],
    ["all hooks", [...git, "ws/.git/hooks => ../ghooks", "ws/ghooks/x: 1"], "ghooks/pre-commit"],
    ["git's settings", ["ws/.git/HEAD: x", "ws/.git/config => ../settings", "ws/settings: [core]\n"], "settings"],
    ["an agent's settings", ["ws/.mcp.json => conf/mcp.json", "ws/conf/mcp.json: {}"], "conf/mcp.json"],
    ["an editor's directory", ["ws/.vscode => tools/editor", "ws/tools/editor/x: 1"], "tools/editor/tasks.json"],
    ["an editor's directory that is not there yet", ["ws/.vscode => build/editor"], "build/editor/tasks.json"],
    ["an editor's tasks", ["ws/.vscode/tasks.json => ../shared/tasks.json", "ws/shared/tasks.json: {}"], "shared/tasks.json"],
  ])("%s: it is not written under its own name", async (_what, spec, path) => {
    const { done, code } = open(spec);
    expect(await code("write_file", write(path))).toBe("protected-path");
    await done("write_file", write("src/beside.ts"));
    // Without the link it is a file like any other.
    const plain = open(spec.filter((line) => !line.includes("=>")));
    await plain.done("write_file", write(path));
  });

  test("a link that leads to the root itself shuts nothing else", async () => {
    const { done } = open(["ws/.cursor => ."]);
    await done("write_file", write("src/a.ts"));
  });
});

describe("where what git ignores stays shut", () => {
  test("no ignore file is written, made or changed: it would open what it names", async () => {
    const spec = ["ws/.gitignore: local.yml\n", "ws/local.yml: password", "ws/src/a.ts: 1"];
    const strict = open(spec, { policy: { gitignored: "deny" } });
    expect(await strict.code("read_file", { path: "local.yml" })).toBe("policy-deny");
    expect(await strict.code("write_file", write(".gitignore", "!local.yml"))).toBe("protected-path");
    expect(await strict.code("edit_file", { path: ".gitignore", old: "local.yml", new: "" })).toBe("protected-path");
    expect(await strict.code("write_file", write("src/.gitignore", "!*"))).toBe("protected-path");
    const lenient = open(spec);
    await lenient.done("write_file", write(".gitignore", "!local.yml"));
  });
});

test("a file that holds a token is not replaced unseen", async () => {
  const { done, code } = open(["ws/.npmrc: //registry.example/:_authToken=abcdefghijkl\n", "ws/sub/.npmrc: save-exact=true\n"]);
  expect(await code("write_file", write(".npmrc"))).toBe("secret-file");
  await done("write_file", write("sub/.npmrc", "save-exact=false\n"));
});

describe("more git settings than are read", () => {
  const filled = (config: string) => {
    const opened = open([".git/HEAD", "src/"]);
    const { it } = opened;
    mkdirSync(it.path("ws/.git"), { recursive: true });
    writeFileSync(it.path("ws/.git/config"), config);
    return opened;
  };
  const cpu = (before: NodeJS.CpuUsage): number => process.cpuUsage(before).user / 1000;

  test.each([
    ["one line of a megabyte", `[${"a".repeat(1_000_000)}`],
    ["a megabyte of blanks", " ".repeat(1_000_000)],
    ["a name of a section that never ends, over and over", "[core".repeat(200_000)],
  ])("%s holds nothing up", async (_name, config) => {
    const { done } = filled(config);
    const before = process.cpuUsage();
    await done("write_file", write("a.txt"));
    expect(cpu(before)).toBeLessThan(1_000);
  });

  test.each([
    ["forty thousand directories of hooks", Array.from({ length: 40_000 }, (_, at) => `[core]\nhooksPath = h${at}\n`).join("")],
    ["settings of more than a megabyte", `${"# nothing\n".repeat(150_000)}[core]\nhooksPath = h\n`],
  ])("with %s nothing is written, at once", async (_name, config) => {
    const { code } = filled(config);
    const before = process.cpuUsage();
    expect(await code("write_file", write("a.txt"))).toBe("protected-path");
    expect(cpu(before)).toBeLessThan(1_000);
  });

  test("one directory of hooks that is named ten thousand times is one", async () => {
    const { code, done } = filled("[core]\nhooksPath = h\n".repeat(10_000));
    await done("write_file", write("a.txt"));
    expect(await code("write_file", write("h/pre-commit"))).toBe("protected-path");
  });

  test("a `.git` file of a long row of blanks holds nothing up, and leads nowhere", async () => {
    const { it, done } = open(["src/"]);
    mkdirSync(it.path("ws"), { recursive: true });
    writeFileSync(it.path("ws/.git"), `gitdir: x${" ".repeat(1_000_000)}x`);
    const before = process.cpuUsage();
    await done("write_file", write("a.txt"));
    expect(cpu(before)).toBeLessThan(1_000);
  });

  test.each([
    ["a second section on the same line", "[user] [core] hooksPath = h\n"],
    ["a comment that ends in a backslash", "[core]\n# a comment \\\nhooksPath = h\n"],
    ["a value that ends in two backslashes", "[core]\nhooksPath = a\\\\\nhooksPath = h\n"],
  ])("%s hides no directory of hooks", async (_name, config) => {
    const { it, code } = filled(config);
    const said = spawnSync("git", ["config", "-f", it.path("ws/.git/config"), "core.hooksPath"], { encoding: "utf8" });
    expect(said.stdout).toBe("h\n");
    expect(await code("write_file", write("h/pre-commit"))).toBe("protected-path");
  });
});
