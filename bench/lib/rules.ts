// Rules and paths for the decision suite: the five shapes of performance.md 2.1 in turn,
// and paths that hit or just miss them. `**` stands only as a whole segment, where every
// dialect agrees. Promises the same mix of shapes, hits and misses at every size.
import type { BenchRule, Verdict } from "./product.ts";

const VERDICTS: readonly Verdict[] = ["allow", "ask", "deny"];
const SHAPES = 5;

/** The first `count` rules. A longer list begins with the shorter one. */
export function makeRules(count: number): readonly BenchRule[] {
  return Array.from({ length: count }, (_, index) => ({
    glob: globAt(index),
    verdict: VERDICTS[index % VERDICTS.length] ?? "deny",
  }));
}

/**
 * 32 paths: 16 hits, spread evenly over the list with each shape in its turn, and 16 misses,
 * so that a linear engine scans three quarters of the list on average, whatever its luck.
 */
export function makePaths(count: number): readonly string[] {
  const hits = Array.from({ length: 16 }, (_, turn) => {
    const near = Math.floor(((turn + 0.5) / 16) * count);
    const index = near - (near % SHAPES) + (turn % SHAPES);
    return hitAt(Math.min(index, count - SHAPES + (turn % SHAPES)));
  });
  const misses = Array.from({ length: 16 }, (_, turn) => missAt(turn % 10, turn % SHAPES));
  return hits.flatMap((hit, turn) => [hit, misses[turn] ?? hit]);
}

/**
 * Paths to compare answers on, drawn from the whole list and a little beyond: hits, misses,
 * and paths that three rules match, where only the first in order is right.
 */
export function makeChecks(count: number, wanted: number, random: () => number): readonly string[] {
  const draw = () => Math.floor(random() * count * 1.1);
  return Array.from({ length: wanted }, () => {
    const kind = random();
    if (kind < 0.4) return hitAt(draw());
    if (kind < 0.7) return missAt(draw(), Math.floor(random() * SHAPES));
    return overlapOf(draw(), draw(), draw());
  });
}

/** Matches a rule of the first, the third and the fourth shape at once. */
function overlapOf(first: number, second: number, third: number): string {
  const name = (index: number, shape: number) => nameAt(index - (index % SHAPES) + shape);
  return `/srv/project-${name(first, 0)}/.dir-${name(second, 3)}/name-${name(third, 2)}-server.pem`;
}

function globAt(index: number): string {
  const name = nameAt(index);
  switch (index % SHAPES) {
    case 0:
      return `/srv/project-${name}/**`;
    case 1:
      return `/work/team-${name}/modules/**/*.ts`;
    case 2:
      return `**/name-${name}*.pem`;
    case 3:
      return `**/.dir-${name}/**`;
    default:
      return `/data/set-${name}/*.json`;
  }
}

function hitAt(index: number): string {
  const name = nameAt(index);
  switch (index % SHAPES) {
    case 0:
      return `/srv/project-${name}/src/server/routes/cart.ts`;
    case 1:
      return `/work/team-${name}/modules/shop/src/cart.ts`;
    case 2:
      return `/home/user/app/config/tls/name-${name}-server.pem`;
    case 3:
      return `/home/user/app/packages/.dir-${name}/state/cart.txt`;
    default:
      return `/data/set-${name}/cart.json`;
  }
}

/** Looks like a hit of that shape and is none: another extension, one folder too deep, a name too long. */
function missAt(index: number, shape: number): string {
  const name = nameAt(index);
  switch (shape) {
    case 0:
      return `/srv/project-${name}x/src/server/routes/cart.ts`;
    case 1:
      return `/work/team-${name}/modules/shop/src/cart.css`;
    case 2:
      return `/home/user/app/config/tls/other-${name}-server.pem`;
    case 3:
      return `/home/user/app/packages/dir-${name}/state/cart.txt`;
    default:
      return `/data/set-${name}/deeper/cart.json`;
  }
}

function nameAt(index: number): string {
  return String(index).padStart(5, "0");
}
