import { array, assert, constantFrom, dictionary, jsonValue, property, string } from "fast-check";
import { expect, test } from "vitest";
import { withoutValue, withValue } from "./json-splice.ts";
import { addEntries, hasEntries, missingContainers, removeEntries } from "./json-text.ts";
import type { EditedText, JsonEntry } from "./wanted-file.ts";

const ours = (item: unknown): boolean => item === "ours" || item === "older";
const entries: readonly JsonEntry[] = [
  { kind: "default", at: ["version"], value: 1 },
  { kind: "item", at: ["hooks", "Before"], value: "ours", ours },
  { kind: "property", at: ["servers", "hallpass"], value: { command: "x" }, ours: (value) => JSON.stringify(value).includes("command") },
  { kind: "texts", at: ["rules", "deny"], begin: "<", end: ">", texts: ["a", "b"] },
  { kind: "properties", at: ["map"], begin: "<", end: ">", mark: "deny", properties: [["a", "deny"]] },
];
const text = (edited: EditedText): string => (edited.ok ? edited.text : edited.why);

test("everything is put in, found again, and taken out with what was made for it", () => {
  const before = '{\n    // mine\n    "a": 1\n}\n';
  const after = text(addEntries(before, entries, "f"));
  expect(hasEntries(after, entries)).toBe(true);
  expect(text(addEntries(after, entries, "f"))).toBe(after);
  expect(after).toContain('\n    "hooks": {\n        "Before": [\n            "ours"');
  expect(text(removeEntries(after, entries, missingContainers(before, entries), "f"))).toBe(before);
});

test("what is the owner's stays: values beside ours, and a value we would only have set where there was none", () => {
  const before =
    '{ "version": 2, "hooks": { "Before": ["mine", "older"] }, "rules": { "deny": ["x"] }, "map": { "*": "allow" }, "servers": {} }';
  const after = text(addEntries(before, entries, "f"));
  expect(JSON.parse(after)).toEqual({
    version: 2,
    hooks: { Before: ["mine", "ours"] },
    rules: { deny: ["x", "<", "a", "b", ">"] },
    map: { "*": "allow", "<": "deny", a: "deny", ">": "deny" },
    servers: { hallpass: { command: "x" } },
  });
  expect(Object.keys((JSON.parse(after) as { map: object }).map)).toEqual(["*", "<", "a", ">"]);
  expect(JSON.parse(text(removeEntries(after, entries, [], "f")))).toEqual({
    version: 2,
    hooks: { Before: ["mine"] },
    rules: { deny: ["x"] },
    map: { "*": "allow" },
    servers: {},
  });
});

test.each([
  ["[1]", "f:1:1: there must be an object here"],
  ['{ "a": 1 ', "f:1:"],
  ['{\n "map": [] }', "f:2:9: `map` must be an object"],
  ['{ "hooks": { "Before": {} } }', "f:1:24: `hooks.Before` must be a list"],
  ['{ "servers": 7 }', "f:1:14: `servers` must be an object"],
  ["[".repeat(300), "f:1:1: it is nested more than 200 levels deep"],
])("%s is refused", (before, why) => {
  expect(text(addEntries(before, entries, "f"))).toContain(why);
});

test("a value put into any text and taken out again leaves every character as it was", () => {
  const names = string({ minLength: 1, maxLength: 4 }).filter((name) => name !== "__proto__");
  assert(
    property(
      dictionary(names, jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
      array(jsonValue()),
      constantFrom(0, 1, 2, 4, "\t"),
      constantFrom("\n", "\r\n"),
      (value, list, indent, eol) => {
        const before = JSON.stringify({ ...value, "the list": list }, null, indent).replaceAll("\n", eol);
        const object = withValue(before, ["ours", "deep"], { a: [1] });
        expect(JSON.parse(object)).toEqual({ ...JSON.parse(before), ours: { deep: { a: [1] } } });
        expect(withoutValue(object, ["ours"])).toBe(before);
        const item = withValue(before, ["the list", list.length], "ours");
        expect(JSON.parse(item)["the list"]).toEqual([...JSON.parse(before)["the list"], "ours"]);
        expect(withoutValue(item, ["the list", list.length])).toBe(before);
      },
    ),
  );
});

test.each([
  ['{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "b": 2\n}'],
  ['{\n  "a": 1, // one\n}', '{\n  "a": 1, // one\n  "b": 2,\n}'],
  ['{\n  "a": 1 /* , */\n  // last\n}', '{\n  "a": 1, /* , */\n  "b": 2\n  // last\n}'],
  ["{ /* none */ }", '{ /* none */\n  "b": 2\n}'],
  ['{"a":[1,2]}', '{"a":[1,2], "b": 2}'],
])("comments stay where they are: %j", (before, after) => {
  expect(withValue(before, ["b"], 2)).toBe(after);
});

test.each([
  ['["a", "b"]', 1, '["a"]'],
  ['["a", "b"]', 0, '["b"]'],
  ['["a", /* x */ "b"]', 1, '["a" /* x */ ]'],
  ['[ "a", ]', 0, "[]"],
  ['[\n  "a",\n  // about b\n  "b",\n]', 1, '[\n  "a",\n  // about b\n  \n]'],
  ['[\n  "a", // one\n  "b"\n]', 0, '[\n  // one\n  "b"\n]'],
])("one item of %j is taken out", (before, at, after) => {
  expect(withoutValue(before, [at])).toBe(after);
});

test("braces in texts are no nesting", () => {
  const before = JSON.stringify({ history: ["{[".repeat(300), 'a \\" {'] });
  expect(addEntries(before, entries, "f").ok).toBe(true);
});
