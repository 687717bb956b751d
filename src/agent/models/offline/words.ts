// Words for people: names and contents made fit to be shown. Names are escaped as everywhere; contents keep their lines, and nothing
// in them can end the block they are quoted in.

import { show } from "../../../core/path/show.ts";

/** A name as code. */
export function code(name: string): string {
  const shown = show(name);
  return shown.includes("`") ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

/** A place as it was named. */
export const place = (path: string): string => (path === "." ? "the workspace" : code(path));

/** "a", "a and b", "a, b and c". */
export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;

/** Text with its lines, tabs and backslashes as they are, and everything unusual escaped. */
export function plain(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .split(/([\n\t\\])/)
    .map((piece) => (/^[\n\t\\]$/.test(piece) ? piece : show(piece)))
    .join("");
}

/** A block of text, fenced longer than anything in it. */
export function block(text: string, language = ""): string {
  const shown = plain(text).replace(/\n$/, "");
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${shown}\n${fence}`;
}

/** The first lines of a text, none of them too wide. */
export function firstLines(text: string, most: number): string {
  return text
    .split("\n")
    .slice(0, most)
    .map((line) => clip(line, 200))
    .join("\n");
}

/** At most so many characters, on one line. */
export function clip(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, (space) => (space.includes("\n") ? " " : space));
  return line.length > most ? `${line.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…` : line;
}

/** A person's words, quoted. */
export const quote = (text: string): string => `“${show(clip(text, 200))}”`;
