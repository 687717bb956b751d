// What an agent writes as markdown, as lines of a terminal: headings and strong words bold, code in a colour of its own and blocks of it behind a
// bar, lists with dots. A link is its text with its address behind it. What is not understood stays as it is. Everything goes through `show`.

import { show } from "../core/path/show.ts";
import { chop, columns, wrap } from "./columns.ts";
import { type Line, type Span, span } from "./lines.ts";

export function markdownLines(text: string, width: number): readonly Line[] {
  const lines: Line[] = [];
  /** What ends the block of code that we are in; null outside of one. */
  let fence: string | null = null;
  for (const raw of text.split("\n")) {
    const source = raw.replaceAll("\t", "    ").replace(/\r$/u, "");
    const mark: string | null = /^ {0,3}(`{3,}|~{3,})[^`]*$/u.exec(source)?.[1] ?? null;
    if (fence !== null) {
      if (mark !== null && mark.startsWith(fence) && source.trim() === mark) fence = null;
      else lines.push(...chop(show(source), Math.max(4, width - 2)).map((one): Line => [span("│ ", "dim"), span(one, "cyan")]));
    } else if (mark !== null) fence = mark;
    else lines.push(...proseLines(source, width));
  }
  return lines;
}

function proseLines(source: string, width: number): readonly Line[] {
  const heading = /^#{1,6} +(.*?)(?: +#+)?$/u.exec(source)?.[1];
  if (heading !== undefined) return wrapSpans(spansOf(heading, "bold"), width, "", "");
  if (/^ *(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/u.test(source)) return [[span("─".repeat(Math.min(width, 24)), "dim")]];
  const [, indent = "", bullet, number, quote, rest = source] = /^( *)(?:([-*+]) +|(\d{1,9}[.)]) +|(>) ?)(.*)$/u.exec(source) ?? [];
  const head = bullet !== undefined ? "• " : number !== undefined ? `${number} ` : quote !== undefined ? "│ " : "";
  const room = indent.length + columns(head) <= width / 2;
  return room
    ? wrapSpans(spansOf(rest), width, indent + head, indent + (quote === undefined ? " ".repeat(columns(head)) : head))
    : wrapSpans(spansOf(source), width, "", "");
}

const LONGEST = 4_000;

/** Code between backticks, strong words between stars, and links, in one line. */
function spansOf(text: string, style: Span["style"] = "plain"): readonly Span[] {
  // Nobody writes such a line, and looking for pairs in it takes long.
  if (text.length > LONGEST) return [span(show(text), style)];
  const spans: Span[] = [];
  let from = 0;
  for (const match of text.matchAll(/(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(?=\S)(.+?)(?<=\S)\*\*|!?\[([^\]\n]+)\]\(([^)\s]+)\)/gu)) {
    const [whole, , code, strong, named, address] = match;
    spans.push(span(show(text.slice(from, match.index)), style));
    if (code !== undefined) spans.push(span(show(code), "cyan"));
    else if (strong !== undefined) spans.push(...spansOf(strong, "bold"));
    else spans.push(span(show(named === address ? (address ?? "") : `${named ?? ""} (${address ?? ""})`), style));
    from = match.index + whole.length;
  }
  return [...spans, span(show(text.slice(from)), style)].filter((one) => one.text !== "");
}

/** The pieces in lines of at most `width` columns, the first behind `head`, the others behind `below`. */
function wrapSpans(spans: readonly Span[], width: number, head: string, below: string): readonly Line[] {
  const left = spans.map(({ text, style }) => ({ text, style }));
  const broken = wrap(spans.map(({ text }) => text).join(""), Math.max(4, width - columns(head)));
  return broken.map((one, at): Line => {
    const line: Span[] = [span(at === 0 ? head : below, "dim")];
    let rest = one;
    // Spaces at a break belong to no line.
    if (at > 0 && !rest.startsWith(" ")) dropSpaces(left);
    while (rest !== "" && left[0] !== undefined) {
      const next = left[0];
      const piece = next.text.slice(0, rest.length);
      line.push(span(piece, next.style));
      rest = rest.slice(piece.length);
      next.text = next.text.slice(piece.length);
      if (next.text === "") left.shift();
    }
    return line.filter(({ text }) => text !== "");
  });
}

function dropSpaces(left: { text: string }[]): void {
  for (let next = left[0]; next !== undefined; next = left[0]) {
    next.text = next.text.trimStart();
    if (next.text !== "") return;
    left.shift();
  }
}
