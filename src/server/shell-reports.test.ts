// Which sessions are verified: only those in which every command that was let go has reported from the sandbox.

import { expect, test } from "vitest";
import { sessionId } from "../core/names.ts";
import { createShellReports } from "./shell-reports.ts";

const session = sessionId("s1");

test("a session is verified by a report, and only while none of its commands is silent", () => {
  const shells = createShellReports();
  expect(shells.state(session)).toBeNull();
  expect(shells.begin(session, "a")).toBe(false);
  expect(shells.state(session)).toBe("unverified");
  expect(shells.report(session, "a", true)).toBe(true);
  expect(shells.state(session)).toBe("verified");
  // Two at once: the second is not let go on the word of the first.
  expect([shells.begin(session, "b"), shells.begin(session, "c")]).toEqual([true, false]);
  shells.report(session, "c", true);
  expect(shells.state(session)).toBe("unverified");
  shells.report(session, "b", true);
  expect(shells.state(session)).toBe("verified");
  expect(shells.state(sessionId("s2"))).toBeNull();
});

test("a command that was refused is not waited for", () => {
  const shells = createShellReports();
  shells.begin(session, "a");
  shells.drop(session, "a");
  expect(shells.state(session)).toBeNull();
});

test("what was let go because it would be confined, or is not known, may not run unconfined", () => {
  const shells = createShellReports();
  expect(shells.report(session, "unknown", false)).toBe(false);
  expect(shells.state(session)).toBe("unverified");
  expect(shells.begin(session, "by its text")).toBe(false);
  expect(shells.report(session, "by its text", true)).toBe(true);
  expect(shells.begin(session, "unread")).toBe(true);
  expect(shells.report(session, "unread", false)).toBe(false);
  expect(shells.begin(session, "after it")).toBe(false);
});

test("a session with more silent commands than are kept stays unverified until it ends", () => {
  const shells = createShellReports();
  const calls = Array.from({ length: 300 }, (_, number) => `call ${number}`);
  for (const call of calls) shells.begin(session, call);
  for (const call of calls) shells.report(session, call, true);
  expect(shells.state(session)).toBe("unverified");
  shells.forget(session);
  expect(shells.state(session)).toBeNull();
});
