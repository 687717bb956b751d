import { describe, expect, test } from "vitest";
import type { WireCall } from "../wire/values.ts";
import { askOf } from "../../test/ask-sample.ts";
import { chatView, startingChat } from "./chat-view.ts";
import { columns } from "./columns.ts";
import { emptyConversation, type TerminalConversation, withFrame } from "./conversation.ts";
import { askLine, callLines, entryLines, settledLines } from "./entry-lines.ts";
import { textOf } from "./lines.ts";

const call = (state: WireCall["state"], input: unknown = { path: "src/a.txt" }): WireCall => ({ id: "c", name: "read_file", input, state });
const shown = (of: WireCall, width = 60): readonly string[] => callLines(of, width).map(textOf);
const revoke = (grant: string): string => `/revoke ${grant}`;

describe("a call", () => {
  test("that is about to start a command says how far the look through the workspace is, or that another command is waited for", () => {
    const look = { for: "look", directories: 41_000 } as const;
    const after = (delay: typeof look | null) =>
      withFrame(emptyConversation, { type: "tool_delay", cursor: "c", chat: "chat", call: "c", delay }).delay;
    expect([after(look), after(null)]).toEqual([look, null]);
    const at = (conversation: TerminalConversation) => ({ ...startingChat("/ws", null), busySince: 0, conversation });
    const lines = (conversation: TerminalConversation) => chatView(at(conversation), { width: 100, rows: 20 }, 3000).live.map(textOf);
    expect(lines({ ...emptyConversation, delay: look })).toContain(
      "… looking through the workspace for secrets: 41,000 directories so far · Ctrl-C stops",
    );
    expect(lines({ ...emptyConversation, delay: { for: "turn" } })).toContain(
      "… waiting for another command of this workspace to end; it may wait for your answer · Ctrl-C stops",
    );
    expect(lines({ ...emptyConversation, delay: null })).toContain("… working 3 s · Ctrl-C stops");
  });

  test("is there from its start, says that it waits, and how it ended", () => {
    expect(shown(call({ at: "started" }))).toEqual(["  … read_file src/a.txt"]);
    expect(shown(call({ at: "waiting", ask: "a", kind: "pending_grant" }))).toEqual(["  … read_file src/a.txt · waits for you"]);
    expect(shown(call({ at: "done", outcome: { ok: true, output: "one\ntwo\n" } }))).toEqual(["  ✓ read_file src/a.txt · 2 lines"]);
    expect(
      shown(
        call({
          at: "done",
          outcome: { ok: false, category: "denied-by-policy", code: "not-found", hint: "there is nothing\nsecond line" },
        }),
      ),
    ).toEqual(["  ✗ read_file src/a.txt", "    it does not exist · not-found"]);
  });

  test("keeps to the window, with head and tail of a long path, and writes out what is unusual", () => {
    const long = call({ at: "done", outcome: { ok: true, output: "" } }, { path: `/opt/${"deep/".repeat(40)}end.txt` });
    const [line = ""] = shown(long, 40);
    expect(columns(line)).toBeLessThanOrEqual(40);
    expect(line).toMatch(/^ {2}✓ read_file \/opt\/.*….*end\.txt$/u);
    expect(shown(call({ at: "started" }, { path: "a\u001b[2Kb\u202e" }))).toEqual(["  … read_file a\\u{1b}[2Kb\\u{202e}"]);
  });
});

test("a summary says what it is, and shows no more than its beginning", () => {
  const message = { role: "summary" as const, id: "s", at: 1, text: Array.from({ length: 9 }, (_, at) => `line ${at}`).join("\n") };
  const { entries } = withFrame(emptyConversation, { type: "message", cursor: "1", chat: "c", message });
  const lines = entries.flatMap((entry) => entryLines(entry, 60, revoke)).map(textOf);
  expect(lines).toEqual(["· earlier messages were summarised", "  line 0", "  line 1", "  line 2", "  line 3", "  line 4", "  …"]);
});

describe("an answered card", () => {
  const settled = (ask: Parameters<typeof askOf>[0]): string =>
    settledLines(askOf({ state: "answered", ...ask }), 200, revoke)
      .map(textOf)
      .join("\n");

  test("says what was opened, until when, and how to end it", () => {
    const answer = { verdict: "allow", until: "session", expires: null, by: "a person", at: 0 } as const;
    expect(settled({ answer, grant: "g1" })).toBe("  ✓ Granted: read /home/ada/code/api until the session ends · /revoke g1");
    expect(settled({ answer: { ...answer, keeps: true }, workspace: "/home/ada/app" })).toBe(
      "  ✓ Granted: read /home/ada/code/api until the session ends, to be kept for /home/ada/app · no longer granted",
    );
    expect(settled({ answer: { ...answer, expires: 3_600_000 }, grant: "g1" })).toBe(
      "  ✓ Granted: read /home/ada/code/api until 1970-01-01 01:00 UTC · /revoke g1",
    );
    expect(settled({ answer, refused: "policy-deny" })).toContain("nothing was granted, since it is denied by a rule of the policy");
    expect(settled({ answer: { ...answer, until: "call" } })).toBe("  ✓ Allowed once: read_file ../api/go.mod");
    expect(settled({ answer: { ...answer, until: "call" }, requested: ["../api/go.mod", "../api/a.go"] })).toBe(
      "  ✓ Allowed once: read_file ../api/go.mod · the others are asked about again",
    );
  });

  test("says that nothing was, with the person's words", () => {
    expect(settled({ answer: { verdict: "deny", note: "use the copy", stop: false, by: "a person", at: 0 } })).toBe(
      "  ✗ Denied: read_file ../api/go.mod · with the note: use the copy",
    );
    expect(settled({ answer: null })).toContain("✗ Closed, nothing was allowed");
    expect(settled({ answer: null, closed: "covered" })).toBe("  ✓ Closed, since it is allowed now: read_file ../api/go.mod");
    expect(settled({ answer: null, closed: "agent-left" })).toContain("✗ Closed, since its agent has left, nothing was allowed");
  });
});

test("a line of the inbox has who asks and what for, and fits", () => {
  const ask = askOf({
    asker: { host: "claude-code", label: "a".repeat(80), parents: ["main"], machine: null },
    requested: ["b".repeat(200)],
  });
  expect(columns(textOf(askLine(ask, 60)))).toBeLessThanOrEqual(60);
});

test("what the agent says keeps its lines, and its control characters are written out", () => {
  const lines = entryLines({ kind: "agent", id: "1", text: "one\n\ttwo\u0007\n", done: true, error: null }, 40, revoke).map(textOf);
  expect(lines).toEqual(["", "one", "    two\\u{7}"]);
});
