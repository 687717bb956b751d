// Promise of the loop: the process may die anywhere. A whole chat is killed just before each of its writes in turn, taken up by a new
// process, and must come to the same end: no ask lost or doubled, nothing that writes done twice.

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
    packages: "external",
    logLevel: "error",
  });
});
afterAll(() => rmSync(resolve(built, ".."), { recursive: true, force: true }));

interface End {
  readonly writes: number;
  readonly status: string;
  readonly last: { readonly role: string; readonly text: string };
  readonly calls: readonly (readonly [string, unknown])[];
  readonly asks: readonly string[];
  readonly granted: readonly string[];
  readonly audit: number | null;
}

function scene() {
  const at = tree(["ws/", "lib/.git/", "lib/go.mod: module lib"]);
  const run = (n: number): { readonly killed: boolean; readonly end: End | null } => {
    const { signal, stdout, stderr } = spawnSync(process.execPath, [built, join(at.root, "hallpass.db"), at.root, String(n)], {
      encoding: "utf8",
      timeout: 60_000,
    });
    if (signal === "SIGKILL") return { killed: true, end: null };
    expect(stderr).toBe("");
    return { killed: false, end: JSON.parse(stdout) as End };
  };
  return { at, run };
}

test("a chat killed before each of its writes in turn comes to the same end", { timeout: 300_000 }, () => {
  const whole = scene();
  const { end } = whole.run(0);
  expect(end).toMatchObject({
    status: "idle",
    last: { role: "agent", text: "done" },
    asks: ["answered"],
    granted: [whole.at.path("lib")],
    audit: null,
  });
  whole.at.remove();
  const points = end?.writes ?? 0;
  expect(points).toBeGreaterThan(25);
  for (let n = 1; n <= points; n += 1) {
    const { at, run } = scene();
    try {
      expect(run(n).killed, `point ${n} was not reached`).toBe(true);
      const after = run(0).end;
      const where = `killed before write ${n} of ${points}`;
      expect(after, where).toMatchObject({
        status: "idle",
        last: { role: "agent", text: "done" },
        asks: ["answered"],
        granted: [at.path("lib")],
        audit: null,
      });
      expect(
        after?.calls.every(([, outcome]) => typeof outcome === "object"),
        where,
      ).toBe(true);
      const notes = readFileSync(join(at.root, "notes"), "utf8").trim().split("\n");
      expect(notes.toSorted(), where).toEqual([...new Set(notes)].toSorted());
    } finally {
      at.remove();
    }
  }
  console.log(`kill -9 before each of ${points} writes: the chat came to its end every time`);
});
