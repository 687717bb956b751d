// Time and randomness come in through these ports, never from globals inside the code that judges.

/** Milliseconds since the epoch. */
export type Clock = () => number;
/** A fresh id of at least 128 random bits, as text. */
export type Ids = () => string;

export const systemClock: Clock = () => Date.now();
export const randomIds: Ids = () => globalThis.crypto.randomUUID();
