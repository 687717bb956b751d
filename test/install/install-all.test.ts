// `hallpass install` without a name: every agent that is found, shown, asked for once, proven and listed; and git shares nothing of it.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { programIn } from "../../src/adapters/install/index.ts";
import { grow } from "../scene.ts";
import { diskOf, hallpass } from "./installing.ts";

/** A project under git, a home directory, and a directory of programs. */
function place() {
  const { path, root } = grow(["home/", "home/ws/", "bin/"]);
  const at = { home: path("home"), cwd: path("home/ws") };
  const git = (...words: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      cwd: at.cwd,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: at.home },
    });
  git("init", "-q");
  symlinkSync(programIn(process.env["PATH"] ?? "", "git") ?? "", join(path("bin"), "git"));
  const program = (name: string, text = ""): void => {
    writeFileSync(join(path("bin"), name), `#!/bin/sh\n${text}`);
    chmodSync(join(path("bin"), name), 0o755);
  };
  const run = (...words: readonly string[]) => hallpass(words, { ...at, env: { PATH: path("bin") } });
  return { ...at, root, git, program, run };
}

test("finds agents by program, by the project's and by the home directory; arms each; git sees nothing; taken back, all is as it was", async () => {
  const { home, cwd, root, git, program, run } = place();
  program("claude");
  mkdirSync(join(home, ".gemini"));
  mkdirSync(join(cwd, ".opencode"));
  const before = diskOf(root);
  const shown = await run("install", "--dry-run");
  expect(shown.out).toContain("Found here: Claude Code, Gemini CLI, opencode.");
  expect(diskOf(root)).toEqual(before);
  const unasked = await run("install");
  expect([unasked.exit === 0, diskOf(root)]).toEqual([false, before]);
  const installed = await run("install", "--yes");
  expect([installed.exit, installed.err]).toEqual([0, ""]);
  const rows = installed.out
    .slice(installed.out.lastIndexOf("AGENT"))
    .split("\n")
    .map((line) => line.split(/ {2,}/u).slice(0, 2));
  expect(rows.slice(0, 4)).toEqual([
    ["AGENT", "HOOK"],
    ["Claude Code", "armed"],
    ["Gemini CLI", "armed"],
    ["opencode", "armed"],
  ]);
  expect(git("status", "--porcelain", "--untracked-files=all")).toBe("");
  expect(readFileSync(join(cwd, ".git/info/exclude"), "utf8")).toContain("\n/.mcp.json\n");
  const again = await run("install", "--yes");
  expect(again.out).toContain("nothing to change");
  const back = await run("uninstall", "--yes");
  expect([back.exit, back.err]).toEqual([0, ""]);
  expect(diskOf(root)).toEqual(before);
  expect((await run("uninstall")).out).toContain("Hallpass is not in any agent's configuration");
});

test("where nothing is found it says which names there are", async () => {
  const { run } = place();
  const said = await run("install", "--yes");
  expect([said.exit === 0, said.err]).toEqual([
    false,
    expect.stringContaining("no agent was found on this machine or in this project; name one: hallpass install claude-code|"),
  ]);
});

test("a file that git shares is not written to: the person's own settings are, and --project says why it is not", async () => {
  const { home, cwd, root, git, run } = place();
  writeFileSync(join(cwd, ".mcp.json"), "{}\n");
  git("add", "-A");
  git("commit", "-qm", "a");
  const before = diskOf(root);
  const refused = await run("install", "claude-code", "--project", "--yes");
  expect([refused.exit, refused.err]).toEqual([2, expect.stringContaining("use --user for your own settings, or --shared")]);
  expect(diskOf(root)).toEqual(before);
  const installed = await run("install", "claude-code", "--yes");
  expect(installed.out).toMatch(/git tracks `[^`]*\.mcp\.json`, so Claude Code is set up in your own settings/u);
  expect(installed.out).toContain("armed: claude-code");
  expect(git("status", "--porcelain", "--untracked-files=all", "--ignored")).toBe("");
  expect(readFileSync(join(home, ".claude.json"), "utf8")).toContain("hallpass");
  await run("uninstall", "claude-code", "--user", "--yes");
  expect(diskOf(root)).toEqual(before);
});

test("a file that git does not share yet is not hidden from it; its backup is", async () => {
  const { cwd, git, run } = place();
  writeFileSync(join(cwd, ".mcp.json"), "{}\n");
  await run("install", "claude-code", "--yes");
  expect(git("status", "--porcelain", "--untracked-files=all")).toBe("?? .mcp.json\n");
  expect(existsSync(join(cwd, ".mcp.json.hallpass-backup"))).toBe(true);
  await run("uninstall", "claude-code", "--yes");
  expect(readFileSync(join(cwd, ".mcp.json"), "utf8")).toBe("{}\n");
});

test("--shared writes what a team can share: no path of this machine, armed where hallpass is in the PATH, and taken back whole", async () => {
  const { home, cwd, root, git, program, run } = place();
  const entry = resolve(import.meta.dirname, "../../bin/hallpass.js");
  program("hallpass", `exec '${process.execPath}' '${entry}' "$@"\n`);
  for (const host of ["claude-code", "codex", "gemini", "copilot", "cursor"]) {
    const before = diskOf(root);
    const installed = await run("install", host, "--shared", "--yes");
    expect([host, installed.exit, installed.err]).toEqual([host, 0, ""]);
    expect(installed.out).toContain(`armed: ${host}`);
    const files = git("status", "--porcelain", "--untracked-files=all")
      .trim()
      .split("\n")
      .map((line) => line.slice(3));
    expect(files.length, host).toBeGreaterThan(0);
    for (const file of files) {
      const text = readFileSync(join(cwd, file), "utf8");
      for (const own of [home, process.execPath, resolve(entry, "../..")]) expect(text, `${host} ${file}`).not.toContain(own);
      expect(text).toContain("hallpass");
    }
    expect((await run("install", host, "--shared", "--yes")).out).toContain("nothing to change");
    expect((await run("uninstall", host, "--shared", "--yes")).exit).toBe(0);
    expect(diskOf(root), host).toEqual(before);
  }
  expect((await run("install", "gemini", "--shared", "--user")).exit).toBe(2);
});

test("what is written is shown whole, however long the line is", async () => {
  const { cwd, run } = place();
  const deep = join(cwd, "x".repeat(200));
  mkdirSync(deep);
  const { out } = await hallpass(["install", "claude-code", "--dry-run"], { cwd: deep, home: join(cwd, "..") });
  expect(out).toContain("hallpass-hook claude-code");
  expect(out.split("\n").filter((line) => line.startsWith("+") && line.endsWith("…"))).toEqual([]);
  expect((await run("install", "claude-code", "--dry-run")).out).toContain("hallpass-hook claude-code");
});
