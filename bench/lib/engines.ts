// The peers of a decision: precompiled lists of two libraries, and loops of the shape that
// two agents use (a RegExp built per rule and call; a RegExp list over JSON). Shape-equal,
// never their code. All say the verdict of the first rule that matches, like the product.
import { Minimatch } from "minimatch";
import picomatch from "picomatch";
import type { BenchRule, Verdict } from "./product.ts";

export type Decide = (path: string) => Verdict | "none";

/** The reference: what it says is right. */
export function picomatchList(rules: readonly BenchRule[]): Decide {
  const compiled = rules.map((rule) => ({
    matches: picomatch(rule.glob, { dot: true }),
    verdict: rule.verdict,
  }));
  return (path) => {
    for (const rule of compiled) if (rule.matches(path)) return rule.verdict;
    return "none";
  };
}

export function minimatchList(rules: readonly BenchRule[]): Decide {
  const compiled = rules.map((rule) => ({
    glob: new Minimatch(rule.glob, { dot: true }),
    verdict: rule.verdict,
  }));
  return (path) => {
    for (const rule of compiled) if (rule.glob.match(path)) return rule.verdict;
    return "none";
  };
}

/** opencode's shape: escape, replace and compile every rule, at every call. */
export function expressionEachCall(rules: readonly BenchRule[]): Decide {
  return (path) => {
    for (const rule of rules) if (new RegExp(`^${expressionOf(rule.glob)}$`, "s").test(path)) return rule.verdict;
    return "none";
  };
}

/** gemini-cli's shape: the arguments as JSON, and a RegExp list over the text. */
export function expressionsOverJson(rules: readonly BenchRule[]): Decide {
  const compiled = rules.map((rule) => ({
    expression: new RegExp(`"file_path":"${expressionOf(rule.glob)}"`),
    verdict: rule.verdict,
  }));
  return (path) => {
    const text = JSON.stringify({ file_path: path });
    for (const rule of compiled) if (rule.expression.test(text)) return rule.verdict;
    return "none";
  };
}

function expressionOf(glob: string): string {
  return glob
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*\/|\*\*|\*/g, (stars) => (stars === "**/" ? "(?:.*/)?" : stars === "**" ? ".*" : "[^/]*"));
}
