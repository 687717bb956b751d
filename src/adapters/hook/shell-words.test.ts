// What the wrapper of a host's shell is told and says: whole, or nothing.

import { expect, test } from "vitest";
import { shellCallIn, shellReplyIn, shellReportIn, shellReportText } from "./shell-words.ts";

const told = { host: "opencode", workspace: "/w", session: "s", agent: null, call: "c", grants: [] };

test("whose command it is must be told in whole words, and what is not told is null", () => {
  const call = { host: "opencode", workspace: "/w", sessionId: "s", agentId: null, call: "c", grants: [], env: {} };
  expect(shellCallIn(told)).toEqual(call);
  const bare = { workspace: null, sessionId: null, agentId: null, call: null, grants: [] };
  expect(shellCallIn({ host: "codex", env: { HOME: "/h" } })).toEqual({ host: "codex", ...bare, env: { HOME: "/h" } });
  for (const wrong of [null, {}, { ...told, host: "nobody" }, { ...told, workspace: "w" }, { ...told, call: "" }, { ...told, grants: [1] }])
    expect(shellCallIn(wrong)).toBeNull();
});

test("a report is read as it was written, and no host's payload is one", () => {
  const report = { sessionId: "s", agentId: "a", call: "c", command: "ls", isConfined: true };
  expect(shellReportIn(JSON.parse(shellReportText(report)) as Record<string, unknown>)).toEqual(report);
  const payload = { event: "tool.execute.before", tool: "bash", args: { hallpass: "shell", confined: true }, session: "s", call: "c" };
  expect(shellReportIn(payload)).toBeNull();
  expect(shellReportIn({ ...payload, hallpass: "shell" })).toMatchObject({ isConfined: false });
});

test("only a plain yes of the daemon lets a command run unconfined", () => {
  const reply = { hostSession: "s", workspace: "/w", isFitByText: true };
  expect(shellReplyIn(reply)).toEqual(reply);
  expect(shellReplyIn({ ...reply, hostSession: null })).toEqual({ ...reply, hostSession: null });
  expect(shellReplyIn({ ...reply, isFitByText: "true" })).toBeNull();
  expect(shellReplyIn({})).toBeNull();
  expect(shellReplyIn(null)).toBeNull();
});
