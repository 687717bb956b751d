// What a request is about: "a.txt and b.txt in docs" → the paths meant. Quoted, marked and plain names, lists, "in …", line numbers,
// repositories next door, and words that point back to what was looked at before. Where nothing definite is named there is nothing:
// better to say so than to guess.

import { MARK, type Masked, onlyThing, type Thing, thingsIn } from "./message.ts";

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

export interface NamedPath {
  readonly paths: readonly string[];
  readonly lines: Lines | null;
}

const FILLER =
  /(?<![\p{L}\p{N}_.@+-])(?:me|us|the|a|an|of|files?|folders?|director(?:y|ies)|dir|contents?|text|code|please|out|up|all|my|our|your|called|named?|names|at|to|with|whole|entire|full|what|which|whose|is|are|says?|inside|repo|repository|project|package|workspace|structure|entries|hidden|and|again|once|now|too|also|as|well|for|every|everything|there|document|both|about|on|source|local|located|matching|like|contain(?:s|ing)|current|over|through|into|it|same|that|this|in|from|under|within|below|here|have|got|any|some|more|do|does|you|we|i|der|die|das|den|dem|ein|eine|mir|datei(?:en)?|ordner|verzeichnis|inhalt|auf|el|la|los|las|un|una|archivos?|fichero|carpeta|contenido|de|del|le|les|une|fichiers?|dossier|contenu)(?![\p{L}\p{N}_@+-]|\.\w)/giu;
const SEPARATOR = /,| and | & | or | plus | und | y | et |^and |^or /i;
const IN = "(?:in|from|under|inside|within|below|of|aus|von|im|en|de|dans)";
const HERE =
  /^(?:here|everywhere|everything|anywhere|hier|(?:in )?all (?:the )?files|(?:this|the|my|our|your|current|working|dies(?:em|er|es)|das|este|el|ce)(?: (?:current|working|whole|entire))? (?:director(?:y|ies)|folder|dir|project|workspace|repo|repository|code|codebase|code base|app|application|package|thing|projekt|ordner|verzeichnis|proyecto|repositorio|directorio|projet|dossier))$/i;
const NEXT_DOOR =
  /^(?:(?:in|inside|at|into) )?(?:the |our |my |neighbou?ring )*(?:(?<name>[\w-]+(?: [\w-]+){0,2}) (?:repo|repository|project)(?:'s)?|(?<two>[\w-]+ [\w-]+(?: library)?)(?:'s)?|(?<owner>[\w-]+)'s|(?:repo|repository|project) (?:called |named )?(?<last>[\w-]+)|(?<beside>[\w-]+)(?= next door))(?: (?:next door|beside (?:us|ours|this one)|nearby|over there))?$/i;
const NO_NAME =
  /^(?:this|that|the|current|whole|entire|same|my|our|your|a|an|other|another|it|its|some|any|weird|place|each|every|all|no|new|over|there|git|in|of|and|on|about|with|one|first|second|last|files?|folders?|director(?:y|ies)|dir|code|commits?|content|contents|auf|dateien|ordner|los|archivos)$/i;

/** A repository beside this one, by its name alone. */
export function neighbourIn(words: string, loose = false): string | null {
  const { name, two, owner, last, beside } = NEXT_DOOR.exec(words.trim())?.groups ?? {};
  const said = (name ?? (loose || words.endsWith("'s") ? two : undefined) ?? owner ?? last ?? beside)?.toLowerCase().split(" ");
  return said === undefined || said.some((word) => NO_NAME.test(word)) ? null : `../${said.join("-")}`;
}

/** This project, or one next door that is called one. */
export function projectIn(words: string): string | null {
  return HERE.test(words) ? "." : /^(?!in ).*\b(?:repo|repository|project|.'s)$/i.test(words) ? neighbourIn(words) : null;
}

/** The files that the words after a verb name, and which of their lines; null where it is not plain what is meant. */
export function namedIn(words: string, said: Said): NamedPath | null {
  const { rest, lines } = takeLines(words.trim());
  const pointed = pointedAt(rest, said);
  if (pointed !== null) return pointed.length === 0 ? null : { paths: pointed, lines };
  const last = said.places.at(-1);
  if (lines !== null && rest === "") return last === undefined || last.directory ? null : { paths: [last.path], lines };
  const neighbour = neighbourIn(rest);
  if (neighbour !== null) return { paths: [neighbour], lines };
  const owned = new RegExp(`^(?:the )?([\\w -]+?'s) (${MARK}|[\\w.-]+)$`, "iu").exec(rest);
  const within = new RegExp(`^(.*?)(?:^|\\s)${IN} ((?:(?! ${IN} ).)+)$`, "iu").exec(rest);
  const [before = "", after = ""] = owned === null ? [within?.[1], within?.[2]] : [owned[2], owned[1]];
  const place = after === "" ? null : placeIn(after, said);
  const paths = plainNames(place === null ? rest : before, said.masked, place !== null && owned === null && !/[.\ue000]/.test(before));
  // Beside a plain word, other words leave open what is meant; beside a path they are talk.
  const isOpen = place === null || (!after.includes("\ue000") && plainIn(before) !== "");
  if (paths === null || paths.length === 0) return isOpen ? null : { paths: [place], lines };
  // `a.ts:12` and `a.ts:12-20`: the name, and the lines.
  const numbered = /^(.+\.[A-Za-z]\w*):(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?$/.exec(paths[0] ?? "");
  if (numbered !== null) return { paths: [numbered[1] ?? ""], lines: between(Number(numbered[2]), Number(numbered[3] ?? numbered[2])) };
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
    return plain === "" || plain.includes(" ") || (knownOnly && !KNOWN.has(plain.toLowerCase())) ? [] : [byName(plain)];
  });
}

/** The words of a phrase that could be a name. An article with nothing behind it is one. */
export function plainIn(words: string): string {
  if (/(?:^| )a\s*$/i.test(words)) return "a";
  const plain = words.replaceAll(/\ue000\d+\ue001/g, " ").replaceAll(FILLER, " ");
  return plain.replaceAll(/[^\p{L}\p{N}_.@+-]+/gu, " ").trim();
}

const isName = ({ kind }: Thing): boolean => kind === "path" || kind === "quote" || kind === "code";

/** Names people say without their ending. */
const KNOWN: ReadonlyMap<string, string> = new Map(
  ["README.md", "LICENSE", "CHANGELOG.md", "Makefile", "Dockerfile", ".gitignore"].map((name) => [
    name.toLowerCase().replace(/^\.|\.md$/g, ""),
    name,
  ]),
);
export const isKnown = (words: string): boolean => KNOWN.has(words.toLowerCase().replace(/^the /, "").replace("licence", "license"));

/** A plain word as a name: as it was written where that is already a name. */
export const byName = (word: string): string => (/[a-z]/.test(word) ? KNOWN.get(word.toLowerCase()) : undefined) ?? word;

/** Spelled so that it can only be a directory. */
export const isDirectoryName = (path: string): boolean => /(?:^|\/)$|^(?:\.|\.\.|~)$|^\.\.\/[\w-]+$/.test(path);

/** A name with an ending is a file rather than a directory; what it really is turns out when it is tried. */
export const looksLikeFile = (path: string): boolean =>
  /\.[A-Za-z]\w{0,9}$|(?:^|\/)(?:README|LICENSE|Makefile|Dockerfile|CHANGELOG)$/.test(path.slice(path.lastIndexOf("/") + 1));

/** `file` seen from `dir`, as a person would write it. */
export function joined(dir: string, file: string): string {
  if (/^(?:\/|~|[A-Za-z]:[\\/]|\\\\)/.test(file) || dir === "." || dir === "") return file;
  return dir.endsWith("/") ? dir + file : `${dir}/${file}`;
}

// ── Lines ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const between = (one: number, other: number): Lines => ({ from: Math.max(1, Math.min(one, other)), to: Math.max(1, one, other) });
const COUNTS = ["zero", "one", "two", "three", "four", "few", "six", "seven", "eight", "nine", "ten"];

export function countOf(word: string): number {
  if (/^\d+$/.test(word)) return Number(word);
  const spoken = COUNTS.indexOf(word.toLowerCase().replace("five", "few"));
  return /^couple/i.test(word) ? 2 : spoken > 0 ? spoken : 10;
}

const FROM_AN_END = /\b(?:the )?(first|top|last|final|bottom) (?:(\d{1,6}|couple(?: of)?|few|[a-z]{3,5}) )?lines?\b(?: (?:of|from|in))?/i;
const NUMBERED =
  /\blines? (?:number )?(\d{1,7})(?: ?(?:-|–|\.\.|to|through|until|and) ?(\d{1,7}))?\b(?: (?:of|from|in))?|(?:^|\s)-(?:n ?)?(\d{1,6})\b/i;

/** "the first 20 lines of", "lines 3 to 9 of", "-n 5": taken out of the words. */
function takeLines(words: string): { readonly rest: string; readonly lines: Lines | null } {
  const match = FROM_AN_END.exec(words) ?? NUMBERED.exec(words);
  if (match === null) return { rest: words, lines: null };
  const [all, one = "", other, most] = match;
  const rest = `${words.slice(0, match.index)} ${words.slice(match.index + all.length)}`.trim();
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
function pointedAt(words: string, { masked, places, offered }: Said): readonly string[] | null {
  const last = places.at(-1);
  const owned = OWNED.exec(words)?.[1];
  if (owned !== undefined) {
    const file = onlyThing(owned, masked)?.text ?? owned;
    return last === undefined
      ? []
      : [joined(directoryOf(last), byName(file.replace(/^(?:README|LICENSE)$/, (name) => name.toLowerCase())))];
  }
  if (thingsIn(words, masked).length > 0) return null;
  const choices = offered.length > 0 ? offered : places.map(({ path }) => path);
  const said = words.replace(/(?: (?:again|once more|please))+$/i, "").trim();
  const ordinal = ORDINALS.indexOf(/^(?:the )?(\w+) (?:one|file|match|result)$/i.exec(said)?.[1]?.toLowerCase() ?? "");
  if (ordinal !== -1) return choices.slice(ordinal, ordinal + 1);
  if (MANY.test(said)) return choices.slice(0, 6);
  return ONE.test(said) ? places.slice(-1).map(({ path }) => path) : null;
}

/** The directory a place is or lies in, as it was written. */
const directoryOf = ({ path, directory }: Place): string =>
  directory ? path.replace(/(?<=.)\/$/, "") : path.slice(0, path.lastIndexOf("/") + 1);

// ── Kinds of files ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const ENDINGS = new Set("ts tsx js jsx py md json yaml yml toml go rs java c cpp css html sh rb php sql txt log csv xml".split(" "));
const SPOKEN: Readonly<Record<string, string>> = {
  typescript: "ts",
  javascript: "js",
  python: "py",
  markdown: "md",
  rust: "rs",
  shell: "sh",
  test: "test.*",
  tests: "test.*",
};

/** A pattern for "*.ts", ".ts files", "TypeScript files", "files ending in .md"; null if the words say no kind of file. */
export function kindOfFiles(words: string, masked: Masked): string | null {
  const things = thingsIn(words, masked);
  const glob = things.find(({ kind, text }) => kind === "glob" || (kind !== "block" && /^[^\s\\]*\*[^\s\\.][^\s\\]*$/.test(text)));
  if (glob !== undefined) return glob.text;
  const ending = things.find(({ text }) => /^\.[A-Za-z]\w{0,9}$/.test(text));
  if (ending !== undefined && /\ue001 (?:files|ones)\b|\b(?:ending|ends?|extension)\b/i.test(words)) return `*${ending.text}`;
  const spoken =
    /([\w+#]+) (?:source )?(?:files?|dateien|archivos|fichiers)\b/i.exec(words)?.[1] ??
    /^(?:(?:what|which|all|the|any) )*(tests)\b(?! (?:of|for))/i.exec(words.trim())?.[1];
  const word = spoken?.toLowerCase() ?? "";
  const end = Object.hasOwn(SPOKEN, word) ? SPOKEN[word] : ENDINGS.has(word) ? word : undefined;
  return end === undefined ? null : `*.${end}`;
}

/** `/opt/x/*.go` → where to look, and the pattern from there. */
export function splitGlob(glob: string): { readonly base: string; readonly pattern: string } {
  const split = /^((?:\/|~|\.\.?\/)[^*?{[]*)\/(.*)$/.exec(glob);
  if (split === null) return { base: ".", pattern: glob };
  const [, base = "", pattern = ""] = split;
  return { base, pattern: pattern.includes("/") ? pattern : `./${pattern}` };
}

const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|json|md|txt|py|go|rs|java|c|h|cpp|css|html|sh|rb|php|sql|ya?ml|toml|lock|csv|xml|mod|sum|cfg|conf|ini)$/i;

/** "files named …" and patterns are looked for among names, not in contents. */
export function isAboutFiles(what: string, { masked }: Said): boolean {
  if (/^(?:(?:the|all|any|every|a|some) )*(?:[\w.+#]+ )?(?:files?|folders?|director(?:y|ies))\b/i.test(what)) return true;
  const only = onlyThing(what.replace(/^the /i, ""), masked);
  return only?.kind === "glob" || (only?.kind === "path" && FILE_ENDING.test(only.text));
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

/** A question has a file in it only where it names one plainly. */
export const isPlain = (words: string, { masked, places, offered }: Said, { paths }: NamedPath): boolean =>
  thingsIn(words, masked).length > 0 ||
  /\b(?:readme|licen[cs]e|changelog|makefile|dockerfile)\b/i.test(words) ||
  paths.some((path) => isDirectoryName(path) || places.some((place) => place.path === path) || offered.includes(path));
