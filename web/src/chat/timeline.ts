// A chat as it is read: messages, and each ask where it was raised. Pure.

import type { WireAsk, WireMessage } from "../../../src/wire/values.ts";

export type Item =
  | { readonly kind: "message"; readonly id: string; readonly message: WireMessage }
  | { readonly kind: "ask"; readonly id: string; readonly ask: WireAsk };

/** Messages keep their order; an ask stands behind the last message that is not younger than it. Open asks are last of all. */
export function timeline(messages: readonly WireMessage[], asks: readonly WireAsk[], earlier: boolean): readonly Item[] {
  const first = messages[0]?.at ?? 0;
  const waiting = asks.filter(({ state }) => state === "open");
  const settled = asks.filter(({ state, at, rewound }) => state !== "open" && rewound !== true && (!earlier || at >= first));
  const items: Item[] = [];
  let next = 0;
  const putUntil = (at: number): void => {
    for (let ask = settled[next]; ask !== undefined && ask.at < at; ask = settled[next]) {
      items.push({ kind: "ask", id: ask.id, ask });
      next += 1;
    }
  };
  for (const message of messages) {
    putUntil(message.at);
    items.push({ kind: "message", id: message.id, message });
  }
  putUntil(Number.POSITIVE_INFINITY);
  for (const ask of waiting) items.push({ kind: "ask", id: ask.id, ask });
  return items;
}
