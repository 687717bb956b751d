// Time and randomness come in through these ports, never from globals inside the code that judges.

/** Gives the time, in milliseconds since the epoch. */
export type Clock = () => number;
/** A fresh id of at least 128 random bits, as text. */
export type Ids = () => string;

/**
 * A clock that never goes back and never stands still. Where the one it follows is set back, it goes on from where it was by the time that has
 * really `passed`: what ends in an hour ends in an hour, and what has ended stays ended.
 */
export function steadyClock(followed: Clock, passed: () => number): Clock {
  let [latest, at] = [0, 0];
  return () => {
    const now = passed();
    [latest, at] = [Math.max(followed(), latest + (now - at)), now];
    return Math.floor(latest);
  };
}

/** The machine's clock, steady for as long as this process runs. */
export const systemClock: Clock = steadyClock(
  () => Date.now(),
  () => performance.now(),
);
/** Ids that nobody can guess. */
export const randomIds: Ids = () => globalThis.crypto.randomUUID();
