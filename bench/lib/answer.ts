// The answers, before the times: a variant that gives another answer than the reference
// is not timed at all. A benchmark that can be fast by being wrong is no benchmark.
import type { Tree } from "./tree.ts";

/** Throws, with the first differences, unless both hold the same strings in any order. */
export function requireSame(what: string, expected: readonly string[], actual: readonly string[]): void {
  const wanted = new Set(expected);
  const given = new Set(actual);
  const missing = expected.filter((value) => !given.has(value));
  const surplus = actual.filter((value) => !wanted.has(value));
  const twice = actual.length - given.size;
  if (missing.length === 0 && surplus.length === 0 && twice === 0) return;
  const few = (values: readonly string[]) => values.slice(0, 5).join(", ") || "none";
  throw new Error(
    `${what} gives another answer: ${missing.length} missing (${few(missing)}), ` +
      `${surplus.length} too many (${few(surplus)}), ${twice} twice`,
  );
}

/** What remains of ripgrep's answer once the product has withheld secrets and `.git`. */
export function withoutWithheld(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !path.startsWith(".git/") && !/(?:^|\/)(?:\.env|[^/]*\.pem)$/.test(path));
}

/** ripgrep never names a link; a product may. Links of the tree count for neither side. */
export function withoutLinks(paths: readonly string[], tree: Tree): readonly string[] {
  const links = new Set(tree.links);
  return paths.filter((path) => !links.has(path));
}
