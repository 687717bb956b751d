// read_file: whole files and windows of lines, what counts as text, limits, and what a missing file's reader is told.

import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mkfifo, nothingStaysPinned, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";
import { decodeText, windowOf } from "./text.ts";

nothingStaysPinned();
const searcher = searcherOf();

const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, ...toolbox(it, searcher()) };
};

describe("reading a whole file", () => {
  test("gives its real path, its text and how many bytes were read", async () => {
    const { it, done } = open(["ws/d/a.txt: grüße\n", "ws/l => d/a.txt"]);
    const output = { path: it.path("ws/d/a.txt"), content: "grüße\n", bytes_read: 8 };
    for (const path of ["d/a.txt", it.path("ws/d/a.txt"), "l", "d/../d/a.txt"]) expect(await done("read_file", { path })).toEqual(output);
    expect(await done("view_file", { path: "l" })).toEqual(output);
  });

  test("an empty file is an empty text", async () => {
    const { it, done } = open(["ws/a"]);
    expect(await done("read_file", { path: "a" })).toEqual({ path: it.path("ws/a"), content: "", bytes_read: 0 });
  });

  test("a byte order mark is counted and not shown", async () => {
    const { it, done } = open(["ws/a: \ufeffx"]);
    expect(await done("read_file", { path: "a" })).toEqual({ path: it.path("ws/a"), content: "x", bytes_read: 4 });
  });

  test("line ends, trailing spaces and odd characters stay as they are", async () => {
    const text = "a\r\nb\rc\n \t\u2028\u202e👍";
    const { done } = open([`ws/a: ${text}`]);
    expect(await done("read_file", { path: "a" })).toMatchObject({ content: text });
  });
});

describe("what is not text", () => {
  test.each([
    ["a NUL", Buffer.from("a\0b")],
    ["a NUL at the very end", Buffer.from("text\0")],
    ["a byte that is not UTF-8", Buffer.from([0x61, 0xff])],
    ["half a character", Buffer.from("é").subarray(0, 1)],
    ["an over-long form", Buffer.from([0xc0, 0x80])],
    ["half a surrogate pair, encoded", Buffer.from([0xed, 0xa0, 0x80])],
    ["UTF-16", Buffer.from("\ufefftext", "utf16le")],
  ])("%s", async (_title, bytes) => {
    const { it, failed } = open(["ws/a"]);
    writeFileSync(it.path("ws/a"), bytes);
    expect(await failed("read_file", { path: "a" })).toMatchObject({ code: "binary-file", category: "not-text", verdict: "allow" });
    expect(decodeText(bytes)).toBeNull();
  });
});

describe("limits", () => {
  const MIB = 1_048_576;

  test("exactly one mebibyte is read, one byte more is not, and it is said how to read it then", async () => {
    const { it, done, failed } = open([`ws/a: ${"x".repeat(MIB - 1)}\n`]);
    expect(await done("read_file", { path: "a" })).toMatchObject({ bytes_read: MIB });
    appendFileSync(it.path("ws/a"), "y");
    const { code, category, hint } = await failed("read_file", { path: "a" });
    expect([code, category]).toEqual(["too-large", "file-too-large"]);
    expect(hint).toMatch(/^`a` .*1048576.*offset.*limit/);
    expect(await done("read_file", { path: "a", offset: 2 })).toEqual({
      path: it.path("ws/a"),
      content: "y",
      bytes_read: 1,
      from: 2,
      to: 2,
      total_lines: 2,
    });
  });

  test("the host may set another limit", async () => {
    const { code, done } = open(["ws/a: 12345"]);
    expect(await code("read_file", { path: "a" }, { limits: { fileBytes: 4 } })).toBe("too-large");
    expect(await done("read_file", { path: "a" }, { limits: { fileBytes: 5 } })).toMatchObject({ content: "12345" });
  });

  test("a window may come out of a larger file, but may not itself be larger than a file", async () => {
    const { code, done, failed } = open(["ws/a: 1\n22\n333\n"]);
    const limits = { fileBytes: 5, windowFileBytes: 9 };
    expect(await done("read_file", { path: "a", limit: 2 }, { limits })).toMatchObject({ content: "1\n22\n" });
    expect(await code("read_file", { path: "a", offset: 1 }, { limits })).toBe("too-large");
    expect(await code("read_file", { path: "a", limit: 1 }, { limits: { windowFileBytes: 8 } })).toBe("too-large");
    // What was done already is not what helps.
    const { hint } = await failed("read_file", { path: "a", limit: 1 }, { limits: { windowFileBytes: 8 } });
    expect(hint).toContain("sed -n");
    expect(hint).not.toContain("offset");
  });

  test("a sparse file of a terabyte is too large, whole and by window", async () => {
    const { it, code } = open(["ws/a"]);
    truncateSync(it.path("ws/a"), 2 ** 40);
    expect([await code("read_file", { path: "a" }), await code("read_file", { path: "a", limit: 1 })]).toEqual(["too-large", "too-large"]);
  });
});

describe("windows of lines", () => {
  const five = "1\n2\n3\n4\n5\n";
  const cases: readonly [string, string, number, number, { text: string; from: number; to: number; total: number }][] = [
    ["from the first", five, 1, 2, { text: "1\n2\n", from: 1, to: 2, total: 5 }],
    ["from the middle", five, 3, 2, { text: "3\n4\n", from: 3, to: 4, total: 5 }],
    ["more than there are", five, 4, 9, { text: "4\n5\n", from: 4, to: 5, total: 5 }],
    ["the last", five, 5, 1, { text: "5\n", from: 5, to: 5, total: 5 }],
    ["beyond the end", five, 6, 1, { text: "", from: 6, to: 5, total: 5 }],
    ["far beyond the end", five, 60, 1, { text: "", from: 60, to: 59, total: 5 }],
    ["a last line without an end", "1\n2", 2, 5, { text: "2", from: 2, to: 2, total: 2 }],
    ["one line without an end", "1", 1, 1, { text: "1", from: 1, to: 1, total: 1 }],
    ["of nothing", "", 1, 1, { text: "", from: 1, to: 0, total: 0 }],
    ["of empty lines", "\n\n\n", 2, 1, { text: "\n", from: 2, to: 2, total: 3 }],
    ["with Windows' line ends", "1\r\n2\r\n", 2, 1, { text: "2\r\n", from: 2, to: 2, total: 2 }],
  ];
  test.each(cases)("%s", (_title, text, offset, limit, expected) => {
    expect(windowOf(text, offset, limit)).toEqual(expected);
  });

  test("by offset alone to the end, by limit alone from the beginning", async () => {
    const { it, done } = open([`ws/a: ${five}`]);
    const path = it.path("ws/a");
    expect(await done("read_file", { path: "a", offset: 4 })).toEqual({
      path,
      content: "4\n5\n",
      bytes_read: 4,
      from: 4,
      to: 5,
      total_lines: 5,
    });
    expect(await done("read_file", { path: "a", limit: 1 })).toEqual({
      path,
      content: "1\n",
      bytes_read: 2,
      from: 1,
      to: 1,
      total_lines: 5,
    });
  });
});

describe("a file that is not there", () => {
  test("its near siblings are named", async () => {
    const { failed } = open(["ws/src/main.ts: 1", "ws/src/maim.ts: 1", "ws/src/other.md: 1"]);
    const { code, category, hint } = await failed("read_file", { path: "src/mian.ts" });
    expect([code, category]).toEqual(["not-found", "not-found"]);
    expect(hint).toMatch(/^`src\/mian\.ts` .*`main\.ts`/);
    expect(hint).not.toContain("other.md");
  });

  test("but none that is denied, and none that a rule shuts", async () => {
    const { failed } = open(["ws/.env.local: S", "ws/env.locale: 1", "ws/closed.ts: 1", "ws/closet.ts: 1"], {
      policy: { read: { "closed.ts": "deny" } },
    });
    const first = (await failed("read_file", { path: "env.local" })).hint;
    expect([first.includes("env.locale"), first.includes(".env.local")]).toEqual([true, false]);
    const second = (await failed("read_file", { path: "closef.ts" })).hint;
    expect([second.includes("closet.ts"), second.includes("closed.ts")]).toEqual([true, false]);
  });

  test("without near siblings, and in a directory that is not there, it is said where to look", async () => {
    const { failed } = open(["ws/zzzz: 1"]);
    expect((await failed("read_file", { path: "main.ts" })).hint).toContain("list_dir");
    expect((await failed("read_file", { path: "no/such/main.ts" })).hint).toContain("list_dir");
  });

  test("odd names of siblings are shown escaped", async () => {
    const { failed } = open(["ws/mai\u202en.ts: 1"]);
    expect((await failed("read_file", { path: "main.ts" })).hint).toContain("`mai\\u{202e}n.ts`");
  });
});

describe("refusals", () => {
  test("outside scope: an ask, with the proposal, its flags and the way to ask", async () => {
    const { it, failed } = open(["lib/.git/", "lib/.env: S", "lib/a: outside"]);
    const failure = await failed("read_file", { path: "../lib/a" });
    expect(failure).toMatchObject({
      code: "out-of-scope",
      category: null,
      verdict: "ask",
      proposal: it.path("lib"),
      flags: ["contains-secrets"],
      ask: { offers: "session" },
    });
    expect(failure.hint).toContain("request_read_access(");
    expect(failure.hint).not.toContain("outside");
    expect(readFileSync(it.path("lib/a"), "utf8")).toBe("outside");
  });

  test.each([
    ["a secret", ".env", "secret-file", "denied-by-policy", "deny"],
    ["a directory", "d", "is-directory", "invalid-input", "allow"],
    ["a pipe", "fifo", "not-regular-file", "denied-by-policy", "deny"],
    ["a link in a circle", "loop", "symlink-loop", "not-accessible", null],
    ["an impossible path", "a\0b", "invalid-path", "invalid-input", null],
    ["a name below a file", "a/x", "not-found", "not-found", null],
  ])("%s", async (_title, path, code, category, verdict) => {
    const { it, failed } = open(["ws/a: 1", "ws/.env: S", "ws/d/", "ws/loop => loop"]);
    mkfifo(it.path("ws/fifo"));
    expect(await failed("read_file", { path })).toMatchObject({ code, category, verdict, proposal: null, flags: [], ask: null });
  });

  test.each([
    ["no path", {}, "invalid-path"],
    ["an empty path", { path: "" }, "invalid-path"],
    ["a path that is no text", { path: ["a"] }, "invalid-path"],
    ["a line before the first", { path: "a", offset: 0 }, "bad-request"],
    ["half a line", { path: "a", limit: 1.5 }, "bad-request"],
    ["a property that is not known", { path: "a", encoding: "utf8" }, "bad-request"],
    ["no object", "a", "bad-request"],
    ["nothing", undefined, "bad-request"],
  ])("%s is no input", async (_title, input, code) => {
    const { failed } = open(["ws/a: 1"]);
    expect(await failed("read_file", input)).toMatchObject({ code, category: "invalid-input", verdict: null });
  });
});
