// Many patterns made quick to ask: which is the first, in its author's order, that matches this path? Literal beginnings stand in a
// tree of names, patterns for any depth in tables by name, so the time depends on the path and hardly on the number of rules.

import { fold } from "../path/fold.ts";
import { FirstNames } from "./first-names.ts";
import { type Glob, matchName, type PatternPiece, pieceOf } from "./glob.ts";

/** One pattern with its place in the list. */
export interface PlacedPattern {
  readonly order: number;
  readonly glob: Glob;
  /** Matched on folded names (what denies), or exactly (what allows or asks). */
  readonly folded: boolean;
  /** Does a match on a directory hold for all below it? */
  readonly below: boolean;
}

/** No rule. Larger than any order, so that the least order is the first match; a small integer, which costs no allocation to keep. */
export const NONE = 2 ** 30 - 1;

interface Entry {
  readonly pieces: readonly PatternPiece[];
  readonly rule: PlacedPattern;
  /** The step at which each place in the pattern was last kept. */
  readonly lastKeptStep: number[];
}

interface Item {
  readonly entry: Entry;
  /** The next piece to match. */
  readonly at: number;
}

/** Least orders: of rules matched on folded names (`Folded`) or exactly, for a directory and all below (`below`) or it alone (`here`). */
interface Orders {
  belowFolded: number;
  hereFolded: number;
  below: number;
  here: number;
}

class Node implements Orders {
  readonly children = new Map<string, Node>();
  readonly entries: Item[] = [];
  belowFolded = NONE;
  hereFolded = NONE;
  below = NONE;
  here = NONE;
}

/** How far into the rules a path has come. Only this file reads or moves one. */
class Cursor implements Orders {
  node: Node | null;
  items: Item[];
  belowFolded: number;
  hereFolded = NONE;
  below: number;
  here = NONE;
  /** The number of the step that is being taken. */
  step = 0;

  constructor(node: Node | null, items: Item[], belowFolded: number, below: number) {
    this.node = node;
    this.items = items;
    this.belowFolded = belowFolded;
    this.below = below;
  }
}

export class RuleIndex {
  readonly #root = new Node();
  readonly #anyDepth = new FirstNames<Entry>();
  readonly size: number;
  // Is any rule matched exactly, is any on folded names? A list of one kind needs one run even where the two spellings differ.
  readonly #hasExact: boolean;
  readonly #hasFolded: boolean;
  #steps = 0;

  constructor(rules: readonly PlacedPattern[]) {
    this.size = rules.length;
    this.#hasExact = rules.some((rule) => !rule.folded);
    this.#hasFolded = rules.some((rule) => rule.folded);
    for (const rule of rules) this.#add(rule);
  }

  /** The order of the first rule that matches `path` (absolute, real), or NONE. `folded`: the same folded, from whoever has it already. */
  first(path: string, folded?: string): number {
    if (this.size === 0) return NONE;
    const spelled = this.#hasFolded ? (folded ?? fold(path)) : path;
    const exact = this.#run(this.#hasExact ? path : spelled);
    return least(exact, spelled === path || !this.#hasExact ? exact : this.#run(spelled));
  }

  /** Where the directory `path` stands, for asking about its entries one by one. */
  at(path: string): Walk {
    const spelled = fold(path);
    const folded = this.#run(spelled);
    // Where no rule is matched exactly, nothing is asked of the exact cursor.
    return new Walk(this, spelled === path || !this.#hasExact ? folded : this.#run(path), folded);
  }

  #run(path: string): Cursor {
    const cursor = new Cursor(this.#root, this.#root.entries, NONE, NONE);
    const others = this.#anyDepth.othersIn(path);
    let start = 1;
    while (start < path.length) {
      const slash = path.indexOf("/", start);
      const end = slash === -1 ? path.length : slash;
      this.#advance(cursor, path, start, end, others);
      start = end + 1;
    }
    return cursor;
  }

  /** Can no rule tell the entry `name` apart from the directory it is in? Told without a look-up, which is the common answer. */
  indifferent(cursor: Cursor, name: string): boolean {
    if (cursor.items.length > 0 || (cursor.node !== null && cursor.node.children.size > 0)) return false;
    return !this.#anyDepth.mayMeet(name, 0, name.length) && this.#anyDepth.othersIn(name).length === 0;
  }

  /** The cursor one name further, as a new one. */
  next(cursor: Cursor, name: string): Cursor {
    const further = new Cursor(cursor.node, cursor.items, cursor.belowFolded, cursor.below);
    this.#advance(further, name, 0, name.length, this.#anyDepth.othersIn(name));
    return further;
  }

  #advance(cursor: Cursor, path: string, start: number, end: number, others: readonly Entry[]): void {
    cursor.hereFolded = NONE;
    cursor.here = NONE;
    if (cursor.node !== null || cursor.items.length > 0 || others.length > 0 || this.#anyDepth.mayMeet(path, start, end))
      this.#meetName(cursor, path.slice(start, end), others);
  }

  #meetName(cursor: Cursor, name: string, others: readonly Entry[]): void {
    const { node, items } = cursor;
    cursor.items = NO_ITEMS;
    this.#steps += 1;
    cursor.step = this.#steps;
    if (node !== null) descend(cursor, node.children.get(name) ?? null);
    for (const item of items) step(cursor, item, name);
    if (this.#anyDepth.mayMeet(name, 0, name.length)) this.#anyDepth.meet(name, (entries) => meet(cursor, entries, name));
    if (others.length > 0) meet(cursor, others, name);
  }

  #add(rule: PlacedPattern): void {
    const pieces = rule.folded ? rule.glob.pieces.map(foldPiece) : rule.glob.pieces;
    const entry: Entry = { pieces, rule, lastKeptStep: [] };
    const first = pieces[1];
    if (pieces[0]?.kind === "any-names") {
      if (first !== undefined && first.kind !== "any-names") this.#anyDepth.add(first, entry);
      return;
    }
    let node = this.#root;
    let at = 0;
    for (let piece = pieces[at]; piece?.kind === "literal"; piece = pieces[at]) {
      const next = node.children.get(piece.text) ?? new Node();
      node.children.set(piece.text, next);
      node = next;
      at += 1;
    }
    if (at < pieces.length) node.entries.push({ entry, at });
    else note(node, rule);
  }
}

/** Where one directory stands in an index: asks about its entries, and goes down into them. */
export class Walk {
  readonly #index: RuleIndex;
  readonly #exact: Cursor;
  readonly #folded: Cursor;

  constructor(index: RuleIndex, exact: Cursor, folded: Cursor) {
    this.#index = index;
    this.#exact = exact;
    this.#folded = folded;
  }

  /** The order of the first rule that matches the entry `name`, or NONE. */
  first(name: string): number {
    const folded = fold(name);
    if (folded === name && this.#folded === this.#exact && this.#index.indifferent(this.#exact, name))
      return Math.min(this.#exact.below, this.#exact.belowFolded);
    const exact = this.#index.next(this.#exact, name);
    return least(exact, folded === name && this.#folded === this.#exact ? exact : this.#index.next(this.#folded, folded));
  }

  /** The view from inside the directory `name`. */
  enter(name: string): Walk {
    const folded = fold(name);
    const exact = this.#index.next(this.#exact, name);
    const same = folded === name && this.#folded === this.#exact;
    return new Walk(this.#index, exact, same ? exact : this.#index.next(this.#folded, folded));
  }
}

/** One name further in the tree of literal beginnings; what branches off there is under way from now on. */
function descend(cursor: Cursor, node: Node | null): void {
  cursor.node = node;
  if (node === null) return;
  if (node.belowFolded < cursor.belowFolded) cursor.belowFolded = node.belowFolded;
  if (node.below < cursor.below) cursor.below = node.below;
  cursor.hereFolded = node.hereFolded;
  cursor.here = node.here;
  if (node.entries.length > 0) cursor.items = [...node.entries];
}

/** Entries for any depth whose key fits: does their first name match, and what is left of them? */
function meet(cursor: Cursor, entries: readonly Entry[], name: string): void {
  for (const entry of entries) {
    if (matchPiece(entry.pieces[1], name)) arrive(cursor, entry, 2);
  }
}

/** One pattern one name further: `**` stays where it is and also lets its next piece try. */
function step(cursor: Cursor, item: Item, name: string): void {
  const { entry, at } = item;
  const piece = entry.pieces[at];
  if (piece?.kind === "any-names") {
    keep(cursor, item);
    if (matchPiece(entry.pieces[at + 1], name)) arrive(cursor, entry, at + 2);
  } else if (matchPiece(piece, name)) {
    arrive(cursor, entry, at + 1);
  }
}

function arrive(cursor: Cursor, entry: Entry, at: number): void {
  if (at < entry.pieces.length) keep(cursor, { entry, at });
  else note(cursor, entry.rule);
}

/** A rule matched: remember it if none before it in the list did. */
function note(orders: Orders, { order, folded, below }: PlacedPattern): void {
  if (folded && below) orders.belowFolded = Math.min(orders.belowFolded, order);
  else if (folded) orders.hereFolded = Math.min(orders.hereFolded, order);
  else if (below) orders.below = Math.min(orders.below, order);
  else orders.here = Math.min(orders.here, order);
}

/** The first match, where one cursor ran on the path as it is and the other on the folded one (they may be the same). */
function least(exact: Orders, folded: Orders): number {
  return Math.min(exact.below, exact.here, folded.belowFolded, folded.hereFolded);
}

/** A pattern may come to the same place in it by many ways. Each place is kept once a step, so time stays linear. */
function keep(cursor: Cursor, item: Item): void {
  const { entry, at } = item;
  if (entry.lastKeptStep[at] === cursor.step) return;
  entry.lastKeptStep[at] = cursor.step;
  if (cursor.items.length === 0) cursor.items = [];
  cursor.items.push(item);
}

function matchPiece(piece: PatternPiece | undefined, name: string): boolean {
  if (piece === undefined || piece.kind === "any-names") return false;
  return piece.kind === "literal" ? piece.text === name : matchName(piece.text, name);
}

function foldPiece(piece: PatternPiece): PatternPiece {
  if (piece.kind === "any-names") return piece;
  if (piece.kind === "literal") return { kind: "literal", text: fold(piece.text) };
  return pieceOf(fold(piece.text));
}

const NO_ITEMS: Item[] = [];
