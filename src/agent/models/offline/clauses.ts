// A message cut into clauses, one request each: at sentence ends, at "then", and at "and" or a comma before another verb. Works on
// masked text, so nothing inside a quotation or a path is cut.

import { MARK } from "./mask.ts";

export interface Clause {
  /** Where it stands in the line. */
  readonly start: number;
  readonly end: number;
  /** Begins a sentence. */
  readonly first: boolean;
  /** Said to come after what stands before it. */
  readonly later: boolean;
}

/** Verbs that may begin a request. */
export const VERBS =
  "(?:re-?read|read|show|open|cat|print|display|view|look|list|ls|tree|find|search|grep|rg|locate|compare|diff|write|create|save|make|put|append|add|replace|change|edit|overwrite|run|execute|tell|give|check|summari[sz]e|explain|describe|count|ask|request|try|retry|what|what's|which|where|see|load|fetch|head|tail|dump|delete|remove|move|rename|spawn|fork|how many|don't|do not|never)";

const BOUNDARY = new RegExp(
  [
    /(?<sentence>(?<=[.!?])\s+|;\s*)(?<then1>(?:then|after that|afterwards|next|finally)\b,?\s*)?/.source,
    /(?<then2>(?:\s*,|\s)\s*(?:and\s+)?(?:then|after that|afterwards|and finally|and next)\b,?\s+)/.source,
    `(?<another>(?:\\s*,|\\s+(?:and|but|plus)\\b|\\s*&&?)(?:\\s*\\b(?:and|but|also|please|to|you)\\b){0,3},?\\s+(?=(?:${VERBS}|its|their|can you|could you|would you|please)\\b)|\\s+[-–—]\\s+(?=${VERBS}\\b))`,
  ].join("|"),
  "gi",
);
const BULLET = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;

/** The clauses of one line. */
export function clausesOf(line: string): readonly Clause[] {
  const clauses: Clause[] = [];
  let start = BULLET.exec(line)?.[0].length ?? 0;
  let later = false;
  let first = true;
  for (const match of line.matchAll(BOUNDARY)) {
    if (match.index < start) continue;
    clauses.push({ start, end: match.index, first, later });
    start = match.index + match[0].length;
    first = match.groups?.["sentence"] !== undefined;
    later = match.groups?.["then1"] !== undefined || match.groups?.["then2"] !== undefined;
  }
  clauses.push({ start, end: line.length, first, later });
  return clauses.filter((clause) => clause.end > clause.start);
}

const MANNERS =
  /^(?:hey|hi|hello|ok|okay|please|pls|now|so|well|also|and|but|next|first(?!\s+(?:\d|few|couple|lines?\b|one\b|[a-z]+\s+lines))|firstly|second(?!\s+(?:one|line))|secondly|finally|then|just|kindly|great|thanks|thank you|yes|sure|alright|actually|no|hmm|oh|guide|hallpass)\b[,!.:]*\s+(?=\S)/i;
const ASKING =
  /^(?:if (?:you (?:can|could|may|please|like|want|don't mind|have time)|possible|necessary|needed),?|(?:can|could|would|will|may|might) (?:you|we)\b|(?:can|could|may|might) i(?= (?:see|read|look|have|get|view|open)\b)|i(?:'d| would) (?:like|love|want)(?: you)? to\b|i (?:want|need)(?: you)? to\b|let(?:'s| us| me)\b|go ahead and\b|you (?:can|should|could|must|may|might)(?! not\b)\b|(?:it'd|it would) be (?:nice|great|good) (?:if you (?:could|would)|to)\b|would you mind\b|mind\b|help me(?: to)?\b|try(?: to)?\b(?! again)|i(?:'m| am) trying to\b|i(?:'m| am)(?= (?:looking|searching) for\b)|go(?: and)?\b|know\b|find out\b|figure out\b|maybe\b|perhaps\b|quickly\b)\s+(?=\S)/i;
const ENDING = /(?:[,.!?:;]|\s(?:please|pls|thanks|thank you|for me|if you can|will you|would you))$/i;

/** Without manners at the beginning and punctuation at the end. */
export function stripped(clause: string): string {
  let text = clause
    .replaceAll("’", "'")
    .replaceAll(/\b(what|where|who|how)s\b/gi, "$1's")
    .replaceAll(/\s+/g, " ")
    .trim();
  for (let round = 0; round < 12; round += 1) {
    const shorter = text.replace(MANNERS, "").replace(ASKING, "").replace(ENDING, "").trim();
    if (shorter === text) break;
    text = shorter;
  }
  return text;
}

/** A single mark and nothing else. */
export const ONE_MARK = new RegExp(`^${MARK}$`);
