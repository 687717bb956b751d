// Listing and finding, against spawning ripgrep: gated on 100k files, the smaller trees for
// reading. The bare readdirSync walk filters nothing: it is the floor, not a peer.
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";
import { requireSame, withoutLinks, withoutWithheld } from "./lib/answer.ts";
import { findFiles, listFiles } from "./lib/product.ts";
import { ripgrepFiles } from "./lib/ripgrep.ts";
import { runSuite } from "./lib/suite.ts";
import type { Suite } from "./lib/suite.ts";
import { ensureTree } from "./lib/tree.ts";
import type { Tree, TreeSize } from "./lib/tree.ts";

const PATTERN = "**/*.test.ts";
const PRODUCT = "hallpass";
const ANCHOR = "rg";

await runSuite("discover", async (suite) => {
  const sizes: readonly TreeSize[] = suite.pace === "quick" ? ["100k"] : ["1k", "10k", "100k", "1m"];
  for (const size of sizes) {
    const tree = ensureTree(size, suite.cache);
    await measureList(suite, tree, size);
    await measureFind(suite, tree, size, PATTERN, 1.15);
    // A pattern that matches a third of the tree has rg print and us read a third of it; one that matches a file or two has neither.
    const files = ripgrepFiles(tree.root, []);
    const rare = basename(files[files.length >> 1] ?? "");
    await measureFind(suite, tree, size, rare, 1.2);
    await measureFirst(suite, tree, size, rare);
  }
});

async function measureList(suite: Suite, tree: Tree, size: TreeSize): Promise<void> {
  const reference = withoutWithheld(ripgrepFiles(tree.root, []));
  requireSame(`list of ${size} files`, reference, withoutLinks(await listFiles(tree.root), tree));
  requireSame("rg -j1", ripgrepFiles(tree.root, []), ripgrepFiles(tree.root, ["-j1"]));
  const planned = tree.files - tree.ignored - tree.secrets;
  if (reference.length !== planned) throw new Error(`rg lists ${reference.length} files of ${size}, planned were ${planned}`);
  const walked = bareWalk(tree.root).filter((path) => !path.startsWith(`${tree.root}/.git/`));
  if (walked.length !== tree.files) throw new Error(`the bare walk gives ${walked.length} of ${tree.files} files`);

  await suite.run({
    title: `list, ${size} files`,
    anchor: ANCHOR,
    operations: 1,
    by: "calls",
    variants: [
      { name: PRODUCT, kind: "async", run: () => listFiles(tree.root) },
      { name: ANCHOR, kind: "sync", run: () => ripgrepFiles(tree.root, []) },
      { name: "rg -j1", kind: "sync", run: () => ripgrepFiles(tree.root, ["-j1"]) },
      { name: "bare readdirSync walk (no filter)", kind: "sync", run: () => bareWalk(tree.root) },
    ],
    goals: size === "100k" ? [{ name: "list 100k files of rg", limit: 0.9, variant: PRODUCT, against: ANCHOR }] : [],
  });
}

async function measureFind(suite: Suite, tree: Tree, size: TreeSize, pattern: string, limit: number): Promise<void> {
  const glob = [`--glob=${pattern}`];
  const reference = withoutWithheld(ripgrepFiles(tree.root, glob));
  requireSame(`find in ${size} files`, reference, withoutLinks(await findFiles(tree.root, pattern), tree));
  await suite.run({
    title: `find ${pattern}, ${size} files`,
    anchor: ANCHOR,
    operations: 1,
    by: "calls",
    variants: [
      { name: PRODUCT, kind: "async", run: () => findFiles(tree.root, pattern) },
      { name: ANCHOR, kind: "sync", run: () => ripgrepFiles(tree.root, glob) },
      { name: "rg -j1", kind: "sync", run: () => ripgrepFiles(tree.root, [...glob, "-j1"]) },
    ],
    goals: size === "100k" ? [{ name: `find ${pattern} in 100k files of rg`, limit, variant: PRODUCT, against: ANCHOR }] : [],
  });
}

/** The first call of a program that has just started, beside the warm ones above; rg starts each time. */
async function measureFirst(suite: Suite, tree: Tree, size: TreeSize, pattern: string): Promise<void> {
  const glob = [`--glob=${pattern}`];
  const found = withoutWithheld(ripgrepFiles(tree.root, glob)).length;
  const first = async (): Promise<number> => {
    const { stdout } = await promisify(execFile)(process.execPath, ["bench/lib/first-find.mjs", tree.root, pattern]);
    const [took, files] = stdout.split(" ").map(Number);
    if (files !== found) throw new Error(`the first call finds ${files} files, not ${found}`);
    return took ?? 0;
  };
  await suite.run({
    title: `find ${pattern}, ${size} files, the first call`,
    anchor: ANCHOR,
    operations: 1,
    by: "calls",
    variants: [
      { name: PRODUCT, kind: "self-timed", run: first },
      { name: ANCHOR, kind: "sync", run: () => ripgrepFiles(tree.root, glob) },
    ],
    goals: size === "100k" ? [{ name: `a first find ${pattern} in 100k files of rg`, limit: 1.5, variant: PRODUCT, against: ANCHOR }] : [],
  });
}

/** Every file that is not a link, with nothing left out. */
function bareWalk(root: string): readonly string[] {
  const files: string[] = [];
  const dirs = [root];
  for (let dir = dirs.pop(); dir !== undefined; dir = dirs.pop()) {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = `${dir}/${entry.name}`;
      if (entry.isDirectory()) dirs.push(path);
      else if (entry.isFile()) files.push(path);
    }
  }
  return files;
}
