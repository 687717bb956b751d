// Whether a host's shell is led into the sandbox, by the file that leads it.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { grow } from "../../../test/scene.ts";
import { isShellLed, shellFile } from "./shell-file.ts";

test.each(["claude-code", "codex", "gemini", "copilot"] as const)("%s: where the file is gone, nothing leads its shell", (host) => {
  const at = grow(["ws/a: 1", "data/"]);
  const place = { data: at.path("data"), workspace: at.path("ws") };
  for (const of of [null, place.workspace]) {
    const file = shellFile(place.data, host, of);
    mkdirSync(dirname(file), { recursive: true });
    expect(isShellLed(host, place)).toBe(false);
    writeFileSync(file, "");
    expect(isShellLed(host, place)).toBe(true);
    rmSync(file);
    symlinkSync("/dev/null", file);
    expect(isShellLed(host, place)).toBe(false);
    rmSync(file);
  }
});

test("one that is led by its calls needs no file, and one that is not led has none", () => {
  const at = grow(["ws/a: 1"]);
  const place = { data: at.path("data"), workspace: at.path("ws") };
  expect([isShellLed("opencode", place), isShellLed("cursor", place)]).toEqual([true, false]);
});
