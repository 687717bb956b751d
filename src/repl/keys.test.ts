import { describe, expect, test } from "vitest";
import { createDecoder, type Key } from "./keys.ts";

const decoded = (...chunks: readonly string[]): readonly Key[] => {
  const decoder = createDecoder();
  return [...chunks.flatMap((chunk) => [...decoder.push(chunk)]), ...decoder.flush()];
};
const key = (name: string): Key => ({ type: "key", name }) as Key;
const text = (typed: string): Key => ({ type: "text", text: typed });

describe("keys from a terminal", () => {
  test.each([
    ["\u001b[A", [key("up")]],
    ["\u001bOB", [key("down")]],
    ["\r", [key("enter")]],
    ["\n", [key("newline")]],
    ["\u001b\r", [key("newline")]],
    ["\u001b[13;2u", [key("newline")]],
    ["\u0003", [key("interrupt")]],
    ["\u007f", [key("backspace")]],
    ["\u001b[1;5D", [key("word-left")]],
    ["ab", [text("ab")]],
    ["é日", [text("é日")]],
    ["a\r", [text("a"), key("enter")]],
    ["\u001b", [key("escape")]],
    ["\u001b\u001b", [key("escape"), key("escape")]],
    ["\u001b\u001b[A", [key("escape"), key("up")]],
  ])("%j", (chunk, keys) => {
    expect(decoded(chunk)).toEqual(keys);
  });

  test("a sequence in two pieces is one key", () => {
    expect(decoded("\u001b", "[A")).toEqual([key("up")]);
    expect(decoded("\u001b[", "B")).toEqual([key("down")]);
  });

  test("a paste is one thing, whatever is in it and however it comes in pieces", () => {
    const pasted = "1\r\u001b[A\u0003y\r";
    const whole = `a\u001b[200~${pasted}\u001b[201~b`;
    const expected = [text("a"), { type: "paste", text: pasted }, text("b")];
    expect(decoded(whole)).toEqual(expected);
    expect(decoded(...whole.split(""))).toEqual(expected);
    for (let at = 1; at < whole.length; at += 1) expect(decoded(whole.slice(0, at), whole.slice(at))).toEqual(expected);
  });

  test("a paste that never ends is no key", () => {
    expect(decoded("\u001b[200~1\r", "\r\r1")).toEqual([]);
  });

  test("lines that come in one go are a paste, marks or not", () => {
    expect(decoded("1\ry\r")).toEqual([{ type: "paste", text: "1\ry\r" }]);
    expect(decoded("1\r1")).toEqual([{ type: "paste", text: "1\r1" }]);
  });

  test("answers of the terminal and sequences nobody knows are nothing", () => {
    expect(decoded("\u001b[?62;c", "\u001b]11;rgb:00/00/00\u0007", "\u001bP1$r0m\u001b\\", "\u001b[99;99Z", "\u0000\u0011")).toEqual([]);
  });

  test("coming back to the window is told", () => {
    expect(decoded("\u001b[I", "\u001b[O")).toEqual([key("focus"), key("blur")]);
  });
});
