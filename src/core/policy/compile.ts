// A policy made ready to be asked. Pure; the result is kept with the session.

import type { Right } from "../access.ts";
import { fold } from "../path/fold.ts";
import { type Glob, parseGlob } from "./glob.ts";
import { NONE, type Placed, RuleIndex, type Walk } from "./index-of-rules.ts";
import { protectedNames } from "./protected.ts";
import type { AuthorLayer, Policy, Rule } from "./rule.ts";
import { notSecret, secretDirs, secretNames, secretPlaces, undecorated } from "./secrets.ts";

/** One author's rules for one right, by where they hold. */
export interface CompiledList {
  readonly rules: readonly Rule[];
  readonly anywhere: RuleIndex;
  /** Patterns that hold below each root. */
  readonly rooted: RuleIndex;
  /** Patterns that hold only outside the workspace. */
  readonly outside: RuleIndex;
}

export interface CompiledLayer {
  readonly layer: AuthorLayer;
  readonly read: CompiledList;
  readonly write: CompiledList;
}

export interface CompiledPolicy {
  readonly policy: Policy;
  readonly layers: readonly CompiledLayer[];
  readonly secrets: NameList;
  readonly protect: NameList;
}

/** Takes for granted that every pattern was parsed once already (`parse.ts` does); throws a TypeError where one does not. */
export function compilePolicy(policy: Policy, home: string): CompiledPolicy {
  return {
    policy,
    layers: policy.layers.map((layer) => ({ layer, read: compileList(layer, "read", home), write: compileList(layer, "write", home) })),
    secrets: new NameList(
      [
        ...policy.secrets.except.map(lifts),
        ...[...secretDirs, ...secretPlaces, ...policy.secrets.add].map(holds),
        ...notSecret.map(lifts),
        ...secretNames.map(holds),
      ],
      home,
    ),
    protect: new NameList([...policy.protect.except.map(lifts), ...[...protectedNames, ...policy.protect.add].map(holds)], home),
  };
}

function compileList(layer: AuthorLayer, right: Right, home: string): CompiledList {
  const rules: readonly Rule[] = layer.rules;
  const placed = rules.flatMap((rule, order) => {
    if (rule.right !== right) return [];
    const glob = globOf(rule.glob, home);
    // An allow covers what it says and no more; asking and denying a directory asks about and denies what is in it.
    return [
      { rule, placed: { order, glob, folded: rule.verdict === "deny", below: rule.verdict !== "allow" || glob.subtree } satisfies Placed },
    ];
  });
  const only = (wanted: (rule: Rule, glob: Glob) => boolean): RuleIndex =>
    new RuleIndex(placed.filter(({ rule, placed: { glob } }) => wanted(rule, glob)).map((one) => one.placed));
  return {
    rules,
    anywhere: only((rule, glob) => !rule.outsideOnly && glob.anchor === "anywhere"),
    rooted: only((rule, glob) => !rule.outsideOnly && glob.anchor === "root"),
    outside: only((rule) => rule.outsideOnly),
  };
}

interface Line {
  readonly pattern: string;
  readonly holds: boolean;
}
const holds = (pattern: string): Line => ({ pattern, holds: true });
const lifts = (pattern: string): Line => ({ pattern, holds: false });

/** An ordered list of names, some of which take others out. Matched on folded paths; a listed directory covers what is below. */
export class NameList {
  readonly #index: RuleIndex;
  readonly #lines: readonly Line[];

  constructor(lines: readonly Line[], home: string) {
    this.#lines = lines;
    this.#index = new RuleIndex(
      lines.map((line, order) => {
        const glob = globOf(line.pattern, home);
        // What lifts, lifts what it names: a directory called `.env.example` is no place to read secrets from.
        return { order, glob, folded: true, below: line.holds || glob.subtree };
      }),
    );
  }

  /** The pattern that puts `path` on the list, or null. Backups of a listed name are listed. */
  find(path: string): string | null {
    const found = this.#at(this.#index.first(path));
    if (found !== null) return found;
    const plain = undecorated(fold(path));
    return plain === null ? null : this.#at(this.#index.first(plain));
  }

  /** The same for the entries of a directory that is not on the list itself. */
  walk(path: string): NameWalk {
    return new NameWalk(this, this.#index.at(path));
  }

  /** Is the rule at `order` one that holds? */
  #at(order: number): string | null {
    if (order === NONE) return null;
    const line = this.#lines[order];
    return line?.holds === true ? line.pattern : null;
  }

  holdsAt(order: number): boolean {
    return this.#at(order) !== null;
  }
}

/** A NameList seen from inside one directory. */
export class NameWalk {
  readonly #list: NameList;
  readonly #walk: Walk;

  constructor(list: NameList, walk: Walk) {
    this.#list = list;
    this.#walk = walk;
  }

  has(name: string): boolean {
    const order = this.#walk.first(name);
    if (order !== NONE && this.#list.holdsAt(order)) return true;
    const plain = undecorated(fold(name));
    return plain !== null && this.#list.holdsAt(this.#walk.first(plain));
  }

  enter(name: string): NameWalk {
    return new NameWalk(this.#list, this.#walk.enter(name));
  }
}

function globOf(pattern: string, home: string): Glob {
  const parsed = parseGlob(pattern, home);
  if (!parsed.ok) throw new TypeError(`pattern ${pattern}: ${parsed.why}`);
  return parsed.glob;
}
