// Which sessions are verified: only those in which every command that was let go has reported from the sandbox.

import { expect, test } from "vitest";
import { sessionId } from "../core/names.ts";
import { createShellReports } from "./shell-reports.ts";

const session = sessionId("s1");
const noted = { host: "codex", sessionId: "h1", command: "ls", hostSession: "h1", workspace: "/w", mustBeFit: false };

test("a session is verified by a report, and only while none of its commands is silent", () => {
  const shells = createShellReports();
  expect(shells.state(session)).toBeNull();
  expect(shells.begin(session, "a", noted)).toBe(false);
  expect(shells.state(session)).toBe("unverified");
  expect(shells.report(session, "a", true, "ls")).toBe(true);
  expect(shells.state(session)).toBe("verified");
  // Two at once: the second is not let go on the word of the first.
  expect([shells.begin(session, "b", noted), shells.begin(session, "c", noted)]).toEqual([true, false]);
  shells.report(session, "c", true, "ls");
  expect(shells.state(session)).toBe("unverified");
  shells.report(session, "b", true, "ls");
  expect(shells.state(session)).toBe("verified");
  expect(shells.state(sessionId("s2"))).toBeNull();
});

test("of the same words each command is one shell's; what a shell has and never reports leaves the session unverified", () => {
  const shells = createShellReports();
  const sought = { host: "codex", sessionId: "h1", command: "ls", workspace: "/w" };
  shells.begin(session, "a", noted);
  shells.begin(session, "b", noted);
  const release = shells.claim(session, "a");
  expect(shells.find(sought)?.call).toBe("b");
  shells.report(session, "b", true, "ls");
  expect([shells.find(sought), shells.state(session)]).toEqual([null, "unverified"]);
  // It is turned away, and reports by another way.
  release();
  expect(shells.find(sought)?.call).toBe("a");
  shells.report(session, "a", true, "ls");
  expect(shells.state(session)).toBe("verified");
  // Nothing is known of it: nothing is held.
  shells.claim(sessionId("s2"), "x")();
  expect(shells.state(sessionId("s2"))).toBeNull();
});

test("a command that was refused is not waited for", () => {
  const shells = createShellReports();
  shells.begin(session, "a", noted);
  shells.drop(session, "a");
  expect(shells.state(session)).toBeNull();
});

test("what was let go because it would be confined, or is not known, may not run unconfined", () => {
  const shells = createShellReports();
  expect(shells.report(session, "unknown", false, "ls")).toBe(false);
  expect(shells.state(session)).toBe("unverified");
  expect(shells.begin(session, "by its text", noted)).toBe(false);
  expect(shells.report(session, "by its text", true, "ls")).toBe(true);
  // Other words than those that were found fit.
  expect(shells.begin(sessionId("s2"), "changed", noted)).toBe(false);
  expect(shells.report(sessionId("s2"), "changed", false, "ls; cat x")).toBe(false);
  expect(shells.begin(session, "unread", noted)).toBe(true);
  expect(shells.report(session, "unread", false, "ls")).toBe(false);
  expect(shells.begin(session, "after it", noted)).toBe(false);
});

test("a session with more silent commands than are kept stays unverified until it ends", () => {
  const shells = createShellReports();
  const calls = Array.from({ length: 300 }, (_, number) => `call ${number}`);
  for (const call of calls) shells.begin(session, call, noted);
  for (const call of calls) shells.report(session, call, true, "ls");
  expect(shells.state(session)).toBe("unverified");
  shells.forget(session);
  expect(shells.state(session)).toBeNull();
});

test("a command is found by its words in the host's session, or in the workspace where the host tells no session", () => {
  const shells = createShellReports();
  shells.begin(session, "a", noted);
  const sought = { host: "codex", sessionId: "h1", command: "ls", workspace: "/elsewhere" };
  expect(shells.find(sought)).toMatchObject({ session, call: "a", isAlone: true });
  expect(shells.find({ ...sought, command: "ls -a" })).toBeNull();
  expect(shells.find({ ...sought, host: "gemini" })).toBeNull();
  expect(shells.find({ ...sought, sessionId: "h2" })).toBeNull();
  expect(shells.find({ ...sought, sessionId: null })).toBeNull();
  expect(shells.find({ ...sought, sessionId: null, workspace: "/w" })).toMatchObject({ call: "a" });
  shells.report(session, "a", true, "ls");
  expect(shells.find(sought)).toBeNull();
});

test("of two agents with the same words it is not known whose command runs", () => {
  const shells = createShellReports();
  shells.begin(session, "a", noted);
  shells.begin(sessionId("s2"), "b", { ...noted, hostSession: "h1/agent" });
  expect(shells.find({ ...noted, sessionId: "h1" })).toMatchObject({ call: "a", isAlone: false });
});

test("where the model may choose its shell a verified session does not let go what was not understood", () => {
  const shells = createShellReports();
  const choosing = { ...noted, mustBeFit: true };
  shells.begin(session, "a", choosing);
  shells.report(session, "a", true, "ls");
  expect(shells.state(session)).toBe("verified");
  expect(shells.begin(session, "b", choosing)).toBe(false);
  expect(shells.report(session, "b", false, "ls")).toBe(true);
});
