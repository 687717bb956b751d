import { describe, expect, test } from "vitest";
import { readJsonc } from "./jsonc.ts";
import { timeOf } from "../../test/support/growth.ts";

/** The first error as `line:column: message`, or the value. */
function told(text: string): unknown {
  const read = readJsonc(text, "policy.json");
  if (read.ok) return read.jsonc.value;
  return read.errors.map(({ message, source }) => `${source?.line}:${source?.column}: ${message}`);
}

describe("reading JSON with comments", () => {
  test("comments and trailing commas are passed over", () => {
    const text = `// first\n{\n  /* a */ "read": { "~/x": "ask", }, // b\n  "list": [1, "two", null, true, { "deep": [], },],\n}\n`;
    expect(told(text)).toEqual({ read: { "~/x": "ask" }, list: [1, "two", null, true, { deep: [] }] });
  });

  test.each([
    ["", "1:1: the file is empty; write `{}` for an empty policy"],
    ["// only a word\n\n", "1:1: the file is empty; write `{}` for an empty policy"],
    ["{\n  read: 1\n}", "2:3: `read` is not JSON; strings and keys need double quotes"],
    ["{ 'read': 1 }", "1:3: `'read'` is not JSON; strings and keys need double quotes"],
    ['{"a": tru}', "1:7: `tru` is not JSON; strings and keys need double quotes"],
    ['{"a":\u00a01}', "1:6: `\\u{a0}1` is not JSON; strings and keys need double quotes"],
    ['{"a": 1. }', "1:7: this is not a number that JSON allows"],
    ["{1: 2}", "1:2: a key in double quotes is missing here"],
    ["{,}", "1:2: a value is missing here"],
    ['{"a":}', "1:6: a value is missing here"],
    ['{"a" 1}', "1:6: missing `:` between a key and its value"],
    ['{"a": 1\n "b": 2}', "2:2: missing comma before this"],
    ['{"a": 1,,}', "1:9: a key in double quotes is missing here"],
    ['{"a": {\n}', "2:2: a `{` is not closed; `}` is missing here"],
    ['{"a": [1', "1:9: a `[` is not closed; `]` is missing here"],
    ["{}}", "1:3: the policy ends before this; remove what follows it, or an extra `}`"],
    ["{} /* on and on", "1:4: this comment is not closed; end it with `*/`"],
    ['{"a": "b\n}', '1:7: this string is not closed; end it with `"` on the same line'],
    ['{"a": "\\u12"}', "1:7: `\\u` must be followed by four hexadecimal digits"],
    ['{"a": "C:\\dir"}', "1:7: there is an unknown escape in this string; write two backslashes for one"],
    ['{"a": "b\tc"}', "1:7: there is a control character in this string; write it as an escape, a tab as `\\t`"],
  ])("%j is refused where it goes wrong, and once", (text, error) => {
    expect(told(text)).toEqual([error]);
  });

  test("a key that stands twice is an error, however deep, and once for each", () => {
    const text =
      '{\n  "read": {\n    "a": "ask", // first\n    "b": "deny",\n    "a": "allow"\n  },\n  "x": [{ "k": 1, "\\u006b": 2 }],\n  "read": "deny"\n}';
    expect(told(text)).toEqual([
      "5:5: `a` appears twice in one object, first on line 3; only one of them would count, so remove one",
      "7:19: `k` appears twice in one object, first on line 7; only one of them would count, so remove one",
      "8:3: `read` appears twice in one object, first on line 2; only one of them would count, so remove one",
    ]);
  });

  test("keys keep the order of the file, and none means more than its name", () => {
    const read = readJsonc('{"b": 1, "__proto__": {"verdict": "allow"}, "a": 2, "constructor": 3}', "policy.json");
    expect(read.ok && Object.entries(read.jsonc.value ?? {})).toEqual([
      ["b", 1],
      ["__proto__", { verdict: "allow" }],
      ["a", 2],
      ["constructor", 3],
    ]);
  });

  test("nesting that would exhaust the stack is refused before the parser sees it", () => {
    expect(told("[".repeat(500_000))).toEqual(["1:33: nothing in a policy is nested more than 32 levels deep"]);
    expect(told(`{"a":${"[".repeat(31)}"[[[["${"]".repeat(31)}}`)).toBeTypeOf("object");
  });

  test("a mebibyte of nonsense is refused in a moment", () => {
    for (const noise of ["{", "}", '{"a":1,', '"', "\\", "//", "/*", ",", "\n", '{"a":[],"a":[],', "x "]) {
      const text = noise.repeat(Math.floor(1_048_576 / noise.length));
      expect(timeOf(() => expect(readJsonc(text, "policy.json").ok).toBe(false), text.length)).toBeLessThan(2000);
    }
  });
});

describe("places", () => {
  const text = '\n{ // \u{1f511} two units\n  "read": {\r\n    /* x */ "~/a": { "verdict": "ask", "matches": ["~/a/b",\r"~/a/c"] }\n  }\n}';
  const read = readJsonc(text, "p.json");
  test.each([
    [[], 2, 1],
    [["read"], 3, 3],
    [["read", "~/a"], 4, 13],
    [["read", "~/a", "verdict"], 4, 22],
    [["read", "~/a", "matches"], 4, 40],
    [["read", "~/a", "matches", 0], 4, 52],
    [["read", "~/a", "matches", 1], 5, 1],
    [["read", "~/a", "matches", 7], 4, 40],
    [["read", "nowhere", "at", "all"], 3, 3],
    [["nowhere"], 2, 1],
  ])("%j stands at %i:%i", (keys, line, column) => {
    expect(read.ok && read.jsonc.locate(keys)).toEqual({ file: "p.json", line, column });
  });
});
