// What a chat took, in words.

import type { WireChatUsage } from "./chat-routes.ts";

const count = (number: number): string => number.toLocaleString("en-US");

/** Small amounts keep the digits that say something. */
const dollars = (amount: number): string => `$${amount >= 1 ? amount.toFixed(2) : amount.toPrecision(2)}`;

/** One line. Where no price is known it tells of tokens alone. */
export function usageWords({ turns, input, output, cost, pricesAsOf }: Omit<WireChatUsage, "models">): string {
  if (turns === 0) return "No turn of this chat was counted by its model";
  const tokens = `Tokens: ${count(input)} in, ${count(output)} out, as the model counted them in ${turns === 1 ? "one turn" : `${count(turns)} turns`}`;
  return cost === null ? tokens : `${tokens} · about ${dollars(cost)} at the list prices of ${pricesAsOf}, without discounts`;
}
