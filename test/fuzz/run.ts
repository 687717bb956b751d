// npm run fuzz -- --minutes N --target NAME: every target, or one, for so long each. Ends with 1 where something was found.

import { parseArgs } from "node:util";
import { fuzz } from "./fuzzer.ts";
import { randomFrom } from "./random.ts";
import type { Target } from "./target.ts";
import { targets } from "./targets.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, target: { type: "string" }, seed: { type: "string" } },
});
const seconds = Number(values.minutes) * 60;
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const chosen: readonly [string, Target][] = Object.entries<Target>(targets).filter(
  ([name]) => values.target === undefined || values.target === name,
);
if (!(seconds > 0) || !Number.isFinite(seed)) throw new Error("--minutes and --seed take a number");
if (chosen.length === 0) throw new Error(`--target is one of ${Object.keys(targets).join(", ")}`);
for (const [name, target] of chosen) {
  const { tried, kept, places, findings } = await fuzz(target, { seconds, random: randomFrom(seed) });
  console.log(
    `${name}: ${tried} texts, ${kept} of them reached something new, ${places} places, ${findings.length} findings (seed ${seed})`,
  );
  for (const { text, why } of findings) console.log(`  ${why}\n    ${JSON.stringify(text)}`);
  if (findings.length > 0) process.exitCode = 1;
}
