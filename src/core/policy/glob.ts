// Our glob dialect, specified in docs/policy.md: names, `*` and `?` inside a name, `**` as a whole name. Nothing else is special:
// no braces, classes or regexes. Dots are ordinary. Matching takes time linear in the path for any pattern.

/** One name of a pattern: literal text, a name with wildcards, or any number of names. */
export type PatternPiece =
  | { readonly kind: "literal"; readonly text: string }
  | {
      readonly kind: "wild";
      readonly text: string;
      /** Literal text before the first and after the last wildcard. */ readonly head: string;
      readonly tail: string;
    }
  | { readonly kind: "any-names" };

export interface Glob {
  readonly anchor: "anywhere" | "root";
  readonly pieces: readonly PatternPiece[];
  /** Did it end in two stars? Then it matches the directory before them and all below. */
  readonly subtree: boolean;
}

export type GlobResult = { readonly ok: true; readonly glob: Glob } | { readonly ok: false; readonly why: string };

/** More than any person writes, and little enough that nobody can make matching slow by writing a policy. */
export const GLOB_LENGTH = 4096;
export const GLOB_PIECES = 256;
/** How often `**` may stand in one: each is another place from which a path is tried anew. */
export const GLOB_DEPTHS = 8;

// `*`, `**` and `/**` are not patterns but a list's default.
export function isDefault(pattern: string): boolean {
  return pattern === "*" || pattern === "**" || pattern === "/**";
}

/** What begins with a slash, a tilde or two stars, and a lone name, matches real paths anywhere; the rest match below each root. */
export function isAnywhere(pattern: string): boolean {
  const slash = pattern.indexOf("/");
  return slash <= 0 || slash === pattern.length - 1 || pattern.startsWith("~") || pattern.startsWith("**/");
}

/** Compile one pattern. A name without a slash matches at any depth, as in a .gitignore. */
export function parseGlob(pattern: string, home: string): GlobResult {
  if (pattern.length === 0) return refuse("a pattern must not be empty");
  if (pattern.length > GLOB_LENGTH) return refuse(`a pattern must not be longer than ${GLOB_LENGTH} characters`);
  if (pattern.includes("\0")) return refuse("a pattern must not hold a NUL character");
  if (!pattern.isWellFormed()) return refuse("a pattern must not hold half of a surrogate pair");
  if (pattern.startsWith("~") && pattern !== "~" && !pattern.startsWith("~/"))
    return refuse("`~` stands for the home directory only before a slash");
  const fromHome = pattern.startsWith("~");
  const body = (fromHome ? `/${pattern.slice(2)}` : pattern).replace(/(?<=.)\/$/, "");
  const names = body === "/" && fromHome ? [""] : body.split("/");
  if (body.startsWith("/")) names.shift();
  else if (names.length === 1 && names[0] !== "**") names.unshift("**");
  if (names.length > GLOB_PIECES) return refuse(`a pattern must not have more than ${GLOB_PIECES} names`);
  // The home directory stands for itself: a star in its name is no wildcard.
  const pieces: PatternPiece[] = fromHome
    ? home.split("/").flatMap((text): PatternPiece[] => (text === "" ? [] : [{ kind: "literal", text }]))
    : [];
  for (const name of names) {
    if (name === "" && pattern === "/") return refuse("`/` alone is not a pattern; `*` stands for everything");
    if (name === "") return refuse("a pattern must not have an empty name (two slashes)");
    if (name === "." || name === "..") return refuse("a pattern is matched against real paths, which have no `.` or `..` in them");
    if (name === "**") {
      if (pieces.at(-1)?.kind !== "any-names") pieces.push({ kind: "any-names" });
    } else if (name.includes("**")) {
      return refuse("`**` must be a whole name between slashes");
    } else {
      pieces.push(pieceOf(name));
    }
  }
  if (pieces.filter(({ kind }) => kind === "any-names").length > GLOB_DEPTHS)
    return refuse(`a pattern must not have \`**\` more than ${GLOB_DEPTHS} times`);
  const subtree = pieces.at(-1)?.kind === "any-names";
  if (subtree) pieces.pop();
  if (pieces.length === 0) return refuse("a pattern of only `**` is a list's default; write it as `*`");
  return { ok: true, glob: { anchor: isAnywhere(pattern) ? "anywhere" : "root", pieces, subtree } };
}

/** One name of a pattern, `**` aside. */
export function pieceOf(name: string): PatternPiece {
  const first = name.search(/[*?]/);
  if (first === -1) return { kind: "literal", text: name };
  const last = Math.max(name.lastIndexOf("*"), name.lastIndexOf("?"));
  return { kind: "wild", text: name, head: name.slice(0, first), tail: name.slice(last + 1) };
}

/**
 * The longest plain piece of a pattern, in small letters: a folded path that it is not in cannot match. Empty where nothing can be
 * told that way: there is none, or folding does more to it than changing case.
 */
export function plainPieceOf(pattern: string): string {
  if (pattern === "~" || !ASCII.test(pattern)) return "";
  // A lone name at any depth, as most are, told without taking it apart.
  if (pattern.startsWith("**/") && pattern.lastIndexOf("/") === 2 && pattern.lastIndexOf("*") === 1 && !pattern.includes("?"))
    return pattern.slice(3).toLowerCase();
  let longest = "";
  for (const piece of (pattern.startsWith("~/") ? pattern.slice(2) : pattern).split(/[/*?]/u))
    if (piece.length > longest.length) longest = piece;
  return longest.toLowerCase();
}

/** Does a name match a piece with wildcards? Two pointers and one place to go back to, so never more than length × length steps. */
export function matchName(pattern: string, name: string): boolean {
  let at = 0;
  let within = 0;
  let star = -1;
  let retry = 0;
  while (at < name.length) {
    const unit = pattern.charCodeAt(within);
    if (within < pattern.length && unit === STAR) {
      star = within;
      retry = at;
      within += 1;
    } else if (within < pattern.length && unit === QUESTION) {
      // `?` is one character to a person, which may be two units here.
      at += isHigh(name.charCodeAt(at)) ? 2 : 1;
      within += 1;
    } else if (within < pattern.length && unit === name.charCodeAt(at)) {
      at += 1;
      within += 1;
    } else if (star !== -1) {
      within = star + 1;
      retry += 1;
      at = retry;
    } else {
      return false;
    }
  }
  while (within < pattern.length && pattern.charCodeAt(within) === STAR) within += 1;
  return within === pattern.length;
}

/**
 * Does `wide` match every path that `narrow` matches? May say no where the answer is yes (two different names with wildcards),
 * never yes where it is no. `subtree` says whether each also matches all below.
 */
export function covers(wide: Glob, narrow: Glob): boolean {
  if (wide.anchor !== narrow.anchor) return false;
  const known = new Map<number, boolean>();
  const ask = (at: number, on: number): boolean => {
    const key = at * (narrow.pieces.length + 1) + on;
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = step(at, on);
    known.set(key, answer);
    return answer;
  };
  const step = (at: number, on: number): boolean => {
    const piece = wide.pieces[at];
    const other = narrow.pieces[on];
    if (piece === undefined) return wide.subtree || (other === undefined && !narrow.subtree);
    // What is left of the wide one is `**/*`: every path with a name left to it.
    if (other !== undefined && at + 2 === wide.pieces.length && isAnything(piece, wide.pieces[at + 1])) return true;
    if (piece.kind === "any-names") return ask(at + 1, on) || (other !== undefined && ask(at, on + 1));
    if (other === undefined || other.kind === "any-names") return false;
    return pieceCovers(piece, other) && ask(at + 1, on + 1);
  };
  return ask(0, 0);
}

function pieceCovers(wide: PatternPiece, narrow: PatternPiece): boolean {
  if (wide.kind === "any-names" || narrow.kind === "any-names") return false;
  if (wide.kind === "literal") return narrow.kind === "literal" && narrow.text === wide.text;
  return wide.text === narrow.text || wide.text === "*" || (narrow.kind === "literal" && matchName(wide.text, narrow.text));
}

const isAnything = (one: PatternPiece, two: PatternPiece | undefined): boolean =>
  one.kind === "any-names" && two?.kind === "wild" && two.text === "*";
const refuse = (why: string): GlobResult => ({ ok: false, why });
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const ASCII = /^[\0-\x7f]*$/;
const STAR = 42;
const QUESTION = 63;
