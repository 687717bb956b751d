// One command by its row of the table: its options, what their values are, and its words by their role.

import { show } from "../../../core/path/show.ts";
import { checks, grammars, rewrites } from "./command-grammars.ts";
import { commandForms } from "./commands.ts";
import { readMoving } from "./moving-commands.ts";
import { isPlainExpression } from "./expressions.ts";
import { type OptionRole, type ParsedOptions, parseOptions } from "./options.ts";
import type { PathList } from "./path-list.ts";
import { readProgramFile, unread } from "./program-arguments.ts";
import type { Word } from "./words.ts";

/** A command whose options are read already. */
interface ReadWords extends ParsedOptions {
  readonly name: string;
  /** Has nothing before it in the line changed what is there? */
  readonly settled: boolean;
  /** Does it write what it reads? */
  readonly inPlace: boolean;
}

const roles: Readonly<Record<string, (command: ReadWords, list: PathList) => void>> = {
  text: () => {},
  read: ({ words }, list) => words.forEach((word) => list.path("read", word)),
  expression: readSearch,
  create: ({ words }, list) => words.forEach((word) => list.path("create", word)),
  replace: ({ words }, list) => words.forEach((word) => list.path("replace", word)),
  remove: ({ words }, list) => words.forEach((word) => list.path("remove", word)),
  output: ({ words }, list) => words.forEach((word) => list.output(word)),
  second: ({ words }, list) => words.forEach((word, at) => list.path(at === 0 ? "read" : "replace", word)),
  copy: (command, list) => readMoving(command.name, false, command, command.settled, list),
  move: (command, list) => readMoving(command.name, true, command, command.settled, list),
  fetch: ({ words }, list) => words.forEach((word) => readAddress(word, list)),
};

/** False: the table does not know the command. `settled`: has nothing before it in the line changed what is there? */
export function readByForm(name: string, all: readonly Word[], settled: boolean, list: PathList): boolean {
  const grammar = grammars.get(name);
  if (grammar !== undefined) {
    grammar(all, list);
    return true;
  }
  const form = commandForms.get(name === "[" ? "test" : name);
  const read = roles[form?.role ?? ""];
  if (form === undefined || read === undefined) return false;
  const { words, inPlace } = rewrites.get(name)?.(all) ?? { words: all, inPlace: false };
  const parsed = parseOptions(form.options, words);
  for (const word of parsed.unknown) unread(name, word, list);
  for (const { role, word } of parsed.values) readValue[role](name, word, list);
  checks.get(name)?.(parsed, list, all);
  read({ ...parsed, name, settled, inPlace }, list);
  return true;
}

/** Options that give the expression, so that every word is a file. */
const GIVES = ["-e", "--regexp", "--expression", "-f", "--file", "--from-file", "--files", "--type-list"];

function readSearch({ name, words, given, inPlace }: ReadWords, list: PathList): void {
  // `-e` of some is no expression.
  const gives = name === "jq" || name === "fd" ? ["-f", "--from-file"] : GIVES;
  const first = gives.some((option) => given.has(option)) ? -1 : 0;
  for (const [at, word] of words.entries()) {
    if (at === first) readExpression(name, word, list);
    else if (inPlace) list.path("replace", word);
    else list.path("read", word);
  }
}

function readAddress({ text }: Word, list: PathList): void {
  if (!isPlainAddress(text)) list.doubt(`\`${show(text)}\` is no plain address`);
  list.push("read", text, true);
  list.pieces(text, true);
}

/** A web address, or a host without one: nothing in it that stands for several, or for a file. */
const isPlainAddress = (text: string): boolean => /^(?:https?:\/\/)?[\w.-]+(?::\d+)?(?:[/?#][^\s{}[\]\\^`]*)?$/iu.test(text);

/** What is done with the value of an option, by its role. */
const readValue: Readonly<Record<OptionRole, (name: string, word: Word, list: PathList) => void>> = {
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
  // Text in which a file is marked: `@file`, `name=@file;headers=@other`, `file:password`.
  data: (_, { text }, list) => {
    if (text.includes("%output")) list.doubt(`\`${show(text)}\` writes a file in a form that is not read here`);
    if (/[@<]|^[^={"\s]*$/u.test(text)) list.program(text);
  },
  expression: readExpression,
};

function readExpression(name: string, { text }: Word, list: PathList): void {
  if (!isPlainExpression(name, text)) list.program(text);
}
