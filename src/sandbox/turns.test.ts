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
  const turn = await turns.take(first, "one");
  const next = turns.take(second, "two");
  expect(await settled(next)).toBe(!waits);
  turn?.leave();
  expect(await settled(next)).toBe(true);
});

test("in the order they came, and one that gives up lets the next go on", async () => {
  const turns = new Turns();
  const turn = await turns.take(["/a"], "one");
  const off = new AbortController();
  const second = turns.take(["/a"], "two", off.signal);
  const third = turns.take(["/a"], "three");
  off.abort();
  expect(await second).toBeNull();
  expect(await settled(third)).toBe(false);
  turn?.leave();
  expect(await settled(third)).toBe(true);
});

test("one that waits for a person lets others go on, but for those of its room, until it goes on itself", async () => {
  const turns = new Turns();
  const turn = await turns.take(["/a"], "one");
  const [other, own] = [turns.take(["/a"], "two"), turns.take(["/a"], "one")];
  const [goOn, goOnToo] = [turn?.rest(), turn?.rest()];
  goOn?.();
  expect([await settled(other), await settled(own)]).toEqual([true, false]);
  (await other)?.leave();
  goOnToo?.();
  const later = turns.take(["/a"], "three");
  expect(await settled(later)).toBe(false);
  turn?.leave();
  (await own)?.leave();
  expect(await settled(later)).toBe(true);
});
