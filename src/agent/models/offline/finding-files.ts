// Files looked for by name or kind: patterns, endings, "all Markdown files", "where is judge.ts". And what kind of file words speak of.

import { type Masked, MARK, type Thing, thingsIn, withoutMarks } from "./mask.ts";
import { placesIn } from "./objects.ts";
import type { Memory, Wish } from "./wish.ts";

const re = (source: string): RegExp => new RegExp(source, "iu");
/** Words that lead to a place. */
export const IN = String.raw`(?:in|inside|within|under|across|throughout|through|of|from|below)`;

const FINDS = re(
  String.raw`^(?:find|locate|search(?:ing)? for|look(?:ing)? for|where(?:'s| is| are)|are there|is there|any|get|list|show(?: me)?|give me|which are|do we have|find me|count|how many)\b(.*)$`,
);

export function findWish(text: string, masked: Masked, memory: Memory): readonly Wish[] | null {
  const rest = FINDS.exec(text)?.[1];
  if (rest === undefined) return null;
  // "ending in .md" says which files, not where; "in src matching *.ts" says both.
  const spoken = rest
    .replace(/\b(ending|ends?)\s+in\b/gi, "$1 with")
    .replace(re(String.raw`^(.*?)(\s+${IN}\s+.+?)\s+((?:matching|named|called|like|that match|ending)\s+.+)$`), "$1 $3$2");
  const within = re(String.raw`^(.*?)\s+${IN}\s+((?:(?!\s${IN}\s).)+)$`).exec(spoken);
  const [what, where] = within === null ? [spoken, ""] : [within[1] ?? "", within[2] ?? ""];
  const places = where === "" ? ["."] : placesIn(where, masked, memory);
  const kinds = globsIn(what, masked);
  if (kinds.length > 0)
    return kinds.flatMap((kind) => {
      const { base, pattern } = splitGlob(kind);
      return (base === "." ? places : [base]).map((path): Wish => ({ do: "find", pattern, path }));
    });
  if (!/^(?:find|locate|search|look|where|is there|are there|do we have)/i.test(text)) return null;
  if (where !== "" && /^\s*(?:me|all|any|every|the|of)*\s*(?:files?|everything|all)\s*$/i.test(what))
    return places.map((path): Wish => ({ do: "list", path }));
  const name = nameIn(what, masked);
  return name === null ? null : places.map((path): Wish => ({ do: "find", pattern: name, path }));
}

/** Every pattern in the words; one for a kind of file that is only spoken of. */
function globsIn(words: string, masked: Masked): readonly string[] {
  const globs = thingsIn(words, masked).filter(({ kind }) => kind === "glob");
  if (globs.length > 1) return globs.map(({ text }) => text);
  const kind = kindOfFiles(words, masked);
  return kind === null ? [] : [kind];
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
