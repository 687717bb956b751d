// Half a second of quiet: when it begins, begins again, and ends.

import { expect, test } from "vitest";
import { createQuiet, QUIET } from "./quiet.ts";

function clockwork() {
  let now = 1000;
  let due: { readonly at: number; readonly work: () => void }[] = [];
  return {
    ports: { now: () => now, setTimeout: (work: () => void, milliseconds: number) => due.push({ at: now + milliseconds, work }) },
    pass(milliseconds: number) {
      now += milliseconds;
      const ripe = due.filter(({ at }) => at <= now);
      due = due.filter(({ at }) => at > now);
      for (const { work } of ripe) work();
    },
  };
}

test("it is inert at first, armed after half a second, and inert again after each disturbance", () => {
  const { ports, pass } = clockwork();
  const quiet = createQuiet(ports);
  const told: boolean[] = [];
  quiet.listen(() => told.push(quiet.isArmed()));
  expect(quiet.isArmed()).toBe(false);
  pass(QUIET - 1);
  expect(quiet.isArmed()).toBe(false);
  pass(1);
  expect([quiet.isArmed(), told]).toEqual([true, [true]]);
  quiet.disturb();
  expect(quiet.isArmed()).toBe(false);
  pass(QUIET - 100);
  quiet.disturb();
  pass(200);
  expect(quiet.isArmed()).toBe(false);
  pass(QUIET);
  expect(quiet.isArmed()).toBe(true);
  expect(told.at(-1)).toBe(true);
});

test("who no longer listens is not told", () => {
  const { ports, pass } = clockwork();
  const quiet = createQuiet(ports);
  let told = 0;
  quiet.listen(() => (told += 1))();
  pass(QUIET);
  expect(told).toBe(0);
});
