// A file that is given to a program to be run, or one that stands for an input whose text is not known.

import { show } from "../../../core/path/show.ts";
import { isInput, type PathList } from "./path-list.ts";
import type { Word } from "./words.ts";

/** A file that is run: what it does is its own, but it must be a file, and one that may be read. */
export function programFile(name: string, word: Word, list: PathList): void {
  if (isInput(word.text) || word.text.startsWith("+"))
    list.doubt(`\`${show(name)}\` takes its program from \`${show(word.text)}\`, which is not read here`);
  list.argument("read", word, true);
}
