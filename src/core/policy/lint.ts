// What a policy says that its author can hardly have meant: rules that never speak, and allows that open nothing. Findings, not errors.

import { compilePolicy } from "./compile.ts";
import { CoverIndex } from "./cover.ts";
import { parseGlob } from "./glob.ts";
import type { PolicyPart } from "./policy-part.ts";
import { emptyPolicy, type Rule, type Source } from "./rule.ts";
import { show } from "../path/show.ts";

export interface LintFinding {
  readonly kind: "unreachable-rule" | "shadowed-by-secrets" | "ignored" | "plain-characters";
  readonly message: string;
  readonly source: Source | null;
}

/** What other tools' patterns give a meaning to: `{a,b}`, `[ab]` and `!` at the beginning. */
const ELSEWHERE = /^!|\{[^{},]*,[^{}]*\}|\[[^[\]]+\]/;

/** Everything odd about one author's policy, in the order of the file. Takes for granted that it parsed. */
export function lintPolicy(part: PolicyPart, home: string): readonly LintFinding[] {
  const findings: LintFinding[] = part.ignored.map(({ message, source }) => ({ kind: "ignored", message, source }));
  const earlier = new Map<string, CoverIndex<Rule>>();
  const { secrets } = compilePolicy({ ...emptyPolicy, secrets: part.secrets }, home);
  const rules: readonly Rule[] = part.layer.rules;
  for (const rule of rules) {
    const parsed = parseGlob(rule.glob, home);
    if (!parsed.ok) continue;
    const whole = { ...parsed.glob, subtree: parsed.glob.subtree || rule.verdict !== "allow" };
    const key = `${rule.right} ${rule.outsideOnly}`;
    const above = earlier.get(key) ?? new CoverIndex<Rule>();
    earlier.set(key, above);
    // What holds everywhere stands before what holds outside the workspace, and holds there too.
    const over = above.find(whole) ?? (rule.outsideOnly ? earlier.get(`${rule.right} false`)?.find(whole) : null) ?? null;
    if (over !== null) {
      const message = `\`${show(rule.glob)}\` (${rule.right}, ${rule.verdict}) never speaks: \`${show(over.glob)}\` above it matches everything it does`;
      findings.push({ kind: "unreachable-rule", message, source: rule.source });
    }
    above.add(whole, rule);
    if (ELSEWHERE.test(rule.glob)) {
      const message = `\`${show(rule.glob)}\` is taken as it is written: braces, brackets and a leading \`!\` are plain characters here; write a rule for each name`;
      findings.push({ kind: "plain-characters", message, source: rule.source });
    }
    const example = `/${parsed.glob.pieces.map((piece) => (piece.kind === "any-names" ? "x" : piece.text.replaceAll(/[*?]/g, "x"))).join("/")}`;
    if (rule.verdict === "allow" && secrets.find(example) !== null) {
      const message = `\`${show(rule.glob)}\` allows what is on the list of secrets, so it opens nothing; secrets.except is the only way to lift an entry`;
      findings.push({ kind: "shadowed-by-secrets", message, source: rule.source });
    }
  }
  return findings;
}
