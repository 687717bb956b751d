// What a policy says that its author can hardly have meant: rules that never speak, allows that open nothing, and those that open
// everything. Findings, not errors.

import type { Right } from "../access.ts";
import { compilePolicy } from "./compile.ts";
import { CoverIndex } from "./cover.ts";
import { type Glob, parseGlob, type PatternPiece } from "./glob.ts";
import type { PolicyPart } from "./policy-part.ts";
import { emptyPolicy, type Rule, type Source } from "./rule.ts";
import { isSystemPlace } from "./system-places.ts";
import { show } from "../path/show.ts";

/** One thing in a policy that its author should look at. */
export interface LintFinding {
  readonly kind:
    | "unreachable-rule"
    | "shadowed-by-secrets"
    | "ignored"
    | "plain-characters"
    | "open-everywhere"
    | "exposed-secret"
    | "not-there";
  readonly message: string;
  readonly source: Source | null;
}

/** What other tools' patterns give a meaning to: `{a,b}`, `[ab]` and `!` at the beginning. */
const ELSEWHERE = /^!|\{[^{},]*,[^{}]*\}|\[[^[\]]+\]/;

/**
 * Everything odd about one author's policy, in the order of the file. Takes for granted that it parsed. `exists` tells whether a path is
 * there; without it nobody looks.
 */
export function lintPolicy(part: PolicyPart, home: string, exists?: (path: string) => boolean): readonly LintFinding[] {
  const findings: LintFinding[] = part.ignored.map(({ message, source }) => ({ kind: "ignored", message, source }));
  for (const right of ["read", "write"] as const) {
    const last = part.layer.defaults[right];
    if (last?.verdict === "allow") findings.push(openEverywhere("*", right, last.source));
  }
  if (part.preset === "open-read" && part.layer.defaults.read === null)
    findings.push(openEverywhere("open-read", "read", part.sources["preset"] ?? null));
  findings.push(...exposedSecrets(part, home), ...missingPlaces(part, exists));
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
      const message = `\`${show(rule.glob)}\` (${rule.right}, ${rule.verdict}) never applies: \`${show(over.glob)}\` above it matches everything it does`;
      findings.push({ kind: "unreachable-rule", message, source: rule.source });
    }
    above.add(whole, rule);
    if (ELSEWHERE.test(rule.glob)) {
      const message = `\`${show(rule.glob)}\` is taken literally: braces, brackets and a leading \`!\` are plain characters here; write a rule for each name`;
      findings.push({ kind: "plain-characters", message, source: rule.source });
    }
    if (rule.verdict === "allow" && (rule.glob === "~/**" || parsed.glob.pieces.every(isAnything)))
      findings.push(openEverywhere(rule.glob, rule.right, rule.source));
    const place = plainPlace(parsed.glob, rule.glob);
    if (over === null && place !== null && rule.verdict !== "deny" && isSystemPlace(place)) {
      const message = `\`${show(rule.glob)}\` (${rule.right}, ${rule.verdict}) never matches: ${show(place)} is part of the system's own state, which is always denied`;
      findings.push({ kind: "unreachable-rule", message, source: rule.source });
    } else if (exists !== undefined && over === null && place !== null && rule.verdict !== "deny" && !exists(place)) {
      const message = `\`${show(rule.glob)}\` (${rule.right}, ${rule.verdict}) matches nothing now: there is no \`${show(place)}\``;
      findings.push({ kind: "not-there", message, source: rule.source });
    }
    const example = `/${parsed.glob.pieces.map((piece) => (piece.kind === "any-names" ? "x" : piece.text.replaceAll(/[*?]/g, "x"))).join("/")}`;
    if (rule.verdict === "allow" && secrets.find(example) !== null) {
      const message = `\`${show(rule.glob)}\` allows what is on the list of secrets, so it opens nothing; secrets.except is the only way to lift an entry`;
      findings.push({ kind: "shadowed-by-secrets", message, source: rule.source });
    }
  }
  return findings;
}

function openEverywhere(glob: string, right: Right, source: Source | null): LintFinding {
  const what = glob === "~/**" ? "everything in the home directory" : "every file of this machine";
  const does = right === "read" ? `read ${what}` : `write ${what}`;
  const exceptions = right === "read" ? "secrets and system places" : "secrets and protected names";
  return {
    kind: "open-everywhere",
    message: `\`${show(glob)}\` (${right}, allow) lets agents ${does} without asking, except ${exceptions}`,
    source,
  };
}

/** Exceptions that lift more than the file that is meant: a secret's name without its place, or everything in a place. */
function exposedSecrets({ secrets: { except }, sources }: PolicyPart, home: string): readonly LintFinding[] {
  const { secrets } = compilePolicy(emptyPolicy, home);
  return except.flatMap((pattern): readonly LintFinding[] => {
    const parsed = parseGlob(pattern, home);
    if (!parsed.ok) return [];
    const { pieces, subtree } = parsed.glob;
    const source = sources[`secrets.except ${pattern}`] ?? null;
    const last = pieces.at(-1);
    if (subtree || (last !== undefined && isAnything(last))) {
      const message = `\`${show(pattern)}\` in secrets.except opens every secret that it matches, whatever its name; name the intended files`;
      return [{ kind: "exposed-secret", message, source }];
    }
    const names = pieces.filter(({ kind }) => kind !== "any-names");
    const [name] = names;
    if (name === undefined || names.length > 1 || pattern.startsWith("/") || pattern.startsWith("~")) return [];
    if (secrets.find(`/x/${name.kind === "any-names" ? "x" : name.text.replaceAll(/[*?]/g, "x")}`) === null) return [];
    const message = `\`${show(pattern)}\` in secrets.except opens this secret in every directory; name the intended place, as in \`~/code/app/test/${show(pattern.replace(/^\*\*\//u, ""))}\``;
    return [{ kind: "exposed-secret", message, source }];
  });
}

function missingPlaces(
  { projects, ceilings, workspaces, sources }: PolicyPart,
  exists?: (path: string) => boolean,
): readonly LintFinding[] {
  const lists = Object.entries({ projects, ceilings: ceilings ?? [], workspaces });
  return lists
    .flatMap(([key, paths]) => paths.map((path) => ({ key, path })))
    .filter(({ path }) => exists !== undefined && !exists(path))
    .map(({ key, path }) => ({
      kind: "not-there",
      message: `\`${show(path)}\` in \`${key}\` does not exist, so it has no effect`,
      source: sources[`${key} ${path}`] ?? null,
    }));
}

/** The path that an absolute pattern begins with, up to its first wild name; null where there is none. */
function plainPlace({ pieces }: Glob, pattern: string): string | null {
  if (!pattern.startsWith("/") && !pattern.startsWith("~/")) return null;
  const wild = pieces.findIndex(({ kind }) => kind === "any-names" || kind === "wild");
  const plain = (wild === -1 ? pieces : pieces.slice(0, wild)).map((piece) => (piece.kind === "any-names" ? "" : piece.text));
  return plain.length === 0 ? null : `/${plain.join("/")}`;
}

const isAnything = (piece: PatternPiece): boolean => piece.kind === "any-names" || (piece.kind === "wild" && /^\*+$/.test(piece.text));
