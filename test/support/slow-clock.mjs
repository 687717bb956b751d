// Loaded before a program of ours (`NODE_OPTIONS=--import=…`): its clocks go fifty times slower than the world's. What a test does at once is
// at once by such a clock too, however long this machine takes for it.

const RATE = 1 / 50;

const slowed = (clock) => {
  const began = clock();
  return () => began + (clock() - began) * RATE;
};
const whole = slowed(Date.now.bind(Date));
Date.now = () => Math.floor(whole());
performance.now = slowed(performance.now.bind(performance));
