// A unified diff as lines for a terminal: what goes is red, what comes is green, and everything is shown as it is. Tabs are drawn as
// an arrow, so that a change of white space can be seen.

import { show } from "../core/path/show.ts";
import { cutEnd } from "./columns.ts";
import { type Line, line } from "./lines.ts";

export function diffLines(diff: string, width: number): readonly Line[] {
  const all = diff.replace(/\n$/u, "").split("\n");
  // The names of the files are on the card already; what comes after the first mark is content, whatever it looks like.
  const first = all.findIndex((text) => text.startsWith("@@"));
  return all.slice(Math.max(0, first)).map((text) => {
    const printable = cutEnd(show(text.replaceAll("\t", "⇥ ")), width);
    if (text.startsWith("+")) return line(printable, "green");
    if (text.startsWith("-")) return line(printable, "red");
    return line(printable, text.startsWith("@@") ? "cyan" : "dim");
  });
}
