// A policy file's content → what its author says, or errors with their places. Unknown keys, unknown words and untrue examples are
// errors: a policy that does not say what its author meant denies everything until it is mended.

import type { Right } from "../access.ts";
import { ruleId } from "../names.ts";
import { show } from "../path/show.ts";
import { CoverIndex } from "./cover.ts";
import { type Glob, isDefault, parseGlob, type Piece } from "./glob.ts";
import { RuleIndex } from "./index-of-rules.ts";
import { type AuthorLayer, type Default, type Rule, type Source, stricter, type Verdict } from "./rule.ts";

export type Author = "administrator" | "operator" | "project";
export type Preset = "strict" | "balanced" | "open-read";

/** A place in the file: the keys that lead there. */
export type Keys = readonly (string | number)[];

export interface PolicyError {
  readonly message: string;
  readonly keys: Keys;
  readonly source: Source | null;
}

/** What one author contributes; `combine.ts` puts authors together. */
export interface PolicyPart {
  readonly author: Author;
  readonly layer: AuthorLayer;
  readonly preset: Preset | null;
  readonly secrets: { readonly except: readonly string[]; readonly add: readonly string[] };
  readonly protect: { readonly except: readonly string[]; readonly add: readonly string[] };
  readonly gitignored: Verdict | null;
  readonly hardlinks: Verdict | null;
  readonly ceilings: readonly string[] | null;
  readonly projects: readonly string[];
  readonly asks: { readonly by: "model" | "guard" | null; readonly offer: "once" | "session" | null };
  readonly commands: { readonly network: "none" | "host" | null };
  /** What was ignored because this author may not say it. */
  readonly ignored: readonly PolicyError[];
}

export type ParsedPolicy =
  | { readonly ok: true; readonly part: PolicyPart }
  | { readonly ok: false; readonly errors: readonly PolicyError[] };

export interface ParseOptions {
  readonly author: Author;
  readonly home: string;
  /** Where in the file the value at these keys stands, if a file is known. */
  readonly locate?: (keys: Keys) => Source | null;
}

/** As many rules as anybody needs, and few enough that a repository cannot make judging slow. */
export const RULES = { administrator: 100_000, operator: 100_000, project: 1_000 } as const;

const KEYS = [
  "$schema",
  "read",
  "write",
  "permission",
  "secrets",
  "protected",
  "gitignored",
  "hardlinks",
  "ceilings",
  "projects",
  "preset",
  "asks",
  "commands",
] as const;

/** Parse a whole policy. `value` is what a JSON parser gave; nothing about it is taken for granted. */
export function parsePolicy(value: unknown, options: ParseOptions): ParsedPolicy {
  const parser = new Parser(options);
  const part = parser.policy(value);
  return parser.errors.length > 0 ? { ok: false, errors: parser.errors } : { ok: true, part };
}

class Parser {
  readonly errors: PolicyError[] = [];
  readonly #ignored: PolicyError[] = [];
  readonly #rules: { rule: Rule; glob: Glob }[] = [];
  readonly #defaults: { read: Default | null; write: Default | null } = { read: null, write: null };
  readonly #speaksOf = new Set<Right>();
  readonly #options: ParseOptions;

  constructor(options: ParseOptions) {
    this.#options = options;
  }

  policy(value: unknown): PolicyPart {
    const { author } = this.#options;
    const top = this.#object(value, [], KEYS);
    if (top["$schema"] !== undefined && typeof top["$schema"] !== "string") this.#fail(["$schema"], "`$schema` must be a string");
    for (const right of ["read", "write"] as const) this.#list(top[right], [right], right, { outsideOnly: false });
    this.#seed(top["permission"]);
    const preset = this.#word(top["preset"], ["preset"], ["strict", "balanced", "open-read"] as const);
    const part: PolicyPart = {
      author,
      layer: this.#layer(),
      preset: preset === "open-read" && author === "project" ? this.#ignore(["preset"], null) : preset,
      secrets: this.#names(top["secrets"], "secrets"),
      protect: this.#names(top["protected"], "protected"),
      gitignored: this.#setting(top["gitignored"], "gitignored"),
      hardlinks: this.#setting(top["hardlinks"], "hardlinks"),
      ceilings: this.#ownerOnly("ceilings", top["ceilings"] === undefined ? null : this.#places(top["ceilings"], ["ceilings"]), null),
      projects: this.#ownerOnly("projects", this.#places(top["projects"], ["projects"]), []),
      asks: this.#asks(top["asks"]),
      commands: this.#commands(top["commands"]),
      ignored: this.#ignored,
    };
    this.#refuseDeadDenies();
    const named = [part.secrets, part.protect].flatMap(({ except, add }) => [...except, ...add]);
    if (this.#rules.length + named.length > RULES[author]) this.#fail([], `a policy may have at most ${RULES[author]} rules`);
    return part;
  }

  /** The seed's shape: `permission.external_directory` as a word, as {read, write}, or as maps of patterns. */
  #seed(value: unknown): void {
    if (value === undefined) return;
    const permission = this.#object(value, ["permission"], ["external_directory"]);
    const outside = permission["external_directory"];
    const keys = ["permission", "external_directory"];
    if (outside === undefined) return;
    if (typeof outside === "string") {
      for (const right of ["read", "write"] as const) this.#list(outside, keys, right, { outsideOnly: true });
      return;
    }
    const split = this.#object(outside, keys, ["read", "write"]);
    for (const right of ["read", "write"] as const) this.#list(split[right], [...keys, right], right, { outsideOnly: true });
  }

  #list(value: unknown, keys: Keys, right: Right, { outsideOnly }: { readonly outsideOnly: boolean }): void {
    if (value === undefined) return;
    this.#speaksOf.add(right);
    if (typeof value === "string") return this.#default(this.#verdict(value, keys), keys, right);
    for (const [pattern, said] of Object.entries(this.#object(value, keys, null))) {
      const at = [...keys, pattern];
      const { verdict, why, matches, not } = this.#said(said, at);
      if (isDefault(pattern)) {
        this.#default(verdict, at, right);
        continue;
      }
      // JavaScript puts such keys before all others of an object, so where the author put it is not known here.
      if (/^(?:0|[1-9][0-9]{0,9})$/.test(pattern)) {
        this.#fail(at, `\`${pattern}\` is a whole number, and such a key would lose its place in the list; write \`**/${pattern}\``);
        continue;
      }
      const parsed = parseGlob(pattern, this.#options.home);
      if (!parsed.ok) {
        this.#fail(at, `pattern \`${show(pattern)}\`: ${parsed.why}`);
        continue;
      }
      if (outsideOnly && parsed.glob.anchor === "root") {
        this.#fail(at, `pattern \`${show(pattern)}\`: outside the workspace a pattern must begin with \`/\`, \`~/\` or \`**/\``);
        continue;
      }
      if (verdict === null) continue;
      this.#examples(parsed.glob, verdict, at, matches, not);
      if (this.#mayNot(verdict, at)) continue;
      const id = ruleId(`${this.#options.author}:${at.join(".")}`);
      this.#rules.push({ rule: { id, right, glob: pattern, verdict, outsideOnly, why, source: this.#locate(at) }, glob: parsed.glob });
    }
  }

  #said(value: unknown, keys: Keys): { verdict: Verdict | null; why: string | null; matches: readonly string[]; not: readonly string[] } {
    if (typeof value === "string") return { verdict: this.#verdict(value, keys), why: null, matches: [], not: [] };
    const rule = this.#object(value, keys, ["verdict", "why", "matches", "not"]);
    if (isObject(value) && rule["verdict"] === undefined) this.#fail(keys, "a rule must say its `verdict`: allow, ask or deny");
    const why = rule["why"];
    if (why !== undefined && (typeof why !== "string" || why.length > 500))
      this.#fail([...keys, "why"], "`why` must be a text of at most 500 characters");
    return {
      verdict: this.#verdict(rule["verdict"], [...keys, "verdict"]),
      why: typeof why === "string" ? why : null,
      matches: this.#texts(rule["matches"], [...keys, "matches"]),
      not: this.#texts(rule["not"], [...keys, "not"]),
    };
  }

  /** A rule that does not do what its author thinks fails to load. */
  #examples(glob: Glob, verdict: Verdict, keys: Keys, matches: readonly string[], not: readonly string[]): void {
    if (matches.length === 0 && not.length === 0) return;
    const index = new RuleIndex([{ order: 0, glob, folded: verdict === "deny", below: verdict !== "allow" || glob.subtree }]);
    const tries = (path: string): boolean => {
      const real = this.#fromHome(path).replace(/^(?!\/)/, "/");
      return index.first(real) === 0;
    };
    matches.forEach((path, at) => {
      if (!tries(path)) this.#fail([...keys, "matches", at], `the rule does not match its own example \`${show(path)}\``);
    });
    not.forEach((path, at) => {
      if (tries(path)) this.#fail([...keys, "not", at], `the rule matches \`${show(path)}\`, which it says it must not`);
    });
  }

  #default(verdict: Verdict | null, keys: Keys, right: Right): void {
    if (verdict === null || this.#mayNot(verdict, keys)) return;
    const before = this.#defaults[right];
    // A list and the seed's shape may both have a last word; the same author's stricter one stands.
    if (before !== null && stricter(before.verdict, verdict) === before.verdict) return;
    this.#defaults[right] = { id: ruleId(`${this.#options.author}:${keys.join(".")}`), verdict, source: this.#locate(keys) };
  }

  /** A repository's allow is ignored and reported, never an error: the file may be somebody else's. */
  #mayNot(verdict: Verdict, keys: Keys): boolean {
    if (this.#options.author !== "project" || verdict !== "allow") return false;
    this.#ignored.push({
      message: "a repository's own policy may ask or deny, never allow; this line is ignored",
      keys,
      source: this.#locate(keys),
    });
    return true;
  }

  #refuseDeadDenies(): void {
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
      this.errors.push({ message, keys: [], source: rule.source });
    }
  }

  #layer(): AuthorLayer {
    const { author } = this.#options;
    const speaksOf = [...this.#speaksOf];
    const rules = this.#rules.map(({ rule }) => rule);
    if (author !== "project") return { name: author, rules, defaults: this.#defaults, speaksOf };
    const { read, write } = this.#defaults;
    return { name: "project", rules: rules.filter(tightens), defaults: { read: tightenOnly(read), write: tightenOnly(write) }, speaksOf };
  }

  #names(value: unknown, key: "secrets" | "protected"): PolicyPart["secrets"] {
    if (value === undefined) return { except: [], add: [] };
    const lists = this.#object(value, [key], ["except", "add"]);
    const patterns = (name: "except" | "add"): readonly string[] =>
      this.#texts(lists[name], [key, name]).filter((pattern) => {
        const at = Array.isArray(lists[name]) ? lists[name].indexOf(pattern) : 0;
        const parsed = isDefault(pattern)
          ? { ok: false as const, why: "name what is meant; everything at once is not a list" }
          : parseGlob(pattern, this.#options.home);
        if (!parsed.ok) this.#fail([key, name, at], `pattern \`${show(pattern)}\`: ${parsed.why}`);
        else if (parsed.glob.pieces.every(isAnything))
          this.#fail([key, name, at], `pattern \`${show(pattern)}\`: name what is meant; everything at once is not a list`);
        else if (parsed.glob.anchor === "root")
          this.#fail([key, name, at], `pattern \`${show(pattern)}\`: must begin with \`/\`, \`~/\` or \`**/\`, or be a single name`);
        return parsed.ok;
      });
    const except = patterns("except");
    const lifted = except.length > 0 && this.#options.author === "project" ? this.#ignore([key, "except"], []) : except;
    return { except: lifted, add: patterns("add") };
  }

  #setting(value: unknown, key: "gitignored" | "hardlinks"): Verdict | null {
    return value === undefined ? null : this.#verdict(value, [key]);
  }

  #asks(value: unknown): PolicyPart["asks"] {
    if (value === undefined) return { by: null, offer: null };
    const asks = this.#object(value, ["asks"], ["by", "offer"]);
    return {
      by: this.#word(asks["by"], ["asks", "by"], ["model", "guard"] as const),
      offer: this.#word(asks["offer"], ["asks", "offer"], ["once", "session"] as const),
    };
  }

  /** A repository may shut the network and never open it. */
  #commands(value: unknown): PolicyPart["commands"] {
    if (value === undefined) return { network: null };
    const keys = ["commands", "network"];
    const network = this.#word(this.#object(value, ["commands"], ["network"])["network"], keys, ["none", "host"] as const);
    return { network: network === "host" && this.#options.author === "project" ? this.#ignore(keys, null) : network };
  }

  #ownerOnly<T>(key: string, value: T, otherwise: T): T {
    const said = Array.isArray(value) && value.length > 0;
    return said && this.#options.author === "project" ? this.#ignore([key], otherwise) : value;
  }

  #ignore<T>(keys: Keys, otherwise: T): T {
    this.#ignored.push({
      message: `a repository's own policy may not set \`${keys.join(".")}\`; it is ignored`,
      keys,
      source: this.#locate(keys),
    });
    return otherwise;
  }

  #places(value: unknown, keys: Keys): readonly string[] {
    return this.#texts(value, keys).map((place, at) => {
      const real = this.#fromHome(place).replace(/(?<=.)\/+$/, "");
      const names = real.split("/");
      if (!real.startsWith("/") || names.includes("..") || real.includes("\0"))
        this.#fail([...keys, at], `\`${show(place)}\` must be an absolute path, or begin with \`~/\`, without \`..\``);
      return `/${names.filter((name) => name !== "" && name !== ".").join("/")}`;
    });
  }

  #fromHome(path: string): string {
    return path === "~" || path.startsWith("~/") ? this.#options.home + path.slice(1) : path;
  }

  #texts(value: unknown, keys: Keys): readonly string[] {
    if (value === undefined) return [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list.filter((text, at): text is string => {
      const fine = typeof text === "string" && text.length > 0;
      if (!fine) this.#fail(Array.isArray(value) ? [...keys, at] : keys, "must be a text, or a list of texts, none of them empty");
      return fine;
    });
  }

  #verdict(value: unknown, keys: Keys): Verdict | null {
    return this.#word(value, keys, ["allow", "ask", "deny"] as const);
  }

  #word<W extends string>(value: unknown, keys: Keys, words: readonly W[]): W | null {
    if (value === undefined) return null;
    const found = words.find((word) => word === value);
    if (found === undefined) this.#fail(keys, `must be one of ${words.join(", ")}; found ${describe(value)}`);
    return found ?? null;
  }

  /** An object with no key but the known ones (null: any key). Gives an empty one after reporting. */
  #object(value: unknown, keys: Keys, known: readonly string[] | null): Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.#fail(keys, `${keys.length === 0 ? "a policy" : "this"} must be an object; found ${describe(value)}`);
      return {};
    }
    if (known !== null) {
      for (const key of Object.keys(value)) {
        if (!known.includes(key))
          this.#fail([...keys, key], `unknown key \`${show(key)}\`; known here: ${known.filter((name) => name !== "$schema").join(", ")}`);
      }
    }
    return { ...value };
  }

  #fail(keys: Keys, message: string): void {
    this.errors.push({ message, keys, source: this.#locate(keys) });
  }

  #locate(keys: Keys): Source | null {
    return this.#options.locate?.(keys) ?? null;
  }
}

const isAnything = (piece: Piece): boolean => piece.kind === "any-names" || (piece.kind === "wild" && /^\*+$/.test(piece.text));
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

function tightens(rule: Rule): rule is Rule<"ask" | "deny"> {
  return rule.verdict !== "allow";
}

function tightenOnly(last: Default | null): Default<"ask" | "deny"> | null {
  return last === null || last.verdict === "allow" ? null : { ...last, verdict: last.verdict };
}

function describe(value: unknown): string {
  if (typeof value === "string") return `\`${show(value.slice(0, 40))}\``;
  if (value === null) return "null";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return value === undefined ? "nothing" : `a ${typeof value}`;
}
