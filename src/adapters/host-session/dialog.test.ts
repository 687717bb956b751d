import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { isTooSoon, READABLE, timed } from "./dialog.ts";

test("a yes counts from half a second on, whichever yes it is", () => {
  for (const decision of ["allow", "allow_once", "reply"] as const) {
    expect(isTooSoon({ decision }, READABLE - 1)).toBe(true);
    expect(isTooSoon({ decision }, READABLE)).toBe(false);
  }
  expect(READABLE).toBe(500);
});

test("a no counts at once", () => {
  expect(isTooSoon({ decision: "deny" }, 0)).toBe(false);
  expect(isTooSoon({ decision: "deny_and_stop" }, 0)).toBe(false);
});

test("a time that is none is too soon", () => {
  expect(isTooSoon({ decision: "allow" }, Number.NaN)).toBe(true);
  expect(isTooSoon({ decision: "allow" }, -1)).toBe(true);
});

test("the time counts in which an answer could have been heard, and not that in which nobody listened", async () => {
  expect((await timed(() => pause(READABLE + 300))).elapsed).toBeGreaterThanOrEqual(READABLE);
  const { reply, elapsed } = await timed(async () => {
    for (const until = performance.now() + READABLE + 300; performance.now() < until;);
    // The answer has been there all the while.
    await pause(0);
    return "yes";
  });
  expect(reply).toBe("yes");
  expect(elapsed).toBeLessThan(READABLE);
});
