import { expect, test } from "vitest";
import { plotOf } from "./plot.ts";

test("a flat cost is a flat line, a proportional one climbs with the grid, and every number is one", () => {
  const svg = plotOf("t", "records", "ms", [
    {
      name: "flat",
      points: [
        [1000, 2],
        [10_000, 2],
        [100_000, 2],
      ],
    },
    {
      name: "grows",
      points: [
        [1000, 1],
        [10_000, 10],
        [100_000, 100],
      ],
    },
  ]);
  const [flat = "", grows = ""] = [...svg.matchAll(/polyline points="([^"]+)"/g)].map(([, points]) => points ?? "");
  const heights = (points: string): number[] => points.split(" ").map((one) => Number(one.split(",")[1]));
  expect(new Set(heights(flat)).size).toBe(1);
  const [first = 0, second = 0, third = 0] = heights(grows);
  expect(second - first).toBeCloseTo(third - second);
  expect(second).toBeLessThan(first);
  expect(svg).not.toContain("NaN");
});
