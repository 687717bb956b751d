// Before each file of tests: `toMatchObject` tries a pattern on the text in its place. By itself it compares the properties of the two, and a
// pattern has none of its own to compare, so that every text would pass.

import { expect } from "vitest";

const matchPattern = (actual: unknown, expected: unknown): boolean | undefined =>
  expected instanceof RegExp && !(actual instanceof RegExp) ? typeof actual === "string" && expected.test(actual) : undefined;

// Files that share a process share what `expect` knows, and it keeps whatever it is given again.
const shared: typeof globalThis & { triesPatterns?: true } = globalThis;
if (shared.triesPatterns !== true) expect.addEqualityTesters([matchPattern]);
shared.triesPatterns = true;
