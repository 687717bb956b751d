// Edits the text of a JSON file and leaves everything else as it stands: comments, order, indentation, line ends. A text that is not
// JSON, or has something else where an entry should go, is refused with its place; nothing is guessed.

import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { show } from "../../core/path/show.ts";
import { nodeAt, withoutValue, withValue } from "./json-splice.ts";
import type { Edited, JsonEntry } from "./wanted-file.ts";

/** No host's file nests deeper, and the parser calls itself once a level. */
const DEPTH = 200;

/** The text with the entries in it: those of an earlier time taken out, today's put in. Equal to `text` where they are there already. */
export function addEntries(text: string, entries: readonly JsonEntry[], file: string): Edited {
  const foreign = entries.map((entry) => foreignOf(text, entry, file)).find((one) => one !== null);
  if (foreign !== undefined) return { ok: false, why: foreign };
  return eachEntry(text === "" || text.trim() === "" ? "{}\n" : text, entries, file, (now, entry) =>
    isThere(now, entry) ? now : put(entry.kind === "property" ? now : take(now, entry), entry),
  );
}

/** The text without the entries, and without the objects and lists of `made` that are empty now. */
export function removeEntries(text: string, entries: readonly JsonEntry[], made: readonly (readonly string[])[], file: string): Edited {
  const without = eachEntry(text, entries, file, take);
  if (!without.ok) return without;
  let now = without.text;
  for (const path of made.toSorted((one, other) => other.length - one.length)) {
    const node = nodeAt(now, path);
    if (node !== undefined && (node.children ?? []).length === 0) now = withoutValue(now, path);
  }
  return { ok: true, text: now };
}

/** The objects and lists on the way to the entries that are not in the text. */
export function missingContainers(text: string, entries: readonly JsonEntry[]): readonly (readonly string[])[] {
  const paths = entries.flatMap(({ kind, at }) => {
    const length = kind === "property" ? at.length - 1 : at.length;
    return Array.from({ length }, (_, index) => at.slice(0, index + 1));
  });
  const unique = new Map(paths.map((path) => [path.join("\n"), path]));
  return [...unique.values()].filter((path) => nodeAt(text, path) === undefined);
}

/** Is every entry in the text, just as it would be written now? */
export function hasEntries(text: string, entries: readonly JsonEntry[]): boolean {
  return entries.every((entry) => isThere(text, entry));
}

/** The value of a text that was found to be JSON; null for one that is not. */
export function jsonValue(text: string): unknown {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  return root === undefined || errors.length > 0 ? null : valueOf(root);
}

function eachEntry(text: string, entries: readonly JsonEntry[], file: string, step: (now: string, entry: JsonEntry) => string): Edited {
  const why = faultOf(text, file);
  if (why !== null) return { ok: false, why };
  const misfit = entries.map((entry) => misfitOf(text, entry, file)).find((one) => one !== null);
  if (misfit !== undefined) return { ok: false, why: misfit };
  const now = entries.reduce(step, text);
  // INVARIANT: what is written must be read by others as what we meant.
  const after = faultOf(now, file);
  return after === null ? { ok: true, text: now } : { ok: false, why: `${after} (after our change, so nothing was changed)` };
}

function faultOf(text: string, file: string): string | null {
  if (deepest(text) > DEPTH) return `${place(text, 0, file)}: it is nested more than ${DEPTH} levels deep`;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) return `${place(text, first.offset, file)}: this is not JSON (${words(printParseErrorCode(first.error))})`;
  if (root?.type !== "object") return `${place(text, root?.offset ?? 0, file)}: there must be an object here`;
  return null;
}

/** Something else than an object or a list on the way, or a name that stands twice, of which each reader would take another. */
function misfitOf(text: string, entry: JsonEntry, file: string): string | null {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const way = entry.kind === "property" || entry.kind === "default" ? entry.at.slice(0, -1) : entry.at;
  let node: Node | undefined = root;
  for (const [index, name] of ["", ...entry.at].entries()) {
    if (index > 0) {
      const same = (node?.children ?? []).filter((property) => property.children?.[0]?.value === name);
      if (same[1] !== undefined) return `${place(text, same[1].offset, file)}: \`${show(name)}\` stands twice in one object; keep one`;
      node = same[0]?.children?.[1];
    }
    if (node === undefined) return null;
    const last = index === way.length;
    const wanted = last && (entry.kind === "item" || entry.kind === "texts") ? "array" : "object";
    if (index <= way.length && node.type !== wanted) {
      const what = wanted === "array" ? "a list" : "an object";
      return `${place(text, node.offset, file)}: \`${show(way.slice(0, index).join("."))}\` must be ${what} for our entry to go in`;
    }
  }
  return null;
}

/** Somebody else's value under a name we would use. */
function foreignOf(text: string, entry: JsonEntry, file: string): string | null {
  if (entry.kind !== "property") return null;
  const node = nodeAt(text, entry.at);
  if (node === undefined || entry.ours(valueOf(node))) return null;
  const name = `\`${show(entry.at.join("."))}\``;
  return `${place(text, node.offset, file)}: ${name} is there already and was not put there by us; rename or remove it, then install again`;
}

function isThere(text: string, entry: JsonEntry): boolean {
  const node = nodeAt(text, entry.at);
  const value = node === undefined ? undefined : valueOf(node);
  switch (entry.kind) {
    case "property":
      return same(value, entry.value);
    case "default":
      return value !== undefined;
    case "item": {
      const ours = Array.isArray(value) ? value.filter((item) => entry.ours(item)) : [];
      return ours.length === 1 && same(ours[0], entry.value);
    }
    case "texts":
    case "properties": {
      const wanted = rowsOf(entry);
      const rows = rowsIn(node);
      const span = spanOf(rows, entry);
      return span.length === wanted.length && span.every((at, index) => same(rows[at], wanted[index]));
    }
  }
}

function take(text: string, entry: JsonEntry): string {
  const node = nodeAt(text, entry.at);
  if (node === undefined || entry.kind === "default") return text;
  if (entry.kind === "property") return entry.ours(valueOf(node)) ? withoutValue(text, entry.at) : text;
  const value = valueOf(node);
  const ours =
    entry.kind === "item"
      ? (Array.isArray(value) ? value : []).flatMap((item: unknown, index) => (entry.ours(item) ? [index] : []))
      : spanOf(rowsIn(node), entry);
  let now = text;
  for (const index of ours.toReversed()) {
    const name = entry.kind === "properties" ? rowsIn(node)[index]?.[0] : index;
    if (name !== undefined) now = withoutValue(now, [...entry.at, name]);
  }
  return now;
}

function put(text: string, entry: JsonEntry): string {
  if (entry.kind === "property" || entry.kind === "default") return withValue(text, entry.at, entry.value);
  if (entry.kind === "properties") return rowsOf(entry).reduce((now, [name, value]) => withValue(now, [...entry.at, name], value), text);
  const values: readonly unknown[] = entry.kind === "item" ? [entry.value] : rowsOf(entry).map(([value]) => value);
  // A list that is not there is made in one go.
  if (nodeAt(text, entry.at) === undefined) return withValue(text, entry.at, values);
  const length = nodeAt(text, entry.at)?.children?.length ?? 0;
  return values.reduce<string>((now, value, index) => withValue(now, [...entry.at, length + index], value), text);
}

type Row = readonly [string, unknown];
type Span = Extract<JsonEntry, { readonly kind: "texts" | "properties" }>;

/** Everything that is ours, marks and all. */
function rowsOf(entry: Span): readonly Row[] {
  const mark = entry.kind === "properties" ? entry.mark : null;
  const inner: readonly Row[] = entry.kind === "properties" ? entry.properties : entry.texts.map((text) => [text, null]);
  return inner.length === 0 ? [] : [[entry.begin, mark], ...inner, [entry.end, mark]];
}

function rowsIn(node: Node | undefined): readonly Row[] {
  return (node?.children ?? []).map((child): Row => {
    const [key, value] = child.type === "property" ? (child.children ?? []) : [child];
    const name: unknown = key?.value;
    return [typeof name === "string" ? name : "", value === undefined ? null : valueOf(value)];
  });
}

/** The places from the first mark to the last; none where there is no pair of marks. */
function spanOf(rows: readonly Row[], { begin, end }: Span): readonly number[] {
  const from = rows.findIndex(([name]) => name === begin);
  const to = rows.findLastIndex(([name]) => name === end);
  return from === -1 || to < from ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function valueOf(node: Node): unknown {
  const value: unknown = getNodeValue(node);
  return value;
}

/** Compared as JSON with its keys in order: another order of keys means the same. */
function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]): [string, unknown] => [key, sorted(inner)]),
  );
}

function deepest(text: string): number {
  let [depth, most] = [0, 0];
  // Braces in texts count for nothing: hosts keep what people pasted.
  for (const character of text.replaceAll(/"(?:[^"\\\n]|\\.)*"/gu, "")) {
    if (character === "{" || character === "[") most = Math.max(most, (depth += 1));
    else if (character === "}" || character === "]") depth -= 1;
  }
  return most;
}

export function place(text: string, offset: number, file: string): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/u);
  return `${show(file)}:${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

const words = (code: string): string => code.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, " ").toLowerCase();
