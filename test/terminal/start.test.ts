// How soon a chat is there. The figures are the benchmark's (bench/start.ts); here only that the way to them stands: the first picture is
// drawn from one file, with the code V8 kept of it, before the rest of the program is there.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { makePlace, program, startTerminal } from "./terminal.ts";

const at = makePlace();
afterAll(() => at.remove());
const dist = join(dirname(program), "..", "dist");

test("the code that was kept of the first picture's bundle is taken, and holds neither a developer's React nor a fetch", () => {
  const source = readFileSync(join(dist, "terminal-body.cjs"), "latin1");
  const cachedData = readFileSync(join(dist, "terminal.cache"));
  expect(new Script(`(function(exports,require,module){${source}\n})`, { cachedData }).cachedDataRejected).toBe(false);
  expect(/react-reconciler\.development|react\.development|Download the React DevTools/u.test(source)).toBe(false);
  expect(/data:application\/octet-stream;base64,\w{20}/u.test(source)).toBe(false);
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
