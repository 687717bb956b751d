// An unquoted pattern in a command (`*.pem`, `src/{a,b}.ts`) → the names it matches now, so that each can be judged. Shells differ: the
// result holds what any of them might match, or null if that cannot be determined. Only names are read, never contents.

import { alternatives } from "../file-pattern.ts";
import { entriesIn, isNamed } from "../disk.ts";

/** More names than are judged one by one. */
const MAX_NAMES = 256;
/** More directories than are looked into for `**`. */
const MAX_DIRECTORIES = 1_000;
/** More names of one path with a sign in them than are looked up: each may lead through as many directories again. */
const MAX_PATTERN_NAMES = 12;

/** The paths a pattern stands for from the directory `base`, or itself where it matches nothing; null where they cannot be told. */
export function expandWord(pattern: string, base: string, home: string): readonly string[] | null {
  const patterns = alternatives(pattern);
  if (patterns === null) return null;
  // A shell without braces takes the pattern as it stands: where that finds anything, two shells would open two things.
  if (patterns.length > 1 && matchUnexpanded(pattern, base, home) !== "nothing") return null;
  const names: string[] = [];
  for (const alternative of patterns) {
    // `{a..c}` and brackets within brackets stand for names that are not written out here.
    const brace = alternative.indexOf("{");
    if (brace !== -1 && /,|\.\./u.test(alternative.slice(brace, alternative.lastIndexOf("}") + 1))) return null;
    if (!/[*?[]/u.test(alternative)) names.push(alternative);
    else {
      const matches = matchingPaths(alternative, base, home);
      if (matches === null) return null;
      // Where a shell finds nothing it takes the pattern for a name; it may find less than is found here.
      if (matches.length === 0 || isNamed(placeOf(alternative, base, home))) names.push(alternative);
      names.push(...matches);
    }
    if (names.length > MAX_NAMES) return null;
  }
  return names;
}

function matchUnexpanded(pattern: string, base: string, home: string): "nothing" | "something" {
  if (!/[*?[]/u.test(pattern)) return isNamed(placeOf(pattern, base, home)) ? "something" : "nothing";
  return matchingPaths(pattern, base, home)?.length === 0 ? "nothing" : "something";
}

function matchingPaths(pattern: string, base: string, home: string): readonly string[] | null {
  const names = pattern.split("/");
  if (names.filter((name) => /[*?[]/u.test(name)).length > MAX_PATTERN_NAMES) return null;
  let heads: readonly string[] = [""];
  for (const [at, name] of names.entries()) {
    const last = at === names.length - 1;
    const glue = last ? "" : "/";
    if (!/[*?[]/u.test(name)) heads = heads.map((head) => head + name + glue);
    else {
      const test = testOf(name);
      const byBytes = testOf(bytesOf(name));
      if (test === null || byBytes === null) return null;
      const next = heads.flatMap((head) =>
        namesIn(placeOf(head, base, home), name.startsWith("."))
          .filter((entry) => test(entry) || byBytes(bytesOf(entry)))
          .map((entry) => head + entry + glue),
      );
      // `**` is any number of directories in some shells, and one in others.
      const deep = name === "**" ? below(heads, base, home, last) : [];
      if (deep === null || /^\*{3,}$/u.test(name)) return null;
      heads = [...new Set([...next, ...deep])];
    }
    if (heads.length > (last ? MAX_NAMES : MAX_DIRECTORIES)) return null;
  }
  // A name that is no pattern, after one that is, stands for nothing where it is not there.
  return /[*?[]/u.test(names.at(-1) ?? "") ? heads : heads.filter((head) => isNamed(placeOf(head, base, home)));
}

/** These directories and all below them, links not followed; with the files in them for `files`. Null: too many. */
function below(heads: readonly string[], base: string, home: string, files: boolean): readonly string[] | null {
  const paths: string[] = files ? [] : [...heads];
  const pending = [...heads];
  let visited = 0;
  for (let head = pending.pop(); head !== undefined; head = pending.pop()) {
    visited += 1;
    if (visited > MAX_DIRECTORIES || paths.length > MAX_DIRECTORIES) return null;
    for (const entry of entriesIn(placeOf(head, base, home))) {
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) pending.push(`${head}${entry.name}/`);
      if (files) paths.push(head + entry.name);
      else if (entry.isDirectory()) paths.push(`${head}${entry.name}/`);
    }
  }
  return paths;
}

function placeOf(head: string, base: string, home: string): string {
  if (head.startsWith("/")) return head;
  return head === "~" || head.startsWith("~/") ? home + head.slice(1) : `${base}/${head}`;
}

/** `dots`: with `.` and `..`, which some shells give for a pattern that begins with a dot. */
function namesIn(directory: string, dots: boolean): readonly string[] {
  const names = entriesIn(directory).map(({ name }) => name);
  return dots ? [".", "..", ...names] : names;
}

/** A name with a sign for each of its bytes, which is how some shells read it, and others in some languages. */
const bytesOf = (name: string): string => Buffer.from(name, "utf8").toString("latin1");

/** Does a name match? */
type NameTest = (name: string) => boolean;
/** One sign of a pattern: one of these, any one, or any number of any. */
type Sign = string | typeof ANY | typeof STAR;
const ANY = Symbol("any sign");
const STAR = Symbol("any number of signs");

/** A shell's pattern of one name as a test that holds at least where any shell's would: a bracket with a range stands for any sign, since that depends on the language. A leading dot is matched by a dot alone. */
function testOf(name: string): NameTest | null {
  const signs: Sign[] = [];
  for (let at = 0; at < name.length; at += 1) {
    const char = String.fromCodePoint(name.codePointAt(at) ?? 0);
    const bracket = char === "[" ? /^\[[!^]?\]?[^\]]*\]/su.exec(name.slice(at))?.[0] : undefined;
    if (bracket !== undefined) {
      // `[[:alpha:]]`, `[[=e=]]`, `[[.a.]]` depend on the language the shell runs in.
      if (/.\[[:=.]|\\/su.test(bracket)) return null;
      signs.push(/^\[[!^]|-/u.test(bracket) ? ANY : bracket.slice(1, -1));
      at += bracket.length - 1;
    } else if (char === "[" && name.includes("]", at)) return null;
    else if (char === "*") {
      if (signs.at(-1) !== STAR) signs.push(STAR);
    } else {
      signs.push(char === "?" ? ANY : char);
      at += char.length - 1;
    }
  }
  return (entry) => (name.startsWith(".") || !entry.startsWith(".")) && fits(signs, Array.from(entry));
}

/** A star takes as little as it can, and more of it where the rest does not fit: never longer than the pattern times the name. */
function fits(signs: readonly Sign[], entry: readonly string[]): boolean {
  let [sign, star, from] = [0, -1, 0];
  for (let at = 0; at < entry.length;) {
    const expected = signs[sign];
    if (expected === STAR) {
      [star, from] = [sign, at];
      sign += 1;
    } else if (expected === ANY || expected?.includes(entry[at] ?? "") === true) {
      sign += 1;
      at += 1;
    } else if (star !== -1) {
      from += 1;
      [sign, at] = [star + 1, from];
    } else return false;
  }
  return signs.slice(sign).every((rest) => rest === STAR);
}
