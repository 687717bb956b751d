// A property that fails says its seed before the test's time is over, however long the search for a smaller example would take.

import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_LIMIT } from "./support/properties.ts";

/** Fails on everything, and takes a moment for it. */
const failing = fc.property(fc.array(fc.nat(), { minLength: 50, maxLength: 100 }), () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  return false;
});

test("every property has a limit below the test's own", ({ task }) => {
  expect(fc.readConfigureGlobal()).toMatchObject({ interruptAfterTimeLimit: PROPERTY_LIMIT, markInterruptAsFailure: true });
  expect(PROPERTY_LIMIT).toBeLessThan(task.timeout);
});

test("one that fails says its seed when the time is over, not when nothing smaller is left", () => {
  expect(() => fc.assert(failing, { interruptAfterTimeLimit: 100, endOnFailure: false })).toThrow(/seed: -?\d+/u);
});

test("one that is not through when the time is over has failed, and says its seed too", () => {
  const slow = fc.property(fc.integer(), () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20));
  expect(() => fc.assert(slow, { interruptAfterTimeLimit: 100 })).toThrow(/seed: -?\d+/u);
});
