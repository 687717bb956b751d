import { expect, test } from "vitest";
import { auditTable, type RecordRow } from "./audit-table.ts";
import { paintFor } from "./paint.ts";

const about = { agent: "Claude Code", workspace: "/ws", machine: null };
const record = (sequence: number, event: object, whose: RecordRow["about"] = about): RecordRow => ({
  sequence,
  hash: "",
  event: { kind: "", at: 0, session: "s", ...event },
  about: whose,
});

test("each row says whose agent it was, what happened in the words of the page, and to which path", () => {
  const rows = [
    record(1, {
      kind: "decision",
      verdict: "ask",
      reason: "out-of-scope",
      tool: "Read",
      operation: "read",
      requested: "../lib/a",
      real: "/lib/a",
    }),
    record(2, { kind: "answer", verdict: "allow", until: "session", by: "person (web)", path: "/lib/a" }),
    record(3, { kind: "revocation", by: "person (terminal)", path: "/lib" }),
    record(4, { kind: "grant-ended", why: "expired", path: "/lib" }, { ...about, machine: "desk" }),
    record(5, { kind: "session-ended", why: "person", by: "person (web)" }),
    record(6, { kind: "spool-taken", count: 3, late: 3, damaged: 1 }, null),
    record(7, { kind: "archived", first: 1, last: 9, file: "/archive/a.jsonl", by: "person (terminal)" }, null),
  ];
  const lines = auditTable(rows, { columns: 250, isTTY: true }, paintFor({ isTTY: false }, {}))
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, " | ").replaceAll("1970-01-01 00:00:00 | ", ""))).toEqual([
    "NO | WHEN | WHAT | WHY | AGENT | TOOL | PATH",
    "1 | ask | out-of-scope | Claude Code | Read | ../lib/a → /lib/a",
    "2 | answer: allow | allowed by a person in the browser for the session | Claude Code | /lib/a",
    "3 | revocation | revoked by a person in the terminal | Claude Code | /lib",
    "4 | grant-ended | grant expired | Claude Code on desk | /lib",
    "5 | session-ended | session ended; by a person in the browser | Claude Code",
    "6 | spool-taken | 3 decisions that hooks made without the daemon were added; one damaged line was skipped",
    "7 | archived | records 1 to 9 archived by a person in the terminal | /archive/a.jsonl",
  ]);
});
