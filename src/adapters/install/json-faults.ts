// Why the text of a JSON file cannot take an entry of ours, with the place: it is not JSON, something else stands on the way, or somebody
// else's value has our name. Null where it can.

import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { firstTooDeep, positions } from "../../config/jsonc.ts";
import { show } from "../../core/path/show.ts";
import { nodeAt, valueOf } from "./json-splice.ts";
import type { JsonEntry } from "./wanted-file.ts";

/** No host's file nests deeper, and the parser calls itself once a level. */
const DEPTH = 200;

/** It is no object in JSON, or nests too deep. */
export function faultOf(text: string, file: string): string | null {
  if (isTooDeep(text)) return `${place(text, 0, file)}: it is nested more than ${DEPTH} levels deep`;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) return `${place(text, first.offset, file)}: this is not JSON (${spaceWords(printParseErrorCode(first.error))})`;
  if (root?.type !== "object") return `${place(text, root?.offset ?? 0, file)}: there must be an object here`;
  return null;
}

/** Something else than an object or a list on the way, or a name that stands twice, of which each reader would take another. */
export function misfitOf(text: string, entry: JsonEntry, file: string): string | null {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const way = entry.kind === "property" || entry.kind === "default" ? entry.at.slice(0, -1) : entry.at;
  let node: Node | undefined = root;
  for (const [index, name] of ["", ...entry.at].entries()) {
    if (index > 0) {
      const same = (node?.children ?? []).filter((property) => property.children?.[0]?.value === name);
      if (same[1] !== undefined) return `${place(text, same[1].offset, file)}: \`${show(name)}\` appears twice in one object; keep one`;
      node = same[0]?.children?.[1];
    }
    if (node === undefined) return null;
    const last = index === way.length;
    const expectedType = last && (entry.kind === "item" || entry.kind === "texts") ? "array" : "object";
    if (index <= way.length && node.type !== expectedType) {
      const what = expectedType === "array" ? "a list" : "an object";
      return `${place(text, node.offset, file)}: \`${show(way.slice(0, index).join("."))}\` must be ${what} for our entry to go in`;
    }
  }
  return null;
}

/** Somebody else's value under a name we would use. */
export function foreignOf(text: string, entry: JsonEntry, file: string): string | null {
  if (entry.kind !== "property") return null;
  const node = nodeAt(text, entry.at);
  if (node === undefined || entry.ours(valueOf(node))) return null;
  const name = `\`${show(entry.at.join("."))}\``;
  return `${place(text, node.offset, file)}: ${name} is there already and was not put there by us; rename or remove it, then install again`;
}

/** Is it nested deeper than the parser may go? */
export const isTooDeep = (text: string): boolean => firstTooDeep(text, DEPTH) !== null;

/** `file:line:column`, counted from 1. */
function place(text: string, offset: number, file: string): string {
  const { line, column } = positions(text, file)(offset);
  return `${show(file)}:${line}:${column}`;
}

const spaceWords = (code: string): string => code.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, " ").toLowerCase();
