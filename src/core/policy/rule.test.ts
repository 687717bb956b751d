// The order of verdicts, and what holds when nobody said anything.

import { expect, test } from "vitest";
import { emptyPolicy, stricter } from "./rule.ts";

test.each([
  ["allow", "allow", "allow"],
  ["allow", "ask", "ask"],
  ["allow", "deny", "deny"],
  ["ask", "ask", "ask"],
  ["ask", "deny", "deny"],
  ["deny", "deny", "deny"],
] as const)("of %s and %s, %s is the stricter", (one, other, strictest) => {
  expect([stricter(one, other), stricter(other, one)]).toEqual([strictest, strictest]);
});

test("nothing said by anyone is the balanced default", () => {
  expect(emptyPolicy).toEqual({
    layers: [],
    secrets: { except: [], add: [] },
    protect: { except: [], add: [] },
    gitignored: "allow",
    hardlinks: "allow",
    ceilings: null,
    projects: [],
    asks: { by: null, offer: "session" },
    commands: { network: null, rule: null, source: null },
    sessions: { idleHours: 24 },
    hooks: { withoutDaemon: "spool" },
  });
});
