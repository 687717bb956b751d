// Makes longer text fit for the screen, line by line: a tool's output, a file's diff, an agent's message. Cards use `show` itself; here
// lines, tabs and backslashes stay as they are, since every source file has them.

import { show } from "../../../src/core/path/show.ts";

/** Lines of a file or an output: every unusual character written out but the ends of lines, tabs and backslashes. */
export function shownText(text: string): string {
  return text
    .split(/(\r\n|\n|\t|\\)/)
    .map((part) => (part === "\n" || part === "\t" || part === "\\" ? part : part === "\r\n" ? "\n" : show(part)))
    .join("");
}

/** An agent's prose: what turns the direction of writing round or moves the cursor is written out; the rest is left to the writer. */
export function shownProse(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, show);
}
