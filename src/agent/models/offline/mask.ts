// A message with everything that is not plain English taken out and numbered: quotations, code, blocks, paths, patterns, addresses.
// What is left can be matched by its words alone, and no file name can be mistaken for one. Never throws, whatever the text.

export type Kind = "quote" | "code" | "block" | "path" | "glob" | "url";

export interface Thing {
  readonly kind: Kind;
  /** What is meant: without quotation marks, fences or escapes. */
  readonly text: string;
  /** As it was written. */
  readonly raw: string;
}

export interface Masked {
  /** The words, each thing replaced by its mark. */
  readonly text: string;
  readonly things: readonly Thing[];
}

const OPEN = "\ue000";
const CLOSE = "\ue001";
/** A mark, for use in a larger pattern. */
export const MARK = `${OPEN}\\d+${CLOSE}`;

export const markOf = (at: number): string => `${OPEN}${at}${CLOSE}`;

/** The things whose marks stand in a piece of masked text, in order. */
export function thingsIn(text: string, { things }: Masked): readonly Thing[] {
  return [...text.matchAll(new RegExp(`${OPEN}(\\d+)${CLOSE}`, "g"))].flatMap((match) => things[Number(match[1])] ?? []);
}

/** The words alone. */
export function withoutMarks(text: string): string {
  return text.replaceAll(new RegExp(MARK, "g"), " ");
}

/** Masked text as it was written. */
export function unmask(text: string, { things }: Masked): string {
  return text.replaceAll(new RegExp(`${OPEN}(\\d+)${CLOSE}`, "g"), (_mark, at: string) => things[Number(at)]?.raw ?? "");
}

/** Longer than any path; such a word is left alone. */
const LONGEST_WORD = 5_000;

const PAIRS: Readonly<Record<string, string>> = { '"': '"', "“": "”", "„": "“", "‘": "’", "«": "»" };

export function mask(message: string): Masked {
  const things: Thing[] = [];
  const put = (kind: Kind, text: string, raw: string): string => markOf(things.push({ kind, text, raw }) - 1);
  let out = "";
  let at = 0;
  while (at < message.length) {
    const found = fenced(message, at) ?? inline(message, at) ?? quoted(message, at);
    if (found !== null) {
      // A block belongs to the line before it.
      if (found.kind === "block") out = `${out.trimEnd()} `;
      out += put(found.kind, found.text, found.raw);
      at += found.raw.length;
      continue;
    }
    const space = spaceAt(message, at);
    if (space > at) {
      // Runs of blanks mean nothing, and line ends something.
      out += message.slice(at, space).includes("\n") ? "\n" : " ";
      at = space;
      continue;
    }
    const word = wordAt(message, at);
    const { before, core, after } = word.length > LONGEST_WORD ? { before: "", core: "", after: "" } : bare(word);
    const kind = kindOf(unescaped(core));
    out += kind === null ? word.replaceAll(/[\ue000\ue001]/g, "") : before + put(kind, unescaped(core), core) + after;
    at += word.length;
  }
  return { text: out, things };
}

function spaceAt(text: string, at: number): number {
  let end = at;
  while (end < text.length && /\s/.test(text[end] ?? "")) end += 1;
  return end;
}

function fenced(text: string, at: number): Thing | null {
  if (!text.startsWith("```", at)) return null;
  const end = text.indexOf("```", at + 3);
  const raw = text.slice(at, end === -1 ? text.length : end + 3);
  const inner = raw.slice(3, end === -1 ? raw.length : -3);
  const line = inner.indexOf("\n");
  // What stands behind the fence on its own line is the language.
  const body = line !== -1 && /^[\w+.#-]*[ \t]*$/.test(inner.slice(0, Math.min(line, 40))) ? inner.slice(line + 1) : inner;
  return { kind: "block", text: body, raw };
}

function inline(text: string, at: number): Thing | null {
  if (text[at] !== "`") return null;
  const end = text.indexOf("`", at + 1);
  if (end <= at + 1 || text.slice(at, end).includes("\n")) return null;
  return { kind: "code", text: text.slice(at + 1, end), raw: text.slice(at, end + 1) };
}

function quoted(text: string, at: number): Thing | null {
  const first = text[at] ?? "";
  if (first === "'") return apostrophes(text, at);
  const last = PAIRS[first];
  if (last === undefined || text.lastIndexOf(last) <= at) return null;
  const end = text.indexOf(last, at + 1);
  if (end <= at + 1) return null;
  return { kind: "quote", text: text.slice(at + 1, end), raw: text.slice(at, end + 1) };
}

/** `'…'` is a quotation only where it cannot be an apostrophe: begun after a space, ended before one. */
function apostrophes(text: string, at: number): Thing | null {
  if (at > 0 && !/[\s(:,=[]/.test(text[at - 1] ?? "")) return null;
  const found = /^'([^'\n]+)'(?=[\s,;:.!?)\]]|$)/.exec(text.slice(at, at + 2_000));
  return found === null ? null : { kind: "quote", text: found[1] ?? "", raw: found[0] };
}

/** Up to the next space, quotation or comma; `\ ` is a space inside a name, and commas in braces belong to a pattern. */
function wordAt(text: string, at: number): string {
  let end = at;
  let braces = 0;
  while (end < text.length) {
    const letter = text[end] ?? "";
    if (/\s/.test(letter)) break;
    if (end > at && (letter === "`" || letter === '"' || letter === "“" || letter === "”")) break;
    if (letter === "\\" && text[end + 1] === " ") end += 1;
    else if (letter === "{") braces += 1;
    else if (letter === "}") braces -= 1;
    else if ((letter === "," || letter === ";") && braces <= 0) {
      end += 1;
      break;
    }
    end += 1;
  }
  return text.slice(at, Math.max(end, at + 1));
}

const unescaped = (core: string): string => core.replaceAll("\\ ", " ");

/** A word without the punctuation of its sentence. Dots that are themselves a path stay. */
function bare(word: string): { readonly before: string; readonly core: string; readonly after: string } {
  const before = /^(?:[([<“‘"']|\*\*(?=\w)|@(?=[\w./~-]+[./]))*/.exec(word)?.[0] ?? "";
  const rest = word.slice(before.length);
  if (/^\.{1,2}[,;:!?)]*$/.test(rest) || /\/\.{1,2}[,;:!?)]*$/.test(rest)) {
    const core = rest.replace(/[,;:!?)]+$/, "");
    return { before, core, after: rest.slice(core.length) };
  }
  const core = rest.replace(/(?:['’]s)?(?:[.,;:!?)\]>”’"']|\*\*$)*$/, "");
  return { before, core, after: rest.slice(core.length) };
}

/** What a bare word is, if it is more than a word. */
export function kindOf(word: string): "path" | "glob" | "url" | null {
  if (word === "") return null;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return "url";
  if (/\*/.test(word) && /[\w./]/.test(word)) return "glob";
  if (word === "*" || word === "**") return "glob";
  if (/[?{]/.test(word) && /[./]/.test(word) && /^[\w./~?{},-]+$/.test(word)) return "glob";
  return isPathLike(word) ? "path" : null;
}

const PROSE =
  /^(?:and\/or|either\/or|s?he\/(?:s?he|they)|his\/her|him\/her|yes\/no|on\/off|true\/false|read\/write|input\/output|i\/o|w\/o|n\/a|\d+\/\d+(?:\/\d+)?)$/i;
const ABBREVIATION = /^(?:e\.g|i\.e|a\.m|p\.m|a\.k\.a|u\.s|etc\.|vs\.)\.?$/i;
const WELL_KNOWN =
  /^(?:README|LICEN[CS]E|CHANGELOG|CHANGES|CONTRIBUTING|SECURITY|AUTHORS|NOTICE|COPYING|INSTALL|CODEOWNERS|Makefile|Dockerfile|Gemfile|Rakefile|Procfile|Jenkinsfile|Vagrantfile|Justfile)$/;

function isPathLike(word: string): boolean {
  if (WELL_KNOWN.test(word)) return true;
  if (word === "." || word === ".." || word === "/" || word === "~") return true;
  if (/^(?:\/|~[\w-]*\/|\.{1,2}\/|[A-Za-z]:[\\/]|\\\\)/.test(word)) return true;
  if (/^\.[A-Za-z_][\w.@-]*$/.test(word)) return true;
  if (PROSE.test(word) || ABBREVIATION.test(word)) return false;
  if (/[^/]\/|\w\\\w/.test(word)) return true;
  // A name with an ending, and perhaps a line number behind it.
  return /^[^\s"`]*[\p{L}\p{N}_)\]-]\.[A-Za-z][A-Za-z0-9_~-]{0,15}(?::\d+(?:[-:]\d+)?)?$/u.test(word);
}
