// Time and randomness come in through these ports, never from globals inside the code that judges.

/** Gives the time, in milliseconds since the epoch. */
export type Clock = () => number;
/** A fresh id of at least 128 random bits, as text. */
export type Ids = () => string;

let latest = 0;
/** The machine's clock, but never going back while this process runs: a grant that has ended stays ended when somebody sets the clock. */
export const systemClock: Clock = () => (latest = Math.max(latest, Date.now()));
/** Ids that nobody can guess. */
export const randomIds: Ids = () => globalThis.crypto.randomUUID();
