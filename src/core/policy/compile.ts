// A policy made ready to be asked. Pure; the result is kept with the session. Its quick ways are held against the plain one by
// `quick-ways.test.ts`, and the index of rules by `index-of-rules.test.ts`.

import type { Right } from "../access.ts";
import { fold } from "../path/fold.ts";
import { undecorated } from "./backup-names.ts";
import { type Line, protectLines, secretLines } from "./builtin-lines.ts";
import { type Glob, parseGlob, plainPieceOf } from "./glob.ts";
import { NONE, type Placed, RuleIndex, type Walk } from "./index-of-rules.ts";
import type { AuthorLayer, Policy, Rule } from "./rule.ts";
import { protectScreen, secretScreen } from "./builtin-screens.ts";
import { mayMatch, type Screen, screenOf } from "./screen.ts";

/** One author's rules for one right, by where they hold. */
export interface CompiledList {
  readonly rules: readonly Rule[];
  readonly anywhere: Rules;
  /** Patterns that hold below each root. */
  readonly rooted: Rules;
  /** Patterns that hold only outside the workspace. */
  readonly outside: Rules;
}
type Rules = Pick<RuleIndex, "size" | "first" | "at">;

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

/** Takes for granted that every pattern was parsed once already (`parse.ts` does); throws a TypeError where one does not. */
export function compilePolicy(policy: Policy, home: string): CompiledPolicy {
  // What is listed is made ready when it is asked for; a line nobody could have parsed is told now.
  policy.secrets.add.forEach((pattern) => globOf(pattern, home));
  policy.protect.add.forEach((pattern) => globOf(pattern, home));
  return recompilePolicy(policy, home);
}

/** The same for a policy that was compiled before, by whoever kept it since: its lists are not looked through again. */
export function recompilePolicy(policy: Policy, home: string): CompiledPolicy {
  // Where what git ignores stays shut, whoever writes an ignore file would open it.
  const guarded = policy.gitignored === "allow" ? policy.protect.add : ["**/.gitignore", ...policy.protect.add];
  return {
    policy,
    layers: compileLayers(policy, home),
    secrets: new NameList(
      () => secretLines(policy.secrets.add),
      policy.secrets.except,
      home,
      () => [secretScreen(), screenOf(policy.secrets.add)],
    ),
    protect: new NameList(
      () => protectLines(guarded),
      policy.protect.except,
      home,
      () => [protectScreen(), screenOf(guarded)],
    ),
  };
}

/** The authors' rules alone. */
export function compileLayers({ layers }: Policy, home: string): readonly CompiledLayer[] {
  return layers.map((layer) => ({ layer, read: compileList(layer, "read", home), write: compileList(layer, "write", home) }));
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
  if (placed.length === 0) return { rules, anywhere: NO_RULES, rooted: NO_RULES, outside: NO_RULES };
  const only = (wanted: (rule: Rule, glob: Glob) => boolean): RuleIndex =>
    new RuleIndex(placed.filter(({ rule, placed: { glob } }) => wanted(rule, glob)).map((one) => one.placed));
  return {
    rules,
    anywhere: only((rule, glob) => !rule.outsideOnly && glob.anchor === "anywhere"),
    rooted: only((rule, glob) => !rule.outsideOnly && glob.anchor === "root"),
    outside: only((rule) => rule.outsideOnly),
  };
}

/** Asked so often, an index of all lines has paid for itself. */
const PATHS_BEFORE_INDEX = 16;
const NO_RULES: Rules = { size: 0, first: () => NONE, at: (path) => new RuleIndex([]).at(path) };

/**
 * An ordered list of names, some of which take others out. Matched on folded paths; a listed directory covers what is below.
 * The exceptions are its author's and are matched exactly: they lift what they name and nothing else.
 *
 * The index of all lines pays after some paths. Until then a path is first held against the text of all lines at once, and then asked of
 * the few whose plain piece is in it: the same answer, since a line without its piece in the path matches nothing there. Both are held
 * against asking line by line by `quick-ways.test.ts`.
 */
export class NameList {
  readonly #given: () => readonly Line[];
  readonly #home: string;
  readonly #exceptions: RuleIndex | null;
  #made: readonly Line[] | null = null;
  readonly #screensGiven: () => readonly Screen[];
  #screens: readonly Screen[] | null = null;
  #all: RuleIndex | null = null;
  /** Paths that may still be asked of a few lines. */
  #left = PATHS_BEFORE_INDEX;

  /** `screens`: of all lines together. */
  constructor(
    lines: () => readonly Line[],
    exceptions: readonly string[],
    home: string,
    screens: () => readonly Screen[] = () => [screenOf(lines().map(({ pattern }) => pattern))],
  ) {
    this.#given = lines;
    this.#screensGiven = screens;
    this.#home = home;
    this.#exceptions =
      exceptions.length === 0
        ? null
        : new RuleIndex(
            exceptions.map((pattern, order) => {
              const glob = globOf(pattern, home);
              return { order, glob, folded: false, below: glob.subtree };
            }),
          );
  }

  /** The pattern that puts `path` on the list, or null. Backups of a listed name are listed, those of an exception too. */
  find(path: string): string | null {
    const folded = fold(path);
    if (this.lifts(path, folded)) return null;
    const found = this.at(this.#first(path, folded));
    if (found !== null) return found;
    for (const plain of undecorated(folded)) {
      const behind = this.at(this.#first(plain, fold(plain)));
      if (behind !== null) return behind;
    }
    return null;
  }

  /** Does an exception of the author name `path`? Then it is not on the list, whatever else would put it there. */
  lifts(path: string, folded?: string): boolean {
    return this.#exceptions !== null && this.#exceptions.first(path, folded) !== NONE;
  }

  /** What `find` says, for the entries of a directory that is not on the list itself. */
  walk(path: string): NameWalk {
    const exceptions = this.#exceptions?.at(path) ?? null;
    const [plain] = undecorated(fold(path));
    const index = this.#index();
    return new NameWalk(this, index.at(path), plain === undefined ? null : index.at(plain), exceptions);
  }

  /** The pattern at `order` if it is one that holds, or null. */
  at(order: number): string | null {
    const line = order === NONE ? undefined : this.#lines()[order];
    return line?.holds === true ? line.pattern : null;
  }

  #lines(): readonly Line[] {
    this.#made ??= this.#given();
    return this.#made;
  }

  #first(path: string, folded: string): number {
    if (this.#left === 0) return this.#index().first(path, folded);
    this.#left -= 1;
    this.#screens ??= this.#screensGiven();
    if (!this.#screens.some((screen) => mayMatch(screen, folded))) return NONE;
    const few = this.#lines().flatMap((line, order) => (folded.includes(plainPieceOf(line.pattern)) ? [this.#placed(line, order)] : []));
    return few.length === 0 ? NONE : new RuleIndex(few).first(path, folded);
  }

  #index(): RuleIndex {
    this.#left = 0;
    this.#screens = null;
    this.#all ??= new RuleIndex(this.#lines().map((line, order) => this.#placed(line, order)));
    return this.#all;
  }

  #placed(line: Line, order: number): Placed {
    const glob = globOf(line.pattern, this.#home);
    // What lifts, lifts what it names: a directory called `.env.example` is no place to read secrets from.
    return { order, glob, folded: true, below: line.holds || glob.subtree };
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

  has(name: string): boolean {
    if (this.#exceptions !== null && this.#exceptions.first(name) !== NONE) return false;
    if (this.#holds(this.#walk, name)) return true;
    const names = undecorated(fold(name));
    const plain = this.#plain ?? this.#walk;
    if (names.length > 0) return names.some((one) => this.#holds(plain, one));
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
