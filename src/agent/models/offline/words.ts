// Words for people: names and contents made fit to be shown. Names are escaped as everywhere; contents keep their lines, and nothing
// in them can end the block they are quoted in.

import { show } from "../../../core/path/show.ts";

/** A name as code. */
export function code(name: string): string {
  const escaped = show(name);
  return escaped.includes("`") ? `\`\` ${escaped} \`\`` : `\`${escaped}\``;
}

/** "a", "a and b", "a, b and c". */
export const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;

export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;

/** A block of text, fenced longer than anything in it. Lines, tabs and backslashes stay, everything unusual is escaped. */
export function block(text: string, language = ""): string {
  const plain = text.replaceAll("\r\n", "\n").replaceAll(/[^\n\t\\]+/g, (piece) => show(piece));
  const content = plain.replace(/\n$/, "");
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${content}\n${fence}`;
}

/** The first lines of a text as a block, none of them too wide. */
export const firstLines = (text: string, most: number, language = ""): string =>
  block(
    text
      .split("\n")
      .slice(0, most)
      .map((line) => clip(line, 200))
      .join("\n"),
    language,
  );

/** At most so many characters, on one line. */
export function clip(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, (space) => (space.includes("\n") ? " " : space));
  return line.length > most ? `${line.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…` : line;
}

/** A person's words, quoted. */
export const quote = (text: string): string => `“${show(clip(text, 200))}”`;
