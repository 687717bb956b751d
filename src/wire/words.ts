// What every screen says in the same words.

import type { WireChatUsage } from "./chat-routes.ts";
import type { WireFaultKind } from "./values.ts";

/** `rate-limited; trying again in 12 s` */
export function retryWords(kind: WireFaultKind, until: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  const what = kind === "rate-limit" ? "the model's service is rate-limiting us" : "the model's service failed";
  return `${what}; trying again ${seconds === 0 ? "now" : `in ${seconds} s`}`;
}

/** How long a recorded yes or grant lasts, in words; empty for what is neither. */
export function lastsWords(event: Readonly<Record<string, unknown>>, time: (at: number) => string): string {
  const { until, expires } = event;
  if (until === "call") return "once";
  if (until === "always") return "for good";
  if (until === "time") return typeof expires === "number" ? `until ${time(expires)}` : "for a limited time";
  return until === "session" ? "for the session" : "";
}

/** What is wrong with the daemon's store, a sentence each; empty where all is well. */
export function storeFaults({ ok, degraded }: { readonly ok: boolean; readonly degraded: readonly string[] }): readonly string[] {
  const rows = degraded.length === 1 ? "one of the store's rows" : `${degraded.length} of the store's rows`;
  return [
    ...(ok ? [] : ["its store could not keep the last thing it was given, so nothing is allowed: is the disk full? See its log"]),
    ...(degraded.length === 0
      ? []
      : [
          `degraded: ${rows} cannot be read and ${degraded.length === 1 ? "is" : "are"} left out; hallpass doctor names them and says what to do`,
        ]),
  ];
}

const count = (number: number): string => number.toLocaleString("en-US");

/** Small amounts keep the digits that say something. */
const dollars = (amount: number): string => `$${amount >= 1 ? amount.toFixed(2) : amount.toPrecision(2)}`;

/** One line. Where no price is known it tells of tokens alone. */
export function usageWords({ turns, input, output, cost, pricesAsOf }: Omit<WireChatUsage, "models">): string {
  if (turns === 0) return "The model has reported no tokens for this chat";
  const tokens = `Tokens: ${count(input)} in, ${count(output)} out, as the model counted them in ${turns === 1 ? "one turn" : `${count(turns)} turns`}`;
  return cost === null
    ? tokens
    : `${tokens} · about ${dollars(cost)}, an estimate without discounts; list prices as of ${pricesAsOf} unless you set your own`;
}
