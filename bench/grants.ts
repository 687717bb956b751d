// Is a path under one of N granted roots? Growth from 1 to 10 000 grants, all sizes in one
// paired run. An operation is one hit (under the last root) and one miss (a sibling of it).
import { normalize, resolve, sep } from "node:path";
import { underGrant } from "./lib/product.ts";
import { runSuite } from "./lib/suite.ts";

type Contains = (path: string) => boolean;

const PAIRS = 8;
const COUNTS = [1, 10, 100, 1_000, 10_000];
const PEERS_AT = 1_000;

await runSuite("grants", async (suite) => {
  const name = (count: number) => `hallpass, ${count} grants`;
  const growth = COUNTS.map((count) => variant(name(count), underGrant(makeRoots(count)), count));
  const roots = makeRoots(PEERS_AT);
  const peers = [
    variant(`ancestors in a Set, ${PEERS_AT}`, ancestorsInSet(roots), PEERS_AT),
    variant(`linear startsWith, ${PEERS_AT}`, linear(roots), PEERS_AT),
    variant(`every root normalised (MCP-shaped), ${PEERS_AT}`, normalisingEach(roots), PEERS_AT),
  ];
  await suite.run({
    title: "one hit and one miss",
    anchor: name(1),
    operations: PAIRS,
    by: "slices",
    variants: [...growth, ...peers],
    goals: [{ name: "grants growth 1 to 10000", limit: 1.2, variant: name(10_000), against: name(1) }],
  });
});

/** Compares the answers first, on the timed paths and on one path a root. */
function variant(name: string, contains: Contains, count: number) {
  const roots = makeRoots(count);
  const paths = makePairs(roots);
  const reference = linear(roots);
  const edges = [...roots.slice(0, 50), ...roots.slice(-50)].flatMap((root) => [root, `${root}/a.ts`, `${root}x/a.ts`, `${root}x`]);
  for (const path of [...paths, ...edges, "/", "/home"]) {
    if (contains(path) !== reference(path)) throw new Error(`${name} gives another answer for ${path}`);
  }
  return {
    name,
    kind: "sync",
    run: () => {
      let under = 0;
      for (const path of paths) if (contains(path)) under += 1;
      return under;
    },
  } as const;
}

function makeRoots(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const team = String(index % 100).padStart(2, "0");
    return `/home/user/src/team-${team}/project-${String(index).padStart(5, "0")}`;
  });
}

/** Hit, miss, hit, miss: as deep and as long as each other, and at every count. */
function makePairs(roots: readonly string[]): readonly string[] {
  const last = roots.at(-1) ?? "/";
  const sibling = last.replace(/project-\d+$/, "elsewhere-000");
  return Array.from({ length: PAIRS }, (_, pair) => [
    `${last}/packages/shop/src/cart-${pair}.ts`,
    `${sibling}/packages/shop/src/cart-${pair}.ts`,
  ]).flat();
}

/** The reference. */
function linear(roots: readonly string[]): Contains {
  return (path) => roots.some((root) => path === root || path.startsWith(root + sep));
}

function ancestorsInSet(roots: readonly string[]): Contains {
  const known = new Set(roots);
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (known.has(path.slice(0, end))) return true;
    }
    return false;
  };
}

function normalisingEach(roots: readonly string[]): Contains {
  return (path) => {
    const asked = resolve(normalize(path));
    return roots.some((root) => {
      const allowed = resolve(normalize(root));
      return asked === allowed || asked.startsWith(allowed + sep);
    });
  };
}
