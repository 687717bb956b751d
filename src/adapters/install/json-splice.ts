// Puts one value into the text of a JSON file, or takes one out, and touches no other character: comments, order, indentation and line
// ends of the rest stay. (The parser's own editing formats whole lines anew, and removes a bracket too many from `["a", "b"]`.)

import { createScanner, findNodeAtLocation, getNodeValue, type Node, parseTree } from "jsonc-parser";

export type Path = readonly (string | number)[];

export function nodeAt(text: string, path: Path): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? undefined : findNodeAtLocation(root, [...path]);
}

export function valueOf(node: Node): unknown {
  const value: unknown = getNodeValue(node);
  return value;
}

/** The text with `value` at `path`: in place of what is there, else as the last of its object or list. What is missing on the way is made. */
export function withValue(text: string, path: Path, value: unknown): string {
  const existing = nodeAt(text, path);
  if (existing !== undefined) return splice(text, existing.offset, end(existing), body(value, lineIndent(text, existing.offset), text));
  const [name] = path.slice(-1);
  const parent = nodeAt(text, path.slice(0, -1));
  // A list is made with its first item in it.
  if (parent === undefined) return withValue(text, path.slice(0, -1), typeof name === "number" ? [value] : { [name ?? ""]: value });
  return insert(text, parent, typeof name === "number" ? null : (name ?? ""), value);
}

/** The text without what is at `path`; the comma goes with it, a comment stays. */
export function withoutValue(text: string, path: Path): string {
  const node = nodeAt(text, path);
  const child = node?.parent?.type === "property" ? node.parent : node;
  const parent = child?.parent;
  if (child === undefined || parent === undefined) return text;
  const children = parent.children ?? [];
  const at = children.indexOf(child);
  const [before, after] = [children[at - 1], children[at + 1]];
  if (after !== undefined) {
    const comma = commaIn(text, end(child), after.offset) ?? end(child);
    return splice(text, child.offset, comma + 1 + space(text.slice(comma + 1)), "");
  }
  const trailing = commaIn(text, end(child), end(parent) - 1);
  if (before === undefined) {
    const inside = text.slice(parent.offset + 1, child.offset) + text.slice(trailing === null ? end(child) : trailing + 1, end(parent) - 1);
    return inside.trim() === ""
      ? splice(text, parent.offset + 1, end(parent) - 1, "")
      : splice(text, child.offset, trailing === null ? end(child) : trailing + 1, "");
  }
  const between = text.slice(end(before), child.offset);
  if (between.replace(",", "").trim() === "") return splice(text, end(before), end(child), "");
  const comma = commaIn(text, end(before), child.offset);
  // With a comma after it the one before it may stay.
  const spliced = splice(text, child.offset, trailing === null ? end(child) : trailing + 1, "");
  return comma === null || trailing !== null ? spliced : splice(spliced, comma, comma + 1, "");
}

function insert(text: string, parent: Node, name: string | null, value: unknown): string {
  const eol = /\r?\n/u.exec(text)?.[0] ?? "\n";
  const key = name === null ? "" : `${JSON.stringify(name)}: `;
  const last = parent.children?.at(-1);
  if (last === undefined) return insertIntoEmpty(text, parent, key, value, eol);
  const comma = commaIn(text, end(last), end(parent) - 1);
  const indent = /(?:^|\n)([ \t]*)$/u.exec(text.slice(0, last.offset))?.[1];
  const from = comma === null ? end(last) : comma + 1;
  if (indent === undefined) {
    const property = ` ${key}${JSON.stringify(value)}`;
    return splice(text, from, from, comma === null ? `,${property}` : `${property},`);
  }
  // A comment behind the last one stays behind it.
  const rest = /^(?:[ \t]|\/\*(?:(?!\*\/)[^\n])*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n)/u.exec(text.slice(from))?.[0] ?? "";
  const line = `${eol}${indent}${key}${body(value, indent, text)}`;
  return splice(text, from, from + rest.length, `${comma === null ? "," : ""}${rest}${line}${comma === null ? "" : ","}`);
}

function insertIntoEmpty(text: string, parent: Node, key: string, value: unknown, eol: string): string {
  const inside = text.slice(parent.offset + 1, end(parent) - 1);
  if (!text.trim().includes("\n") && parent.parent !== undefined)
    return splice(text, parent.offset + 1, end(parent) - 1, `${key}${JSON.stringify(value)}`);
  const outer = lineIndent(text, parent.offset);
  const indent = outer + unit(text);
  const comments = inside.trim() === "" ? "" : inside.trimEnd();
  return splice(text, parent.offset + 1, end(parent) - 1, `${comments}${eol}${indent}${key}${body(value, indent, text)}${eol}${outer}`);
}

/** The value over several lines, the first without indentation. Compact in a text of one line. */
function body(value: unknown, indent: string, text: string): string {
  const eol = /\r?\n/u.exec(text)?.[0] ?? "\n";
  if (!text.trim().includes("\n") && text.trim() !== "{}") return JSON.stringify(value);
  return JSON.stringify(value, null, unit(text)).replaceAll("\n", eol + indent);
}

/** One step of indentation as this text has it. */
const unit = (text: string): string => /\n([ \t]+)\S/u.exec(text)?.[1] ?? "  ";
const lineIndent = (text: string, offset: number): string => /(?:^|\n)([ \t]*)[^\n]*$/u.exec(text.slice(0, offset))?.[1] ?? "";
const end = (node: Node): number => node.offset + node.length;
const space = (text: string): number => /^\s*/u.exec(text)?.[0].length ?? 0;
const splice = (text: string, from: number, to: number, replacement: string): string => text.slice(0, from) + replacement + text.slice(to);

/** The first comma between two places that is no part of a comment. */
function commaIn(text: string, from: number, to: number): number | null {
  const scanner = createScanner(text.slice(from, to), true);
  do {
    scanner.scan();
    const at = from + scanner.getTokenOffset();
    if (scanner.getTokenLength() === 1 && text[at] === ",") return at;
  } while (scanner.getTokenLength() > 0);
  return null;
}
