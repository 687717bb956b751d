// Rows of ours in a list or an object of a host's file, between two marks that are rows themselves: as they would be written now, and as they
// stand in a text.

import type { Node } from "jsonc-parser";
import { valueOf } from "./json-splice.ts";
import type { JsonEntry } from "./wanted-file.ts";

/** A property's name and value; of a list, the text and nothing. */
type Row = readonly [string, unknown];
type Span = Extract<JsonEntry, { readonly kind: "texts" | "properties" }>;

/** Everything that is ours, marks and all. */
export function rowsOf(entry: Span): readonly Row[] {
  const mark = entry.kind === "properties" ? entry.mark : null;
  const inner: readonly Row[] = entry.kind === "properties" ? entry.properties : entry.texts.map((text) => [text, null]);
  return inner.length === 0 ? [] : [[entry.begin, mark], ...inner, [entry.end, mark]];
}

/** All rows of a list or an object, whoever wrote them. */
export function rowsIn(node: Node | undefined): readonly Row[] {
  return (node?.children ?? []).map((child): Row => {
    const [key, value] = child.type === "property" ? (child.children ?? []) : [child];
    const name: unknown = key?.value;
    return [typeof name === "string" ? name : "", value === undefined ? null : valueOf(value)];
  });
}

/** The places from the first mark to the last; none where there is no pair of marks. */
export function spanOf(rows: readonly Row[], { begin, end }: Span): readonly number[] {
  const from = rows.findIndex(([name]) => name === begin);
  const to = rows.findLastIndex(([name]) => name === end);
  return from === -1 || to < from ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
