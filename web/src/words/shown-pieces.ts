// Text of an agent, cut into pieces for the screen: plain, an escape that stands for an unusual character, a letter outside ASCII, and
// marks that other places would take for markup, and where it was cut. Joined again the pieces are exactly what `show` gives.

import { splitAtCut, show } from "../../../src/core/path/show.ts";

export interface ShownPiece {
  readonly kind: "plain" | "escape" | "foreign" | "mark" | "cut";
  readonly text: string;
}

const PIECES = /(\\u\{[0-9a-f]{1,6}\}|\\\\)|([^\u0000-\u007f]+)|([[\]()<>!*_`#|~]+)/gu;

/** The pieces of a text; with a width, cut in the middle so that head and tail stay. */
export function shownPieces(text: string, width = Number.POSITIVE_INFINITY): readonly ShownPiece[] {
  const printable = show(text);
  const cut = splitAtCut(printable, width);
  // The mark of the cut is ours: it is no letter to look twice at.
  return cut === null ? piecesOf(printable) : [...piecesOf(cut[0]), { kind: "cut", text: "…" }, ...piecesOf(cut[1])];
}

function piecesOf(printable: string): readonly ShownPiece[] {
  const pieces: ShownPiece[] = [];
  let end = 0;
  for (const match of printable.matchAll(PIECES)) {
    if (match.index > end) pieces.push({ kind: "plain", text: printable.slice(end, match.index) });
    pieces.push({ kind: match[1] === undefined ? (match[2] === undefined ? "mark" : "foreign") : "escape", text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < printable.length) pieces.push({ kind: "plain", text: printable.slice(end) });
  return pieces;
}
