// What the .gitignore files of a repository say, read as git reads them. No I/O: the walker reads the
// files, and enters no ignored directory. A file is compiled once; its patterns with a slash are followed
// from directory to directory, so that a question needs only a name. `gitignore-pattern.ts` reads the lines.

import { bytesOf, matches, parseRules, type GitignoreRule, STAR, type PatternToken } from "./gitignore-pattern.ts";

/**
 * What the .gitignore files met so far say about the entries of one directory.
 * Immutable; entering a directory makes a new one.
 */
export interface Ignores {
  /**
   * Does git ignore the entry `name` of this directory? Exactly git's answer when none of the parents is ignored.
   * A link is not a directory, wherever it leads. Letter case counts, whatever `core.ignoreCase` says.
   * Not looked at: `.git/info/exclude`, `core.excludesFile`, and the index (git never ignores a file it tracks).
   * A `**` that only ends a segment (`a**` before `/b`) is one star, as the manual has it; older gits misread it.
   * Takes at most the length of the name times that of the patterns, whatever they are.
   */
  ignores(name: string, isDirectory: boolean): boolean;
  /** The view from inside the subdirectory `name`, whose own .gitignore reads `text` (null: it has none). */
  enter(name: string, text: string | null): Ignores;
}

/** The view at the top of a repository, whose .gitignore reads `text` (null: none). */
export function rootIgnores(text: string | null): Ignores {
  return viewOf(withFile({ files: null, directories: null, nextOrder: 0, paths: [] }, text));
}

const NO_RULE: GitignoreRule = { order: -1, ignored: false, directoriesOnly: false, segments: [], last: [] };

/** A rule on its way down: the indexes of the segments that an entry of the present directory may meet. */
interface Path {
  readonly rule: GitignoreRule;
  readonly at: ReadonlySet<number>;
}

/** Rules with only the last segment left, each in the first place that fits it, the latest first in each list. */
interface Table {
  readonly names: ReadonlyMap<string, GitignoreRule>;
  readonly byLastLetter: ReadonlyMap<number, readonly GitignoreRule[]>;
  readonly byFirstLetter: ReadonlyMap<number, readonly GitignoreRule[]>;
  readonly others: readonly GitignoreRule[];
  /** Of the files above; asked when nothing here matches. */
  readonly outer: Table | null;
}

/** What goes down from a directory: the rules that hold at any depth, and those that have a way to go. */
interface InheritedRules {
  readonly files: Table | null;
  readonly directories: Table | null;
  readonly nextOrder: number;
  readonly paths: readonly Path[];
}

function withFile(outer: InheritedRules, text: string | null): InheritedRules {
  if (text === null) return outer;
  const rules = parseRules(text, outer.nextOrder);
  const anywhere = rules.filter(holdsAnywhere);
  const anchored = rules.filter((rule) => !holdsAnywhere(rule));
  return {
    files: tableOf(anywhere.filter(isForFiles), outer.files),
    directories: tableOf(anywhere, outer.directories),
    nextOrder: outer.nextOrder + rules.length,
    paths: [...outer.paths, ...anchored.map(start)],
  };
}

function viewOf(inherited: InheritedRules): Ignores {
  const { files, directories, paths } = inherited;
  const here = paths.flatMap(({ rule, at }) => (at.has(rule.segments.length - 1) ? [rule] : []));
  const filesHere = tableOf(here.filter(isForFiles), null);
  const directoriesHere = tableOf(here, null);
  const view: Ignores = {
    ignores(name, isDirectory) {
      const anywhere = lastMatch(isDirectory ? directories : files, name);
      const local = lastMatch(isDirectory ? directoriesHere : filesHere, name);
      return local.order > anywhere.order ? local.ignored : anywhere.ignored;
    },
    enter(name, text) {
      const bytes = bytesOf(name);
      const onward = paths.map((path) => advance(path, bytes)).filter(({ at }) => at.size > 0);
      const isSame = onward.length === paths.length && onward.every((path, index) => path === paths[index]);
      return isSame && text === null ? view : viewOf(withFile({ ...inherited, paths: onward }, text));
    },
  };
  return view;
}

function lastMatch(table: Table | null, name: string): GitignoreRule {
  for (let level = table; level !== null; level = level.outer) {
    let found = level.names.get(name) ?? NO_RULE;
    found = laterMatch(level.byLastLetter.get(name.charCodeAt(name.length - 1)), name, found);
    found = laterMatch(level.byFirstLetter.get(name.charCodeAt(0)), name, found);
    found = laterMatch(level.others, name, found);
    if (found !== NO_RULE) return found;
  }
  return NO_RULE;
}

function laterMatch(rules: readonly GitignoreRule[] | undefined, name: string, found: GitignoreRule): GitignoreRule {
  if (rules === undefined || rules.length === 0) return found;
  const bytes = bytesOf(name);
  for (const rule of rules) {
    if (rule.order < found.order) return found;
    if (matches(rule.last, bytes)) return rule;
  }
  return found;
}

/** Takes the rules in their order. */
function tableOf(rules: readonly GitignoreRule[], outer: Table | null): Table | null {
  if (rules.length === 0) return outer;
  const names = new Map<string, GitignoreRule>();
  const byLastLetter = new Map<number, GitignoreRule[]>();
  const byFirstLetter = new Map<number, GitignoreRule[]>();
  const others: GitignoreRule[] = [];
  for (const rule of rules.toReversed()) {
    const name = nameOf(rule.last);
    const lastLetters = lettersOf(rule.last.at(-1));
    const firstLetters = lettersOf(rule.last[0]);
    if (name !== null) names.set(name, names.get(name) ?? rule);
    else if (lastLetters.length > 0) addTo(byLastLetter, lastLetters, rule);
    else if (firstLetters.length > 0) addTo(byFirstLetter, firstLetters, rule);
    else others.push(rule);
  }
  return { names, byLastLetter, byFirstLetter, others, outer };
}

function addTo(lists: Map<number, GitignoreRule[]>, letters: readonly number[], rule: GitignoreRule): void {
  for (const letter of letters) {
    const list = lists.get(letter);
    if (list === undefined) lists.set(letter, [rule]);
    else list.push(rule);
  }
}

function nameOf(segment: readonly PatternToken[]): string | null {
  const bytes = segment.flatMap((token) => (typeof token === "number" && token !== STAR ? [token] : []));
  return bytes.length < segment.length ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

/** The letters that the token stands for; none unless each of them is one byte. */
function lettersOf(token: PatternToken | undefined): readonly number[] {
  const letters = typeof token === "object" ? [...token] : [token ?? STAR];
  return letters.every((letter) => letter >= 0 && letter < 0x80) ? letters : [];
}

function holdsAnywhere({ segments }: GitignoreRule): boolean {
  return segments[0] === null && segments.length <= 2;
}

function isForFiles({ directoriesOnly }: GitignoreRule): boolean {
  return !directoriesOnly;
}

function start(rule: GitignoreRule): Path {
  const at = new Set<number>();
  reach(at, rule, 0);
  return { rule, at };
}

function advance(path: Path, name: string): Path {
  const at = new Set<number>();
  for (const index of path.at) {
    const segment = path.rule.segments[index] ?? null;
    if (segment === null) reach(at, path.rule, index);
    else if (matches(segment, name)) reach(at, path.rule, index + 1);
  }
  const isSame = at.size === path.at.size && [...at].every((index) => path.at.has(index));
  return isSame ? path : { rule: path.rule, at };
}

/** Adds the index, if there is such a segment, and the next after a `**`, which may stand for no step at all. */
function reach(at: Set<number>, { segments }: GitignoreRule, index: number): void {
  if (index < segments.length) at.add(index);
  if (segments[index] === null && index + 1 < segments.length) at.add(index + 1);
}
