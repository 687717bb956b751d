// What the words of a request name: "a.txt and b.txt in docs" → the paths meant. Quoted, marked and plain names, lists, "in …", line
// numbers, repositories next door, and words that point back to what was looked at before. Where nothing definite is named there is
// nothing: better to say so than to guess.

import { FILE_NAMES, MARK, type Masked, onlyThing, type Thing, thingsIn, unmask, WELL_KNOWN, withoutReason } from "./message.ts";
import { text, type Values } from "./outcome.ts";

/** Which lines of a file: counted from its beginning, or the last few. */
export type Lines = { readonly from: number; readonly to: number } | { readonly last: number };

export interface Place {
  readonly path: string;
  readonly directory: boolean;
}

/** A clause's marks and what of the conversation so far it may refer to. */
export interface Said {
  readonly masked: Masked;
  /** What was looked at or named last, in order. */
  readonly places: readonly Place[];
  /** Paths that were offered last: near ones, or found ones. */
  readonly offered: readonly string[];
}

const FILLER =
  /(?<![\p{L}\p{N}_.@+-])(?:me|us|the|a|an|of|files?|folders?|director(?:y|ies)|dir|contents?|text|code|please|out|up|all|my|our|your|called|named?|names|at|to|with|whole|entire|full|what|which|whose|is|are|says?|inside|repo|repository|project|package|workspace|structure|entries|hidden|and|again|once|now|too|also|as|well|for|every|everything|there|document|both|about|on|source|local|located|matching|like|contain(?:s|ing)|current|over|through|into|it|same|that|this|in|from|under|within|below|here|have|got|any|some|more|do|does|you|we|i|der|die|das|den|dem|ein|eine|mir|datei(?:en)?|ordner|verzeichnis|inhalt|auf|el|la|los|las|un|una|archivos?|fichero|carpeta|contenido|de|del|le|les|une|fichiers?|dossier|contenu)(?![\p{L}\p{N}_@+-]|\.\w)/giu;
const SEPARATOR = /,| and | & | or | plus | und | y | et |^and |^or /i;
/** The words that lead to a place. */
export const IN = "(?:in|inside|within|under|of|from|below|aus|von|im|en|de|del|dans|du)";
const HERE =
  /^(?:here|everywhere|everything|anywhere|hier|(?:in )?all (?:the )?files|(?:this|the|my|our|your|current|working|dies(?:em|er|es)|das|este|el|ce)(?: (?:current|working|whole|entire))? (?:director(?:y|ies)|folder|dir|project|workspace|repo|repository|code|codebase|code base|app|application|package|thing|projekt|ordner|verzeichnis|proyecto|repositorio|directorio|projet|dossier))$/i;
const NEXT_DOOR =
  /^(?:(?:in|inside|at|into) )?(?:the |our |my |neighbou?ring )*(?:(?<name>[\w-]+(?: [\w-]+){0,2}) (?:repo|repository|project)(?:'s)?|(?<owner>[\w-]+)'s|(?:repo|repository|project) (?:called |named )?(?<last>[\w-]+)|(?<beside>[\w-]+)(?: folder| directory)?(?= next door)|(?<=\b(?:the|our|my) )(?<two>[\w-]+ [\w-]+(?: library)?)(?:'s)?)(?: (?:next door|beside (?:us|ours|this one)|nearby|over there))?$/i;
const NO_NAME =
  /^(?:this|that|the|current|whole|entire|same|my|our|your|a|an|other|another|it|its|project|repo|repository|app|package|he|she|they|you|we|i|who|some|any|weird|place|each|every|all|no|new|over|there|git|in|of|and|on|about|with|one|first|second|last|files?|folders?|director(?:y|ies)|dir|code|commits?|content|contents|dependencies|versions?|auf|dateien|ordner|los|archivos|de|du|src)$/i;

/** A repository beside this one, by its name alone; `loose`: also where two words are no more than likely one. */
export function neighbourIn(words: string, loose = false): string | null {
  const { name, two, owner, last, beside } = NEXT_DOOR.exec(words.trim())?.groups ?? {};
  const said = (name ?? (loose || words.endsWith("'s") ? two : undefined) ?? owner ?? last ?? beside)?.toLowerCase().split(" ");
  return said === undefined || said.some((word) => NO_NAME.test(word)) ? null : `../${said.join("-")}`;
}

/** This project, or one next door. */
export const projectIn = (words: string): string | null => (HERE.test(words) ? "." : /^in /i.test(words) ? null : neighbourIn(words));

/** "a.txt in docs": what, and where; the place is empty where none is named. */
export function splitPlace(words: string): readonly [what: string, where: string] {
  const [, what = words, where = ""] = new RegExp(`^(.*?)(?:^|\\s)${IN} ((?:(?! ${IN} ).)+)$`, "iu").exec(words) ?? [];
  return [what, where];
}

export interface NamedPath {
  readonly paths: readonly string[];
  readonly lines: Lines | null;
}

/** The files that the words after a verb name, and which of their lines; null where it is not plain what is meant. */
export function namedIn(words: string, said: Said): NamedPath | null {
  const { rest, lines } = takeLines(withoutReason(words.trim()));
  const pointed = pointedAt(rest, said);
  const neighbour = neighbourIn(rest);
  if (pointed !== null || neighbour !== null) return pointed?.length === 0 ? null : { paths: pointed ?? [neighbour ?? ""], lines };
  const owned = new RegExp(`^(?:the )?([\\w -]+?'s) (${MARK}|[\\w.-]+)$`, "iu").exec(rest);
  const [before, after] = owned === null ? splitPlace(rest) : [owned[2] ?? "", owned[1] ?? ""];
  const place = after === "" ? null : placeIn(after, said);
  const paths = plainNames(place === null ? rest : before, said.masked, place !== null && owned === null && !/[.\ue000]/.test(before));
  // Beside a plain word, other words leave open what is meant; beside a path they are talk.
  const isOpen = place === null || (!after.includes("\ue000") && plainIn(before) !== "");
  if (paths === null || paths.length === 0) return isOpen ? null : { paths: [place], lines };
  // `a.ts:12` and `a.ts:12-20`: the name, and the lines.
  const [, name, from, to = from] = /^(.+\.[A-Za-z]\w*):(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?$/.exec(paths[0] ?? "") ?? [];
  if (name !== undefined) return { paths: [name], lines: between(Number(from), Number(to)) };
  return { paths: paths.map((path) => joined(place ?? ".", path)), lines };
}

/** The places a phrase names; none where it is not plain what is meant. */
export function placesIn(words: string, said: Said): readonly string[] {
  const place = placeIn(words, said);
  return place !== null ? [place] : (plainNames(words, said.masked) ?? []);
}

/** The one place a phrase names, such as "the folder ../lib", "this directory" or "the api repo". */
export function placeIn(words: string, said: Said): string | null {
  const plain = words.trim();
  if (HERE.test(plain)) return ".";
  if (/^(?:my |the )?home(?: directory| folder)?$/i.test(plain)) return "~";
  // "In advance" and "in detail" are no places.
  if (/^(?:advance|full|general|detail|short|total|mind|case|time|order|private|english|simple terms|plain words)$/i.test(plain))
    return null;
  const pointed = pointedAt(plain, said);
  if (pointed !== null) return pointed[0] ?? null;
  const neighbour = neighbourIn(plain, true);
  const paths = neighbour === null ? plainNames(plain, said.masked) : [neighbour];
  return paths?.length === 1 ? (paths[0] ?? null) : null;
}

/**
 * The names in a phrase. Things first; plain words only where each stands alone, and with `knownOnly` only those that are usual names
 * of files. Null where the words are too many to be names.
 */
function plainNames(words: string, masked: Masked, knownOnly = false): readonly string[] | null {
  const parts = words.split(SEPARATOR).map((part) => ({ things: thingsIn(part, masked).filter(isName), plain: plainIn(part) }));
  // Beside a thing, words that are no name are talk; without one, they leave open what is meant.
  if (parts.every(({ things }) => things.length === 0) && parts.some(({ plain }) => plain.includes(" "))) return null;
  return parts.flatMap(({ things, plain }) => {
    if (things.length > 0) return things.map(({ text }) => text);
    return plain === "" || plain.includes(" ") || (knownOnly && !isKnown(plain)) ? [] : [byName(plain)];
  });
}

/** The words of a phrase that could be a name. An article with nothing behind it is one. */
export function plainIn(words: string): string {
  if (/(?:^| )a\s*$/i.test(words)) return "a";
  const plain = words.replaceAll(/\ue000\d+\ue001/g, " ").replaceAll(FILLER, " ");
  return plain.replaceAll(/[^\p{L}\p{N}_.@+-]+/gu, " ").trim();
}

export const isName = ({ kind }: Thing): boolean => kind === "path" || kind === "quote" || kind === "code";

/** The text of a thing that stands alone; other words as they were written. */
export const valueOf = (words: string, { masked }: Said): string => onlyThing(words, masked)?.text ?? unmask(words, masked).trim();

/** Names people say without their ending. */
const spoken = (name: string): string => name.toLowerCase().replace(/^the /, "").replace("licence", "license");
const known = (word: string): string | undefined =>
  FILE_NAMES.find((name) => name.replace(/^\.|\.(?:md|json)$/g, "").toLowerCase() === spoken(word));
export const isKnown = (words: string): boolean => known(words) !== undefined;
/** A plain word as a name: as it was written where that is already a name. */
export const byName = (word: string): string => (/[a-z]/.test(word) ? known(word) : undefined) ?? word;

/** Spelled so that it can only be a directory. */
export const isDirectoryName = (path: string): boolean => /(?:^|\/)$|^(?:\.|\.\.|~)$|^\.\.\/[\w-]+$/.test(path);

/** A name with an ending is a file rather than a directory; what it really is turns out when it is tried. */
export const looksLikeFile = (path: string): boolean =>
  /\.[A-Za-z]\w{0,9}$/.test(path) || WELL_KNOWN.test(path.slice(path.lastIndexOf("/") + 1));

/** `file` seen from `dir`, as a person would write it. */
export function joined(dir: string, file: string): string {
  if (/^(?:\/|~|[A-Za-z]:[\\/]|\\\\)/.test(file) || dir === "." || dir === "") return file;
  return dir.endsWith("/") ? dir + file : `${dir}/${file}`;
}

// ── Lines ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const between = (one: number, other: number): Lines => ({ from: Math.max(1, Math.min(one, other)), to: Math.max(1, one, other) });
const COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** "7", "seven", "a couple of", "a few". */
export function countOf(word: string): number {
  const spoken = COUNTS.indexOf(word.toLowerCase());
  return /^\d+$/.test(word) ? Number(word) : /^couple/i.test(word) ? 2 : /^few$/i.test(word) ? 5 : spoken > 0 ? spoken : 10;
}

const FROM_AN_END = /\b(?:the )?(first|top|last|final|bottom) (?:(\d{1,6}|couple(?: of)?|few|[a-z]{3,5}) )?lines?\b(?: (?:of|from|in))?/i;
const NUMBERED =
  /\blines? (?:number )?(\d{1,7})(?: ?(?:-|–|\.\.|to|through|until|and) ?(\d{1,7}))?\b(?: (?:of|from|in))?|(?:^|\s)-(?:n ?)?(\d{1,6})\b/i;

/** "the first 20 lines of", "lines 3 to 9 of", "-n 5": taken out of the words. Lines of nothing are lines of "it". */
function takeLines(words: string): { readonly rest: string; readonly lines: Lines | null } {
  const match = FROM_AN_END.exec(words) ?? NUMBERED.exec(words);
  if (match === null) return { rest: words, lines: null };
  const [all, one = "", other, most] = match;
  const rest = `${words.slice(0, match.index)} ${words.slice(match.index + all.length)}`.trim() || "it";
  if (most !== undefined) return { rest, lines: between(1, Number(most)) };
  if (/^\d/.test(one)) return { rest, lines: between(Number(one), Number(other ?? one)) };
  const many = countOf(other ?? "one");
  return { rest, lines: /first|top/i.test(one) ? { from: 1, to: many } : { last: many } };
}

// ── Words that point back ─────────────────────────────────────────────────────────────────────────────────────────────────────

const OWNED = new RegExp(
  `\\b(?:its|their|(?:that|this|the same) (?:repo|repository|project|folder|directory)'?s) (${MARK}|[\\w.-]+)`,
  "iu",
);
const ORDINALS = ["first", "second", "third", "fourth", "fifth"];
const MANY = /\b(?:them|both|those|these|each of them)\b/i;
const ONE =
  /^(?:(?:in|of) )?(?:(?:the )?same(?: (?:file|one|folder|thing))?|it|that|this|there|(?:that|this) (?:file|one|path|folder|directory)|ihn|ihm|es|diese datei|lo|ese archivo|ce fichier)$/i;

/** What "it", "them", "the first one", "its README" mean. Null where no such word is there, nothing where it points at nothing. */
function pointedAt(words: string, said: Said): readonly string[] | null {
  const { masked, places, offered } = said;
  const owned = OWNED.exec(words)?.[1];
  if (owned !== undefined) {
    const file = valueOf(owned, said).replace(/^(?:README|LICENSE)$/, (name) => name.toLowerCase());
    return places.slice(-1).map((last) => joined(directoryOf(last), byName(file)));
  }
  if (thingsIn(words, masked).length > 0) return null;
  const choices = offered.length > 0 ? offered : places.map(({ path }) => path);
  const plain = words.replace(/(?: (?:again|once more|please))+$/i, "").trim();
  const ordinal = ORDINALS.indexOf(/^(?:the )?(\w+) (?:one|file|match|result)$/i.exec(plain)?.[1]?.toLowerCase() ?? "");
  if (ordinal !== -1) return choices.slice(ordinal, ordinal + 1);
  if (MANY.test(plain)) return choices.slice(0, 6);
  return ONE.test(plain) ? places.slice(-1).map(({ path }) => path) : null;
}

/** The directory a place is or lies in, as it was written. */
const directoryOf = ({ path, directory }: Place): string =>
  directory ? path.replace(/(?<=.)\/$/, "") : path.slice(0, path.lastIndexOf("/") + 1);

// ── Kinds of files ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const ENDINGS = "[cm]?[jt]sx?|json|md|txt|py|go|rs|java|c|h|cpp|css|html|sh|rb|php|sql|ya?ml|toml|lock|csv|xml|mod|sum|cfg|conf|ini";
const SPOKEN: Values = { typescript: "ts", javascript: "js", python: "py", markdown: "md", rust: "rs", shell: "sh", tests: "test.*" };

/** A pattern for "*.ts", ".ts files", "TypeScript files", "files ending in .md"; null if the words say no kind of file. */
export function kindOfFiles(words: string, masked: Masked): string | null {
  const things = thingsIn(words, masked);
  const glob = things.find(({ kind, text }) => kind === "glob" || (kind !== "block" && /^[^\s\\]*\*[^\s\\.][^\s\\]*$/.test(text)));
  if (glob !== undefined) return glob.text;
  const ending = things.find(({ text }) => /^\.[A-Za-z]\w{0,9}$/.test(text));
  if (ending !== undefined && /\ue001 (?:files|ones)\b|\b(?:ending|ends?|extension)\b/i.test(words)) return `*${ending.text}`;
  const [, word = ""] =
    /([\w+#]+) (?:source )?(?:files?|dateien|archivos|fichiers)\b/i.exec(words) ??
    /^(?:(?:what|which|all|the|any) )*(tests)\b(?! (?:of|for))/i.exec(words.trim()) ??
    [];
  const end = text(SPOKEN, word.toLowerCase().replace(/^test$/, "tests")) || new RegExp(`^(?:${ENDINGS}|log)$`, "i").exec(word)?.[0];
  return end === undefined ? null : `*.${end.toLowerCase()}`;
}

/** `/opt/x/*.go` → where to look, and the pattern from there. */
export function splitGlob(glob: string): { readonly base: string; readonly pattern: string } {
  const [, base, pattern = ""] = /^((?:\/|~|\.\.?\/)[^*?{[]*)\/(.*)$/.exec(glob) ?? [];
  return base === undefined ? { base: ".", pattern: glob } : { base, pattern: pattern.includes("/") ? pattern : `./${pattern}` };
}

/** "files named …" and patterns are looked for among names, not in contents. */
export function isAboutFiles(what: string, { masked }: Said): boolean {
  if (/^(?:(?:the|all|any|every|a|some) )*(?:[\w.+#]+ )?(?:files?|folders?|director(?:y|ies))\b/i.test(what)) return true;
  const only = onlyThing(what.replace(/^the /i, ""), masked);
  return only?.kind === "glob" || (only?.kind === "path" && new RegExp(`\\.(?:${ENDINGS})$`, "i").test(only.text));
}

/** The name a file is to have. A name without an ending or a quotation is taken as a part of it. */
export function fileNameIn(words: string, { masked }: Said): string | null {
  const thing = thingsIn(words, masked).find(isName);
  if (thing === undefined) {
    const plain = plainIn(words);
    return plain === "" || plain.includes(" ") ? null : /^(?:Dockerfile|Makefile)$/.test(byName(plain)) ? byName(plain) : `*${plain}*`;
  }
  const last = /[^/]*(?=\/?$)/.exec(thing.text)?.[0] ?? "";
  if (/^(?:|\.|\.\.|~)$/.test(last) || (/\s/.test(last) && thing.kind !== "quote")) return null;
  return last.includes(".") || thing.kind === "path" ? last : `*${last}*`;
}
