// The attack table's file rows and the whole table of escapes, through the MCP tools; and with no guard, where the same calls do the harm.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Operation } from "../../src/core/access.ts";
import { build, callOf, faults, harm, loadCorpus, remember, setting, unfit, userFor } from "../corpus.ts";
import { expected, GUARDED, shapes, soil, spellings, targets } from "../escapes.ts";
import { guards, perform } from "../naive.ts";
import { grow, nothingStaysPinned } from "../scene.ts";
import { openTableDoor, type TableDoor } from "./table-door.ts";

nothingStaysPinned();

let door: TableDoor;
beforeAll(async () => void (door = await openTableDoor("/nonexistent")));
afterAll(() => door.stop());

describe("fs rows of the attack table", () => {
  // Rows of another user need a process of theirs; they run through the other doors.
  const rows = loadCorpus().filter((row) => row.runner === "fs" && unfit(row) === null && userFor(row) === null);

  test.each(rows)("$id $title", async (row) => {
    const scene = await build(row);
    try {
      const before = remember(scene.row);
      const reply = await door.ask({ ...setting(scene.row), ...callOf(scene.row) });
      expect(faults(scene.row, reply, before)).toEqual([]);
    } finally {
      scene.remove();
    }
  });

  test("there are more than a hundred of them", () => {
    expect(rows.length).toBeGreaterThan(100);
  });
});

const rows = targets.flatMap((target) => shapes.map((shape) => ({ name: `${shape.name} to ${target.name}`, target, shape })));
const calls: readonly {
  readonly operation: Operation;
  call(path: string): { readonly tool: string; readonly input: Record<string, unknown> };
}[] = [
  { operation: "read", call: (path) => ({ tool: "read_file", input: { path } }) },
  { operation: "list", call: (path) => ({ tool: "list_dir", input: { path } }) },
  { operation: "search", call: (path) => ({ tool: "grep", input: { pattern: "OUTSIDE|SECRET", path } }) },
  { operation: "replace", call: (path) => ({ tool: "edit_file", input: { path, old: "SIDE", new: "CHANGED" } }) },
  { operation: "create", call: (path) => ({ tool: "write_file", input: { path, content: "CHANGED", create_parents: true } }) },
];

describe("the table of escapes", () => {
  test.each(rows)("$name", async ({ target, shape }) => {
    const it = grow(["ws/", "home/", ...soil, ...shape.links(target.path)]);
    const guarded = () => ({
      texts: soil.filter((line) => GUARDED.test(line)).map((line) => readFileSync(it.path(line.slice(0, line.indexOf(": "))), "utf8")),
      names: ["lib", "diary"].map((dir) => readdirSync(it.path(dir)).toSorted()),
      madeSecret: existsSync(it.path("ws/sub/.env.local")),
    });
    const before = guarded();
    const situation = { workspace: it.path("ws"), ceilings: [it.root], home: it.path("home") };
    for (const { operation, call } of calls) {
      for (const { name, spell } of spellings) {
        const { answer, text } = await door.ask({ ...situation, ...call(spell(shape.path(target.path), it.path("ws"))) });
        const said = answer.ok === true || answer.verdict === null ? "allow in-workspace" : `${answer.verdict} ${answer.code}`;
        const leaked = GUARDED.test(text.replaceAll(it.root, ""));
        expect([operation, name, said, leaked]).toEqual([operation, name, expected(target, shape, operation), false]);
      }
    }
    expect(guarded()).toEqual(before);
  });
});

describe("without the guard the same calls do the harm", () => {
  const harmful = rows.filter(({ target }) => target.missing === undefined && (target.secret === true || target.place !== "inside"));
  test.each(harmful)("$name: it is read", ({ target, shape }) => {
    const it = grow(["ws/", ...soil, ...shape.links(target.path)]);
    const answer = perform(guards.none, { workspace: it.path("ws") }, { tool: "read_file", input: { path: shape.path(target.path) } });
    expect(String(answer.output)).toMatch(GUARDED);
  });

  test("and more than fifty of the refused fs rows leak or change something", async () => {
    // Not tried: what never ends, what has no end to read, and the environment of processes that are not ours.
    const untried = /^(SPC|PRC)-/;
    const refused = loadCorpus().filter(
      (row) =>
        row.runner === "fs" &&
        ["ask", "deny"].includes(row.expect) &&
        unfit(row) === null &&
        userFor(row) === null &&
        !untried.test(row.id),
    );
    let done = 0;
    for (const row of refused) {
      const scene = await build(row);
      try {
        const before = remember(scene.row);
        const answer = perform(guards.none, { workspace: scene.row.workspace }, callOf(scene.row));
        if (harm(scene.row, JSON.stringify(answer), before).length > 0) done += 1;
      } finally {
        scene.remove();
      }
    }
    expect(done).toBeGreaterThan(50);
  });
});
