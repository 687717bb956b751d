// Finding files and searching in them, in the many ways people put it: grep's own, "find all Markdown files", "where is X used".

import { type Masked, MARK, type Thing, thingsIn, withoutMarks } from "./mask.ts";
import { OBJECT, placeIn } from "./objects.ts";
import type { Memory, Wish } from "./wish.ts";

const re = (source: string): RegExp => new RegExp(source, "iu");
const IN = String.raw`(?:in|inside|within|under|across|throughout|through|of|from|below)`;

// ── in files ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

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
    String.raw`^(?:find|list|show)(?: me)?(?: all)?(?: the)? files? (?:that |which )?(?:contain(?:ing|s)?|mention(?:ing|s)?|using|uses?|with the (?:text|word|string)|importing|imports?|referencing)\s+(.+?)(?:\s+${IN}\s+(.*))?$`,
  ),
  re(
    String.raw`^where (?:is|are|do|does|did)(?: (?:we|you|they|i))?\s+(.+?)\s+(?:used?|mentioned|defined?|declared?|called?|imported?|referenced?|appear|occur|written|set)(?:\s+${IN}\s+(.*))?$`,
  ),
  re(String.raw`^how (?:many times|often) (?:does|do|is|are)\s+(.+?)\s+(?:appear|occur|used|mentioned|show up)s?(?:\s+${IN}\s+(.*))?$`),
];
const CONTAINS = re(String.raw`^(?:does|do|is)\s+(${MARK}|\w+)\s+(?:contain|mention|have|include|use|say|import)s?\s+(.+)$`);

export function searchWish(text: string, masked: Masked, memory: Memory): readonly Wish[] | null {
  const contains = CONTAINS.exec(text);
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

/** `find "text" in X`, and `find TODO in X`: a quotation, or a word nobody would call a file. */
function quotedIn(text: string, masked: Masked, memory: Memory): readonly Wish[] | null {
  const match = re(
    String.raw`^(?:find|locate)(?: me)?(?: all| every| any)?(?: the)?(?: (?:text|word|words|string|phrase|term))?\s+(${MARK}|\S+)(?:\s+${IN}\s+(.+))?$`,
  ).exec(text);
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
  const place = whereIn(where, masked, memory);
  return [
    {
      do: "search",
      text: wanted,
      path: place.path,
      glob: place.glob,
      regex: /\b(?:regex|regexp|regular expression|pattern)\b/i.test(text) || (/^(?:grep|rg)\b/i.test(text) && flags.includes("E")),
      ignoreCase:
        /\b(?:ignoring case|ignore case|case[- ]insensitive(?:ly)?|any case|whatever the case)\b/i.test(text) ||
        (/^(?:grep|rg)\b/i.test(text) && flags.includes("i")),
    },
  ];
}

/** "src", "all *.md files under docs", "TypeScript files", "the code": a directory or file, and perhaps which files there. */
function whereIn(words: string, masked: Masked, memory: Memory): { readonly path: string; readonly glob: string | null } {
  const plain = words.replace(/\b(?:ignoring case|ignore case|case[- ]insensitive(?:ly)?|any case|as a regex)\b/gi, " ").trim();
  const kind = kindOfFiles(plain, masked);
  if (kind === null) return { path: placeIn(plain, masked, memory) ?? ".", glob: null };
  const rest = re(String.raw`\s${IN}\s+(.+)$`).exec(plain)?.[1] ?? "";
  const { base, pattern } = splitGlob(kind);
  return { path: rest === "" ? base : (placeIn(rest, masked, memory) ?? base), glob: pattern };
}

// ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const FINDS = re(
  String.raw`^(?:find|locate|search(?:ing)? for|look(?:ing)? for|where(?:'s| is| are)|are there|is there|any|get|list|show(?: me)?|give me|which are|do we have|find me|count|how many)\b(.*)$`,
);

export function findWish(text: string, masked: Masked, memory: Memory): readonly Wish[] | null {
  const rest = FINDS.exec(text)?.[1];
  if (rest === undefined) return null;
  // "ending in .md" says which files, not where.
  const spoken = rest.replace(/\b(ending|ends?)\s+in\b/gi, "$1 with");
  const within = re(String.raw`^(.*?)\s+${IN}\s+((?:(?!\s${IN}\s).)+)$`).exec(spoken);
  const [what, where] = within === null ? [spoken, ""] : [within[1] ?? "", within[2] ?? ""];
  const kind = kindOfFiles(what, masked);
  const place = where === "" ? "." : (placeIn(where, masked, memory) ?? ".");
  if (kind !== null) {
    const { base, pattern } = splitGlob(kind);
    return [{ do: "find", pattern, path: base === "." ? place : base }];
  }
  if (!/^(?:find|locate|search|look|where|is there|are there|do we have)/i.test(text)) return null;
  const name = nameIn(what, masked);
  return name === null ? null : [{ do: "find", pattern: name, path: place }];
}

/** A pattern for "*.ts", ".ts files", "TypeScript files", "files ending in .md"; null if the words say no kind of file. */
export function kindOfFiles(words: string, masked: Masked): string | null {
  const things = thingsIn(words, masked);
  const glob = things.find(({ kind, text }) => kind === "glob" || (kind !== "block" && kind !== "url" && isGlobText(text)));
  if (glob !== undefined) return glob.text;
  const ending = things.find(({ kind, text }) => kind !== "block" && /^\.[A-Za-z]\w{0,9}$/.test(text));
  if (
    ending !== undefined &&
    re(String.raw`${MARK}\s+(?:files?|documents?|ones?|extension|ending)\b|\b(?:ending|ends?|extension|suffix)\b`).test(words)
  )
    return `*${ending.text}`;
  const spoken =
    /\b([\w+#]+)\s+(?:source\s+)?files?\b/i.exec(words)?.[1]?.toLowerCase() ??
    /\b(?:ending (?:in|with)|extension)\s+\.?(\w+)\b/i.exec(words)?.[1]?.toLowerCase();
  return spoken === undefined ? null : (LANGUAGES.get(spoken) ?? null);
}

const isGlobText = (text: string): boolean => /\*/.test(text) && !/\s/.test(text) && !/\.\*|\\/.test(text);

const LANGUAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    typescript: "*.ts",
    ts: "*.ts",
    tsx: "*.tsx",
    javascript: "*.js",
    js: "*.js",
    python: "*.py",
    py: "*.py",
    markdown: "*.md",
    md: "*.md",
    json: "*.json",
    yaml: "*.yaml",
    yml: "*.yml",
    toml: "*.toml",
    go: "*.go",
    golang: "*.go",
    rust: "*.rs",
    rs: "*.rs",
    java: "*.java",
    c: "*.c",
    "c++": "*.cpp",
    cpp: "*.cpp",
    css: "*.css",
    html: "*.html",
    shell: "*.sh",
    sh: "*.sh",
    ruby: "*.rb",
    rb: "*.rb",
    php: "*.php",
    sql: "*.sql",
    txt: "*.txt",
    log: "*.log",
    csv: "*.csv",
    xml: "*.xml",
    test: "*.test.*",
    spec: "*.spec.*",
  }),
);

/** The name a file is to have. A name without an ending or a quotation is taken as a part of it. */
function nameIn(words: string, masked: Masked): string | null {
  const thing: Thing | undefined = thingsIn(words, masked).find(({ kind }) => kind === "path" || kind === "quote" || kind === "code");
  const plain = withoutMarks(words)
    .replaceAll(
      /\b(?:me|all|any|every|the|a|an|files?|folders?|director(?:y|ies)|called|named|with|name|names|matching|like|that|which|is|are|whose|contains?|containing|my|our|located|it|do|we|have|for)\b/gi,
      " ",
    )
    .trim();
  if (thing === undefined) return /^[\p{L}\p{N}_.@+-]+$/u.test(plain) ? `*${plain}*` : null;
  const text = thing.text.replace(/\/+$/, "");
  if (/\s/.test(text) && thing.kind !== "quote") return null;
  const last = text.slice(text.lastIndexOf("/") + 1);
  if (last === "" || last === "." || last === ".." || last === "~") return null;
  return last.includes(".") || thing.kind === "path" ? last : `*${last}*`;
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

/** Endings that only files have: `console.log` is looked for in files, `package.json` among them. */
const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|json|md|txt|py|go|rs|java|c|h|cpp|css|html|sh|rb|php|sql|ya?ml|toml|lock|csv|xml|mod|sum|cfg|conf|ini)$/i;

/** "files named …" and patterns are looked for among names, not in contents. */
function isAboutFiles(what: string, masked: Masked): boolean {
  if (/^\s*(?:(?:the|all|any|every|a|some)\s+)*(?:[\w.+#]+\s+)?(?:files?|folders?|director(?:y|ies))\b/i.test(what)) return true;
  const [first] = thingsIn(what, masked);
  return first?.kind === "glob" || (first?.kind === "path" && /^(?:the\s+)?\S+$/.test(what.trim()) && FILE_ENDING.test(first.text));
}
