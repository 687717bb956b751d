// One seeded source of random numbers (mulberry32), so that trees, rules and the
// order of slices are the same on every machine and in every run.

/** Gives numbers in [0, 1). The same seed gives the same numbers for ever. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
