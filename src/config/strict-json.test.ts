import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStrictJson } from "./strict-json.ts";

test("what JSON can say once is read as JSON reads it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const read = parseStrictJson(text);
      expect(read).toEqual({ ok: true, value: JSON.parse(text) as unknown });
    }),
  );
});

test("a key that stands twice in one object is refused, however it is written", () => {
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"x":{"a":1,"b":[],"a":2}}',
    '[{"a":1,"a":1}]',
    '{"a\\"":1,"a\\"" :2}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
  ])
    expect(parseStrictJson(text), text).toMatchObject({ ok: false, why: expect.stringContaining("twice") });
  for (const text of ['{"a":{"a":1},"b":{"a":2}}', '["a","a"]', '{"a":"a:","b":"a"}', '{"a":"{\\"b\\":1,\\"b\\":2}"}', '"a"'])
    expect(parseStrictJson(text).ok, text).toBe(true);
});

test("what is nested deeper than 64 levels is refused without being parsed", () => {
  expect(parseStrictJson("[".repeat(60) + "]".repeat(60)).ok).toBe(true);
  expect(parseStrictJson("[".repeat(60_000))).toMatchObject({ ok: false });
  expect(parseStrictJson('{"a":'.repeat(10_000)).ok).toBe(false);
});

test("what is not JSON is told as that", () => {
  for (const text of ["", "{", '{"a":1,}', "'a'", '"\n"', '{"a":1}}', "\ufeff{}", "NaN"])
    expect(parseStrictJson(text).ok, text).toBe(false);
});

test("a string of many millions of signs is read, and what stands beside it is told", () => {
  const long = "x".repeat(12_000_000);
  expect(parseStrictJson(`{"id":7,"text":"${long}"}`)).toEqual({ ok: true, value: { id: 7, text: long } });
  expect(parseStrictJson(`{"id":7,"text":"${'\\\\"'.repeat(2_000_000).replaceAll('\\\\"', '\\"')}"}`).ok).toBe(true);
  expect(parseStrictJson(`{"a":"${long}","a":1}`)).toMatchObject({ ok: false, why: expect.stringContaining("twice") });
});
