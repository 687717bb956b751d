// What a model costs, in US dollars for a million tokens: the list prices that its provider publishes, kept here and nowhere else, with the day
// as of which they are, and before them what a person set. A model that is in neither has no price: then tokens are told alone.

import type { ModelUsage } from "../ports.ts";

/** Prices change: they are told with this date. */
export const PRICES_AS_OF = "2026-11-10";

/** Input and output. */
type Price = readonly [input: number, output: number];

// A request above 272,000 tokens costs more with OpenAI's models from GPT-5.4 on: here is the price of the others. Claude Haiku 5.5 is left out:
// above 100,000 tokens it costs five times as much, and conversations with agents are that long.
const prices: Readonly<Record<string, Price>> = {
  "anthropic/claude-fable-5-2": [8, 40],
  "anthropic/claude-fable-5-1": [10, 50],
  "anthropic/claude-fable-5": [10, 50],
  "anthropic/claude-opus-5-5": [4, 20],
  "anthropic/claude-opus-5": [5, 25],
  "anthropic/claude-opus-4-8": [5, 25],
  "anthropic/claude-opus-4-7": [5, 25],
  "anthropic/claude-opus-4-6": [5, 25],
  "anthropic/claude-opus-4-5": [5, 25],
  "anthropic/claude-opus-4-1": [15, 75],
  "anthropic/claude-sonnet-5-5": [2, 10],
  "anthropic/claude-sonnet-5": [2, 10],
  "anthropic/claude-sonnet-4-6": [3, 15],
  "anthropic/claude-sonnet-4-5": [3, 15],
  "anthropic/claude-sonnet-4": [3, 15],
  "anthropic/claude-haiku-4-5": [1, 5],
  "openai/gpt-6.1-sol": [2, 10],
  "openai/gpt-6-astra": [10, 50],
  "openai/gpt-6-sol": [2, 10],
  "openai/gpt-6-luna": [0.1, 0.5],
  "openai/gpt-5.6-terra": [2, 12],
  "openai/gpt-5.6-luna": [0.2, 1.2],
  "openai/gpt-5.5": [5, 30],
  "openai/gpt-5.4": [2.5, 15],
  "openai/gpt-5.4-mini": [0.75, 4.5],
  "openai/gpt-5.4-nano": [0.2, 1.25],
  "openai/gpt-5.2": [1.75, 14],
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

/** In dollars; null where no price is known. `own`: prices that a person set, as `openai/gpt-5=1.25/10,ollama/llama3=0/0`. */
export function costOf({ model, input, output }: Pick<ModelUsage, "model" | "input" | "output">, own = ""): number | null {
  const name = model?.replace(DAY, "") ?? "";
  const price = ownPrice(own, model ?? "") ?? ownPrice(own, name) ?? (Object.hasOwn(prices, name) ? prices[name] : undefined);
  return price === undefined ? null : (input * price[0] + output * price[1]) / 1_000_000;
}

/** Undefined where none is set for this name, or what is set are no two numbers. */
function ownPrice(own: string, name: string): Price | undefined {
  const set = own.split(",").find((one) => one.trim().startsWith(`${name}=`));
  const [, input, output] = /=\s*(\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)\s*$/.exec(set ?? "") ?? [];
  return input === undefined || output === undefined ? undefined : [Number(input), Number(output)];
}
