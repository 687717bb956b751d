// Puts a marked block into the text of a TOML file and takes it out again; every other byte stays. The text is read by a TOML parser
// before and after: what was there must mean the same with our block beside it.

import { parse, TomlError } from "smol-toml";
import { show } from "../../core/path/show.ts";
import type { EditedText, RefuseToml, TomlBlock } from "./wanted-file.ts";

const opening = (name: string): string => `# >>> hallpass ${name}: generated, changes here are lost >>>`;
const closing = (name: string): string => `# <<< hallpass ${name} <<<`;

export function addBlock(text: string, block: TomlBlock, file: string, refuse: RefuseToml = () => null): EditedText {
  const base = removeBlock(text, block.name, file);
  if (!base.ok) return base;
  const before = parsed(base.text, file);
  if (!before.ok) return before;
  const no = refuse(before.value);
  if (no !== null) return { ok: false, why: `${show(file)}: ${no}` };
  const eol = /\r?\n/u.exec(base.text)?.[0] ?? "\n";
  const marked = (lines: readonly string[]): string =>
    lines.length === 0 ? "" : [opening(block.name), ...lines, closing(block.name), ""].join(eol);
  const gap = base.text === "" || block.body.length === 0 ? "" : base.text.endsWith("\n") ? eol : eol + eol;
  const after = `${marked(block.head)}${base.text}${gap}${marked(block.body)}`;
  const read = parsed(after, file);
  if (!read.ok) return { ok: false, why: `${read.why} (with our block in it, so nothing was changed)` };
  const isUnchanged = Object.entries(before.value).every(([key, value]) => holds(read.value[key], value));
  return isUnchanged
    ? { ok: true, text: after }
    : { ok: false, why: `${show(file)}: our block would change what is there, so nothing was changed` };
}

/** Lines between our marks at the end of a text, in place of those that were there. */
export function addLines(text: string, name: string, lines: readonly string[], file: string): EditedText {
  const base = removeBlock(text, name, file);
  if (!base.ok) return base;
  const gap = base.text === "" || base.text.endsWith("\n") ? "" : "\n";
  return { ok: true, text: `${base.text}${gap}${[opening(name), ...lines, closing(name)].join("\n")}\n` };
}

/** Without the blocks of this name. Where they stood alone, the blank line before them goes too. */
export function removeBlock(text: string, name: string, file: string): EditedText {
  const count = (line: string): number => text.split(line).length - 1;
  const [begins, ends] = [count(opening(name)), count(closing(name))];
  if (begins !== ends)
    return { ok: false, why: `${show(file)}: one of our marks (\`${opening(name)}\`) has lost its partner; fix it by hand` };
  const plain = (line: string): string => line.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  const pattern = new RegExp(`(^|(?:\\r?\\n){0,2})${plain(opening(name))}\\r?\\n[\\s\\S]*?${plain(closing(name))}(?:\\r?\\n)?`, "gu");
  return {
    ok: true,
    text: text.replaceAll(pattern, (whole: string, lead: string, at: number) => {
      const rest = text.slice(at + whole.length);
      const line = /\r?\n/u.exec(lead)?.[0] ?? "";
      return at === 0 && lead === "" ? "" : rest === "" ? line : lead;
    }),
  };
}

export function hasBlock(text: string, block: TomlBlock): boolean {
  const lines = (all: readonly string[]): string => (all.length === 0 ? "" : [opening(block.name), ...all, closing(block.name)].join("\n"));
  const plain = text.replaceAll("\r\n", "\n");
  return [lines(block.head), lines(block.body)].every((part) => plain.includes(part));
}

/** The lines of a block that is in the text, without its marks; none where it is not. */
export function blockLines(text: string, name: string): readonly string[] {
  const lines = text.split(/\r?\n/u);
  const [from, to] = [lines.lastIndexOf(opening(name)), lines.lastIndexOf(closing(name))];
  return from === -1 || to < from ? [] : lines.slice(from + 1, to);
}

/** What a text says; nothing where it is no TOML, which no host reads either. */
export function tomlRecord(text: string): Readonly<Record<string, unknown>> {
  const read = parsed(text, "");
  return read.ok ? read.value : {};
}

/** A value on one line, as TOML has it: a text as JSON has it, but for one character. */
export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (value instanceof Date) return value.toISOString();
  if (!isTable(value)) return typeof value === "string" ? JSON.stringify(value).replaceAll("\u007F", String.raw`\u007F`) : String(value);
  return `{ ${Object.entries(value).map(tomlPair).join(", ")} }`;
}

export const tomlPair = ([key, value]: readonly [string, unknown]): string =>
  `${/^[\w-]+$/u.test(key) ? key : tomlValue(key)} = ${tomlValue(value)}`;

export type ParsedToml =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly why: string };

export function parsed(text: string, file: string): ParsedToml {
  try {
    return { ok: true, value: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.split("\n");
    return {
      ok: false,
      why: `${show(file)}:${error.line}:${error.column}: ${first.replace(/^Invalid TOML document: /u, "this is not TOML: ")}`,
    };
  }
}

/** Is everything of `inner` in `outer`, unchanged? Tables may have more beside it. */
function holds(outer: unknown, inner: unknown): boolean {
  if (isTable(inner)) return isTable(outer) && Object.entries(inner).every(([key, value]) => holds(outer[key], value));
  if (Array.isArray(inner))
    return Array.isArray(outer) && outer.length === inner.length && inner.every((value, index) => holds(outer[index], value));
  return Object.is(inner, outer) || String(inner) === String(outer);
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
