// A message made ready to be understood. Everything that is not plain words is taken out and numbered: quotations, code, blocks, paths,
// patterns, addresses. What is left is cut into clauses and freed of manners. So words are matched as words alone, and nothing inside a
// quotation or a file name can be mistaken for a request. Takes time in proportion to the message.

import { distance } from "../../../tools/near.ts";

export type MessageKind = "quote" | "code" | "block" | "path" | "glob" | "url";

export interface MaskedToken {
  readonly kind: MessageKind;
  /** What is meant: without quotation marks, fences or escapes. */
  readonly text: string;
  /** As it was written. */
  readonly raw: string;
}

export interface MaskedText {
  /** The words, each thing replaced by its mark. */
  readonly text: string;
  readonly things: readonly MaskedToken[];
}

/** A mark, for use in a larger pattern. */
export const MARK = "\ue000\\d+\ue001";

const TOKEN =
  /```[^]*?(?:```|$)|`[^`\n]+`|"[^"]+"|“[^“”]+”|„[^„“”]+[“”]|‘[^‘’]+’|«[^«»]+»|(?<![^\s(:,=[])'[^'\n]+'(?=[\s,;:.!?)\]]|$)|\s+|(?:\\ |\{[^\s{}"`]*\}|[^\s`"“”,;])+[,;]?|[^]/g;
/** Longer than any path; such a word is left alone. */
const LONGEST_WORD = 5_000;

export function mask(message: string): MaskedText {
  const things: MaskedToken[] = [];
  const put = (kind: MessageKind, text: string, raw: string): string => `\ue000${things.push({ kind, text, raw }) - 1}\ue001`;
  const plain = message.replaceAll(/[\ue000\ue001]/g, "").replaceAll(/\b(package|tsconfig) json\b/gi, "$1.json");
  const pieces = (plain.match(TOKEN) ?? []).map((token) => {
    if (/^\s/.test(token)) return token.includes("\n") ? "\n" : " ";
    if (token.startsWith("```")) return put("block", blockText(token), token);
    if (token.length > 2 && token.startsWith("`")) return put("code", token.slice(1, -1), token);
    if (token.length > 2 && /^["“„‘«']/.test(token) && /["”“’»']$/.test(token)) return put("quote", token.slice(1, -1), token);
    const { before, core, after } = token.length > LONGEST_WORD ? { before: token, core: "", after: "" } : bare(token);
    const text = core.replaceAll("\\ ", " ");
    const kind = kindOf(text);
    return kind === null ? token : before.replace("@", "") + put(kind, text, core) + after;
  });
  // A block belongs to the line before it.
  return {
    text: pieces.join("").replaceAll(/\n(\ue000\d+\ue001)/g, (all, mark: string) => (isBlock(mark, things) ? ` ${mark}` : all)),
    things,
  };
}

const isBlock = (mark: string, things: readonly MaskedToken[]): boolean => things[Number(mark.slice(1, -1))]?.kind === "block";

/** What stands behind a fence on its own line is the language. */
function blockText(token: string): string {
  const inner = token.slice(3, token.length > 5 && token.endsWith("```") ? -3 : undefined);
  const line = inner.indexOf("\n");
  return line !== -1 && /^[\w+.#-]*[ \t]*$/.test(inner.slice(0, Math.min(line, 40))) ? inner.slice(line + 1) : inner;
}

/** The things whose marks stand in a piece of masked text, in order. */
export const thingsIn = (text: string, { things }: MaskedText): readonly MaskedToken[] =>
  [...text.matchAll(/\ue000(\d+)\ue001/g)].flatMap((match) => things[Number(match[1])] ?? []);

/** The thing that a piece of masked text is, and nothing else. */
export const onlyThing = (text: string, masked: MaskedText): MaskedToken | undefined =>
  /^\ue000\d+\ue001$/.test(text.trim()) ? thingsIn(text, masked)[0] : undefined;

/** Masked text as it was written. */
export const unmask = (text: string, { things }: MaskedText): string =>
  text.replaceAll(/\ue000(\d+)\ue001/g, (_mark, at: string) => things[Number(at)]?.raw ?? "");

/** A word without the punctuation of its sentence. Dots that are themselves a path stay. */
function bare(word: string): { readonly before: string; readonly core: string; readonly after: string } {
  const before = /^(?:[([<“‘"'¿¡]|\*\*(?=\w)|@(?=[\w./~-]+[./]))*/.exec(word)?.[0] ?? "";
  const rest = word.slice(before.length);
  let end = rest.length;
  while (end > 0 && /[.,;:!?)\]>”’"'*]/.test(rest[end - 1] ?? "") && !(rest[end - 1] === "*" && rest.slice(end - 2, end) !== "**"))
    end -= 1;
  if (
    /^\.{1,2}$/.test(rest.replace(/[,;:!?)]{1,9}$/, "")) ||
    /\/\.{1,3}[,;:!?)]{0,9}$/.test(rest.slice(-12)) ||
    /^[\w./~-]*\*+$/.test(rest)
  )
    end = rest.length - (/[,;:!?)]{1,9}$/.exec(rest)?.[0].length ?? 0);
  const core = rest.slice(0, end).replace(/['’]s$|(?<=\.[A-Za-z]\w{0,15}):\d{1,9}(?:[-:]\d{1,9})?$/, "");
  return { before, core, after: rest.slice(core.length) };
}

/** What a bare word is, if it is more than a word. */
function kindOf(word: string): "path" | "glob" | "url" | null {
  if (/^[a-z][a-z0-9+.-]{0,30}:\/\//i.test(word)) return "url";
  if (word === "*" || word === "**" || (word.includes("*") && /[\w./]/.test(word))) return "glob";
  if (/[?{]/.test(word) && /[./]/.test(word) && /^[\w./~?{},-]+$/.test(word)) return "glob";
  return isPathLike(word) ? "path" : null;
}

const PROSE =
  /^(?:and\/or|either\/or|s?he\/(?:s?he|they)|his\/her|him\/her|yes\/no|on\/off|true\/false|read\/write|input\/output|i\/o|w\/o|n\/a|\d+\/\d+(?:\/\d+)?|(?:e\.g|i\.e|a\.m|p\.m|a\.k\.a|u\.s|z\.b|etc\.|vs\.)\.?)$/i;
export const WELL_KNOWN =
  /^(?:README|LICEN[CS]E|CHANGELOG|CHANGES|CONTRIBUTING|SECURITY|AUTHORS|NOTICE|COPYING|INSTALL|CODEOWNERS|(?:Make|Docker|Gem|Rake|Proc|Jenkins|Vagrant|Just)file)$/;
/** Files that people name without their ending. */
export const FILE_NAMES = ["README.md", "LICENSE", "CHANGELOG.md", "Makefile", "Dockerfile", "tsconfig.json", ".gitignore"];

function isPathLike(word: string): boolean {
  if (WELL_KNOWN.test(word) || /^(?:\.{1,2}|\/|~)$/.test(word)) return true;
  if (/^(?:\/|~[\w-]*\/|\.{1,2}\/|[A-Za-z]:[\\/]|\\\\|\.[A-Za-z_][\w.@-]*$)/.test(word)) return true;
  if (PROSE.test(word)) return false;
  const ending = /[\p{L}\p{N}_)\]-]\.[A-Za-z][A-Za-z0-9_~-]{0,15}$/u;
  return /[^/]\/|\w\\\w/.test(word) || ending.test(word.slice(-60));
}

// ── Clauses ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface MessageClause {
  /** Where it stands in its line. */
  readonly start: number;
  readonly end: number;
  /** How it hangs on what stands before it: the next sentence, `then`, `but`, or `and`. */
  readonly joined: "sentence" | "then" | "but" | "and";
}

/** Verbs that may begin another request after "and" or a comma. */
const VERBS =
  "(?:re-?read|read|show|open|cat|print|display|view|look|list|ls|tree|find|search|grep|rg|locate|compare|diff|write|create|save|make|put|append|add|replace|change|edit|overwrite|run|execute|tell|give|check|summari[sz]e|explain|describe|count|ask|request|try|retry|what|what's|which|where|see|load|fetch|head|tail|dump|delete|remove|move|rename|copy|spawn|fork|fix|refactor|improve|update|correct|rewrite|translate|commit|push|deploy|undo|revert|implement|how many|don't|do not|never)";
export const startsWithVerb = (text: string): boolean => new RegExp(`^${VERBS}\\b`, "i").test(text);
const THEN = "(?:then|after that|afterwards|next(?! door| to)|finally)";
const AND = "(?:and|but|plus)";
const BOUNDARY = new RegExp(
  [
    `(?<sentence>(?<=[.!?])\\s|;\\s?)(?<after>${THEN}\\b,?\\s)?`,
    `(?<then>,?\\s(?:${AND}\\s)?${THEN}(?![\\p{L}]),?\\s)`,
    `(?:,|\\s${AND}(?![\\p{L}])|\\s?&&?)(?:\\s(?:and|but|also|please|to|you)\\b){0,3},?\\s(?=(?:${VERBS}|its|their|can you|could you|would you|please)(?![\\p{L}-]))`,
    `\\s[-–—]\\s(?=${VERBS}\\b)`,
  ].join("|"),
  "giu",
);

/** The clauses of one line. */
export function clausesOf(line: string): readonly MessageClause[] {
  const clauses: MessageClause[] = [];
  let start = /^\s?(?:[-*•]|\d{1,2}[.)])\s/.exec(line)?.[0].length ?? 0;
  let joined: MessageClause["joined"] = "sentence";
  for (const match of line.matchAll(BOUNDARY)) {
    if (match.index < start) continue;
    clauses.push({ start, end: match.index, joined });
    start = match.index + match[0].length;
    const { sentence, after, then } = match.groups ?? {};
    const isThen = after !== undefined || then !== undefined;
    joined = isThen ? "then" : sentence !== undefined ? "sentence" : /\bbut\b/i.test(match[0]) ? "but" : "and";
  }
  return [...clauses, { start, end: line.length, joined }].filter(({ start: from, end }) => end > from);
}

/** Politeness that has the form of a condition. */
export const IF_YOU_CAN = "if (?:you (?:can|could|may|please|like|want|don't mind|have time)|possible|necessary|needed)";
const BEFORE: readonly RegExp[] = [
  /^(?:hey|hi|hello|yo|ok|okay|please|pls|plz|now|so|well|also|and|but|next|first(?! (?:\d|few|couple|lines?\b|one\b|[a-z]+ lines))|firstly|second(?! (?:one|line))|secondly|finally|then|just|kindly|great|thanks|thank you|yes|sure|alright|actually|no(?=,)|hmm|oh|guide|hallpass)(?![\p{L}'-])[,!.:]* (?=\S)/iu,
  new RegExp(
    `^(?:${IF_YOU_CAN},?|(?:can|could|would|will|may|might) (?:you|u|we)|(?:can|could|may|might) i(?= (?:see|read|look|have|get|view|open)\\b)|i(?:'d| would) (?:like|love|want)(?: you)? to|i (?:want|need)(?: you)? to|let(?:'s| us| me)|go ahead and|you (?:can|should|could|must|may|might)(?! not\\b)|(?:it'd|it would) be (?:nice|great|good) (?:if you (?:could|would)|to)|would you mind|mind|help me(?: to)?|try(?: to)?(?! again)|i(?:'m| am) trying to|i(?:'m| am)(?= (?:looking|searching) for\\b)|go(?: and)?(?! (?:test|build|vet|run|mod|version|get|install|fmt|to|into)\\b)|know|find out|figure out|do you know|i wonder|any idea|tell me(?= (?:what|which|where|who|when|how) )|maybe|perhaps|quickly)(?![\\p{L}'-]) (?=\\S)`,
    "iu",
  ),
  /^[¿¡]+/,
];
const AFTER =
  /(?:[,.!?:;]|,? (?:please|pls|plz|(?:and )?(?:thanks|thank you|thx|ty|cheers)|for me|to (?:me|us)|if you can|will you|would you|right now|now|and nothing else))$/i;

const TYPOS: Readonly<Record<string, string>> = { teh: "the", hte: "the", fro: "for", adn: "and", wich: "which", waht: "what", hwo: "how" };

/** Without manners around it, and with the words that are mistyped most put right. */
export function withoutManners(clause: string): string {
  let text = clause
    .replaceAll("’", "'")
    .replaceAll(/\b(what|where|who|how)s\b/gi, "$1's")
    .replaceAll(/\b(?:teh|hte|fro|adn|wich|waht|hwo)\b/gi, (typo) => TYPOS[typo.toLowerCase()] ?? typo)
    .replaceAll(/\s+/g, " ")
    .trim();
  for (let round = 0; round < 12; round += 1) {
    const shorter = BEFORE.reduce((rest, pattern) => rest.replace(pattern, ""), text)
      .replace(AFTER, "")
      .trim();
    if (shorter === text) break;
    text = shorter;
  }
  return text.replace(/^(?:give|show|get|print|make)(?: me| us)? (?:a |the )?(?:full |complete )?list(?:ing)? of /i, "list ");
}

/** Words that may take a request back. */
const DOUBT = "(?!.*\\b(?:not sure|unsure|jok(?:e|ing)|kidding|wait|maybe|perhaps|changed my mind|instead)\\b)";
const REASON = new RegExp(
  `(?:,| -)? ${DOUBT}(?:because|since(?! yesterday)|so (?:that )?(?:i|we|you)|(?:we|i) (?:don't|no longer) (?:need|want|use)|it(?:'s| is) (?:old|unused|obsolete|not needed|no longer)|in order to|i (?:need|want|like|would like|have|am|think)|to (?:see|check|find out|know|understand|learn|figure)|and (?:tell|let|report|explain|summari[sz]e|say|give me))\\b.*$`,
  "i",
);
/** What is said beside the request. */
const ASIDE = new RegExp(
  `(?:,| [-–—]) ${DOUBT}(?=(?:i|we|it|that|this|the|they|there|my|our|just|you|thanks|it's|that's|i'm|i've)\\b)(?!.*\\b(?:no|not|don't|never|but|unless|if|after|before|when)\\b).*$`,
  "i",
);

/** Without the reason that is given at the end. */
export const withoutReason = (text: string): string => text.replace(REASON, "").replace(ASIDE, "");

const NOISE =
  /,? (?:quick|quickly|real quick|whole|entire|complete|really|actually|just|simply|exactly|currently|again|once more|one more time|briefly|in (?:simple|plain|short|a few|one|two)(?: terms| words| english| sentences?)?|in detail)(?= |$)/gi;

/** A clause as it was said, then without its reason, then without words that change nothing. */
export function plainer(text: string): ReadonlySet<string> {
  const short = withoutManners(withoutReason(text));
  return new Set([text, short, short.replaceAll(NOISE, "")]);
}

/** Words that a request to look at something begins with, words of what is looked at, and real words that are near to one of them. */
const FIRST_WORDS = "what which where show read open list find search explain describe".split(" ");
const NOUNS = "project repository readme changelog license files folder dependencies version branch branches commits history tests".split(
  " ",
);
const REAL_WORDS = new Set(
  "last lost least lift shop slow shot shown were fine fond real ready reads road rest opens lists finds file comments texts".split(" "),
);

/** With a first word, or a usual noun, put right that is one letter away, or two in a long one. */
export const respell = (text: string): string =>
  text.replaceAll(/(?<![\p{L}.\ue001-])\p{L}{3,14}(?![\p{L}.-]|'(?!s))/gu, (typed, at: number) => {
    const word = typed.toLowerCase();
    const known = at === 0 ? FIRST_WORDS : NOUNS;
    const isNear = (right: string): boolean =>
      right[0] === word[0] && distance(word, right) <= (right.length < 8 ? 1 : 2) && `${word}s` !== right;
    const correction = known.find(isNear);
    return correction === undefined || REAL_WORDS.has(word) || known.includes(word) ? typed : correction;
  });
