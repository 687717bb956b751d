// What a verb is about: "a.txt and b.txt in docs" → the paths meant. Quoted, marked and plain names, lists, "in …", pronouns that
// point back, line numbers. Null where nothing definite is named: better to say so than to guess.

import { type Masked, MARK, type Thing, thingsIn, withoutMarks } from "./mask.ts";
import type { Lines, Memory } from "./wish.ts";
import { directoryOf, pointedAt } from "./pointing.ts";

export interface Objects {
  /** Each with where else it may be. */
  readonly paths: readonly { readonly path: string; readonly otherwise: readonly string[] }[];
  /** "… in this directory", where it says one. */
  readonly within: string | null;
  readonly lines: Lines | null;
}

const FILLER =
  /\b(?:me|us|the|a|an|of|file|files|folder|folders|directory|directories|dir|content|contents|text|code|please|out|up|all|my|our|your|called|named|at|to|with|whole|entire|full|what|is|are|says?|inside|repo|repository|project|package|again|now|too|also|as|well|for|every|everything|there|document|both|about|on|source|local|current|over|through|into|it|same|that|this|in|from|under|within|below|here|have|got|any|some|more|do|does|you|we|i)\b/gi;
const SEPARATOR = /\s*(?:,|\band\b|&|\bor\b|\bplus\b)\s*/i;
const WITHIN = /\b(in|from|under|inside|within|below|of)\s+((?:(?!\b(?:in|from|under|inside|within|below)\b).)*)$/i;

/** The objects in the words after a verb. */
export function objectsOf(words: string, masked: Masked, memory: Memory): Objects | null {
  const { rest, lines } = takeLines(words);
  const pointed = pointedAt(rest, masked, memory);
  if (pointed !== null) return pointed.length === 0 ? null : { paths: pointed, within: null, lines };
  const last = memory.places.at(-1);
  // "lines 13 to 40", "the README there": of what was looked at last.
  if (lines !== null && rest.trim() === "" && last !== undefined && !last.directory)
    return { paths: [{ path: last.path, otherwise: [] }], within: null, lines };
  const split = WITHIN.exec(rest);
  const there = split === null && last !== undefined && /\bthere\s*$/i.test(rest) ? directoryOf(last) || "." : null;
  const place = split === null ? there : placeIn(split[2] ?? "", masked, memory);
  const head = place === null || split === null ? rest : rest.slice(0, split.index);
  const named = namesIn(head, masked, /^of$/i.test(split?.[1] ?? ""));
  if (named === null && place === null) return null;
  if (named === null || named.length === 0)
    return place === null ? null : { paths: [], within: withLineNumber({ path: place }).path, lines: lines ?? lineNumberOf(place) };
  return {
    paths: named
      .map((name) => ({ path: joined(place ?? ".", name.path), otherwise: name.otherwise.map((one) => joined(place ?? ".", one)) }))
      .map(withLineNumber),
    within: place,
    lines: lines ?? lineNumberOf(named[0]?.path ?? ""),
  };
}

/** The places a phrase names; none where it is not plain what is meant. */
export function placesIn(words: string, masked: Masked, memory: Memory): readonly string[] {
  const place = placeIn(words, masked, memory);
  return place !== null ? [place] : (namesIn(words, masked) ?? []).map(({ path }) => path);
}

/** The directory a phrase names, such as "the folder ../lib" or "this directory"; null if it names none. */
export function placeIn(words: string, masked: Masked, memory: Memory): string | null {
  if (
    /^\s*(?:here|everywhere|everything|all (?:the )?files|(?:this|the|my|our|your|current|working)\s+(?:(?:current|working|whole)\s+)?(?:director(?:y|ies)|folder|dir|project|workspace|repo|repository|code|codebase))\s*$/i.test(
      words,
    )
  )
    return ".";
  const pointed = pointedAt(words, masked, memory);
  if (pointed !== null) return pointed[0]?.path ?? null;
  const named = namesIn(words, masked);
  return named?.length === 1 ? (named[0]?.path ?? null) : null;
}

/**
 * The names in a phrase. Things first; plain words only where each stands alone, and with `knownOnly` only those that are usual names
 * of files. Null where the words are too many to be names.
 */
function namesIn(words: string, masked: Masked, knownOnly = false): Objects["paths"] | null {
  const parts = words.split(SEPARATOR).map((part) => ({ things: thingsIn(part, masked).filter(isName), plain: plainIn(part) }));
  const things = parts.some((part) => part.things.length > 0);
  // Beside a thing, words that are no name are talk; without one, they leave open what is meant.
  if (!things && parts.some(({ plain }) => plain.includes(" "))) return null;
  return parts.flatMap((part) => {
    if (part.things.length > 0) return part.things.map(({ text }) => ({ path: text, otherwise: [] }));
    if (part.plain === "" || part.plain.includes(" ") || (knownOnly && !KNOWN.has(part.plain.toLowerCase()))) return [];
    return [byName(part.plain)];
  });
}

/** The words of a phrase that could be a name. */
function plainIn(words: string): string {
  // An article with nothing behind it is a name.
  if (/(?:^|\s)a\s*$/i.test(words)) return words.trim().slice(-1);
  return withoutMarks(words)
    .replaceAll(FILLER, " ")
    .replaceAll(/[^\p{L}\p{N}_.@+-]+/gu, " ")
    .trim();
}

const isName = ({ kind }: Thing): boolean => kind === "path" || kind === "quote" || kind === "code";

/** Names people say without their ending. */
const KNOWN: ReadonlyMap<string, readonly [string, ...string[]]> = new Map<string, readonly [string, ...string[]]>([
  ["readme", ["README.md", "README"]],
  ["license", ["LICENSE", "LICENSE.md"]],
  ["licence", ["LICENSE", "LICENCE"]],
  ["changelog", ["CHANGELOG.md", "CHANGELOG"]],
  ["makefile", ["Makefile"]],
  ["dockerfile", ["Dockerfile"]],
  ["gitignore", [".gitignore"]],
]);

/** A plain word as a name. As it was written where that is already a name; so `README` is not `README.md` before it was looked for. */
export function byName(name: string): Objects["paths"][number] {
  const [path, ...otherwise] = (/[a-z]/.test(name) ? KNOWN.get(name.toLowerCase()) : undefined) ?? [name];
  return { path, otherwise: otherwise.filter((one) => one !== name) };
}

/** `a.ts:12` and `a.ts:12-20`: the name, and the lines. */
const NUMBERED = /^(.+\.[A-Za-z]\w*):(\d+)(?:[-:](\d+))?$/;

function withLineNumber<T extends { readonly path: string }>(name: T): T {
  return { ...name, path: NUMBERED.exec(name.path)?.[1] ?? name.path };
}

function lineNumberOf(path: string): Lines | null {
  const found = NUMBERED.exec(path);
  return found === null
    ? null
    : between(Number(found[2]), found[3] === undefined || path.includes(`:${found[2]}:`) ? Number(found[2]) : Number(found[3]));
}

const COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** "the first 20 lines of", "lines 3 to 9 of", "-n 5": taken out of the words. */
function takeLines(words: string): { readonly rest: string; readonly lines: Lines | null } {
  const rules: readonly [RegExp, (match: RegExpExecArray) => Lines | null][] = [
    [
      /\b(?:the\s+)?(first|top|last|final|bottom)\s+(?:(\d{1,6}|couple(?: of)?|few|[a-z]{3,5})\s+)?lines?\b(?:\s+(?:of|from|in))?/i,
      ([, end = "", count]) => atEnd(end, numberOf(count ?? "1", 10)),
    ],
    [
      /\blines?\s+(\d{1,7})\s*(?:-|–|\.\.|to|through|until|and)\s*(\d{1,7})\b(?:\s+(?:of|from|in))?/i,
      ([, from, to]) => between(Number(from), Number(to)),
    ],
    [
      /\b(?:(?:starting|beginning)\s+(?:at|from|with|on)|from|after)\s+line\s+(\d{1,7})\b(?:\s+on(?:wards?)?)?/i,
      ([, line]) => between(Number(line), Number(line) + 59),
    ],
    [/\bline\s+(?:number\s+)?(\d{1,7})\b(?:\s+(?:of|from|in))?/i, ([, line]) => between(Number(line), Number(line))],
    [/(?:^|\s)-(?:n\s*)?(\d{1,6})\b/, ([, count]) => between(1, Number(count))],
  ];
  for (const [pattern, meaning] of rules) {
    const match = pattern.exec(words);
    const lines = match === null ? null : meaning(match);
    if (match !== null && lines !== null)
      return { rest: words.slice(0, match.index) + " " + words.slice(match.index + match[0].length), lines };
  }
  return { rest: words, lines: null };
}

function numberOf(word: string, otherwise: number): number {
  if (/^\d+$/.test(word)) return Number(word);
  if (/^couple/i.test(word)) return 2;
  if (/^few$/i.test(word)) return 5;
  const named = COUNTS.indexOf(word.toLowerCase());
  return named === -1 ? otherwise : named;
}

function atEnd(end: string, count: number): Lines | null {
  if (count < 1) return null;
  return /first|top/i.test(end) ? { from: 1, to: count } : { last: count };
}

const between = (one: number, other: number): Lines => ({ from: Math.max(1, Math.min(one, other)), to: Math.max(1, one, other) });

/** `name` seen from `dir`, as a person would write it. */
export function joined(dir: string, name: string): string {
  if (/^(?:\/|~|[A-Za-z]:[\\/]|\\\\)/.test(name) || dir === "." || dir === "") return name;
  return dir.endsWith("/") ? dir + name : `${dir}/${name}`;
}

/** A piece of a pattern that stands for one object: a thing, or a single word. */
export const OBJECT = `(?:${MARK}|[\\p{L}\\p{N}_.@+-]+)`;
