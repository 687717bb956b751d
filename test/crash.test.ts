// Promise of the loop: the process may die anywhere. A whole chat is killed just before each of its writes in turn, taken up by a new
// process, and must come to the same end: no ask lost, doubled or without its decision in the record, nothing that writes done twice, and what the person said while the agent
// was at work heard once.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tree } from "./tree.ts";

let built = "";

// Built beside dist/, where the migrations are found as they are from there.
beforeAll(async () => {
  const dir = mkdtempSync(resolve(import.meta.dirname, "../dist.crash-"));
  built = join(dir, "driver.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "crash-driver.ts")],
    outfile: built,
    bundle: true,
    platform: "node",
    format: "esm",
    // Loading some hundred files of packages would take most of a process's time.
    external: ["libsql"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
});
afterAll(() => rmSync(resolve(built, ".."), { recursive: true, force: true }));

interface End {
  readonly writes: number;
  readonly status: string;
  readonly last: { readonly role: string; readonly text: string };
  readonly calls: readonly (readonly [string, unknown])[];
  readonly said: readonly string[];
  readonly waiting: number;
  readonly asks: readonly string[];
  /** Asks of which no decision to ask is recorded. */
  readonly undecided: number;
  readonly granted: readonly string[];
  readonly audit: number | null;
}

function scene(which: "spoken" | "agents") {
  const at = tree(["ws/sub/", "lib/.git/", "lib/go.mod: module lib"]);
  const run = (n: number): { readonly killed: boolean; readonly end: End | null } => {
    const { signal, stdout, stderr } = spawnSync(process.execPath, [built, join(at.root, "hallpass.db"), at.root, String(n), which], {
      encoding: "utf8",
      timeout: 120_000,
    });
    if (signal === "SIGKILL") return { killed: true, end: null };
    // What keeps it from ending, if it has not ended, stands there.
    expect({ signal, stderr }).toEqual({ signal: null, stderr: "" });
    return { killed: false, end: JSON.parse(stdout) as End };
  };
  return { at, run };
}

const SAID = { spoken: ["begin", "and mind the gap", "is that all?"], agents: ["begin"] };

// A process is started twice for each of a hundred points: that takes its time.
test.each([
  ["in which the person speaks while the agent works", "spoken", 30],
  ["of an agent that starts another, which asks", "agents", 25],
] as const)("a chat %s, killed before each of its writes in turn, comes to the same end", { timeout: 600_000 }, (_name, which, least) => {
  const ended = (at: { path(name: string): string }) => ({
    status: "idle",
    // Killed in its last turn, it has heard the person before it makes that turn again.
    last: { role: "agent", text: expect.stringMatching(/^(nearly )?done$/) as string },
    said: SAID[which],
    waiting: 0,
    asks: ["answered"],
    undecided: 0,
    // An agent that another started has nothing left when its task is done.
    chats: which === "agents" ? ["idle", "archived"] : ["idle"],
    granted: which === "agents" ? [] : [at.path("lib")],
    audit: null,
  });
  const whole = scene(which);
  const { end } = whole.run(0);
  expect(end).toMatchObject(ended(whole.at));
  whole.at.remove();
  const points = end?.writes ?? 0;
  expect(points).toBeGreaterThan(least);
  for (let n = 1; n <= points; n += 1) {
    const { at, run } = scene(which);
    try {
      expect(run(n).killed, `point ${n} was not reached`).toBe(true);
      const after = run(0).end;
      const where = `killed before write ${n} of ${points}`;
      expect(after, where).toMatchObject(ended(at));
      expect(
        after?.calls.every(([, outcome]) => typeof outcome === "object"),
        where,
      ).toBe(true);
      if (which === "agents") {
        expect(after?.calls, where).toEqual([["spawn_agent", { ok: true, output: "it is module lib" }]]);
        continue;
      }
      const notes = readFileSync(join(at.root, "notes"), "utf8").trim().split("\n");
      expect(notes.toSorted(), where).toEqual([...new Set(notes)].toSorted());
    } finally {
      at.remove();
    }
  }
  console.log(`kill -9 before each of ${points} writes: the chat came to its end every time`);
});
