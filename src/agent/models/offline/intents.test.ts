import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { doAtOnce } from "../../../core/steps.ts";
import { DEEDS } from "./deeds.ts";
import { intents } from "./intents.ts";
import { understand } from "./understand.ts";

const table = readFileSync(new URL("intents.ts", import.meta.url), "utf8");

test("every row names something that is done, and everything that is done has a row", () => {
  const named = [...table.matchAll(/^# \S+ :: (\w+)/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(Object.keys(DEEDS)));
});

test("every row has phrases", () => expect(intents.filter(({ phrases }) => phrases.length === 0)).toEqual([]));

test.each(intents.flatMap(({ example, tool }) => (example?.split(", or: ") ?? []).map((one) => [one, tool] as const)))(
  "the example is understood: %s",
  (example) => {
    const { deeds, unclear } = doAtOnce(understand(example));
    expect(deeds).toHaveLength(1);
    expect(unclear).toEqual([]);
  },
);
