// What a request is about: "a.txt and b.txt in docs" → the paths meant. Quoted, marked and plain names, lists, "in …", line numbers,
// repositories next door, and words that point back to what was looked at before. Where nothing definite is named there is nothing:
// better to say so than to guess.

import { MARK, type Masked, onlyThing, type Thing, thingsIn, VERBS } from "./message.ts";

/** Which lines of a file: counted from its beginning, or the last few. */
export type Lines = { readonly from: number; readonly to: number } | { readonly last: number };

export interface Place {
  readonly path: string;
  readonly directory: boolean;
}

/** What of the conversation so far a message may refer to. */
export interface Memory {
  /** What was looked at or named last, in order. */
  readonly places: readonly Place[];
  /** Everything looked at before that, newest first. */
  readonly earlier: readonly Place[];
  /** Names that were offered last: near ones, or found ones. As paths. */
  readonly offered: readonly string[];
  /** Directories that were granted. */
  readonly roots: readonly string[];
}

/** A clause with what its marks and its pronouns stand for. */
export interface Said {
  readonly masked: Masked;
  readonly memory: Memory;
}

export interface Name {
  readonly path: string;
  /** Where else it may be, if it is not there. */
  readonly otherwise: readonly string[];
}

export interface NamedPath {
  readonly names: readonly Name[];
  readonly lines: Lines | null;
}

const name = (path: string, otherwise: readonly string[] = []): Name => ({ path, otherwise });
const FILLER =
  /(?<![\p{L}\p{N}_.@+-])(?:me|us|the|a|an|of|files?|folders?|director(?:y|ies)|dir|contents?|text|code|please|out|up|all|my|our|your|called|named|at|to|with|whole|entire|full|what|is|are|says?|inside|repo|repository|project|package|again|once|now|too|also|as|well|for|every|everything|there|document|both|about|on|source|local|current|over|through|into|it|same|that|this|in|from|under|within|below|here|have|got|any|some|more|do|does|you|we|i|der|die|das|den|dem|ein|eine|mir|datei(?:en)?|ordner|verzeichnis|inhalt|auf|el|la|los|las|un|una|archivos?|fichero|carpeta|contenido|de|del|le|les|une|fichiers?|dossier|contenu)(?![\p{L}\p{N}_@+-]|\.\w)/giu;
const SEPARATOR = /,| and | & | or | plus | und | y | et |^and |^or /i;
const IN = "(?:in|from|under|inside|within|below|of|aus|von|im|en|de|dans)";
const HERE =
  /^(?:here|everywhere|everything|anywhere|(?:in )?all (?:the )?files|(?:this|the|my|our|your|current|working)(?: (?:current|working|whole|entire))? (?:director(?:y|ies)|folder|dir|project|workspace|repo|repository|code|codebase)|hier|dies(?:em|er|es) (?:projekt|ordner|verzeichnis)|este (?:proyecto|directorio)|ce (?:projet|dossier))$/i;
const NEXT_DOOR =
  /^(?:(?:in|inside|at|into) )?(?:the |our |my |neighbou?ring )*(?:(?<name>[\w-]+(?: [\w-]+){0,2}) (?:repo|repository|project)(?:'s)?|(?<two>[\w-]+ [\w-]+(?: library)?)(?:'s)?|(?<owner>[\w-]+)'s|(?:repo|repository|project) (?:called |named )?(?<last>[\w-]+)|(?<beside>[\w-]+)(?= next door))(?: (?:next door|beside (?:us|ours|this one)|nearby|over there))?$/i;
const NO_NAME =
  /^(?:this|that|the|current|whole|entire|same|my|our|your|a|an|other|another|it|its|some|any|weird|place|each|every|all|no|new|over|there|git|in|of|and|on|about|with|one|first|second|last|files?|folders?|director(?:y|ies)|dir|code|commits?|content|contents|auf|dateien|ordner|los|archivos)$/i;

/** A repository beside this one, by its name alone. */
export function neighbourIn(words: string, loose = false): string | null {
  const { name: named, two, owner, last, beside } = NEXT_DOOR.exec(words.trim())?.groups ?? {};
  const said = (named ?? (loose || words.endsWith("'s") ? two : undefined) ?? owner ?? last ?? beside)?.toLowerCase().split(" ");
  return said === undefined || said.some((word) => NO_NAME.test(word)) ? null : `../${said.join("-")}`;
}

/** The files that the words after a verb name, and which of their lines; null where it is not plain what is meant. */
export function namedIn(words: string, said: Said): NamedPath | null {
  const { rest, lines } = takeLines(words.trim());
  const pointed = pointedAt(rest, said);
  if (pointed !== null) return pointed.length === 0 ? null : { names: pointed, lines };
  const last = said.memory.places.at(-1);
  if (lines !== null && rest.trim() === "") return last === undefined || last.directory ? null : { names: [name(last.path)], lines };
  const neighbour = neighbourIn(rest);
  if (neighbour !== null) return { names: [name(neighbour)], lines };
  const owned = new RegExp(`^(?:the )?([\\w -]+?)'s (${MARK}|[\\w.-]+)$`, "iu").exec(rest);
  const split = owned ?? new RegExp(`^(.*?)(?:^|\\s)${IN} ((?:(?! ${IN} ).)+)$`, "iu").exec(rest);
  const [before = "", after = ""] = split === null ? [] : owned === null ? [split[1], split[2]] : [split[2], `${split[1] ?? ""}'s`];
  const there = split === null && last !== undefined && / there$/i.test(rest) ? directoryOf(last) || "." : null;
  const place = split === null ? there : placeIn(after, said);
  const head = place === null || split === null ? rest : before;
  const names = plainNames(head, said.masked, place !== null && split !== null && owned === null && !/\.|\ue000/.test(head));
  if (names === null || names.length === 0) return place === null ? null : numbered([name(place)], lines);
  return numbered(
    names.map(({ path, otherwise }) => ({
      path: joined(place ?? ".", path),
      otherwise: otherwise.map((one) => joined(place ?? ".", one)),
    })),
    lines,
  );
}

/** `a.ts:12` and `a.ts:12-20`: the name, and the lines. */
function numbered(names: readonly Name[], lines: Lines | null): NamedPath {
  const found = /^(.+\.[A-Za-z]\w*):(\d{1,9})(?:([-:])(\d{1,9}))?$/.exec(names[0]?.path ?? "");
  if (found === null) return { names, lines };
  const to = found[3] === "-" ? Number(found[4]) : Number(found[2]);
  return { names: [name(found[1] ?? ""), ...names.slice(1)], lines: lines ?? between(Number(found[2]), to) };
}

/** The places a phrase names; none where it is not plain what is meant. */
export function placesIn(words: string, said: Said): readonly string[] {
  const place = placeIn(words, said);
  return place !== null ? [place] : (plainNames(words, said.masked) ?? []).map(({ path }) => path);
}

/** The one place a phrase names, such as "the folder ../lib", "this directory" or "the api repo". */
export function placeIn(words: string, said: Said): string | null {
  const plain = words.trim();
  if (HERE.test(plain)) return ".";
  if (/^(?:my |the )?home(?: directory| folder)?$/i.test(plain)) return "~";
  const pointed = pointedAt(plain, said);
  if (pointed !== null) return pointed[0]?.path ?? null;
  const neighbour = neighbourIn(plain, true);
  if (neighbour !== null) return neighbour;
  const names = plainNames(plain, said.masked);
  return names?.length === 1 ? (names[0]?.path ?? null) : null;
}

/**
 * The names in a phrase. Things first; plain words only where each stands alone, and with `knownOnly` only those that are usual names
 * of files. Null where the words are too many to be names.
 */
function plainNames(words: string, masked: Masked, knownOnly = false): readonly Name[] | null {
  const parts = words.split(SEPARATOR).map((part) => ({ things: thingsIn(part, masked).filter(isName), plain: plainIn(part) }));
  const things = parts.some((part) => part.things.length > 0);
  // Beside a thing, words that are no name are talk; without one, they leave open what is meant.
  if (!things && parts.some(({ plain }) => plain.includes(" "))) return null;
  return parts.flatMap((part) => {
    if (part.things.length > 0) return part.things.map(({ text }) => name(text));
    const isTalk = part.plain === "" || part.plain.includes(" ") || (knownOnly && !KNOWN.has(part.plain.toLowerCase()));
    return isTalk ? [] : [byName(part.plain)];
  });
}

/** The words of a phrase that could be a name. An article with nothing behind it is one. */
function plainIn(words: string): string {
  if (/(?:^| )a\s*$/i.test(words)) return "a";
  return words
    .replaceAll(/\ue000\d+\ue001/g, " ")
    .replaceAll(FILLER, " ")
    .replaceAll(/[^\p{L}\p{N}_.@+-]+/gu, " ")
    .trim();
}

const isName = ({ kind }: Thing): boolean => kind === "path" || kind === "quote" || kind === "code";

/** Names people say without their ending. */
const KNOWN: ReadonlyMap<string, readonly [string, ...string[]]> = new Map<string, readonly [string, ...string[]]>([
  ["readme", ["README.md", "README"]],
  ["license", ["LICENSE", "LICENSE.md"]],
  ["licence", ["LICENSE", "LICENCE"]],
  ["changelog", ["CHANGELOG.md", "CHANGELOG"]],
  ["makefile", ["Makefile"]],
  ["dockerfile", ["Dockerfile"]],
  ["gitignore", [".gitignore"]],
]);

/** A plain word as a name: as it was written where that is already a name. */
export function byName(word: string): Name {
  const [path, ...otherwise] = (/[a-z]/.test(word) ? KNOWN.get(word.toLowerCase()) : undefined) ?? [word];
  return name(
    path,
    otherwise.filter((one) => one !== word),
  );
}

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
const COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

export function countOf(word: string): number {
  if (/^\d+$/.test(word)) return Number(word);
  const spoken = COUNTS.indexOf(word.toLowerCase());
  return /^couple/i.test(word) ? 2 : /^few$/i.test(word) ? 5 : spoken > 0 ? spoken : 10;
}

const LINES: readonly (readonly [RegExp, (match: RegExpExecArray) => Lines])[] = [
  [
    /\b(?:the )?(first|top|last|final|bottom) (?:(\d{1,6}|couple(?: of)?|few|[a-z]{3,5}) )?lines?\b(?: (?:of|from|in))?/i,
    ([, end = "", count = "one"]) => (/first|top/i.test(end) ? { from: 1, to: countOf(count) } : { last: countOf(count) }),
  ],
  [
    /\blines? (\d{1,7}) ?(?:-|–|\.\.|to|through|until|and) ?(\d{1,7})\b(?: (?:of|from|in))?/i,
    ([, from, to]) => between(Number(from), Number(to)),
  ],
  [
    /\b(?:(?:starting|beginning) (?:at|from|with|on)|from|after) line (\d{1,7})\b(?: on(?:wards?)?)?/i,
    ([, line]) => between(Number(line), Number(line) + 59),
  ],
  [/\bline (?:number )?(\d{1,7})\b(?: (?:of|from|in))?/i, ([, line]) => between(Number(line), Number(line))],
  [/(?:^|\s)-(?:n ?)?(\d{1,6})\b/, ([, count]) => between(1, Number(count))],
];

/** "the first 20 lines of", "lines 3 to 9 of", "-n 5": taken out of the words. */
function takeLines(words: string): { readonly rest: string; readonly lines: Lines | null } {
  for (const [pattern, meaning] of LINES) {
    const match = pattern.exec(words);
    if (match !== null)
      return { rest: `${words.slice(0, match.index)} ${words.slice(match.index + match[0].length)}`.trim(), lines: meaning(match) };
  }
  return { rest: words, lines: null };
}

// ── Words that point back ─────────────────────────────────────────────────────────────────────────────────────────────────────

const OWNED = new RegExp(
  `\\b(?:its|their|his|her|(?:that|this|the same) (?:repo|repository|project|folder|directory|package)'?s) (?:own )?(${MARK}|[\\w.-]+)`,
  "iu",
);
const ORDINALS = ["first", "second", "third", "fourth", "fifth"];

/** What "it", "them", "the other one", "its README" mean. Null where no such word is there, nothing where it points at nothing. */
function pointedAt(words: string, { masked, memory }: Said): readonly Name[] | null {
  const { places, offered } = memory;
  const owned = OWNED.exec(words);
  if (owned !== null) return belonging(memory, thingsIn(owned[1] ?? "", masked)[0]?.text ?? owned[1] ?? "");
  if (thingsIn(words, masked).length > 0) return null;
  const choices = offered.length > 0 ? offered : places.map(({ path }) => path);
  const said = words.replace(/(?: (?:again|once more|please))+$/i, "").trim();
  if (/(?:^|\bthe )other(?: one| file| folder)s?$/i.test(said)) return theOther(memory).map((path) => name(path));
  const ordinal = ORDINALS.findIndex((word) => new RegExp(`^(?:the )?${word} (?:one|file|match|result)$`, "i").test(said));
  if (ordinal !== -1) return choices.slice(ordinal, ordinal + 1).map((path) => name(path));
  if (/\bthe last (?:one|file|match|result)$/i.test(said)) return choices.slice(-1).map((path) => name(path));
  if (/\b(?:them|both|those|these|all of (?:them|those)|each of them)\b/i.test(said)) return choices.slice(0, 6).map((path) => name(path));
  const it =
    /^(?:(?:in|of) )?(?:(?:the )?same(?: (?:file|one|folder|thing))?|it|that|this|there|(?:that|this) (?:file|one|path|folder|directory)|ihn|ihm|es|diese datei|lo|ese archivo|ce fichier)$/i;
  return it.test(said) ? places.slice(-1).map(({ path }) => name(path)) : null;
}

/** "its README": beside the file last read, in the directory last listed, or at the top of what was granted. */
function belonging({ places, roots }: Memory, file: string): readonly Name[] {
  const last = places.at(-1);
  if (last === undefined) return [];
  const names = [byName(file.toLowerCase() === "readme" ? "readme" : /^licen[cs]e$/i.test(file) ? "license" : file)].flatMap((one) => [
    one.path,
    ...one.otherwise,
  ]);
  const dirs = [...new Set([directoryOf(last), ...roots.filter((root) => last.path.startsWith(`${root}/`))])];
  const [path = file, ...otherwise] = dirs.flatMap((dir) => names.map((one) => joined(dir, one)));
  return [name(path, otherwise)];
}

/** The directory a place is or lies in, as it was written; empty for the workspace. */
function directoryOf({ path, directory }: Place): string {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (directory) return plain === "." ? "" : plain;
  const slash = plain.lastIndexOf("/");
  return slash === -1 ? "" : plain.slice(0, slash) || "/";
}

/** Of two, the one that was not the last looked at. Where more could be meant, none is. */
function theOther({ places, offered, earlier }: Memory): readonly string[] {
  const last = places.at(-1)?.path;
  const near = [...new Set([...offered, ...places.map(({ path }) => path)])].filter((path) => path !== last);
  return near.length === 1
    ? near
    : near.length > 1
      ? []
      : earlier
          .map(({ path }) => path)
          .filter((path) => path !== last)
          .slice(0, 1);
}

// ── Kinds of files ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const ENDINGS = new Set("ts tsx js jsx py md json yaml yml toml go rs java c cpp css html sh rb php sql txt log csv xml".split(" "));
const SPOKEN: ReadonlyMap<string, string> = new Map(
  "typescript:ts javascript:js python:py markdown:md golang:go rust:rs shell:sh ruby:rb c++:cpp test:test.* tests:test.* spec:spec.*"
    .split(" ")
    .map((pair) => [pair.slice(0, pair.indexOf(":")), pair.slice(pair.indexOf(":") + 1)] as const),
);

/** A pattern for "*.ts", ".ts files", "TypeScript files", "files ending in .md"; null if the words say no kind of file. */
export function kindOfFiles(words: string, masked: Masked): string | null {
  const things = thingsIn(words, masked);
  const glob = things.find(
    ({ kind, text }) =>
      kind === "glob" || ((kind === "code" || kind === "quote") && /^[^\s\\]*\*[^\s\\]*$/.test(text) && !text.includes(".*")),
  );
  if (glob !== undefined) return glob.text;
  const ending = things.find(({ text }) => /^\.[A-Za-z]\w{0,9}$/.test(text));
  if (ending !== undefined && /\ue001 (?:files|documents|ones|extension|ending)\b|\b(?:ending|ends?|extension|suffix)\b/i.test(words))
    return `*${ending.text}`;
  const spoken =
    /([\w+#]+) (?:source )?(?:files?|dateien|archivos|fichiers)\b/i.exec(words)?.[1] ??
    /\b(?:ending (?:in|with)|extension) \.?(\w+)\b/i.exec(words)?.[1] ??
    /^(?:(?:what|which|all|the|any) )*(tests)\b(?! (?:of|for))/i.exec(words.trim())?.[1];
  const word = spoken?.toLowerCase() ?? "";
  const end = SPOKEN.get(word) ?? (ENDINGS.has(word) ? word : null);
  return end === null ? null : `*.${end}`;
}

/** `/opt/x/*.go` → where to look, and the pattern from there. */
export function splitGlob(glob: string): { readonly base: string; readonly pattern: string } {
  if (!/^(?:\/|~|\.\.?\/)/.test(glob)) return { base: ".", pattern: glob };
  const parts = glob.split("/");
  const wild = parts.findIndex((part) => /[*?{[]/.test(part));
  const base = parts.slice(0, wild).join("/") || "/";
  const pattern = parts.slice(wild).join("/");
  return { base, pattern: pattern.includes("/") || base === "." ? pattern : `./${pattern}` };
}

export const startsWithVerb = (text: string): boolean => new RegExp(`^${VERBS}\\b`, "i").test(text);

const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|json|md|txt|py|go|rs|java|c|h|cpp|css|html|sh|rb|php|sql|ya?ml|toml|lock|csv|xml|mod|sum|cfg|conf|ini)$/i;

/** "files named …" and patterns are looked for among names, not in contents. */
export function isAboutFiles(what: string, { masked }: Said): boolean {
  if (/^(?:(?:the|all|any|every|a|some) )*(?:[\w.+#]+ )?(?:files?|folders?|director(?:y|ies))\b/i.test(what)) return true;
  const only = onlyThing(what.replace(/^the /i, ""), masked);
  return only?.kind === "glob" || (only?.kind === "path" && FILE_ENDING.test(only.text));
}

const ABOUT_NAMES =
  /\b(?:me|all|any|every|the|a|an|files?|folders?|director(?:y|ies)|called|named|with|name|names|matching|like|that|which|is|are|whose|contains?|containing|my|our|located|it|do|we|have|for|die|der|das|datei|el|la|archivo|le|fichier)\b/gi;

/** The name a file is to have. A name without an ending or a quotation is taken as a part of it. */
export function fileNameIn(words: string, { masked }: Said): string | null {
  const thing = thingsIn(words, masked).find(isName);
  const plain = words
    .replaceAll(/\ue000\d+\ue001/g, " ")
    .replaceAll(ABOUT_NAMES, " ")
    .trim();
  const known = byName(plain).path;
  if (thing === undefined)
    return !/^[\p{L}\p{N}_.@+-]+$/u.test(plain) ? null : /^(?:Dockerfile|Makefile)$/.test(known) ? known : `*${plain}*`;
  const path = thing.text.replace(/\/$/, "");
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (/^(?:|\.|\.\.|~)$/.test(last) || (/\s/.test(path) && thing.kind !== "quote")) return null;
  return last.includes(".") || thing.kind === "path" ? last : `*${last}*`;
}

/** A question has a file in it only where it names one plainly. */
export const isPlain = (words: string, { masked, memory }: Said, { names }: NamedPath): boolean =>
  thingsIn(words, masked).length > 0 ||
  /\b(?:readme|licen[cs]e|changelog|makefile|dockerfile)\b/i.test(words) ||
  names.some(
    ({ path }) =>
      isDirectoryName(path) || [...memory.places, ...memory.earlier].some((place) => place.path === path) || memory.offered.includes(path),
  );
