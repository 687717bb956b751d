// Which rules of a policy let something be read that lies in no root, or in a directory. By their patterns alone: a rule before it may say
// otherwise of what it matches. Pure.

import type { CompiledPolicy } from "./compile.ts";
import { type Glob, isAnywhere, matchName, parseGlob } from "./glob.ts";
import type { Source } from "./rule.ts";

/** A rule that allows reading, as it is written, and where. */
export interface OpenRule {
  readonly glob: string;
  readonly source: Source | null;
}

/** Every rule that may allow reading something at `dir` or below; with null, something anywhere. */
export function openRules({ layers }: CompiledPolicy, home: string, dir: string | null): readonly OpenRule[] {
  return layers.flatMap(({ layer: { rules, defaults } }) => [
    ...rules.filter((rule) => {
      if (rule.right !== "read" || rule.verdict !== "allow") return false;
      // What holds below each root opens nothing outside of them.
      if (!rule.outsideOnly && !isAnywhere(rule.glob)) return false;
      if (dir === null) return true;
      const parsed = parseGlob(rule.glob, home);
      return parsed.ok && mayMatchIn(parsed.glob, dir);
    }),
    ...(defaults.read?.verdict === "allow" ? [{ glob: "*", source: defaults.read.source }] : []),
  ]);
}

/** May the pattern match the directory itself, or something below it? */
function mayMatchIn({ pieces, subtree }: Glob, dir: string): boolean {
  const names = dir.split("/").filter((name) => name !== "");
  for (const [at, name] of names.entries()) {
    const piece = pieces[at];
    if (piece === undefined) return subtree;
    if (piece.kind === "any-names") return true;
    if (piece.kind === "literal" ? piece.text !== name : !matchName(piece.text, name)) return false;
  }
  return true;
}
