import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { askOf } from "../../test/ask-sample.ts";
import { desktopNotices, noticeWords } from "./desktop-notices.ts";

const sampleAsk = askOf({});

test("a notice says who waits for what, and nothing an agent wrote", () => {
  const hostile = { ...sampleAsk, requested: ["/evil <b>words</b>"], path: "/evil", words: "evil", question: "evil", tool: "evil" };
  const asker = { ...sampleAsk.asker, host: "claude-code", label: "evil" };
  const about = { what: "agent", task: "evil", survey: null, wasReadOnly: false } as const;
  const said = [
    noticeWords({ ...hostile, asker }),
    noticeWords({ ...hostile, asker, proposal: null }),
    noticeWords({ ...hostile, asker, kind: "pending_question" }),
    noticeWords({ ...hostile, asker, right: "write" }),
    noticeWords({ ...hostile, asker, about: { what: "command" } }),
    noticeWords({ ...hostile, asker, about }),
  ].map(({ title, body }) => `${title} ${body}`);
  expect(said.join(" ")).not.toContain("evil");
  expect(said.every((one) => one.includes("Claude Code in "))).toBe(true);
  expect(new Set(said).size).toBe(6);
});

test("where the system has no program for notices, that is said at once", () => {
  const empty = mkdtempSync(join(tmpdir(), "hallpass-"));
  onTestFinished(() => rmSync(empty, { recursive: true }));
  expect(() => desktopNotices({ env: { PATH: empty }, platform: "linux" })).toThrow(/libnotify/);
  expect(() => desktopNotices({ env: { PATH: empty }, platform: "darwin" })).toThrow(/osascript/);
  expect(() => desktopNotices({ env: { PATH: empty }, platform: "win32" })).toThrow(/--push/);
});
