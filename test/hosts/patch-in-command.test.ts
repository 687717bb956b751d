// Codex takes a patch out of a command's text and applies it itself: the shell would find a program that reads its input, and no path.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";
import { grow } from "../scene.ts";

const hook = resolve(import.meta.dirname, "../../dist/hook.cjs");

test.each([
  ["apply_patch <<'EOF'\n", "\nEOF"],
  ["cd . && apply_patch <<'EOF'\n", "\nEOF"],
  ["apply_patch '", "'"],
  ["applypatch <<EOF\n", "\nEOF"],
])("a patch in `%s…` is judged by the files it names", (before, after) => {
  const { path } = grow(["home/ws/a.txt: a", "home/other/b.txt: b"]);
  const call = (file: string) => {
    const command = `${before}*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch${after}`;
    const payload = { ...hookHosts.codex.sample({ path: "", cwd: path("home/ws") }), tool_input: { command } };
    const { status, stdout, stderr } = spawnSync(process.execPath, [hook, "codex"], {
      cwd: path("home/ws"),
      env: { HOME: path("home"), PATH: process.env["PATH"] ?? "" },
      input: JSON.stringify(payload),
      encoding: "utf8",
    });
    return hookHosts.codex.blocks({ exit: status, stdout, stderr });
  };
  expect(call(path("home/other/b.txt"))).toBe(true);
  expect(call("../other/b.txt")).toBe(true);
  expect(call(path("home/ws/.git/hooks/pre-commit"))).toBe(true);
  expect(call("a.txt")).toBe(false);
  expect(existsSync(path("home/other/b.txt"))).toBe(true);
});

test("a patch that comes from elsewhere cannot be told, and is refused", () => {
  const { path } = grow(["home/ws/p.patch: x"]);
  const payload = { ...hookHosts.codex.sample({ path: "", cwd: path("home/ws") }), tool_input: { command: "cat p.patch | apply_patch" } };
  const ended = spawnSync(process.execPath, [hook, "codex"], {
    cwd: path("home/ws"),
    env: { HOME: path("home"), PATH: process.env["PATH"] ?? "" },
    input: JSON.stringify(payload),
    encoding: "utf8",
  });
  expect(hookHosts.codex.blocks({ exit: ended.status, stdout: ended.stdout, stderr: ended.stderr })).toBe(true);
});
