// Who waits for whom.

import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

/** Has it settled by now? */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setTimeout(resolve, 5, false))]);
}

test.each([
  ["the same directory", ["/a"], ["/a"], true],
  ["one inside the other", ["/a"], ["/a/b"], true],
  ["the other way round", ["/a/b"], ["/x", "/a"], true],
  ["different directories", ["/a"], ["/b", "/ab"], false],
])("%s", async (_what, first, second, waits) => {
  const turns = new Turns();
  const leave = await turns.take(first);
  const next = turns.take(second);
  expect(await settled(next)).toBe(!waits);
  leave?.();
  expect(await settled(next)).toBe(true);
});

test("in the order they came, and one that gives up lets the next go on", async () => {
  const turns = new Turns();
  const leave = await turns.take(["/a"]);
  const off = new AbortController();
  const second = turns.take(["/a"], off.signal);
  const third = turns.take(["/a"]);
  off.abort();
  expect(await second).toBeNull();
  expect(await settled(third)).toBe(false);
  leave?.();
  expect(await settled(third)).toBe(true);
});
