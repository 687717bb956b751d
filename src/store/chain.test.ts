import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonical, chained, follow, START } from "./chain.ts";

describe("canonical JSON", () => {
  test.each([
    [{ b: 1, a: [3, { d: null, c: "x" }] }, '{"a":[3,{"c":"x","d":null}],"b":1}'],
    [{ a: undefined, b: false }, '{"b":false}'],
    [{ "\u{1f600}": 1, "\ufb33": 2, "1": 3, é: 4, A: 5 }, '{"1":3,"A":5,"é":4,"\u{1f600}":1,"\ufb33":2}'],
    ['"\n\u0000\ud800', '"\\"\\n\\u0000\\ud800"'],
    [undefined, "null"],
    [1e21, "1e+21"],
  ])("%j is %s", (value, text) => {
    expect(canonical(value)).toBe(text);
  });

  test("says the same value, whatever the order its fields were written in", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.json()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonical(turned)).toBe(canonical(value));
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("the chain", () => {
  const rows = ["{}", '{"a":1}', "[]"].reduce<ReturnType<typeof chained>[]>(
    (chain, event) => [...chain, chained(chain.at(-1) ?? START, event)],
    [],
  );

  test("is followed to its end", () => {
    expect(follow(START, rows)).toEqual(rows.at(-1));
    expect(follow(START, [])).toEqual(START);
  });

  test("the same event has another hash after another one", () => {
    expect(chained(START, "{}").hash).not.toBe(chained(rows[0]!, "{}").hash);
  });

  test("is broken where a row is missing, changed or out of place", () => {
    const [first, second, third] = rows as [(typeof rows)[0], (typeof rows)[0], (typeof rows)[0]];
    expect(follow(START, [second, third])).toBe(1);
    expect(follow(START, [first, third])).toBe(2);
    expect(follow(START, [first, { ...second, event: "{}" }, third])).toBe(2);
    expect(follow(START, [first, second, { ...third, sequence: 4 }])).toBe(3);
    expect(follow(START, [first, second, { ...third, hash: second.hash }])).toBe(3);
  });
});
