// A cost is told where a price is known, and nowhere else.

import { expect, test } from "vitest";
import { costOf } from "./prices.ts";

const million = { input: 1_000_000, output: 1_000_000 };

test("a model with a price costs its input and its output, whatever day its version is of", () => {
  expect(costOf({ model: "openai/gpt-4o", ...million })).toBe(12.5);
  expect(costOf({ model: "openai/gpt-4o-2024-08-06", ...million })).toBe(12.5);
  expect(costOf({ model: "anthropic/claude-haiku-4-5-20251001", input: 2000, output: 400 })).toBeCloseTo(0.004);
});

test("what has no price has no cost: a server on this machine, another provider's offer of the same model, a name that only begins alike", () => {
  for (const model of [null, "", "ollama/llama3", "openrouter/openai/gpt-4o", "openai/gpt-4o-audio", "offline/guide", "toString"])
    expect(costOf({ model, ...million })).toBeNull();
});

test("a price that a person set stands before the list price, and gives a cost to what has none; what cannot be read is no price", () => {
  const own = "openai/gpt-4o=1/2, ollama/llama3=0/0.5,openai/o3=cheap";
  expect(costOf({ model: "openai/gpt-4o-2024-08-06", ...million }, own)).toBe(3);
  expect(costOf({ model: "ollama/llama3", ...million }, own)).toBe(0.5);
  expect(costOf({ model: "ollama/llama", ...million }, own)).toBeNull();
  expect(costOf({ model: "openai/o3", ...million }, own)).toBe(10);
});
