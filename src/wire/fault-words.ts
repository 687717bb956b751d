// What a screen says while a model's service does not take a turn, and it is tried again by itself.

import type { WireFaultKind } from "./values.ts";

/** `rate-limited; trying again in 12 s` */
export function retryWords(kind: WireFaultKind, until: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  const what = kind === "rate-limit" ? "the model's service is rate-limiting us" : "the model's service failed";
  return `${what}; trying again ${seconds === 0 ? "now" : `in ${seconds} s`}`;
}
