// A quick look at a list of patterns: could any of them match this path? Promise: where one does, it says yes.
// Held against the plain way, line by line, by `quick-ways.test.ts`.

import { plainPieceOf } from "./glob.ts";

/** All patterns as one text in small letters, and the plain pieces of those that are more than literal names at any depth. */
export interface Screen {
  readonly text: string;
  readonly pieces: readonly string[];
}

/** A line that is not `**` and literal ASCII names after it. Made where it is used: the builtin lists are looked through beforehand. */
const notLiteral = (): RegExp => /^(?!\*\*\/[ -)+->@-~]*$).+$/gm;

export function screenOf(patterns: readonly string[]): Screen {
  if (patterns.length === 0) return NOTHING;
  const text = patterns.map((pattern) => `${pattern}\n`).join("");
  return { text: text.toLowerCase(), pieces: (text.match(notLiteral()) ?? []).map(plainPieceOf) };
}

/** Takes a folded path. Of a literal pattern that matches, the first name is a name of the path; of any other, its piece is in it. */
export function mayMatch({ text, pieces }: Screen, folded: string): boolean {
  if (pieces.some((piece) => folded.includes(piece))) return true;
  return folded.split("/").some((name) => name !== "" && (text.includes(`**/${name}\n`) || text.includes(`**/${name}/`)));
}

const NOTHING: Screen = { text: "", pieces: [] };
