// What a model costs: the list prices that its provider publishes, in US dollars for a million tokens. Kept here and nowhere else, with the day
// as of which they are. A model that is not here, or whose price depends on more than the two counts, has no price: then tokens are told alone.

import type { ModelUsage } from "../ports.ts";

/** Prices change: they are told with this date. */
export const PRICES_AS_OF = "2025-11-01";

/** Input and output. */
type Price = readonly [input: number, output: number];

const prices: Readonly<Record<string, Price>> = {
  "anthropic/claude-opus-4-1": [15, 75],
  "anthropic/claude-sonnet-4": [3, 15],
  "anthropic/claude-sonnet-4-5": [3, 15],
  "anthropic/claude-haiku-4-5": [1, 5],
  "openai/gpt-5": [1.25, 10],
  "openai/gpt-5-mini": [0.25, 2],
  "openai/gpt-5-nano": [0.05, 0.4],
  "openai/gpt-4.1": [2, 8],
  "openai/gpt-4.1-mini": [0.4, 1.6],
  "openai/gpt-4.1-nano": [0.1, 0.4],
  "openai/gpt-4o": [2.5, 10],
  "openai/gpt-4o-mini": [0.15, 0.6],
  "openai/o3": [2, 8],
  "openai/o4-mini": [1.1, 4.4],
};

/** A name may end with the day of its version: `-20250929`, `-2025-08-07`. The price is the model's. */
const DAY = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/** In dollars, at list prices; null where no price is known. */
export function costOf({ model, input, output }: Pick<ModelUsage, "model" | "input" | "output">): number | null {
  const name = model?.replace(DAY, "") ?? "";
  const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
  return price === undefined ? null : (input * price[0] + output * price[1]) / 1_000_000;
}
