// What the words of a request name: "a.txt and b.txt in docs" → the paths meant. Quoted, marked and plain names, lists, "in …", line
// numbers, repositories next door, and words that point back to what was looked at before. Where nothing definite is named there is
// nothing: better to say so than to guess.

import {
  FILE_NAMES,
  MARK,
  type MaskedText,
  onlyThing,
  respell,
  type MaskedToken,
  thingsIn,
  unmask,
  WELL_KNOWN,
  withoutReason,
} from "./message.ts";
import type { Values } from "./outcome.ts";

/** A clause without manners, what its marks stand for, and what was looked at or named last, in order. */
export interface Clause {
  readonly text: string;
  readonly masked: MaskedText;
  readonly places: readonly string[];
}

const FILLER =
  /(?<![\p{L}\p{N}_.@+-])(?:me|us|the|a|an|of|files?|folders?|director(?:y|ies)|dir|contents?|text|code|please|out|up|all|my|our|your|called|named?|names|at|to|with|whole|entire|full|what|which|whose|is|are|says?|inside|repo|repository|project|package|workspace|structure|entries|hidden|and|again|once|now|too|also|as|well|for|every|everything|there|document|both|about|on|source|local|located|matching|like|contain(?:s|ing)|current|over|through|into|it|same|that|this|in|from|under|within|below|here|have|got|any|some|more|do|does|you|we|i)(?![\p{L}\p{N}_@+-]|\.\w)/giu;
const SEPARATOR = /,| and | & | or | plus |^and |^or /i;
/** The words that lead to a place. */
export const IN = "(?:in|inside|within|under|of|from|below)";
const HERE =
  /^(?:here|everywhere|everything|anywhere|anything|anyone|anybody|(?:in )?all (?:the )?files|(?:this|the|my|our|your|current|working)(?: (?:current|working|whole|entire))? (?:director(?:y|ies)|folder|dir|project|workspace|repo|repository|code|codebase|code base|app|application|package|thing))$/i;
const HOME = /^(?:my |the )?home(?: directory| folder)?$/i;
/** "In advance" and "in detail" are no places. */
const NO_PLACE = /^(?:advance|full|general|detail|short|total|mind|case|time|order|private|english|simple terms|plain words)$/i;
const NEXT_DOOR =
  /^(?:(?:in|inside|at|into) )?(?:the |our |my |neighbou?ring )*(?:(?<name>[\w-]+(?: [\w-]+){0,2}) (?:repo|repository|project)(?:'s)?|(?<owner>[\w-]+)'s|(?:repo|repository|project) (?:next door )?(?:called |named )?(?<last>[\w-]+)|(?<beside>[\w-]+)(?: folder| directory)?(?= next door)|(?<=\b(?:the|our|my) )(?<two>[\w-]+ [\w-]+(?: library)?)(?:'s)?)(?: (?:next door|beside (?:us|ours|this one)|nearby|over there))?$/i;
const NO_NAME =
  /^(?:this|that|the|current|whole|entire|same|my|our|your|a|an|other|another|it|its|project|repo|repository|app|package|he|she|they|you|we|i|who|some|any|weird|place|each|every|all|no|new|over|there|git|in|of|and|on|about|with|one|first|second|last|files?|folders?|director(?:y|ies)|dir|code|commits?|content|contents|dependencies|versions?|src)$/i;
const OWNER = new RegExp(`^(?:the )?([\\w -]+?'s) (${MARK}|[\\w.-]+)$`, "iu");
const ITS = new RegExp(`\\b(?:its|their) (${MARK}|[\\w.-]+)`, "iu");
const IT =
  /^(?:(?:in|of) )?(?:(?:the )?same(?: (?:file|one|folder|thing))?|it|that|this|there|(?:that|this) (?:file|one|path|folder|directory))(?: (?:again|once more))*$/i;

/** A repository beside this one, by its name alone; `loose`: also where two words are no more than likely one. */
export function neighbourIn(words: string, loose = false): string | null {
  const { name, two, owner, last, beside } = NEXT_DOOR.exec(words.trim())?.groups ?? {};
  const nameParts = (name ?? (loose || words.endsWith("'s") ? two : undefined) ?? owner ?? last ?? beside)?.toLowerCase().split(" ");
  return nameParts === undefined || nameParts.some((word) => NO_NAME.test(word)) ? null : `../${nameParts.join("-")}`;
}

/** This project, or one next door. */
export const projectIn = (words: string): string | null => (HERE.test(words) ? "." : /^in /i.test(words) ? null : neighbourIn(words));

/** "a.txt in docs": what, and where; the place is empty where none is named. */
export function splitPlace(words: string): readonly [what: string, where: string] {
  const [, what = words, where = ""] = new RegExp(`^(.*?)(?:^|\\s)${IN} ((?:(?! ${IN} ).)+)$`, "iu").exec(words) ?? [];
  return [what, where];
}

/** The paths that words name; none where it is not plain what is meant. `isPlace`: they say where, such as "the folder ../lib". */
export function pathsIn(words: string, clause: Clause, isPlace = false): readonly string[] {
  const { masked, places } = clause;
  const rest = withoutReason(words.trim());
  if (isPlace && (HERE.test(rest) || NO_PLACE.test(rest))) return HERE.test(rest) ? ["."] : [];
  if (HOME.test(rest)) return ["~"];
  const possessed = ITS.exec(rest)?.[1];
  if (possessed !== undefined)
    return places
      .slice(-1)
      .map((last) =>
        joined(directoryOf(last), byName(valueOf(possessed, clause).replace(/^(?:README|LICENSE)$/, (name) => name.toLowerCase()))),
      );
  if (IT.test(rest)) return places.slice(-1);
  const neighbour = neighbourIn(rest, isPlace);
  if (neighbour !== null) return [neighbour];
  const [, owner, owned] = OWNER.exec(rest) ?? [];
  if (/^(?:commits?|versions?|dependencies|changes)$/i.test(owned ?? "")) return [];
  const [before, after] = owner === undefined ? splitPlace(rest) : [owned ?? "", owner];
  const [place, ...others] = after === "" ? [] : pathsIn(after, clause, true);
  if (place === undefined || others.length > 0) return namesIn(rest, masked);
  // Beside a place, a plain word is a name only where it is a usual one, or the place's own.
  const names = namesIn(before, masked).filter((name) => owner !== undefined || /[.\ue000]/.test(before) || isKnown(name));
  if (names.length > 0) return names.map((name) => joined(place, name));
  return plainIn(before) === "" || after.includes("\ue000") ? [place] : [];
}

/** "The biggest file" names none. */
const SUPERLATIVE = /^(?:big|larg|small|old|new|long|short|lat|great)g?est$/i;

/** The names in a phrase. Things first; plain words only where each stands alone. */
function namesIn(words: string, masked: MaskedText): readonly string[] {
  const parts = words.split(SEPARATOR).map((part) => ({ things: thingsIn(part, masked).filter(isName), plain: plainIn(part) }));
  // Beside a thing, words that are no name are talk; without one, they leave open what is meant.
  if (parts.every(({ things }) => things.length === 0) && parts.some(({ plain }) => plain.includes(" "))) return [];
  return parts.flatMap(({ things, plain }) => {
    if (things.length > 0) return things.map(({ text }) => text);
    return plain === "" || plain.includes(" ") || SUPERLATIVE.test(plain) || respell(` ${plain}`) !== ` ${plain}` ? [] : [byName(plain)];
  });
}

/** The words of a phrase that could be a name. An article with nothing behind it is one. */
export function plainIn(words: string): string {
  if (/(?:^| )a\s*$/i.test(words)) return "a";
  const plain = words.replaceAll(/\ue000\d+\ue001/g, " ").replaceAll(FILLER, " ");
  return plain.replaceAll(/[^\p{L}\p{N}_.@+-]+/gu, " ").trim();
}

export const isName = ({ kind }: MaskedToken): boolean => kind === "path" || kind === "quote" || kind === "code";

/** The text of a thing that stands alone; other words as they were written. */
export const valueOf = (words: string, { masked }: Clause): string => onlyThing(words, masked)?.text ?? unmask(words, masked).trim();

/** Names people say without their ending. */
const knownFileName = (word: string): string | undefined => {
  const spoken = word.toLowerCase().replace(/^the /, "").replace("licence", "license");
  return FILE_NAMES.find((name) => name === word || name.replace(/^\.|\.(?:md|json)$/g, "").toLowerCase() === spoken);
};
export const isKnown = (words: string): boolean => knownFileName(words) !== undefined;
/** A plain word as a name: as it was written where that is already a name. */
const byName = (word: string): string => (/[a-z]/.test(word) ? knownFileName(word) : undefined) ?? word;

/** Spelled so that it can only be a directory. */
export const isDirectoryName = (path: string): boolean => /(?:^|\/)$|^(?:\.|\.\.|~)$|^\.\.\/[\w-]+$/.test(path);

/** A name with an ending is a file rather than a directory; what it really is turns out when it is tried. */
export const looksLikeFile = (path: string): boolean =>
  /\.[A-Za-z]\w{0,9}$/.test(path) || WELL_KNOWN.test(path.slice(path.lastIndexOf("/") + 1));

/** The directory a place is or lies in, as it was written. */
export const directoryOf = (path: string): string =>
  looksLikeFile(path) ? path.slice(0, path.lastIndexOf("/") + 1) : path.replace(/(?<=.)\/$/, "");

/** `file` seen from `dir`, as a person would write it. */
export function joined(dir: string, file: string): string {
  if (/^(?:\/|~|[A-Za-z]:[\\/]|\\\\)/.test(file) || dir === "." || dir === "") return file;
  return dir.endsWith("/") ? dir + file : `${dir}/${file}`;
}

// ── Lines ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** "7", "seven", "a couple of", "a few". */
export function countOf(word: string): number {
  const spoken = COUNTS.indexOf(word.toLowerCase());
  return /^\d+$/.test(word) ? Number(word) : /^couple/i.test(word) ? 2 : /^few$/i.test(word) ? 5 : spoken > 0 ? spoken : 10;
}

const LINES =
  /\b(?:the )?(?<end>first|top|last|final|bottom) (?:(?<many>\d{1,4}|couple(?: of)?|few|[a-z]{3,5}) )?lines?\b(?: (?:of|from|in))?|\blines? (?<from>\d{1,7})(?: ?(?:-|–|to|and) ?(?<to>\d{1,7}))?\b(?: (?:of|from|in))?|(?<=\ue001):(?<at>\d{1,7})(?:-(?<until>\d{1,7}))?/i;

/** "the first 20 lines of", "lines 3 to 9 of": taken out of the words, as `read_file` has them. Lines of nothing are lines of "it". */
export function takeLines(words: string): readonly [rest: string, lines: Values] {
  const match = LINES.exec(words);
  if (match === null) return [words, {}];
  const { end, many = "one", from, to = from, at, until = at } = match.groups ?? {};
  const rest = `${words.slice(0, match.index)} ${words.slice(match.index + match[0].length)}`.trim() || "it";
  if (end !== undefined) return [rest, /first|top/i.test(end) ? { offset: 1, limit: countOf(many) } : { last: countOf(many) }];
  const [start, stop] = [Math.max(1, Number(from ?? at)), Math.max(1, Number(to ?? until))];
  return [rest, { offset: Math.min(start, stop), limit: Math.min(Math.abs(stop - start) + 1, 2_000) }];
}

// ── Kinds of files ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const ENDINGS = "[cm]?[jt]sx?|json|md|txt|py|go|rs|java|c|h|cpp|css|html|sh|rb|php|sql|ya?ml|toml|lock|csv|xml|mod|sum|cfg|conf|ini";
const SPOKEN = new Map<string, string>(
  [
    ..."typescript=ts javascript=js python=py markdown=md documentation=md rust=rs shell=sh test=test.* tests=test.*".matchAll(
      /(\w+)=(\S+)/g,
    ),
  ].map(([, spoken = "", ending = ""]) => [spoken, ending]),
);

/** A pattern for "*.ts", ".ts files", "TypeScript files", "files ending in .md"; null if the words say no kind of file. */
export function kindOfFiles(words: string, masked: MaskedText): string | null {
  const things = thingsIn(words, masked);
  const glob = things.find(({ kind, text }) => kind === "glob" || (kind !== "block" && /^[^\s\\]*\*[^\s\\.][^\s\\]*$/.test(text)));
  if (glob !== undefined) return glob.text;
  const ending = things.find(({ text }) => /^(?:\.[A-Za-z]\w{0,9}){1,3}$/.test(text));
  if (ending !== undefined && /\ue001 (?:files|ones)\b|\b(?:ending|ends?|extension)\b/i.test(words)) return `*${ending.text}`;
  const [, word = ""] =
    /([\w+#]+) (?:source )?files?\b/i.exec(words) ??
    /^(?:(?:what|which|all|the|any) )*(tests|documentation)\b(?! (?:of|for|folder|directory|dir)\b)/i.exec(words.trim()) ??
    [];
  const end = SPOKEN.get(word.toLowerCase()) ?? new RegExp(`^(?:${ENDINGS}|log)$`, "i").exec(word)?.[0];
  return end === undefined ? null : `*.${end.toLowerCase()}`;
}

/** `/opt/x/*.go` → where to look, and the pattern from there. */
export function splitGlob(glob: string): { readonly base: string; readonly pattern: string } {
  const [, base, pattern = ""] = /^((?:\/|~|\.\.?\/)[^*?{[]*)\/(.*)$/.exec(glob) ?? [];
  return base === undefined ? { base: ".", pattern: glob } : { base, pattern: pattern.includes("/") ? pattern : `./${pattern}` };
}

/** "files named …" and patterns are looked for among names, not in contents. */
export function isAboutFiles(what: string, { masked }: Clause): boolean {
  if (/^(?:(?:the|all|any|every|a|some) )*(?:[\w.+#]+ )?(?:files?|folders?|director(?:y|ies))\b/i.test(what)) return true;
  const only = onlyThing(what.replace(/^the /i, ""), masked);
  return only?.kind === "glob" || (only?.kind === "path" && new RegExp(`\\.(?:${ENDINGS})$`, "i").test(only.text));
}

/** The name a file is to have. A name without an ending or a quotation is taken as a part of it. */
export function fileNameIn(words: string, { masked }: Clause): string | null {
  const thing = thingsIn(words, masked).find(isName);
  if (thing === undefined) {
    const plain = plainIn(words);
    if (/^(?:bugs?|errors?|problems?|issues?|mistakes?|typos?|ways?|reasons?)$/i.test(plain)) return null;
    return plain === "" || plain.includes(" ") ? null : /^(?:Dockerfile|Makefile)$/.test(byName(plain)) ? byName(plain) : `*${plain}*`;
  }
  const last = /[^/]*(?=\/?$)/.exec(thing.text)?.[0] ?? "";
  if (/^(?:|\.|\.\.|~)$/.test(last) || (/\s/.test(last) && thing.kind !== "quote")) return null;
  return last.includes(".") || thing.kind === "path" ? last : `*${last}*`;
}
