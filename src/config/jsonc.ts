// JSON with comments and trailing commas → a plain value, and where each part of it stands. Pure. Nothing is forgiven beyond
// those two: the first fault of the text ends the reading, and a key that stands twice in one object is a fault, since every
// reader of JSON would drop one of the two without a word.

import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { show } from "../core/path/show.ts";
import type { Keys } from "../core/policy/policy-part.ts";
import type { Source } from "../core/policy/rule.ts";

/** Something to tell a person about a policy: lower case, no full stop. `source` is null where it is not about a line. */
export interface PolicyFinding {
  readonly message: string;
  readonly source: Source | null;
}

export interface Jsonc {
  readonly value: unknown;
  /** The place of what the keys lead to: of a property its key, of a list's item the item. As far as the keys lead. */
  readonly locate: (keys: Keys) => Source;
}

export type ReadJsonc = { readonly ok: true; readonly jsonc: Jsonc } | { readonly ok: false; readonly errors: readonly PolicyFinding[] };

/** No policy nests deeper than seven; and the parser calls itself once a level. */
const DEPTH = 32;

/** Read a text without byte order mark. `file` is only named. */
export function readJsonc(text: string, file: string): ReadJsonc {
  const sourceAt = positions(text, file);
  const refuse = (message: string, offset: number): ReadJsonc => ({ ok: false, errors: [{ message, source: sourceAt(offset) }] });
  const deep = firstTooDeep(text, DEPTH);
  if (deep !== null) return refuse(`nothing in a policy is nested more than ${DEPTH} levels deep`, deep);
  const faults: ParseError[] = [];
  const root = parseTree(text, faults, { allowTrailingComma: true });
  // The parser goes on after a fault and guesses; only its first word is worth telling.
  const [fault] = faults;
  if (root === undefined && (fault === undefined || printParseErrorCode(fault.error) === "ValueExpected"))
    return refuse("the file is empty; write `{}` for an empty policy", 0);
  if (fault !== undefined) return refuse(wording(fault, text), fault.offset);
  if (root === undefined) return refuse("there is no policy here", 0);
  const reader = new TreeReader(sourceAt);
  const { value, place } = reader.read(root, root.offset);
  if (reader.errors.length > 0) return { ok: false, errors: reader.errors };
  return { ok: true, jsonc: { value, locate: (keys) => sourceAt(find(place, keys)) } };
}

/** Where a value stands, and those in it. Kept beside the value, so that finding a place takes as long as its keys. */
interface Place {
  readonly offset: number;
  readonly inside: ReadonlyMap<string | number, Place>;
}

interface ReadValue {
  readonly value: unknown;
  readonly place: Place;
}

class TreeReader {
  readonly errors: PolicyFinding[] = [];
  readonly #sourceAt: (offset: number) => Source;

  constructor(sourceAt: (offset: number) => Source) {
    this.#sourceAt = sourceAt;
  }

  /** The value of `node`, which is to be looked for at `offset`. */
  read(node: Node, offset: number): ReadValue {
    if (node.type === "object") return this.#object(node, offset);
    if (node.type === "array") {
      const items = (node.children ?? []).map((child) => this.read(child, child.offset));
      return { value: items.map(({ value }) => value), place: { offset, inside: new Map(items.map(({ place }, at) => [at, place])) } };
    }
    return { value: node.value, place: { offset, inside: new Map() } };
  }

  #object(node: Node, offset: number): ReadValue {
    const entries: [string, unknown][] = [];
    const inside = new Map<string | number, Place>();
    for (const { children: [key, child] = [] } of node.children ?? []) {
      if (key === undefined || child === undefined) continue;
      const name = String(key.value);
      const before = inside.get(name);
      if (before !== undefined) {
        const message = `\`${show(name)}\` appears twice in one object, first on line ${this.#sourceAt(before.offset).line}; only one of them would count, so remove one`;
        this.errors.push({ message, source: this.#sourceAt(key.offset) });
        continue;
      }
      const read = this.read(child, key.offset);
      entries.push([name, read.value]);
      inside.set(name, read.place);
    }
    // From entries, so that a key named `__proto__` is a key like any other.
    return { value: Object.fromEntries(entries), place: { offset, inside } };
  }
}

function find(place: Place, keys: Keys): number {
  let at = place;
  for (const key of keys) {
    const next = at.inside.get(key);
    if (next === undefined) break;
    at = next;
  }
  return at.offset;
}

/** Offsets → lines and columns, counted as editors do: from 1, in UTF-16 units, any of the three line ends. */
export function positions(text: string, file: string): (offset: number) => Source {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Where the text first opens more braces and brackets than `most`; null if it never does. */
export function firstTooDeep(text: string, most: number): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    // Told by its first character, since texts begin with a quote and comments are passed over.
    const first = text.charAt(scanner.getTokenOffset());
    if (first === "{" || first === "[") depth += 1;
    if (first === "}" || first === "]") depth -= 1;
    if (depth > most) return scanner.getTokenOffset();
  }
  return null;
}

function wording({ error, offset, length }: ParseError, text: string): string {
  const code = printParseErrorCode(error);
  switch (code) {
    case "InvalidSymbol":
      return `\`${show(text.slice(offset, offset + Math.min(length, 40)))}\` is not JSON; strings and keys need double quotes`;
    case "InvalidNumberFormat":
    case "UnexpectedEndOfNumber":
      return "this is not a number that JSON allows";
    case "PropertyNameExpected":
      return "a key in double quotes is missing here";
    case "ValueExpected":
      return "a value is missing here";
    case "ColonExpected":
      return "missing `:` between a key and its value";
    case "CommaExpected":
      return "missing comma before this";
    case "CloseBraceExpected":
      return "a `{` is not closed; `}` is missing here";
    case "CloseBracketExpected":
      return "a `[` is not closed; `]` is missing here";
    case "EndOfFileExpected":
      return "the policy ends before this; remove what follows it, or an extra `}`";
    case "InvalidCommentToken":
      return "a comment is not allowed here";
    case "UnexpectedEndOfComment":
      return "this comment is not closed; end it with `*/`";
    case "UnexpectedEndOfString":
      return 'this string is not closed; end it with `"` on the same line';
    case "InvalidUnicode":
      return "`\\u` must be followed by four hexadecimal digits";
    case "InvalidEscapeCharacter":
      return "there is an unknown escape in this string; write two backslashes for one";
    case "InvalidCharacter":
      return "there is a control character in this string; write it as an escape, a tab as `\\t`";
    case "<unknown ParseErrorCode>":
      return "this is not JSON";
  }
}
