// The gate: when a goal fails, when it may not be judged, and that its line reads back.
import { describe, expect, test } from "vitest";
import type { Measured, Sample } from "./paired.ts";
import { drawGoals } from "./picture.ts";
import { duration, figure, formatGoal, formatTable, judge, parseGoal } from "./report.ts";
import type { Goal } from "./report.ts";

const GOAL: Goal = {
  name: "read 4 KB of readFileSync",
  limit: 2,
  variant: "ours",
  against: "theirs",
};

/** Rounds in which theirs takes 100 and ours these times. */
function measured(ours: readonly number[], state: Measured["state"] = "steady"): Measured {
  const samples = (walls: readonly number[]): readonly Sample[] => walls.map((wall) => ({ wall, cpu: wall }));
  const theirs = ours.map(() => 100);
  return {
    state,
    anchor: "theirs",
    attempts: 1,
    twin: { name: "theirs (again)", ratio: { median: 1, low: 1, high: 1, minima: 1 } },
    samples: new Map([
      ["ours", samples(ours)],
      ["theirs", samples(theirs)],
      ["theirs (again)", samples(theirs)],
    ]),
  };
}

describe("a goal", () => {
  test("holds up to seven percent over its limit", () => {
    expect(judge(GOAL, measured([214, 214, 214]), "quiet").outcome).toBe("ok");
    expect(judge(GOAL, measured([215, 215, 215]), "quiet").outcome).toBe("fail");
  });

  test("is judged by the median: the best of its rounds excuse nothing", () => {
    expect(judge(GOAL, measured([200, 300, 300]), "quiet").outcome).toBe("fail");
    expect(judge(GOAL, measured([200, 200, 300]), "quiet").outcome).toBe("ok");
  });

  test("of 0.90 does not let 0.99 pass", () => {
    expect(judge({ ...GOAL, limit: 0.9 }, measured([81, 99, 99]), "quiet")).toMatchObject({ measured: 0.99, outcome: "fail" });
  });

  test("without another variant is a limit on the median, in milliseconds", () => {
    const { against: _, ...goal } = GOAL;
    expect(judge(goal, measured([1e6, 2e6, 9e6]), "quiet")).toMatchObject({ measured: 2, outcome: "ok" });
    expect(judge(goal, measured([1e6, 3e6, 3e6]), "quiet")).toMatchObject({ measured: 3, outcome: "fail" });
  });

  test("is not judged on a noisy machine, nor by a void run", () => {
    expect(judge(GOAL, measured([900]), "noisy").outcome).toBe("noisy");
    expect(judge(GOAL, measured([900], "noisy"), "quiet").outcome).toBe("noisy");
  });

  test("is one line, which reads back as what it says", () => {
    const judged = judge(GOAL, measured([150, 150, 150]), "quiet");
    const line = "goal read 4 KB of readFileSync ≤ 2.00 measured 1.50 ok";
    expect(formatGoal(judged)).toBe(line);
    expect(parseGoal(line)).toEqual(judged);
    expect(parseGoal("  readFileSync (again)  1.00")).toBeUndefined();
  });
});

describe("the table and the picture", () => {
  test("a section has its heading, its rows and the A/A row, in aligned columns", () => {
    const section = {
      title: "4 KB",
      measured: measured([150, 150, 150]),
      rows: ["ours", "theirs"],
    };
    expect(formatTable([section]).split("\n")).toEqual([
      "                  per operation  ratio  (quartiles)  of minima     CPU",
      "4 KB",
      "  ours                   150 ns   1.50  (1.50–1.50)       1.50  150 ns",
      "  theirs                 100 ns   1.00  (1.00–1.00)       1.00  100 ns",
      "  theirs (again)         100 ns   1.00  (1.00–1.00)       1.00  100 ns  A/A",
    ]);
  });

  test("a bar is as long as what was measured, with the goal's mark in one column", () => {
    const picture = drawGoals([
      { name: "half", limit: 2, measured: 1, outcome: "ok" },
      { name: "far over", limit: 0.1, measured: 5, outcome: "fail" },
    ]);
    expect(picture.split("\n").slice(1)).toEqual([
      `half      ${"=".repeat(15)}${" ".repeat(15)}|${" ".repeat(9)}    1.00 of 2.00  ok`,
      `far over  ${"=".repeat(30)}|${"=".repeat(8)}>    5.00 of 0.10  fail`,
    ]);
  });

  test("figures keep the digits that say something", () => {
    expect([21711, 47.54, 2.414, 0.0672, 0.0031].map(figure)).toEqual(["21711", "47.54", "2.41", "0.067", "0.00310"]);
    expect([540, 12_490, 1_160_000, 2_000_000_000].map(duration)).toEqual(["540 ns", "12.49 µs", "1.16 ms", "2.00 s"]);
  });
});
