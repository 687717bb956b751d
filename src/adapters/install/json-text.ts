// Edits the text of a JSON file and leaves everything else as it stands: comments, order, indentation, line ends. A text that is not
// JSON, or has something else where an entry should go, is refused with its place; nothing is guessed.

import { isDeepStrictEqual } from "node:util";
import { type ParseError, parseTree } from "jsonc-parser";
import { isRecord } from "../hook/host-call.ts";
import { faultOf, foreignOf, isTooDeep, misfitOf } from "./json-faults.ts";
import { nodeAt, valueOf, withoutValue, withValue } from "./json-splice.ts";
import { rowsIn, rowsOf, spanOf } from "./marked-rows.ts";
import type { EditedText, JsonEntry } from "./wanted-file.ts";

/** The text with the entries in it: those of an earlier time taken out, today's put in. Equal to `text` where they are there already. */
export function addEntries(text: string, entries: readonly JsonEntry[], file: string): EditedText {
  const foreign = isTooDeep(text) ? undefined : entries.map((entry) => foreignOf(text, entry, file)).find((why) => why !== null);
  if (foreign !== undefined) return { ok: false, why: foreign };
  return eachEntry(text === "" || text.trim() === "" ? "{}\n" : text, entries, file, (current, entry) =>
    isThere(current, entry) ? current : put(entry.kind === "property" ? current : take(current, entry), entry),
  );
}

/** The text without the entries, and without the objects and lists of `made` that are empty now. */
export function removeEntries(text: string, entries: readonly JsonEntry[], made: readonly (readonly string[])[], file: string): EditedText {
  const without = eachEntry(text, entries, file, take);
  if (!without.ok) return without;
  let current = without.text;
  for (const path of made.toSorted((left, right) => right.length - left.length)) {
    const node = nodeAt(current, path);
    if (node !== undefined && (node.children ?? []).length === 0) current = withoutValue(current, path);
  }
  return { ok: true, text: current };
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
  return !isTooDeep(text) && entries.every((entry) => isThere(text, entry));
}

/** The value of a text, with or without a byte order mark; null for one that is no JSON, or that no parser should go through. */
export function jsonValue(text: string): unknown {
  if (isTooDeep(text)) return null;
  const errors: ParseError[] = [];
  const root = parseTree(text.replace(/^\u{FEFF}/u, ""), errors, { allowTrailingComma: true });
  return root === undefined || errors.length > 0 ? null : valueOf(root);
}

function eachEntry(
  text: string,
  entries: readonly JsonEntry[],
  file: string,
  step: (current: string, entry: JsonEntry) => string,
): EditedText {
  const why = faultOf(text, file);
  if (why !== null) return { ok: false, why };
  const misfit = entries.map((entry) => misfitOf(text, entry, file)).find((why) => why !== null);
  if (misfit !== undefined) return { ok: false, why: misfit };
  const edited = entries.reduce(step, text);
  // INVARIANT: what is written must be read by others as what we meant.
  const after = faultOf(edited, file);
  return after === null ? { ok: true, text: edited } : { ok: false, why: `${after} (after our change, so nothing was changed)` };
}

function isThere(text: string, entry: JsonEntry): boolean {
  const node = nodeAt(text, entry.at);
  const value = node === undefined ? undefined : valueOf(node);
  switch (entry.kind) {
    case "property":
      return isSameData(value, entry.value);
    case "default":
      return value !== undefined;
    case "item": {
      const ourItems = Array.isArray(value) ? value.filter((item) => entry.ours(item)) : [];
      return ourItems.length === 1 && isSameData(ourItems[0], entry.value);
    }
    case "texts":
    case "properties": {
      const expected = rowsOf(entry);
      const rows = rowsIn(node);
      const span = spanOf(rows, entry);
      return span.length === expected.length && span.every((at, index) => isSameData(rows[at], expected[index]));
    }
  }
}

function take(text: string, entry: JsonEntry): string {
  const node = nodeAt(text, entry.at);
  if (node === undefined || entry.kind === "default") return text;
  if (entry.kind === "property") return entry.ours(valueOf(node)) ? withoutValue(text, entry.at) : text;
  const rows = rowsIn(node);
  const ways =
    entry.kind === "item"
      ? waysTo(valueOf(node), entry.ours)
      : spanOf(rows, entry).map((index) => [entry.kind === "properties" ? (rows[index]?.[0] ?? "") : index]);
  return ways.toReversed().reduce((current, way) => withoutValue(current, [...entry.at, ...way]), text);
}

/** The ways to what is ours in a list: whole items, but where somebody else's hooks stand in one group with ours, ours alone. */
function waysTo(list: unknown, ours: (item: unknown) => boolean): readonly (readonly (string | number)[])[] {
  return (Array.isArray(list) ? list : []).flatMap((item: unknown, index) => {
    if (!ours(item)) return [];
    const group: readonly unknown[] = isRecord(item) && Array.isArray(item["hooks"]) ? item["hooks"] : [];
    const ourHooks = group.flatMap((hook, at) => (ours(hook) ? [at] : []));
    return ourHooks.length === 0 || ourHooks.length === group.length ? [[index]] : ourHooks.map((at) => [index, "hooks", at]);
  });
}

function put(text: string, entry: JsonEntry): string {
  if (entry.kind === "property" || entry.kind === "default") return withValue(text, entry.at, entry.value);
  if (entry.kind === "properties")
    return rowsOf(entry).reduce((current, [name, value]) => withValue(current, [...entry.at, name], value), text);
  const values: readonly unknown[] = entry.kind === "item" ? [entry.value] : rowsOf(entry).map(([value]) => value);
  // A list that is not there is made in one go.
  if (nodeAt(text, entry.at) === undefined) return withValue(text, entry.at, values);
  const length = nodeAt(text, entry.at)?.children?.length ?? 0;
  return values.reduce<string>((current, value, index) => withValue(current, [...entry.at, length + index], value), text);
}

/** Whatever made the two, and in whatever order their keys stand: what is read out of a file has objects without a prototype. */
export const isSameData = (left: unknown, right: unknown): boolean => isDeepStrictEqual(structuredClone(left), structuredClone(right));
