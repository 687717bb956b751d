// The lists of rules in a policy file → one layer. A pattern that is none, a rule whose own examples are untrue and a deny that can never
// speak are errors; a repository's allow is ignored and reported.

import type { Right } from "../access.ts";
import { ruleId } from "../names.ts";
import { show } from "../path/show.ts";
import { CoverIndex } from "./cover.ts";
import { type Glob, isDefault, parseGlob } from "./glob.ts";
import { RuleIndex } from "./index-of-rules.ts";
import { isRecord } from "../record.ts";
import type { LocatedValues } from "./located-values.ts";
import type { Keys } from "./policy-part.ts";
import { type AuthorLayer, type DefaultVerdict, type Rule, stricter, type Verdict } from "./rule.ts";

/** What an author wrote behind a pattern: a verdict, or an object with more. */
interface RuleEntry {
  readonly verdict: Verdict | null;
  readonly why: string | null;
  readonly matches: readonly string[];
  readonly not: readonly string[];
}

export class RuleLists {
  readonly #values: LocatedValues;
  readonly #rules: { rule: Rule; glob: Glob }[] = [];
  readonly #defaults: { read: DefaultVerdict | null; write: DefaultVerdict | null } = { read: null, write: null };

  constructor(values: LocatedValues) {
    this.#values = values;
  }

  get size(): number {
    return this.#rules.length;
  }

  /** One list as it stands in the file: a verdict for everything, or patterns with one each. `outsideOnly`: it speaks of what is outside the workspace. */
  add(value: unknown, keys: Keys, right: Right, { outsideOnly }: { readonly outsideOnly: boolean }): void {
    if (value === undefined) return;
    if (typeof value === "string") return this.addWord(value, keys, [right]);
    for (const [pattern, entry] of Object.entries(this.#values.object(value, keys, null))) {
      const at = [...keys, pattern];
      const { verdict, why, matches, not } = this.#parseEntry(entry, at);
      if (isDefault(pattern)) {
        this.#default(verdict, at, [right]);
        continue;
      }
      // JavaScript puts such keys before all others of an object, so where the author put it is not known here.
      if (/^(?:0|[1-9][0-9]{0,9})$/.test(pattern)) {
        this.#values.fail(at, `\`${pattern}\` is a whole number, and such a key would lose its place in the list; write \`**/${pattern}\``);
        continue;
      }
      const parsed = parseGlob(pattern, this.#values.home);
      if (!parsed.ok) {
        this.#values.fail(at, `pattern \`${show(pattern)}\`: ${parsed.why}`);
        continue;
      }
      if (outsideOnly && parsed.glob.anchor === "root") {
        this.#values.fail(at, `pattern \`${show(pattern)}\`: outside the workspace a pattern must begin with \`/\`, \`~/\` or \`**/\``);
        continue;
      }
      if (verdict === null) continue;
      this.#examples(parsed.glob, verdict, at, matches, not);
      if (this.#mayNot(verdict, at)) continue;
      const source = this.#values.locate(at);
      this.#rules.push({ rule: { id: this.#idAt(at), right, glob: pattern, verdict, outsideOnly, why, source }, glob: parsed.glob });
    }
  }

  /** One word for everything, said of each of these rights; read once, so that what is wrong with it is told once. */
  addWord(value: string, keys: Keys, rights: readonly Right[]): void {
    this.#default(this.#values.verdict(value, keys), keys, rights);
  }

  layer(): AuthorLayer {
    const { author } = this.#values;
    const rules = this.#rules.map(({ rule }) => rule);
    if (author !== "project") return { name: author, rules, defaults: this.#defaults };
    const { read, write } = this.#defaults;
    return { name: "project", rules: rules.filter(tightens), defaults: { read: tightenOnly(read), write: tightenOnly(write) } };
  }

  /** A deny below an allow that covers it would be a promise nobody keeps. */
  refuseDeadDenies(): void {
    const allows = new Map<string, CoverIndex<Rule>>();
    for (const { rule, glob } of this.#rules) {
      const list = `${rule.right} ${rule.outsideOnly}`;
      const earlier = allows.get(list) ?? new CoverIndex<Rule>();
      allows.set(list, earlier);
      if (rule.verdict === "allow") earlier.add(glob, rule);
      if (rule.verdict !== "deny") continue;
      const whole = { ...glob, subtree: true };
      // What holds everywhere stands before what holds outside the workspace, and holds there too.
      const over = earlier.find(whole) ?? (rule.outsideOnly ? allows.get(`${rule.right} false`)?.find(whole) : null) ?? null;
      if (over === null) continue;
      const message = `\`${show(rule.glob)}\` can never deny: \`${show(over.glob)}\` above it allows everything it names; put the deny first`;
      this.#values.errors.push({ message, keys: [], source: rule.source });
    }
  }

  #parseEntry(value: unknown, keys: Keys): RuleEntry {
    if (typeof value === "string") return { verdict: this.#values.verdict(value, keys), why: null, matches: [], not: [] };
    const rule = this.#values.object(value, keys, ["verdict", "why", "matches", "not"]);
    if (isRecord(value) && rule["verdict"] === undefined) this.#values.fail(keys, "a rule must say its `verdict`: allow, ask or deny");
    const why = rule["why"];
    if (why !== undefined && (typeof why !== "string" || why.length > 500))
      this.#values.fail([...keys, "why"], "`why` must be a string of at most 500 characters");
    return {
      verdict: this.#values.verdict(rule["verdict"], [...keys, "verdict"]),
      why: typeof why === "string" ? why : null,
      matches: this.#values.texts(rule["matches"], [...keys, "matches"]),
      not: this.#values.texts(rule["not"], [...keys, "not"]),
    };
  }

  /** A rule that does not do what its author thinks fails to load. */
  #examples(glob: Glob, verdict: Verdict, keys: Keys, matches: readonly string[], not: readonly string[]): void {
    if (matches.length === 0 && not.length === 0) return;
    const index = new RuleIndex([{ order: 0, glob, folded: verdict === "deny", below: verdict !== "allow" || glob.subtree }]);
    const tries = (path: string): boolean => {
      const real = this.#values.fromHome(path).replace(/^(?!\/)/, "/");
      return index.first(real) === 0;
    };
    matches.forEach((path, at) => {
      if (!tries(path)) this.#values.fail([...keys, "matches", at], `the rule does not match its own example \`${show(path)}\``);
    });
    not.forEach((path, at) => {
      if (tries(path)) this.#values.fail([...keys, "not", at], `the rule matches \`${show(path)}\`, which it says it must not`);
    });
  }

  #default(verdict: Verdict | null, keys: Keys, rights: readonly Right[]): void {
    if (verdict === null || this.#mayNot(verdict, keys)) return;
    for (const right of rights) {
      const before = this.#defaults[right];
      // A list and the seed's shape may both have a last word; the same author's stricter one stands.
      if (before !== null && stricter(before.verdict, verdict) === before.verdict) continue;
      this.#defaults[right] = { id: this.#idAt(keys), verdict, source: this.#values.locate(keys) };
    }
  }

  /** A repository's allow is ignored and reported, never an error: the file may be somebody else's. */
  #mayNot(verdict: Verdict, keys: Keys): boolean {
    if (this.#values.author !== "project" || verdict !== "allow") return false;
    return this.#values.ignore(keys, true, "a repository's own policy may ask or deny, never allow; this line is ignored");
  }

  #idAt(keys: Keys): Rule["id"] {
    return ruleId(`${this.#values.author}:${keys.join(".")}`);
  }
}

function tightens(rule: Rule): rule is Rule<"ask" | "deny"> {
  return rule.verdict !== "allow";
}

function tightenOnly(last: DefaultVerdict | null): DefaultVerdict<"ask" | "deny"> | null {
  return last === null || last.verdict === "allow" ? null : { ...last, verdict: last.verdict };
}
