// Patterns for any depth, found by what their first name says: a literal, a literal head, a literal tail, or only text inside.
// Promise: whatever could match a name is met; most names are passed over by a few characters, without a look-up.
// `quick-ways.test.ts` compares it with the plain way, pattern by pattern.

import type { PatternPiece } from "./glob.ts";

/** A pattern with a wildcard at both ends of its first name. */
interface WildcardPattern<E> {
  /** Text that every matching name holds; may be empty. */
  readonly inner: string;
  readonly entry: E;
}

export class FirstNames<E> {
  readonly #literals = new Map<string, E[]>();
  readonly #heads = new Map<string, E[]>();
  readonly #tails = new Map<string, E[]>();
  readonly #others: WildcardPattern<E>[] = [];
  #headLengths: number[] = [];
  #tailLengths: number[] = [];
  // One for the mark of every literal; the length of the shortest head and tail by their first and last two characters, 0 for none.
  // Each is made when there is something to note in it: most lists of rules have no such patterns, and a fresh table costs its pages.
  #marks: Uint8Array = NO_TABLE;
  #begins: Uint8Array = NO_TABLE;
  #ends: Uint8Array = NO_TABLE;

  add(first: Exclude<PatternPiece, { readonly kind: "any-names" }>, entry: E): void {
    if (first.kind === "literal") {
      push(this.#literals, first.text, entry);
      if (this.#marks === NO_TABLE) this.#marks = new Uint8Array(PAIRS);
      this.#marks[markOf(first.text, 0, first.text.length)] = 1;
    } else if (first.head.length > 0) {
      push(this.#heads, first.head, entry);
      this.#headLengths = withLength(this.#headLengths, first.head.length);
      if (this.#begins === NO_TABLE) this.#begins = new Uint8Array(PAIRS);
      note(this.#begins, first.head, firstPair(first.head, 0, first.head.length));
    } else if (first.tail.length > 0) {
      push(this.#tails, first.tail, entry);
      this.#tailLengths = withLength(this.#tailLengths, first.tail.length);
      if (this.#ends === NO_TABLE) this.#ends = new Uint8Array(PAIRS);
      note(this.#ends, first.tail, lastPair(first.tail, 0, first.tail.length));
    } else {
      this.#others.push({ inner: innerOf(first.text), entry });
    }
  }

  /** Those with a wildcard at both ends that may match a name in `text`, a name or a whole path: a search through it, so asked once a path. */
  othersIn(text: string): readonly E[] {
    if (this.#others.length === 0) return NO_ENTRIES;
    let found: E[] | null = null;
    for (const { inner, entry } of this.#others) {
      if (!text.includes(inner)) continue;
      if (found === null) found = [entry];
      else found.push(entry);
    }
    return found ?? NO_ENTRIES;
  }

  /** May any of the rest match the name from `start` to `end`? */
  mayMeet(path: string, start: number, end: number): boolean {
    return this.#marks[markOf(path, start, end)] === 1 || this.#mayBegin(path, start, end) || this.#mayEnd(path, start, end);
  }

  /** Show every one of the rest that may match `name`. */
  meet(name: string, see: (entries: readonly E[]) => void): void {
    if (this.#marks[markOf(name, 0, name.length)] === 1) show(this.#literals.get(name), see);
    if (this.#mayBegin(name, 0, name.length)) {
      for (const length of this.#headLengths) {
        if (length <= name.length) show(this.#heads.get(name.slice(0, length)), see);
      }
    }
    if (this.#mayEnd(name, 0, name.length)) {
      for (const length of this.#tailLengths) {
        if (length <= name.length) show(this.#tails.get(name.slice(name.length - length)), see);
      }
    }
  }

  #mayBegin(path: string, start: number, end: number): boolean {
    const shortest = this.#begins[firstPair(path, start, end)] ?? 0;
    return shortest !== 0 && shortest <= end - start;
  }

  #mayEnd(path: string, start: number, end: number): boolean {
    const shortest = this.#ends[lastPair(path, start, end)] ?? 0;
    return shortest !== 0 && shortest <= end - start;
  }
}

function show<E>(entries: readonly E[] | undefined, see: (entries: readonly E[]) => void): void {
  if (entries !== undefined) see(entries);
}

function push<E>(map: Map<string, E[]>, key: string, entry: E): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [entry]);
  else list.push(entry);
}

const withLength = (lengths: readonly number[], length: number): number[] =>
  lengths.includes(length) ? [...lengths] : [...lengths, length].toSorted((a, b) => a - b);

/** Note the length of a key if it is the shortest at its place. A key of one character may be followed by any other, or by none. */
function note(table: Uint8Array, key: string, at: number): void {
  if (key.length === 1) table.fill(1, at & ~127, (at & ~127) + 128);
  else if (table[at] === 0 || key.length < (table[at] ?? 0)) table[at] = Math.min(key.length, 255);
}

/** The longest text between two wildcards. */
const innerOf = (text: string): string => text.split(/[*?]/).reduce((longest, one) => (one.length > longest.length ? one : longest), "");

/** As many as there are pairs of ASCII characters. */
const PAIRS = 128 * 128;
// INVARIANT: never written to.
const NO_TABLE = new Uint8Array(PAIRS);

/** A small number made of a name's first and last character and its length: different numbers, different names. */
const markOf = (text: string, start: number, end: number): number =>
  (text.charCodeAt(start) + text.charCodeAt(end - 1) * 37 + (end - start) * 211) & (PAIRS - 1);

// Two characters as one small number; everything outside ASCII counts as one character, which only costs a look-up.
const pair = (one: number, two: number): number => ((one < 127 ? one : 127) << 7) | (two < 127 ? two : 127);
const firstPair = (text: string, start: number, end: number): number =>
  pair(text.charCodeAt(start), end - start > 1 ? text.charCodeAt(start + 1) : 0);
const lastPair = (text: string, start: number, end: number): number =>
  pair(text.charCodeAt(end - 1), end - start > 1 ? text.charCodeAt(end - 2) : 0);
const NO_ENTRIES: readonly never[] = [];
