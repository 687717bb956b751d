import { expect, test } from "vitest";
import { steadyClock } from "./clock.ts";

test("a clock that is set back goes on from where it was by the time that has passed, and one that is set forward is followed", () => {
  let [wall, passed] = [1_000_000, 0];
  const clock = steadyClock(
    () => wall,
    () => passed,
  );
  const after = (milliseconds: number, step = 0): number => {
    [wall, passed] = [wall + milliseconds + step, passed + milliseconds];
    return clock();
  };
  expect(clock()).toBe(1_000_000);
  expect(after(10)).toBe(1_000_010);
  // Set back two hours: the next minute is a minute all the same.
  expect(after(0, -7_200_000)).toBe(1_000_010);
  expect(after(60_000)).toBe(1_060_010);
  // Set right again.
  expect(after(0.5, 7_200_000)).toBe(1_060_010);
  expect(after(0, 86_400_000)).toBe(87_460_010);
});
