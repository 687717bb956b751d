// The facts that a card may state, in their order. The card is made in `core/guard/card.ts`; every screen, and the wire, knows these kinds.

export const factKinds = [
  "waiting",
  "who",
  "wants",
  "location",
  "unusual",
  "opens",
  "writable",
  "holds",
  "part-of",
  "how-long",
  "task",
  "reason",
  "change",
  "before",
  "why",
] as const;
export type FactKind = (typeof factKinds)[number];
