// What stands after a `$` or a back quote in a word. Nothing is made up: only home and the current directory at a word's beginning are
// known, and the text of a plain here-document; everything else is something only running would tell.

import { trimEndOf } from "../file-pattern.ts";

export type Expansion =
  /** `text` stands there, whatever runs; `quoted`: as if it were in quotes. */
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean; readonly length: number }
  /** A number, or nothing. */
  | { readonly kind: "counted"; readonly length: number }
  | { readonly kind: "unknown"; readonly length: number }
  /** It never closes. */
  | { readonly kind: "open" };

export interface QuoteState {
  readonly inQuotes: boolean;
  /** Nothing of the word stands before it. */
  readonly first: boolean;
  /** Home and the current directory stay one word without quotes. */
  readonly plainPlaces: boolean;
}

/** They are a whole name only where the word goes on with a slash or ends: `$PWD-old` is a place beside. */
const KNOWN = /^(?:HOME|PWD|\{HOME\}|\{PWD\})(?=\/|$|[\s;&|<>)])/u;
const KNOWN_IN_QUOTES = /^(?:HOME|PWD|\{HOME\}|\{PWD\})(?=\/|"(?:\/|$|[\s;&|<>)]))/u;
/** A dollar that is one, as at the end of a regular expression. Before a line that is joined with the next it would be none. */
const LONE = /^(?:$|[\s/.,:;|&)=%+\]}])/u;
const LONE_IN_QUOTES = /^(?:$|[^A-Za-z0-9_{([@*\\-]|\\[^\n])/u;

/** `rest` is what follows the sign. */
export function readExpansion(sign: string, rest: string, { inQuotes, first, plainPlaces }: QuoteState): Expansion {
  if (sign === "`") {
    const end = rest.search(/(?<!\\)`/u);
    return end === -1 ? { kind: "open" } : { kind: "unknown", length: end + 1 };
  }
  const known = first && (inQuotes || plainPlaces) ? (inQuotes ? KNOWN_IN_QUOTES : KNOWN).exec(rest)?.[0] : undefined;
  if (known !== undefined) return { kind: "text", text: known.includes("HOME") ? "~" : ".", quoted: false, length: known.length };
  const document = inQuotes ? plainDocument(rest) : null;
  if (document !== null) return { kind: "text", quoted: true, ...document };
  const [number] = /^(?:[?#!$]|\(nproc\))/u.exec(rest) ?? [];
  if (number !== undefined) return { kind: "counted", length: number.length };
  if ((inQuotes ? LONE_IN_QUOTES : LONE).test(rest)) return { kind: "text", text: "$", quoted: false, length: 0 };
  return skipped(rest);
}

function skipped(rest: string): Expansion {
  const open = rest.charAt(0);
  const close = open === "(" ? ")" : open === "{" ? "}" : null;
  if (close === null) return { kind: "unknown", length: /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*-])?/u.exec(rest)?.[0].length ?? 0 };
  let depth = 0;
  for (let at = 0; at < rest.length; at += 1) {
    if (rest.charAt(at) === open) depth += 1;
    else if (rest.charAt(at) === close && --depth === 0) return { kind: "unknown", length: at + 1 };
  }
  return { kind: "open" };
}

// The one substitution whose text is known without running it: `cat` of a quoted here-document, as agents write commit messages.

/** `$(cat <<'EOF' … EOF)` in double quotes, after the `$`: the text of the document and how much was read; null for all else. */
function plainDocument(rest: string): { readonly text: string; readonly length: number } | null {
  if (!rest.startsWith("(cat <<")) return null;
  const match = /^\(cat <<'(\w+)'\n((?:[^\n]*\n)*?)\1\n[ \t\n]*\)/u.exec(rest);
  const text = match?.[2];
  // Older shells look for the closing bracket without knowing of documents: quotes and brackets must not mislead them.
  if (match === null || text === undefined || /['"`\\#$]/u.test(text) || !isBalanced(text)) return null;
  return { text: trimEndOf(text, "\n"), length: match[0].length };
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth += 1;
    else if (char === ")" && --depth < 0) return false;
  }
  return depth === 0;
}
