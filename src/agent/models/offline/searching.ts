// Text looked for in files, in the many ways people put it: grep's own, "which files mention X", "where is X used".

import { IN, kindOfFiles, splitGlob } from "./finding-files.ts";
import { type Masked, MARK, thingsIn } from "./mask.ts";
import { OBJECT, placeIn, placesIn } from "./objects.ts";
import type { Memory, Wish } from "./wish.ts";

const re = (source: string): RegExp => new RegExp(source, "iu");

/** What is looked for, then where. */
const SEARCHES: readonly RegExp[] = [
  re(String.raw`^(?:grep|rg|ack)\b(?:\s+for)?((?:\s+-[\w-]+)*\s+${OBJECT})(?:\s+(.*))?$`),
  re(String.raw`^(?:search|scan|look)(?:ing)?(?: (?:through|in|inside|within))?\s+(?<where>.+?)\s+for\s+(.+)$`),
  re(String.raw`^(?:search|look|scan|hunt|check)(?:ing)?\s+for\s+(.+?)(?:\s+${IN}\s+(.*))?$`),
  re(String.raw`^search(?:ing)?\s+(${MARK}|\w+)(?:\s+${IN}\s+(.*))?$`),
  re(
    String.raw`^(?:find|show|list)(?: me)?(?: all| every| the| any)*(?: of)?(?: the)? (?:occurrences?|mentions?|uses|usages?|references?|lines?|places|matches|instances)(?: (?:of|to|for|with|that|which|where|containing|matching|contain|contains|mention|mentions|match))+\s+(.+?)(?:\s+(?:is|are) used)?(?:\s+${IN}\s+(.*))?$`,
  ),
  re(
    String.raw`^(?:which|what)(?: \w+)? files?(?: \w+)? (?:contains?|mentions?|uses?|has|have|includes?|references?|imports?|defines?)\s+(.+?)(?:\s+${IN}\s+(.*))?$`,
  ),
  re(
    String.raw`^(?:find|list|show)(?: me)?(?: all)?(?: the)? files? (?:that |which )?(?:contain(?:ing|s)?|mention(?:ing|s)?|using|uses?|with the (?:text|word|string)|importing|imports?|referencing|defin(?:ing|es)|declar(?:ing|es)|implement(?:ing|s))\s+(.+?)(?:\s+${IN}\s+(.*))?$`,
  ),
  re(
    String.raw`^where (?:is|are|do|does|did)(?: (?:we|you|they|i))?\s+(.+?)\s+(?:used?|mentioned|defined?|declared?|called?|imported?|referenced?|appear|occur|written|set)(?:\s+${IN}\s+(.*))?$`,
  ),
  re(
    String.raw`^where (?:do|does|did) (?:we|you|they|i|it|anything|anyone) (?:use|call|define|import|mention|set|reference|declare)\s+(.+?)(?:\s+${IN}\s+(.*))?$`,
  ),
  re(String.raw`^(?:who|what) (?:uses|calls|imports|defines|mentions|references|declares)\s+(.+?)(?:\s+${IN}\s+(.*))?$`),
  re(String.raw`^how (?:many times|often) (?:does|do|is|are)\s+(.+?)\s+(?:appear|occur|used|mentioned|show up)s?(?:\s+${IN}\s+(.*))?$`),
];
const CONTAINS = re(
  String.raw`^(?:(?:(?:check|see|tell me|find out) )?(?:whether|if)|does|do|is)\s+(?:the\s+)?(${MARK}|(?!(?:you|we|i|it)\b)\w+)\s+(?:contain|mention|have|has|include|use|say|import|hold)s?\s+(.+)$`,
);
const EXISTS = re(
  String.raw`^(?:(?:check|see|tell me|find out) )?(?:does|do|is|whether|if)\s+(${MARK})\s+(?:exists?|(?:really )?(?:there|present))$`,
);

export function searchWish(text: string, masked: Masked, memory: Memory): readonly Wish[] | null {
  const contains = CONTAINS.exec(text);
  const file = contains === null ? undefined : thingsIn(contains[2] ?? "", masked).find(({ kind }) => kind === "path" || kind === "glob");
  const there = thingsIn(EXISTS.exec(text)?.[1] ?? "", masked)[0]?.text;
  if (there !== undefined) return isThere(there);
  if (contains !== null && file !== undefined)
    return [{ do: "find", pattern: file.text, path: placeIn(contains[1] ?? "", masked, memory) ?? "." }];
  if (contains !== null) return wishFor(contains[2] ?? "", contains[1] ?? "", text, masked, memory);
  for (const pattern of SEARCHES) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const where = match.groups?.["where"] ?? (match[2] === match.groups?.["where"] ? "" : (match[2] ?? ""));
    const what = match.groups === undefined ? (match[1] ?? "") : (match[2] ?? "");
    if (isAboutFiles(what, masked)) return null;
    return wishFor(what, where, text, masked, memory);
  }
  return quotedIn(text, masked, memory);
}

/** Whether a file is there is told by looking for its name in its directory. */
function isThere(path: string): readonly Wish[] {
  const slash = path.replace(/\/+$/, "").lastIndexOf("/");
  const name = path.slice(slash + 1).replace(/\/+$/, "");
  return [{ do: "find", pattern: `./${name}`, path: slash === -1 ? "." : path.slice(0, slash) || "/" }];
}

/** `find "text" in X`, and `find TODO in X`: a quotation, or a word nobody would call a file. */
function quotedIn(text: string, masked: Masked, memory: Memory): readonly Wish[] | null {
  const match = re(
    String.raw`^(?:find|locate)(?: me)?(?: all| every| any)?(?: the)?(?: (?:text|word|words|string|phrase|term))?\s+(${MARK}|\S+)(?:\s+${IN}\s+(.+))?$`,
  ).exec(text);
  // "all TODO comments": the word in capitals.
  const capitals =
    /^(?:find|list|show)(?: me)?(?: all| every| any)?(?: of)?(?: the| our| my)? ([A-Z]{3,})s?(?: (?:comments?|markers?|notes?|lines?|items?))?(?: (?:in|inside|under|within) (.+))?$/.exec(
      text,
    );
  if (capitals !== null) return wishFor(capitals[1] ?? "", capitals[2] ?? "", text, masked, memory);
  if (match === null) return null;
  const what = match[1] ?? "";
  const [thing] = thingsIn(what, masked);
  const where = match[2] ?? "";
  const named = /\b(?:text|word|words|string|phrase|term)\s+\S+/i.test(text.slice(0, text.indexOf(what) + what.length));
  if (thing === undefined)
    return named || /^(?:[A-Z][A-Z0-9_]+|\w*[a-z][A-Z]\w*|\w+\(\)?)$/.test(what) ? wishFor(what, where, text, masked, memory) : null;
  if (thing.kind !== "quote" && thing.kind !== "code") return null;
  return named || where !== "" || /\s|[^\w.*?/-]/.test(thing.text) ? wishFor(what, where, text, masked, memory) : null;
}

function wishFor(what: string, where: string, text: string, masked: Masked, memory: Memory): readonly Wish[] | null {
  const flags = / -([A-Za-z]+)/.exec(` ${text}`)?.[1] ?? "";
  const thing = thingsIn(what, masked).find(({ kind }) => kind !== "url");
  const wanted = (
    thing?.text ??
    what
      .replace(/(?:^|\s)-[\w-]+/g, "")
      .replace(
        /^\s*(?:the|a|an|any|all)?\s*(?:(?:word|words|text|string|phrase|term|line|lines|regex|regexp|pattern|regular expression|uses? of|occurrences? of|mentions? of)\s+)?/i,
        "",
      )
  ).trim();
  if (wanted === "") return null;
  const { paths, glob } = whereIn(where, masked, memory);
  const regex = /\b(?:regex|regexp|regular expression|pattern)\b/i.test(text) || (/^(?:grep|rg)\b/i.test(text) && flags.includes("E"));
  const ignoreCase = ANY_CASE.test(text) || (/^(?:grep|rg)\b/i.test(text) && flags.includes("i"));
  return paths.length === 0 ? null : paths.map((path): Wish => ({ do: "search", text: wanted, path, glob, regex, ignoreCase }));
}

const ANY_CASE = /\b(?:ignoring case|ignore case|case[- ]insensitive(?:ly)?|(?:in )?any case|whatever the case)\b/i;

/** "src and docs", "all *.md files under docs", "TypeScript files", "the code": where to look, and perhaps in which files there. */
function whereIn(words: string, masked: Masked, memory: Memory): { readonly paths: readonly string[]; readonly glob: string | null } {
  const plain = words.replace(ANY_CASE, " ").trim();
  if (plain === "") return { paths: ["."], glob: null };
  const kind = kindOfFiles(plain, masked);
  if (kind === null) return { paths: placesIn(plain, masked, memory), glob: null };
  const rest = re(String.raw`\s${IN}\s+(.+)$`).exec(plain)?.[1] ?? "";
  const { base, pattern } = splitGlob(kind);
  return { paths: rest === "" ? [base] : placesIn(rest, masked, memory), glob: pattern };
}

/** Endings that only files have: `console.log` is looked for in files, `package.json` among them. */
const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|json|md|txt|py|go|rs|java|c|h|cpp|css|html|sh|rb|php|sql|ya?ml|toml|lock|csv|xml|mod|sum|cfg|conf|ini)$/i;

/** "files named …" and patterns are looked for among names, not in contents. */
function isAboutFiles(what: string, masked: Masked): boolean {
  if (/^\s*(?:(?:the|all|any|every|a|some)\s+)*(?:[\w.+#]+\s+)?(?:files?|folders?|director(?:y|ies))\b/i.test(what)) return true;
  const [first] = thingsIn(what, masked);
  return first?.kind === "glob" || (first?.kind === "path" && /^(?:the\s+)?\S+$/.test(what.trim()) && FILE_ENDING.test(first.text));
}
