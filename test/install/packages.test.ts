// The folders that hosts take as they are: a plugin for Claude Code and an extension for Gemini CLI. Armed where the program is installed,
// and blocking where it is not.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { fireCanary } from "../../src/adapters/hook/canary.ts";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";
import { grow } from "../scene.ts";

const root = resolve(import.meta.dirname, "../..");
const packages = [
  {
    host: "claude-code",
    folder: "packages/claude-code-plugin",
    event: "PreToolUse",
    variable: "${CLAUDE_PLUGIN_ROOT}",
    manifest: ".claude-plugin/plugin.json",
  },
  {
    host: "gemini",
    folder: "packages/gemini-extension",
    event: "BeforeTool",
    variable: "${extensionPath}",
    manifest: "gemini-extension.json",
  },
] as const;

const SYSTEM = "/usr/bin:/bin";

function scene() {
  const { path } = grow(["home/ws/", "bin/"]);
  return {
    path,
    cwd: path("home/ws"),
    env: { HOME: path("home"), CLAUDE_PROJECT_DIR: path("home/ws"), GEMINI_PROJECT_DIR: path("home/ws") },
  };
}

describe.each(packages)("$folder", ({ host, folder, event, variable, manifest }) => {
  const hooks = JSON.parse(readFileSync(join(root, folder, "hooks/hooks.json"), "utf8")) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>;
  };
  const line = (hooks.hooks[event]?.[0]?.hooks[0]?.command ?? "").replaceAll(variable, join(root, folder));

  test("carries the version of the program", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(JSON.parse(readFileSync(join(root, folder, manifest), "utf8"))).toMatchObject({ name: "hallpass", version });
  });

  test("is armed where the program is installed", async () => {
    const { path, cwd, env } = scene();
    symlinkSync(join(root, "bin/hallpass.cjs"), path("bin/hallpass"));
    expect(await fireCanary(hookHosts[host], [line], { cwd, env: { ...env, PATH: `${path("bin")}:${SYSTEM}` } })).toMatchObject({
      armed: true,
    });
  });

  test("blocks where it is not installed, and does not take one that a project brings", () => {
    const { path, cwd, env } = scene();
    mkdirSync(path("home/ws/bin"));
    writeFileSync(path("home/ws/bin/hallpass"), "#!/bin/sh\nexit 0\n");
    chmodSync(path("home/ws/bin/hallpass"), 0o755);
    const PATH = `${path("home/ws/bin")}:./bin:${SYSTEM}`;
    const ended = spawnSync("sh", ["-c", line], { cwd, env: { ...env, PATH }, input: "{}", encoding: "utf8" });
    expect(ended.status).toBe(2);
    expect(ended.stderr).toContain("not installed");
    // Looked for in PATH as usual, the project's own would have said yes to everything.
    expect(spawnSync("sh", ["-c", "hallpass hook"], { cwd, env: { ...env, PATH }, input: "{}" }).status).toBe(0);
  });
});
