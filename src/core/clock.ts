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

/** So much may two clocks differ, in milliseconds, before one of them counts as set back. */
const SLACK = 5000;

/** Is the time to come, by this clock? Then it was noted by a clock that was set back since, and nobody can tell how long ago that was. */
export const isToCome = (at: number, now: number): boolean => at > now + SLACK;

/** Have no more than so many milliseconds passed since? No, where nobody can tell. */
export const isWithin = (at: number, now: number, life: number): boolean => !isToCome(at, now) && now <= at + life;

/** Ids that nobody can guess. */
export const randomIds: Ids = () => globalThis.crypto.randomUUID();
