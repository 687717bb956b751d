// What a write would make of the files that are there, before it is written: against the files, and no more than the session may read.

import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import type { PlannedWrite } from "../core/access.ts";
import { createGuard } from "../core/guard/guard.ts";
import { callId } from "../core/names.ts";
import { type ShownChange, changesOf } from "./change.ts";
import { defaultLimits } from "./limits.ts";
import { tools } from "./registry.ts";

nothingStaysPinned();

const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  const looking = { guard: createGuard(), session: it.session, call: callId("c"), limits: defaultLimits };
  const changes = async (tool: string, input: unknown): Promise<readonly ShownChange[]> =>
    changesOf(tool, tools[tool]?.plans(input) ?? [], looking);
  return { it, changes };
};
const signed = (change: ShownChange | undefined): readonly string[] =>
  (change?.diff ?? "").split("\n").filter((line) => /^[-+](?![-+])/u.test(line));

describe("write_file", () => {
  test("a new file is created; one that is there is overwritten, with what goes", async () => {
    const { it, changes } = open(["ws/m.ts: one\ntwo\nthree\n"]);
    const [created] = await changes("write_file", { path: "new.ts", content: "new\n" });
    expect([created?.does, signed(created)]).toEqual(["creates", ["+new"]]);
    const [over] = await changes("write_file", { path: "m.ts", content: "new\n" });
    expect([over?.does, over?.unshown, signed(over)]).toEqual(["overwrites", null, ["-one", "-two", "-three", "+new"]]);
    expect(readFileSync(it.path("ws/m.ts"), "utf8")).toBe("one\ntwo\nthree\n");
  });

  test("what is not text, or too large, is said to be", async () => {
    const { it, changes } = open(["ws/picture: x", "ws/large: x"]);
    writeFileSync(it.path("ws/picture"), Buffer.from([1, 0, 2]));
    writeFileSync(it.path("ws/large"), "line\n".repeat(200_000));
    expect(await changes("write_file", { path: "picture", content: "x" })).toMatchObject([
      { does: "overwrites", unshown: "not-text", diff: null },
    ]);
    expect(await changes("write_file", { path: "large", content: "x" })).toMatchObject([
      { does: "overwrites", unshown: "too-large", diff: null },
    ]);
  });

  test("of a file that the session may not read nothing is told, there or not", async () => {
    const { changes } = open(["ws/a: A", "out/known: SECRET-TEXT", "ws/.env: KEY=1"]);
    const told = async (path: string) => (await changes("write_file", { path, content: "new" })).map(({ path: _path, ...rest }) => rest);
    const nothing = [{ does: "unknown", unshown: "not-readable", diff: null, undo: null }];
    expect(await told("../out/known")).toEqual(nothing);
    expect(await told("../out/unknown")).toEqual(nothing);
    expect(await told(".env")).toEqual(nothing);
    expect(await told(".env.local")).toEqual(nothing);
    // Nor where the policy shuts it for reading and would ask about writing.
    const shut = open(["ws/shut/a: TEXT"], { policy: { read: { "shut/**": "deny" }, write: { "shut/**": "ask" } } });
    expect(await shut.changes("write_file", { path: "shut/a", content: "x" })).toMatchObject(nothing);
  });
});

describe("edit_file", () => {
  test("every place that changes is shown, where it stands", async () => {
    const { changes } = open(["ws/m.ts: a1\nb\nc1\nd\ne1\n"]);
    const [all] = await changes("edit_file", { path: "m.ts", old: "1", new: "2", all: true });
    expect([all?.does, signed(all)]).toEqual(["changes", ["-a1", "+a2", "-c1", "+c2", "-e1", "+e2"]]);
    expect(all?.diff).toContain("@@ -1,5 +1,5 @@");
    expect(all?.diff).not.toContain("No newline");
    const [one] = await changes("edit_file", { path: "m.ts", old: "b\n", new: "B\n" });
    expect(signed(one)).toEqual(["-b", "+B"]);
  });

  test("what does not fit is said not to", async () => {
    const { changes } = open(["ws/m.ts: 1\n1\n"]);
    for (const input of [
      { path: "m.ts", old: "1", new: "2" },
      { path: "m.ts", old: "never", new: "2" },
      { path: "none", old: "1", new: "2" },
    ])
      expect(await changes("edit_file", input)).toMatchObject([{ does: "changes", unshown: "does-not-fit", diff: null }]);
  });
});

test("apply_patch: each file for itself, with the lines of the file", async () => {
  const { changes } = open(["ws/a: one\ntwo\n"]);
  const patch =
    "--- a/a\n+++ b/a\n@@ -2,1 +2,1 @@\n-two\n+TWO\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+new\n--- a/gone\n+++ b/gone\n@@ -1,1 +1,1 @@\n-x\n+y\n";
  const made = await changes("apply_patch", { patch });
  expect(made.map(({ path, does, unshown }) => [path, does, unshown])).toEqual([
    ["a", "changes", null],
    ["n", "creates", null],
    ["gone", "changes", "does-not-fit"],
  ]);
  expect(made[0]?.diff).toContain(" one\n-two\n+TWO");
});

test("what is malformed, or writes no files, changes nothing; two long texts do not take long", async () => {
  const { it, changes } = open(["ws/a: A"]);
  for (const input of [null, {}, { path: 1, content: 2 }, "text"])
    for (const tool of ["write_file", "edit_file", "apply_patch", "read_file"]) expect(await changes(tool, input)).toEqual([]);
  const old = Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join("\n");
  writeFileSync(it.path("ws/a"), old);
  const since = process.cpuUsage();
  expect(await changes("write_file", { path: "a", content: old.split("").toReversed().join("") })).toMatchObject([
    { unshown: "too-large" },
  ]);
  expect(process.cpuUsage(since).user).toBeLessThan(5_000_000);
});

describe("writes of other programs", () => {
  const looked = async (spec: readonly string[], ...planned: readonly PlannedWrite[]) => {
    const it = scene(spec);
    return changesOf("Edit", planned, { guard: createGuard(), session: it.session, call: callId("c"), limits: defaultLimits });
  };
  const loose = { path: "m", loose: true } as const;
  const edit = (old: string, now: string) => ({ old, new: now, all: false });

  test("pieces are exchanged one after the other; an empty piece makes the file", async () => {
    const [both] = await looked(["ws/m: a\nb\n"], { what: "edits", ...loose, edits: [edit("a", "b1"), edit("b1\n", "c\n")] });
    expect([both?.does, signed(both)]).toEqual(["changes", ["-a", "+c"]]);
    const [made] = await looked(["ws/x: x"], { what: "edits", ...loose, edits: [edit("", "new\n")] });
    expect([made?.does, signed(made)]).toEqual(["creates", ["+new"]]);
  });

  test("sections are put where their lines stand, after the line they name", async () => {
    const sections = [{ after: ["two:"], old: ["  x"], new: ["  y"] }];
    const [change] = await looked(["ws/m: one:\n  x\ntwo:\n  x\n"], { what: "sections", ...loose, sections });
    expect(change?.diff).toContain(" two:\n-  x\n+  y");
  });

  test("what does not fit here may still be done there, and is not said to fail", async () => {
    const edits = [edit("never", "x")];
    const sections = [{ after: [], old: ["never"], new: [] }];
    expect(await looked(["ws/m: m"], { what: "edits", ...loose, edits }, { what: "sections", ...loose, sections })).toMatchObject([
      { unshown: "not-told" },
      { unshown: "not-told" },
    ]);
  });

  test("what is removed is shown whole", async () => {
    const [gone] = await looked(["ws/m: a\nb\n"], { what: "removal", path: "m" });
    expect([gone?.does, signed(gone)]).toEqual(["removes", ["-a", "-b"]]);
  });

  test("no more is told than the session may read", async () => {
    const [hidden] = await looked(["ws/.env: SECRET\n"], { what: "whole", path: ".env", content: "x" });
    expect(hidden).toEqual({ path: ".env", does: "unknown", unshown: "not-readable", diff: null, undo: null });
  });
});
