import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

test("it is JSON of the same value, however its keys were ordered", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).toReversed());
      expect(canonicalJson(turned)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("two values that differ are spelled differently", () => {
  expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: "1" }));
  expect(canonicalJson([1, [2]])).not.toBe(canonicalJson([1, 2]));
  expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}));
  expect(canonicalJson({ a: undefined })).toBe("{}");
});
