// A policy as what it shuts: the part that other programs' rules can say too. Only asks and denies are given on, so whatever a host makes
// of them, it never opens more than it did before.

import type { Right } from "../../core/access.ts";
import { covers, type Glob, parseGlob, type PatternPiece } from "../../core/policy/glob.ts";
import { protectedNames } from "../../core/policy/protected.ts";
import type { Policy } from "../../core/policy/rule.ts";
import { notSecret, secretByContent, secretDirs, secretNames, secretPlaces } from "../../core/policy/secrets.ts";

export interface ClosedPlace {
  readonly right: Right;
  readonly verdict: "ask" | "deny";
  /** As its author wrote it. */
  readonly pattern: string;
  readonly glob: Glob;
}

export interface ClosedPlaces {
  readonly places: readonly ClosedPlace[];
  /** What only the guard itself can do, in words. */
  readonly leftOut: readonly string[];
  /** What is outside the workspace and no rule speaks of. */
  readonly outside: "ask" | "deny";
}

export function closedBy(policy: Policy, home: string): ClosedPlaces {
  const secrets = withoutExceptions([...secretDirs, ...secretNames, ...secretPlaces], policy.secrets.except, home);
  const shut: readonly (readonly [Right, "ask" | "deny", string])[] = [
    ...[...secrets, ...policy.secrets.add].flatMap((pattern) => [["read", "deny", pattern] as const, ["write", "deny", pattern] as const]),
    ...[...withoutExceptions(protectedNames, policy.protect.except, home), ...policy.protect.add].map(
      (pattern) => ["write", "deny", pattern] as const,
    ),
    ...policy.layers.flatMap(({ rules }) =>
      rules.flatMap(({ right, verdict, glob, outsideOnly }) =>
        verdict === "allow" || outsideOnly ? [] : [[right, verdict, glob] as const],
      ),
    ),
  ];
  const places = new Map<string, ClosedPlace>();
  for (const [right, verdict, pattern] of shut) {
    const parsed = parseGlob(pattern, home);
    if (parsed.ok) places.set(`${right} ${verdict} ${pattern}`, { right, verdict, pattern, glob: parsed.glob });
  }
  const defaults = policy.layers.map(({ defaults: { read } }) => read?.verdict);
  return { places: [...places.values()], leftOut: describeLeftOut(policy), outside: defaults.includes("deny") ? "deny" : "ask" };
}

/** Without the entries that an exception takes away as a whole. One that is taken away in part stays: stricter, never looser. */
function withoutExceptions(patterns: readonly string[], except: readonly string[], home: string): readonly string[] {
  const globs = except.flatMap((pattern) => {
    const parsed = parseGlob(pattern, home);
    return parsed.ok ? [parsed.glob] : [];
  });
  return patterns.filter((pattern) => {
    const parsed = parseGlob(pattern, home);
    return !parsed.ok || !globs.some((glob) => covers(glob, parsed.glob));
  });
}

function describeLeftOut(policy: Policy): readonly string[] {
  const rules = policy.layers.flatMap((layer) => layer.rules);
  const allows = rules.filter(({ verdict }) => verdict === "allow").length;
  const outsideOnly = rules.filter((rule) => rule.outsideOnly && rule.verdict !== "allow").length;
  return [
    ...(allows > 0 ? [`${allows} allow${allows === 1 ? "" : "s"}: only what is shut is written, the host decides about the rest`] : []),
    ...(outsideOnly > 0 ? [`${outsideOnly} rule${outsideOnly === 1 ? "" : "s"} about what lies outside the workspace only`] : []),
    ...(policy.gitignored === "allow" ? [] : [`\`gitignored\`: ${policy.gitignored}`]),
    ...(policy.hardlinks === "allow" ? [] : [`\`hardlinks\`: ${policy.hardlinks}`]),
    `the exceptions ${notSecret.slice(0, 3).map(quotePattern).join(", ")} and so on: these names are shut in the host as well`,
    `secrets by content (${[...secretByContent.keys()].join(", ")}), copies of secrets under names like \`x.pem.bak\`, other letter case, and links`,
  ];
}

const quotePattern = (pattern: string): string => `\`${pattern.replace("**/", "")}\``;

/** The names of a pattern in a host's spelling; null where a name has a character that means something else there. */
export function spellNames(pieces: readonly PatternPiece[], anyNames: string, special: RegExp): readonly string[] | null {
  const names = pieces.map((piece) => (piece.kind === "any-names" ? anyNames : piece.text));
  return pieces.some(
    (piece) => piece.kind !== "any-names" && special.test(piece.kind === "literal" ? piece.text : piece.text.replaceAll(/[*?]/gu, "")),
  )
    ? null
    : names;
}

/** The one path that names without wildcards name; of `shadow*` the `shadow` itself. Null where no single path is named. */
export function literalPath(pieces: readonly PatternPiece[]): string | null {
  const names = pieces.map((piece, index) => {
    if (piece.kind === "literal") return piece.text;
    return piece.kind === "wild" && index === pieces.length - 1 && piece.text === `${piece.head}*` && /[A-Za-z0-9]$/u.test(piece.head)
      ? piece.head
      : null;
  });
  return names.length === 0 || names.includes(null) ? null : names.join("/");
}
