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

const PRODUCT = "hallpass";
const ANCHOR = "rg";

await runSuite("grep", async (suite) => {
  const sizes: readonly TreeSize[] = suite.pace === "quick" ? ["100k"] : ["1k", "10k", "100k", "1m"];
  for (const size of sizes) await measureGrep(suite, ensureTree(size, suite.cache), size);
});

async function measureGrep(suite: Suite, tree: Tree, size: TreeSize): Promise<void> {
  const whole = ripgrepLiteral(tree.root, LITERAL, []);
  const allowed = new Set(withoutWithheld(whole.map((hit) => hit.path)));
  const reference = whole.filter((hit) => allowed.has(hit.path));
  if (reference.length !== tree.hits) throw new Error(`rg finds ${reference.length} lines in ${size}, planned were ${tree.hits}`);
  requireSame(`grep in ${size} files`, linesOf(reference), linesOf(await grepFiles(tree.root, LITERAL)));
  requireSame("rg -j1", linesOf(whole), linesOf(ripgrepLiteral(tree.root, LITERAL, ["-j1"])));

  await suite.run({
    title: `literal, ${size} files, ${tree.hits} hits`,
    anchor: ANCHOR,
    operations: 1,
    by: "calls",
    variants: [
      { name: PRODUCT, kind: "async", run: () => grepFiles(tree.root, LITERAL) },
      { name: ANCHOR, kind: "sync", run: () => ripgrepLiteral(tree.root, LITERAL, []) },
      { name: "rg -j1", kind: "sync", run: () => ripgrepLiteral(tree.root, LITERAL, ["-j1"]) },
    ],
    goals: size === "100k" ? [{ name: "grep 100k files of rg", limit: 1.2, variant: PRODUCT, against: ANCHOR }] : [],
  });
}

function linesOf(hits: readonly Hit[]): readonly string[] {
  return hits.map((hit) => `${hit.path}:${hit.line}`);
}
