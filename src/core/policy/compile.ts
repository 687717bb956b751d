// A policy compiled for lookups. Pure; the session stores the result. `quick-ways.test.ts` compares its fast paths with the plain one, and
// `index-of-rules.test.ts` does so for the index of rules.

import type { Right } from "../access.ts";
import { fold } from "../path/fold.ts";
import { undecorated } from "./backup-names.ts";
import { type Glob, isAnywhere, parseGlob, plainPieceOf } from "./glob.ts";
import { NONE, type PlacedPattern, RuleIndex, type Walk } from "./index-of-rules.ts";
import { protectedNames } from "./protected.ts";
import type { AuthorLayer, Policy, Rule } from "./rule.ts";
import { notSecret, secretDirs, secretNames, secretPlaces } from "./secrets.ts";

/** One author's rules for one right, by where they hold. */
export interface CompiledList {
  readonly rules: readonly Rule[];
  readonly anywhere: Patterns;
  /** Patterns that hold below each root. */
  readonly rooted: Patterns;
  /** Patterns that hold only outside the workspace. */
  readonly outside: Patterns;
}

export interface CompiledLayer {
  readonly layer: AuthorLayer;
  readonly read: CompiledList;
  readonly write: CompiledList;
}

/** A policy made ready for judging in one home directory. */
export interface CompiledPolicy {
  readonly policy: Policy;
  readonly layers: readonly CompiledLayer[];
  readonly secrets: NameList;
  readonly protect: NameList;
}

/** Make a policy ready for judging. Its patterns must be valid, as those of `parsePolicy` are; throws a TypeError where one is not. */
export function compilePolicy(policy: Policy, home: string): CompiledPolicy {
  const { layers, secrets, protect } = policy;
  const rules = layers.flatMap((layer) => layer.rules.map(({ glob }) => glob));
  const listed = [...secrets.except, ...secrets.add, ...protect.except, ...protect.add, ...(protect.kept ?? [])];
  for (const pattern of [...rules, ...listed]) globOf(pattern, home);
  return recompilePolicy(policy, home);
}

/** The same for a policy that was compiled before, by whoever kept it since: its patterns are parsed when they are asked for. */
export function recompilePolicy(policy: Policy, home: string): CompiledPolicy {
  const { layers, secrets, protect, gitignored } = policy;
  // Where what git ignores stays shut, whoever writes an ignore file would open it.
  const guarded = gitignored === "allow" ? protect.add : ["**/.gitignore", ...protect.add];
  const listed = [...[...secretDirs, ...secretPlaces, ...secrets.add].map(holds), ...notSecret.map(lifts), ...secretNames.map(holds)];
  return {
    policy,
    layers: layers.map((layer) => ({ layer, read: compileList(layer, "read", home), write: compileList(layer, "write", home) })),
    secrets: new NameList(listed, secrets.except, home),
    protect: new NameList([...protectedNames, ...guarded].map(holds), protect.except, home, protect.kept),
  };
}

function compileList(layer: AuthorLayer, right: Right, home: string): CompiledList {
  const rules: readonly Rule[] = layer.rules;
  const [anywhere, rooted, outside]: [Pattern[], Pattern[], Pattern[]] = [[], [], []];
  rules.forEach((rule, order) => {
    if (rule.right !== right) return;
    const list = rule.outsideOnly ? outside : isAnywhere(rule.glob) ? anywhere : rooted;
    // An allow covers what it says and no more; asking and denying a directory asks about and denies what is in it.
    list.push({ order, pattern: rule.glob, folded: rule.verdict === "deny", below: rule.verdict !== "allow" });
  });
  return { rules, anywhere: new Patterns(anywhere, home), rooted: new Patterns(rooted, home), outside: new Patterns(outside, home) };
}

/** A pattern with its place in a list. `below`: a match on a directory holds for all below it, as it does where the pattern ends in two stars. */
interface Pattern {
  readonly order: number;
  readonly pattern: string;
  readonly folded: boolean;
  readonly below: boolean;
}

/** Asked so often, an index of all patterns has paid for itself. */
const PATHS_BEFORE_INDEX = 16;

/**
 * Patterns asked for the first that matches a path. The index of all of them pays after some paths. Until then a path is asked of the few
 * whose plain piece is in it: the same answer, since a pattern without its piece in the path matches nothing there. Both are held against
 * asking one by one by `quick-ways.test.ts`.
 */
export class Patterns {
  readonly #patterns: readonly Pattern[];
  readonly #home: string;
  #all: RuleIndex | null = null;
  /** Paths that may still be asked of a few patterns. */
  #left = PATHS_BEFORE_INDEX;

  constructor(patterns: readonly Pattern[], home: string) {
    this.#patterns = patterns;
    this.#home = home;
  }

  get size(): number {
    return this.#patterns.length;
  }

  /** The order of the first that matches `path` (absolute, real), or NONE. `folded`: the same folded, from whoever has it already. */
  first(path: string, folded: string = fold(path)): number {
    if (this.#patterns.length === 0) return NONE;
    // Folding that does more than change letter case may take a plain piece out of a path that is matched exactly.
    if (this.#left === 0 || folded !== path.toLowerCase()) return this.#index().first(path, folded);
    this.#left -= 1;
    const few = this.#patterns.filter(({ pattern }) => folded.includes(plainPieceOf(pattern)));
    return few.length === 0 ? NONE : new RuleIndex(few.map((pattern) => this.#placed(pattern))).first(path, folded);
  }

  /** Where the directory `path` stands, for asking about its entries one by one. */
  at(path: string): Walk {
    return this.#index().at(path);
  }

  #index(): RuleIndex {
    this.#left = 0;
    this.#all ??= new RuleIndex(this.#patterns.map((pattern) => this.#placed(pattern)));
    return this.#all;
  }

  #placed({ order, pattern, folded, below }: Pattern): PlacedPattern {
    const glob = globOf(pattern, this.#home);
    return { order, glob, folded, below: below || glob.subtree };
  }
}

/** One line of a list of names: it puts what it matches on the list, or takes it out. */
interface Line {
  readonly pattern: string;
  readonly holds: boolean;
}
const holds = (pattern: string): Line => ({ pattern, holds: true });
const lifts = (pattern: string): Line => ({ pattern, holds: false });

/**
 * An ordered list of names, some of which take others out. Matched on folded paths; a listed directory covers what is below.
 * The exceptions are its author's and are matched exactly: they lift what they name and nothing else, and nothing that is `kept`.
 */
export class NameList {
  readonly #lines: readonly Line[];
  readonly #patterns: Patterns;
  /** What is kept stands before the exceptions, so that it is found first. */
  readonly #exceptions: Patterns;
  readonly #kept: number;

  constructor(lines: readonly Line[], exceptions: readonly string[], home: string, kept: readonly string[] = []) {
    this.#lines = lines;
    this.#kept = kept.length;
    // What lifts, lifts what it names: a directory called `.env.example` is no place to read secrets from.
    this.#patterns = new Patterns(
      lines.map((line, order) => ({ order, pattern: line.pattern, folded: true, below: line.holds })),
      home,
    );
    this.#exceptions = new Patterns(
      [...kept, ...exceptions].map((pattern, order) => ({ order, pattern, folded: order < kept.length, below: order < kept.length })),
      home,
    );
  }

  /** The pattern that puts `path` on the list, or null. Backups of a listed name are listed, those of an exception too. */
  find(path: string): string | null {
    const folded = fold(path);
    if (this.lifts(path, folded)) return null;
    const pattern = this.at(this.#patterns.first(path, folded));
    if (pattern !== null) return pattern;
    for (const plain of undecorated(folded)) {
      const plainPattern = this.at(this.#patterns.first(plain));
      if (plainPattern !== null) return plainPattern;
    }
    return null;
  }

  /** Does an exception of the author name `path`? Then it is not on the list, whatever else would put it there. */
  lifts(path: string, folded?: string): boolean {
    return this.isException(this.#exceptions.first(path, folded));
  }

  /** Is this the order of an exception, and not of what is kept from them? */
  isException(order: number): boolean {
    return order !== NONE && order >= this.#kept;
  }

  /** What `find` says, for the entries of a directory that is not on the list itself. */
  walk(path: string): NameWalk {
    const exceptions = this.#exceptions.size === 0 ? null : this.#exceptions.at(path);
    const [plain] = undecorated(fold(path));
    return new NameWalk(this, this.#patterns.at(path), plain === undefined ? null : this.#patterns.at(plain), exceptions);
  }

  /** The pattern at `order` if it is one that holds, or null. */
  at(order: number): string | null {
    const line = order === NONE ? undefined : this.#lines[order];
    return line?.holds === true ? line.pattern : null;
  }
}

/** A NameList seen from inside one directory. */
export class NameWalk {
  readonly #list: NameList;
  readonly #walk: Walk;
  /** The directory that this one, or one above it, is a backup of; null if none is. */
  readonly #plain: Walk | null;
  readonly #exceptions: Walk | null;

  constructor(list: NameList, walk: Walk, plain: Walk | null, exceptions: Walk | null) {
    this.#list = list;
    this.#walk = walk;
    this.#plain = plain;
    this.#exceptions = exceptions;
  }

  /** `names`: what it may be a backup of, from whoever asks several lists. */
  has(name: string, names: readonly string[] = undecorated(fold(name))): boolean {
    if (this.#exceptions !== null && this.#list.isException(this.#exceptions.first(name))) return false;
    if (this.#holds(this.#walk, name)) return true;
    const plain = this.#plain ?? this.#walk;
    if (names.length > 0) return names.some((listed) => this.#holds(plain, listed));
    return this.#plain !== null && this.#holds(this.#plain, name);
  }

  enter(name: string): NameWalk {
    const [plain] = undecorated(fold(name));
    const isBackup = plain !== undefined || this.#plain !== null;
    return new NameWalk(
      this.#list,
      this.#walk.enter(name),
      isBackup ? (this.#plain ?? this.#walk).enter(plain ?? name) : null,
      this.#exceptions?.enter(name) ?? null,
    );
  }

  #holds(walk: Walk, name: string): boolean {
    return this.#list.at(walk.first(name)) !== null;
  }
}

function globOf(pattern: string, home: string): Glob {
  const parsed = parseGlob(pattern, home);
  if (!parsed.ok) throw new TypeError(`pattern ${pattern}: ${parsed.why}`);
  return parsed.glob;
}
