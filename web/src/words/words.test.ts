// The words of the pages, as tables.

import { describe, expect, test } from "vitest";
import { show, unshow } from "../../../src/core/path/show.ts";
import type { WireAsk, WireCall, WireMessage } from "../../../src/wire/values.ts";
import { askOf } from "../../../test/ask-sample.ts";
import { askEnds } from "../../../src/core/audit.ts";
import { settledWords } from "../../../src/core/guard/settled-words.ts";
import { outputWords } from "../chat/output-words.ts";
import { personWords } from "../../../src/core/guard/card.ts";
import { recordWords as wordsOnScreen } from "../../../src/wire/record-words.ts";
import { countsOverTime } from "../audit/counts-over-time.ts";
import { browserName } from "../boot/sign-in.ts";
import { readFragment, readTokenOrCode } from "../boot/token.ts";
import { callWords } from "../chat/call-words.ts";
import { readMount, readSlash, slashCommands } from "../../../src/slash/slash-commands.ts";
import { commandsLike, isMeant, pathBefore } from "../../../src/slash/completing.ts";
import { timeline } from "../chat/timeline.ts";
import { titleFor } from "../frame/attention.ts";
import { groupSessions } from "../state/grouping.ts";
import { count, lastName, scopeChip } from "./counts.ts";
import { shownPieces } from "./shown-pieces.ts";
import { shownProse, shownText } from "./shown-text.ts";
import { exactTime } from "./times.ts";

const settled = (of: WireAsk) => settledWords(of);
const recordWords = (event: Parameters<typeof wordsOnScreen>[0]) => wordsOnScreen(event, { time: exactTime, person: personWords });

const ask = askOf({
  id: "a",
  workspace: "/ws",
  requested: ["/o/a"],
  path: "/o/a",
  proposal: { dir: "/o", because: ".git" },
  at: 5,
  digest: "d",
});

describe("the token", () => {
  const rows: readonly [string, ReturnType<typeof readFragment>][] = [
    ["#token=abc", { given: { kind: "token", word: "abc" }, directory: null, rest: "/" }],
    ["#token=abc&to=%2Finbox", { given: { kind: "token", word: "abc" }, directory: null, rest: "/inbox" }],
    ["#token=abc&dir=%2Fcode&to=https://evil", { given: { kind: "token", word: "abc" }, directory: "/code", rest: "/" }],
    ["#pair=7K2M-9QXD", { given: { kind: "code", word: "7K2M-9QXD" }, directory: null, rest: "/" }],
    ["#/chat/1", { given: null, directory: null, rest: "/chat/1" }],
    ["", { given: null, directory: null, rest: "" }],
  ];
  for (const [fragment, read] of rows) test(`in ${fragment}`, () => expect(readFragment(fragment)).toEqual(read));
});

test("what was pasted or typed: an address, a code or the token alone, and nothing else", () => {
  const token = { kind: "token", word: "a-B_1" };
  const rows: readonly [string, unknown][] = [
    [" http://127.0.0.1:7777/#token=a-B_1&dir=/x ", token],
    ["a-B_1", token],
    ["#token=a-B_1", token],
    ["https://laptop.example:7777/#pair=7K2M-9QXD", { kind: "code", word: "7K2M-9QXD" }],
    [" 7k2m 9qxd ", { kind: "code", word: "7k2m 9qxd" }],
    ["7K2M9QXD", { kind: "code", word: "7K2M9QXD" }],
    ["http://127.0.0.1:7777/", null],
    ["two, words", null],
    ["", null],
  ];
  for (const [text, given] of rows) expect(readTokenOrCode(text), text).toEqual(given);
});

test("a browser is called after itself and its system", () => {
  const agents = [
    ["Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox on Android"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/147.0.0.0 Safari/537.36 Edg/147.0.0.0", "Edge on Windows"],
    ["curl/8", "A browser on another system"],
  ] as const;
  for (const [agent, name] of agents) expect(browserName(agent)).toBe(name);
});

describe("text of an agent in pieces", () => {
  for (const text of ["plain", "a\u202eb", "pr\u043eject", "[l](http://x) ![i](y) <b>", "back\\slash", "\u001b[2K\r\n", "🙂"]) {
    test(`${show(text)} can be read back`, () => {
      const pieces = shownPieces(text);
      expect(unshow(pieces.map((piece) => piece.text).join(""))).toBe(text);
    });
  }
  test("what is unusual is marked", () => {
    const isMarked = (text: string) => shownPieces(text).some(({ kind }) => kind === "escape" || kind === "foreign");
    expect(["plain/path.ts", "pr\u043eject", "a\u200bb", "[x]"].map(isMarked)).toEqual([false, true, true, false]);
  });
  test("cut in the middle, head and tail stay", () => {
    expect(
      shownPieces("x".repeat(100), 11)
        .map(({ text }) => text)
        .join(""),
    ).toBe("xxxxx…xxxxx");
  });
  test("the mark of a cut is no unusual letter, but one in the text is", () => {
    const kinds = (text: string, width: number) => shownPieces(text, width).map(({ kind }) => kind);
    expect(kinds("x".repeat(100), 11)).toEqual(["plain", "cut", "plain"]);
    expect(kinds(`…${"x".repeat(100)}`, 11)).toEqual(["foreign", "plain", "cut", "plain"]);
  });
});

describe("the card", () => {
  test("what was answered", () => {
    const answers: WireAsk["answer"][] = [
      { verdict: "allow", until: "session", by: "p", at: 1, expires: null },
      { verdict: "allow", until: "session", by: "p", at: 1, expires: 9 },
      { verdict: "allow", until: "call", by: "p", at: 1, expires: null },
      { verdict: "deny", by: "p", at: 1, note: null, stop: false },
      { verdict: "deny", by: "p", at: 1, note: null, stop: true },
      { verdict: "reply", by: "p", at: 1, text: "x" },
      null,
    ];
    expect(answers.map((answer) => settled({ ...ask, state: "answered", answer }).headline)).toEqual([
      "Allowed reading for this session",
      "Allowed reading for a limited time",
      "Allowed reading a, once",
      "Denied reading",
      "Denied reading, and stopped the agent",
      "Answered",
      "No longer open",
    ]);
    const closed = (why: NonNullable<WireAsk["closed"]>): string =>
      settled({ ...ask, state: "closed", answer: null, closed: why }).headline;
    expect(askEnds.map(closed)).toEqual([
      "Withdrawn: you said something else instead",
      "Closed: you stopped the agent",
      "Closed: nobody answered in time",
      "Closed: it is allowed now",
      "Closed: what a yes would open has changed",
      "Closed: its call is no longer waiting for it",
      "Closed: its session has ended",
      "Closed: its agent has left",
      "Closed: its agent has left, or was silent for too long",
    ]);
    const once = answers[2] ?? null;
    const wrote = (of: Partial<WireAsk>): string => settled({ ...ask, right: "write", ...of, state: "answered", answer: once }).headline;
    const task = { what: "agent", task: "x", survey: null, wasReadOnly: false } as const;
    expect([
      wrote({ tool: "edit_file" }),
      wrote({ about: task }),
      wrote({ about: { what: "command" } }),
      settled({ ...ask, operation: "list", path: "/x/src", state: "answered", answer: once }).headline,
      settled({ ...ask, kind: "pending_question", state: "answered", answer: answers[3] ?? null }).headline,
    ]).toEqual([
      "Allowed writing a, once",
      "Allowed starting an agent, once",
      "Allowed running it without a sandbox, once",
      "Allowed listing src, once",
      "Not answered",
    ]);
    const refused = (code: string) => settled({ ...ask, state: "answered", answer: answers[0] ?? null, refused: code });
    expect([refused("grant-changed"), refused("policy-deny"), refused("of-tomorrow")]).toMatchObject([
      { verdict: "refused", headline: "Allowed, but nothing was granted: it has changed since the question was asked" },
      { headline: "Allowed, but nothing was granted: it is denied by a rule of the policy" },
      { headline: "Allowed, but nothing was granted: it was refused (of-tomorrow)" },
    ]);
    const kept: WireAsk["answer"] = { verdict: "allow", until: "session", by: "p", at: 1, expires: null, keeps: true };
    expect(settled({ ...ask, workspace: "/code/shop", state: "answered", answer: kept }).headline).toBe(
      "Allowed reading for this session, and asked to keep it for shop",
    );
  });
});

describe("a call in a line", () => {
  const call = (state: WireCall["state"], input: unknown = { path: "a" }, name = "read_file"): WireCall => ({
    id: "1",
    name,
    input,
    state,
  });
  const rows: readonly [WireCall, string, string | null, string?][] = [
    [call({ at: "started" }), "running", null],
    [call({ at: "waiting", ask: "a", kind: "pending_grant" }), "waiting for you", null],
    [call({ at: "done", outcome: { ok: true, output: "" } }), "allowed", null],
    [
      call({ at: "done", outcome: { ok: false, category: "denied-by-policy", code: "secret-file", hint: "" } }),
      "denied",
      "it is on the list of secrets, which stay hidden everywhere",
      "secret-file",
    ],
    [
      call({ at: "done", outcome: { ok: false, category: "denied-by-person", code: "person-declined", hint: "denied" } }),
      "denied",
      "the answer was no",
    ],
    [
      call({ at: "done", outcome: { ok: false, category: null, code: "out-of-scope", hint: "use request_read_access(…)" } }),
      "needs permission",
      "it is not in the workspace, a mount or anything granted",
      "out-of-scope",
    ],
    [
      call({ at: "done", outcome: { ok: false, category: "denied-by-policy", code: "not-found", hint: "" } }),
      "failed",
      "it does not exist",
      "not-found",
    ],
    [
      call({ at: "done", outcome: { ok: false, category: "denied-by-policy", code: "never-heard-of", hint: "" } }),
      "denied",
      null,
      "never-heard-of",
    ],
  ];
  for (const [made, word, reason, code = null] of rows) test(word, () => expect(callWords(made)).toMatchObject({ word, reason, code }));
  test("a write that is done shows what it changed, and nothing is made up before", () => {
    const input = { path: "a", old: "x", new: "y" };
    expect(callWords(call({ at: "started" }, input, "edit_file")).diff).toBeNull();
    const outcome = { ok: true, output: "{}", diff: "-x\n+y\n" } as const;
    expect(callWords(call({ at: "done", outcome }, input, "edit_file")).diff).toBe("-x\n+y\n");
  });
});

describe("the composer", () => {
  test("commands and text", () => {
    expect(readSlash("/grants")).toEqual({ name: "/grants", argument: "" });
    expect(readSlash(" /mount /a b read_only ")).toEqual({ name: "/mount", argument: "/a b read_only" });
    expect(readSlash("/etc/passwd please")).toBeNull();
    expect(slashCommands.some(({ name }) => name === readSlash("/allow")?.name)).toBe(false);
    expect(commandsLike("/rev").map(({ name }) => name)).toEqual(["/revoke"]);
    expect(commandsLike("/revoke x")).toEqual([]);
    expect(readMount("/a b extend")).toEqual({ path: "/a b", mode: "extend" });
    expect(readMount("/a")).toEqual({ path: "/a", mode: "read_only" });
  });
  test("the path before the caret", () => {
    expect(pathBefore("read src/ca", 11)).toEqual({ prefix: "src/ca", from: 5 });
    expect(pathBefore("read @ca", 8)).toEqual({ prefix: "ca", from: 5 });
    expect(pathBefore("read it", 7)).toBeNull();
    expect(pathBefore("/re", 3)).toBeNull();
  });
  test("Enter takes what is meant, and nothing that stands there already", () => {
    const takes = (text: string, offered: string, from: number, isPicked = false) =>
      isMeant({ text: offered, from }, { text, caret: text.length, isPicked });
    expect(takes("/rev", "/revoke", 0)).toBe(true);
    expect(takes("/revoke", "/revoke", 0)).toBe(false);
    expect(takes("read @ca", "src/cart.ts", 5)).toBe(true);
    expect(takes("read src/ca", "src/cart.ts", 5)).toBe(false);
    expect(takes("read src/ca", "src/cart.ts", 5, true)).toBe(true);
    expect(takes("read src/cart.ts", "src/cart.ts", 5, true)).toBe(false);
  });
});

test("an ask stands where it was raised; one that is open stands at the end", () => {
  const message = (id: string, at: number): WireMessage => ({ role: "person", id, at, text: id });
  const settled = { ...ask, id: "x", at: 15, state: "answered" } satisfies WireAsk;
  expect(timeline([message("1", 10), message("2", 20)], [settled, { ...ask, at: 12 }], false).map(({ id }) => id)).toEqual([
    "1",
    "x",
    "2",
    "a",
  ]);
  expect(timeline([message("2", 20)], [settled], true).map(({ id }) => id)).toEqual(["2"]);
});

test("sessions stand under their projects, the newest first", () => {
  const session = (id: string, workspace: string, at: number, archivedAt: number | null = null) => ({
    [id]: {
      id,
      project: null,
      parent: null,
      workspace,
      asking: "by-model" as const,
      attended: true,
      host: null,
      label: null,
      shell: null,
      machine: null,
      mounts: [],
      allowed_read_paths: [],
      at,
      archivedAt,
    },
  });
  const groups = groupSessions(
    [{ id: "p", path: "/a", name: "Alpha", at: 0 }],
    { ...session("1", "/a", 1), ...session("2", "/b", 3), ...session("3", "/a", 2), ...session("4", "/c", 9, 10) },
    { x: { id: "x", session: "3", title: "", status: "idle", at: 1, model: null, archivedAt: null } },
  );
  expect(groups.map(({ name, sessions }) => [name, sessions.map(({ session: one, chats }) => `${one.id}:${chats.length}`)])).toEqual([
    ["b", ["2:0"]],
    ["Alpha", ["3:1", "1:0"]],
  ]);
  // Two directories of one name are told apart.
  const alike = groupSessions([], { ...session("1", "/code/shop", 1), ...session("2", "/sample/shop", 2), ...session("3", "/api", 3) }, {});
  expect(alike.map(({ name }) => name)).toEqual(["api", "sample/shop", "code/shop"]);
});

test("the record in words, and counted", () => {
  const record = (sequence: number, event: { kind: string; at: number; session: string; [key: string]: unknown }) => ({
    sequence,
    hash: "",
    event,
    about: null,
  });
  const decision = (at: number, verdict: string) =>
    record(at, {
      kind: "decision",
      at,
      session: "s",
      verdict,
      tool: "grep",
      operation: "search",
      requested: "/a",
      real: "/b",
      reason: "in-grant",
    });
  expect(recordWords(decision(1, "allow").event)).toEqual({
    kind: "decision",
    verdict: "allow",
    what: "search with grep:",
    path: "/a",
    why: "in-grant",
    really: "/b",
  });
  const given = { kind: "answer", at: 1, session: "s", by: "person (web)", until: null, expires: null, stop: false, note: null };
  const when = Date.parse("2026-11-18T03:11:00Z");
  expect(
    [
      { ...given, verdict: "allow", until: "call" },
      { ...given, verdict: "allow", until: "time", expires: when },
      { ...given, verdict: "allow", until: "session" },
      { ...given, verdict: "allow", until: "always" },
      { ...given, verdict: "deny" },
      { ...given, verdict: "deny", stop: true },
      { ...given, verdict: "reply" },
      { ...given, kind: "grant", until: "time", expires: when, path: "/lib" },
      { kind: "ask-closed", at: 1, session: "s", ask: "a", why: "withdrawn" },
    ].map((event) => recordWords(event).what),
  ).toEqual([
    "allowed by a person in the browser once",
    `allowed by a person in the browser until ${exactTime(when)}`,
    "allowed by a person in the browser for the session",
    "allowed by a person in the browser for good",
    "denied by a person in the browser",
    "denied by a person in the browser, and the agent stopped",
    "answered by a person in the browser",
    `granted by a person in the browser until ${exactTime(when)}:`,
    "question withdrawn",
  ]);
  const over = { kind: "ask-closed", at: 1, session: "s", ask: "a", why: "covered" };
  expect(recordWords(over)).toMatchObject({ what: "question closed", why: "it is allowed now" });
  const revoked = { kind: "revocation", at: 1, session: "s", by: "person (web)", path: "/lib" };
  expect(recordWords(revoked)).toMatchObject({ what: "revoked by a person in the browser:", path: "/lib" });
  // What ended by itself is not told as taken back.
  expect(recordWords({ kind: "grant-ended", at: 1, session: "s", path: "/lib", why: "expired" })).toMatchObject({
    what: "grant expired:",
    path: "/lib",
  });
  expect(recordWords({ kind: "answer", at: 1, session: "s", by: "person (web)", verdict: "deny", path: "/lib/a" })).toMatchObject({
    what: "denied by a person in the browser:",
    path: "/lib/a",
  });
  const mounted = { kind: "roots-changed", at: 1, session: "s", by: "person (web)", change: "mounted", mode: "extend", path: "/lib" };
  expect(recordWords(mounted)).toMatchObject({ what: "mounted by a person in the browser (extend):", path: "/lib" });
  expect(recordWords({ ...mounted, change: "moved", mode: null, before: "/ws" })).toMatchObject({
    what: "workspace moved by a person in the browser:",
    why: "before: /ws",
  });
  const ended = { kind: "session-ended", at: 1, session: "s", by: "person (mcp)", why: "agent-left" };
  expect(recordWords(ended)).toMatchObject({ what: "session ended: its agent has left", why: "" });
  expect(recordWords({ ...ended, why: "task-ended" }).what).toBe("session ended: its task is done");
  expect(recordWords({ ...ended, by: "person (web)", why: "person" })).toMatchObject({
    what: "session ended",
    why: "by a person in the browser",
  });
  const late = { ...decision(1, "allow").event, late: 5 };
  expect(recordWords(late).why).toBe("in-grant; added late: a hook decided while the daemon was away");
  const taken = { kind: "spool-taken", at: 1, session: "spool-taken-x", until: 9, count: 3, late: 3, damaged: 0 };
  expect(recordWords(taken).what).toBe("3 decisions that hooks made without the daemon were added");
  // What an MCP server decides comes the same way and is not late.
  expect(recordWords({ ...taken, late: 0 }).what).toBe("3 decisions of MCP servers were added");
  expect(recordWords({ ...taken, late: 1 }).what).toBe("3 decisions of MCP servers and hooks, 1 of them late, were added");
  expect(recordWords({ ...taken, count: 1, late: 1, damaged: 1 }).what).toBe(
    "one decision that hooks made without the daemon was added; one damaged line was skipped",
  );
  expect(recordWords({ ...taken, damaged: 2 }).what).toContain("2 damaged lines were skipped");
  const saved = { kind: "policy-changed", at: 1, session: "policy", file: "/p.json", by: "person (web)" };
  expect(recordWords(saved)).toMatchObject({ what: "policy saved by a person in the browser:", path: "/p.json" });
  const kept = { kind: "rule-kept", at: 1, session: "s", path: "/lib", file: "/p.json", line: 3, by: "person (web)" };
  expect(recordWords(kept)).toMatchObject({ what: "kept for good by a person in the browser:", path: "/lib", why: "/p.json:3" });
  expect(recordWords({ kind: "of-tomorrow", at: 1, session: "s" })).toMatchObject({ what: "of-tomorrow", path: null });
  expect(countsOverTime([decision(0, "allow"), decision(500, "deny"), decision(2500, "ask")], 48)).toEqual([
    [0, 1, 2],
    [1, 0, 0],
    [0, 0, 1],
    [1, 0, 0],
  ]);
  expect(countsOverTime([], 48)).toEqual([[], [], [], []]);
});

test("numbers, names and times", () => {
  expect([count(1, "file"), count(1204, "file"), lastName("/a/b/"), lastName("/")]).toEqual(["1 file", "1,204 files", "b", "/"]);
  expect([scopeChip(0), scopeChip(1), scopeChip(2)]).toEqual(["workspace only", "workspace + 1 directory", "workspace + 2 directories"]);
  expect([titleFor(0), titleFor(2)]).toEqual(["Hallpass", "(2) waiting for you · Hallpass"]);
});

test("longer text keeps its lines and writes out what would mislead", () => {
  expect(shownText("a\tb\r\nc\\d\u202e\u001b[2K")).toBe("a\tb\nc\\d\\u{202e}\\u{1b}[2K");
  expect(shownProse("fine \u2705\ufe0f\n\u202eeman")).toBe("fine \u2705\ufe0f\n\\u{202e}eman");
});

test("the output of a tool as a person reads it; what is not known is shown as it came", () => {
  expect(outputWords('{"path":"/a","content":"# Shop\\n\\n1\\n","bytes_read":9}')).toEqual({
    text: "# Shop\n\n1\n",
    facts: ["path: /a", "bytes read: 9"],
  });
  expect(outputWords('{"exit_code":1,"stdout":"out\\n","stderr":"err"}')).toEqual({ text: "out\n\nerr", facts: ["exit code: 1"] });
  expect(outputWords('{"entries":[{"name":"src","kind":"dir"},{"name":"a","kind":"file"}],"withheld":1}')).toEqual({
    text: "src/\na",
    facts: ["withheld: 1"],
  });
  expect(outputWords('{"matches":[{"file":"a.ts","line":3,"text":"let a"}],"truncated":false}').text).toBe("a.ts:3: let a");
  expect(outputWords('{"files":["a.ts","b.ts"]}').text).toBe("a.ts\nb.ts");
  expect(outputWords('{"files":[{"odd":1}]}').text).toBe(JSON.stringify({ files: [{ odd: 1 }] }, null, 2));
  expect(outputWords('{"content":{"odd":1}}').text).toContain('"odd": 1');
  expect(outputWords('{"roots":[{"path":"/a"}]}').text).toContain('"path": "/a"');
  expect(outputWords("plain words")).toEqual({ text: "plain words", facts: [] });
  expect(outputWords("[1]")).toEqual({ text: "[1]", facts: [] });
});
