// How soon a chat is there. The figures are the benchmark's (bench/start.ts); here only that the way to them stands: the first picture is
// drawn before the rest of the program is there.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makePlace, program, startTerminal } from "./terminal.ts";

const at = makePlace();
afterAll(() => at.remove());
const dist = join(dirname(program), "..", "dist");

test("the first picture needs no developer's React and little of the program", () => {
  const files = new Set<string>();
  const follow = (name: string): void => {
    if (files.has(name)) return;
    files.add(name);
    for (const [, next] of readFileSync(join(dist, name), "utf8").matchAll(/^(?:import|export)(?:[^"]* from)? ?"\.\/([^"]+)"/gmu))
      if (next !== undefined) follow(next);
  };
  follow("terminal.js");
  const text = [...files].map((name) => readFileSync(join(dist, name), "utf8")).join("\n");
  expect(files.size).toBeGreaterThan(1);
  expect(/react-reconciler\.development|react\.development|Download the React DevTools/u.test(text)).toBe(false);
  expect(/\/\/ src\/(?:server|store|sandbox)\//u.test(text)).toBe(false);
});

test("what is typed before the chat is open is not lost, and is said once it is", async () => {
  const terminal = startTerminal(["chat"], { cwd: at.workspace, home: at.home });
  try {
    await terminal.sees("starting…");
    terminal.type("list .");
    terminal.type("\r");
    await terminal.sees("this process");
    await terminal.sees(/✓ (?:list|find|read)\w* /u);
  } finally {
    await terminal.close();
  }
});
