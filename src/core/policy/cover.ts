// Which earlier pattern makes a later one pointless? Patterns are filed by how they begin, up to their first name with a wildcard or the
// first name after `**`, so that a long list is not compared pair by pair.

import { FirstNames } from "./first-names.ts";
import { covers, type Glob, matchName, type PatternPiece } from "./glob.ts";

interface Entry<T> {
  readonly glob: Glob;
  readonly value: T;
  readonly order: number;
}

export class CoverIndex<T> {
  /** By the literal names they begin with: what goes on at once, and what goes on at any depth. */
  readonly #near = new Map<string, PieceIndex<Entry<T>>>();
  readonly #far = new Map<string, PieceIndex<Entry<T>>>();
  #count = 0;

  /** Remember a pattern; `value` comes back when it covers a later one. */
  add(glob: Glob, value: T): void {
    const prefix = literalPrefix(glob);
    const entry = { glob, value, order: this.#count };
    this.#count += 1;
    const next = glob.pieces[prefix.length];
    if (next?.kind === "any-names") filedAt(this.#far, prefix.join("/")).add(glob.pieces[prefix.length + 1], entry);
    else filedAt(this.#near, prefix.join("/")).add(next, entry);
  }

  /** The first remembered pattern, in the order they were added within a beginning, that covers all of `glob`. */
  find(glob: Glob): T | null {
    const prefix = literalPrefix(glob);
    for (let length = 0; length <= prefix.length; length += 1) {
      const key = prefix.slice(0, length).join("/");
      const near = this.#near.get(key)?.those([glob.pieces[length]]) ?? [];
      const far = this.#far.get(key)?.those(glob.pieces.slice(length)) ?? [];
      const found = firstCovering([...near, ...far], glob);
      if (found !== null) return found.value;
    }
    return null;
  }
}

/** Entries by the piece they go on with. */
class PieceIndex<E> {
  readonly #byText = new Map<string, E[]>();
  readonly #wild = new FirstNames<{ readonly text: string; readonly entry: E }>();
  /** Those that end there, or go on with whatever name. */
  readonly #others: E[] = [];

  add(piece: PatternPiece | undefined, entry: E): void {
    if (piece === undefined || piece.kind === "any-names" || piece.text === "*") {
      this.#others.push(entry);
      return;
    }
    const alike = this.#byText.get(piece.text);
    if (alike === undefined) this.#byText.set(piece.text, [entry]);
    else alike.push(entry);
    if (piece.kind === "wild") this.#wild.add(piece, { text: piece.text, entry });
  }

  /** Every entry whose piece may cover one of these. A name with a wildcard is covered only by itself and by a star. */
  those(pieces: readonly (PatternPiece | undefined)[]): readonly E[] {
    const found = new Set(this.#others);
    for (const piece of pieces) {
      if (piece === undefined || piece.kind === "any-names") continue;
      for (const entry of this.#byText.get(piece.text) ?? []) found.add(entry);
      if (piece.kind !== "literal") continue;
      const see = (those: readonly { readonly text: string; readonly entry: E }[]): void => {
        for (const { text, entry } of those) if (matchName(text, piece.text)) found.add(entry);
      };
      this.#wild.meet(piece.text, see);
      see(this.#wild.othersIn(piece.text));
    }
    return [...found];
  }
}

function filedAt<E>(map: Map<string, PieceIndex<E>>, key: string): PieceIndex<E> {
  const known = map.get(key) ?? new PieceIndex<E>();
  map.set(key, known);
  return known;
}

function literalPrefix(glob: Glob): readonly string[] {
  const names: string[] = [];
  for (const piece of glob.pieces) {
    if (piece.kind !== "literal") break;
    names.push(piece.text);
  }
  return names;
}

function firstCovering<T>(entries: readonly Entry<T>[], glob: Glob): Entry<T> | null {
  return entries.toSorted((one, other) => one.order - other.order).find((entry) => covers(entry.glob, glob)) ?? null;
}
