// What the fuzzer found stays mended, and the fuzzer finds what it should.

import { describe, expect, test } from "vitest";
import { faultOf, fuzz } from "./fuzzer.ts";
import { found } from "./found.ts";
import { randomFrom } from "./random.ts";
import { type Target, targets } from "./targets.ts";

describe.each(Object.entries<Target>(targets))("%s", (name, target) => {
  test("every seed holds, and so does everything that was ever found", () => {
    const texts = [...target.seeds, ...found.flatMap((one) => (one.target === name ? [one.text] : []))];
    expect(
      texts
        .flatMap((text) => [faultOf(target, text), faultOf({ check: (one) => target.judge?.(one) }, text)])
        .filter((why) => why !== null),
    ).toEqual([]);
  });

  test("so does a second of changed texts", () => {
    expect(fuzz(target, { seconds: 1, random: randomFrom(1) }).findings).toEqual([]);
  });
});

test("a fault behind several steps is found, as it would not be by chance", () => {
  const target: Target = {
    seeds: ["{}"],
    words: ["a", '"', ":", "1", ","],
    check(text) {
      const read = targets["json-lines"];
      read.check(text);
      if (text.includes('"a"') && text.includes(":")) throw new Error("found");
    },
  };
  expect(fuzz(target, { seconds: 20, random: randomFrom(2) }).findings.map(({ why }) => why)).toContain("Error: found");
});
