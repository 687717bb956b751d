// Searching a literal, against spawning ripgrep: gated on 100k files, the smaller trees for
// reading. The tree has the literal also where it must not be found: ignored files, secrets,
// binary files.
import { requireSame, withoutWithheld } from "./lib/answer.ts";
import { grepFiles } from "./lib/product.ts";
import type { Hit } from "./lib/product.ts";
import { ripgrepLiteral } from "./lib/ripgrep.ts";
import { runSuite } from "./lib/suite.ts";
import type { Suite } from "./lib/suite.ts";
import { ensureTree, LITERAL } from "./lib/tree.ts";
import type { Tree, TreeSize } from "./lib/tree.ts";

/** On a line of every other file or so: what is found is then most of the work. */
const COMMON = "const return";
const PRODUCT = "hallpass";
const ANCHOR = "rg";

await runSuite("grep", async (suite) => {
  const sizes: readonly TreeSize[] = suite.pace === "quick" ? ["100k"] : ["1k", "10k", "100k", "1m"];
  for (const size of sizes) {
    const tree = ensureTree(size, suite.cache);
    await measureGrep(suite, tree, size, LITERAL);
    await measureGrep(suite, tree, size, COMMON);
  }
});

async function measureGrep(suite: Suite, tree: Tree, size: TreeSize, literal: string): Promise<void> {
  const whole = ripgrepLiteral(tree.root, literal, []);
  const allowed = new Set(withoutWithheld(whole.map((hit) => hit.path)));
  const reference = whole.filter((hit) => allowed.has(hit.path));
  if (literal === LITERAL && reference.length !== tree.hits)
    throw new Error(`rg finds ${reference.length} lines in ${size}, planned were ${tree.hits}`);
  requireSame(`grep in ${size} files`, linesOf(reference), linesOf(await grepFiles(tree.root, literal)));
  requireSame("rg -j1", linesOf(whole), linesOf(ripgrepLiteral(tree.root, literal, ["-j1"])));

  await suite.run({
    title: `literal, ${size} files, ${reference.length} hits`,
    anchor: ANCHOR,
    operations: 1,
    by: "calls",
    variants: [
      { name: PRODUCT, kind: "async", run: () => grepFiles(tree.root, literal) },
      { name: ANCHOR, kind: "sync", run: () => ripgrepLiteral(tree.root, literal, []) },
      { name: "rg -j1", kind: "sync", run: () => ripgrepLiteral(tree.root, literal, ["-j1"]) },
    ],
    goals:
      size === "100k"
        ? [
            {
              name: `grep 100k files with ${literal === COMMON ? "many" : "few"} hits of rg`,
              limit: 1.2,
              variant: PRODUCT,
              against: ANCHOR,
            },
          ]
        : [],
  });
}

function linesOf(hits: readonly Hit[]): readonly string[] {
  return hits.map((hit) => `${hit.path}:${hit.line}`);
}
