// What is done with the value of an option, by its role; and the files that values given to curl name.

import { show } from "../../../core/path/show.ts";
import { isPlainExpression } from "./expressions.ts";
import type { OptionRole } from "./options.ts";
import type { PathList } from "./path-list.ts";
import { readProgramFile } from "./program-arguments.ts";
import type { Word } from "./words.ts";

export const readValue: Readonly<Record<OptionRole, (name: string, word: Word, list: PathList) => void>> = {
  text: () => {},
  number: (_, word, list) => list.path("read", word),
  read: (_, word, list) => list.path("read", word),
  write: (_, word, list) => list.output(word),
  enter: (_, { text }, list) => list.startAlsoIn(text),
  program: (name, word, list) => {
    readProgramFile(name, word, list);
    // awk adds the ending itself where it is missing.
    if (name.endsWith("awk")) list.pushExisting(`${word.text}.awk`);
  },
  data: (_, word, list) => readData(word, list),
  encoded: (_, word, list) => {
    list.push("read", encodedFile(word.text) ?? "", true);
    readData(word, list);
  },
  certificate: (_, { text }, list) => {
    for (const file of certificateFiles(text)) list.push("read", file, true);
  },
  expression: readExpression,
};

export function readExpression(name: string, { text }: Word, list: PathList): void {
  if (!isPlainExpression(name, text)) list.program(text);
}

/** `@file`, `name=@file`, `name=<file`, or text. */
function readData({ text }: Word, list: PathList): void {
  const files = dataFiles(text);
  if (files === null) list.doubt(`\`${show(text)}\` names files, or writes one, in a form that is not read here`);
  for (const file of files ?? []) list.push("read", file, true);
}

/** `file:password`, where the file's own name may hold a colon. */
function certificateFiles(text: string): readonly string[] {
  const pieces = text.split(":");
  return pieces.map((_, at) =>
    pieces
      .slice(0, at + 1)
      .join(":")
      .replaceAll(String.raw`\:`, ":"),
  );
}

/**
 * The file of a value that curl encodes: `name@file`, the file after the first `@`; null where it is text. A `=` anywhere makes it text, and
 * anything at all may stand before the `@`.
 */
export function encodedFile(text: string): string | null {
  const at = text.indexOf("@");
  return text.includes("=") || at === -1 ? null : text.slice(at + 1);
}

/** The files that a value given to curl names: `@file`, `name@file`, `a=@one,two;headers=@three`, `a=<file`. Null: it cannot be told. */
export function dataFiles(text: string): readonly string[] | null {
  // `%output{file}` in what is said at the end.
  if (/%output|[=;,][@<]"[^"]*\\/u.test(text)) return null;
  const files = /^[^=@{[\s]*@(.+)$/su.exec(text)?.slice(1) ?? [];
  for (const { index } of text.matchAll(/[=;,"](?=[@<])/gu)) {
    const rest = text.slice(index + 2);
    files.push(rest, ...rest.split(/[;,"]/u).flatMap((piece) => [piece, piece.trim(), piece.replace(/^[^=]*=[@<]?/u, "")]));
  }
  if (/^[@<]/u.test(text)) files.push(...text.slice(1).split(/[;,"]/u));
  return [...new Set(files)];
}
