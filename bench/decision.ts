// One decision on a resolved path: against a precompiled picomatch list at 10, 100 and 1 000
// rules, and its growth from 10 to 10 000. An operation is one path of a fixed mix of 32.
import { requireSame } from "./lib/answer.ts";
import { expressionEachCall, expressionsOverJson, minimatchList, picomatchList } from "./lib/engines.ts";
import type { Decide } from "./lib/engines.ts";
import { decide } from "./lib/product.ts";
import { makeChecks, makePaths, makeRules } from "./lib/rules.ts";
import { runSuite } from "./lib/suite.ts";
import type { Suite } from "./lib/suite.ts";

const CHECKS = 600;
const PRODUCT = "hallpass";
const ANCHOR = "picomatch list";

await runSuite("decision", async (suite) => {
  for (const count of suite.pace === "quick" ? [100] : [10, 100, 1_000]) await measurePeers(suite, count);
  await measureGrowth(suite, [10, 100, 1_000, 10_000]);
});

async function measurePeers(suite: Suite, count: number): Promise<void> {
  const rules = makeRules(count);
  const engines: Readonly<Record<string, Decide>> = {
    [PRODUCT]: decide(rules),
    [ANCHOR]: picomatchList(rules),
    "Minimatch list": minimatchList(rules),
    "RegExp per rule and call (opencode-shaped)": expressionEachCall(rules),
    "RegExp list over JSON (gemini-shaped)": expressionsOverJson(rules),
  };
  const reference = picomatchList(rules);
  for (const [name, engine] of Object.entries(engines)) requireSameVerdicts({ name, engine, reference, count }, suite);
  const paths = makePaths(count);
  await suite.run({
    title: `${count} rules`,
    anchor: ANCHOR,
    operations: paths.length,
    by: "slices",
    variants: Object.entries(engines).map(([name, engine]) => ({
      name,
      kind: "sync",
      run: () => decideAll(engine, paths),
    })),
    goals:
      count === 100
        ? [
            {
              name: "decision at 100 rules of picomatch list",
              limit: 0.15,
              variant: PRODUCT,
              against: ANCHOR,
            },
          ]
        : [],
  });
}

async function measureGrowth(suite: Suite, counts: readonly number[]): Promise<void> {
  const name = (count: number) => `${PRODUCT}, ${count} rules`;
  const variants = counts.map((count) => {
    const rules = makeRules(count);
    const engine = decide(rules);
    const paths = makePaths(count);
    requireSameVerdicts({ name: name(count), engine, reference: picomatchList(rules), count }, suite);
    return { name: name(count), kind: "sync", run: () => decideAll(engine, paths) } as const;
  });
  await suite.run({
    title: "growth",
    anchor: name(10),
    operations: 32,
    by: "slices",
    variants,
    goals: [
      {
        name: "decision growth 10 to 10000 rules",
        limit: 2,
        variant: name(10_000),
        against: name(10),
      },
    ],
  });
}

interface Check {
  readonly name: string;
  readonly engine: Decide;
  readonly reference: Decide;
  readonly count: number;
}

/** The timed paths and 600 others: every engine must say what the reference says. */
function requireSameVerdicts(check: Check, suite: Suite): void {
  const paths = [...new Set([...makePaths(check.count), ...makeChecks(check.count, CHECKS, suite.random)])];
  requireSame(
    `${check.name} at ${check.count} rules`,
    paths.map((path) => `${path} ${check.reference(path)}`),
    paths.map((path) => `${path} ${check.engine(path)}`),
  );
}

/** Something that depends on every answer, so that none can be left out. */
function decideAll(engine: Decide, paths: readonly string[]): number {
  let length = 0;
  for (const path of paths) length += engine(path).length;
  return length;
}
