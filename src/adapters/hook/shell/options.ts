// The options of one command by a table of the forms that are understood. An option that is not in the table is unknown, and an
// unknown option is a doubt: nothing is guessed from how it looks.

import type { Word } from "./words.ts";

/**
 * What is done with a value: `number`, `text` and `expression` open nothing; `program` is a file that is run; `data` is text in which a
 * file may be marked, as curl takes it: `@file`, `name@file`, `file:password`.
 */
export type OptionRole = "number" | "text" | "expression" | "read" | "write" | "enter" | "program" | "data";

/**
 * Blank-separated: `-abc` letters without a value; `-n#` one letter with a value, `--name`, `--name:` the same for whole names, `+name:` for
 * names after one dash (`find -name`), `-#` for `-20`. The sign says the role: `#` number, `:` text, `~` expression, `<` read, `>` write,
 * `/` directory entered, `!` program, `@` data. Several signs: several values.
 */
export type OptionTable = string;

export interface OptionValue {
  readonly role: OptionRole;
  readonly word: Word;
}

export interface ParsedOptions {
  readonly values: readonly OptionValue[];
  /** All that is neither an option nor the value of one, in order. */
  readonly words: readonly Word[];
  /** Of those, what stands behind `--`; null where there is none. */
  readonly dashed: readonly Word[] | null;
  /** Options the table does not know, as written. */
  readonly unknown: readonly Word[];
  /** Names of the options that were given, with their dashes. */
  readonly given: ReadonlySet<string>;
}

const ROLES: Readonly<Record<string, OptionRole>> = {
  "#": "number",
  ":": "text",
  "~": "expression",
  "<": "read",
  ">": "write",
  "/": "enter",
  "!": "program",
  "@": "data",
};
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?[A-Za-z]{0,3}$/u;

/** `stopAtWord`: the first word that is no option ends the options, as for commands that run another one. */
export function parseOptions(table: OptionTable, words: readonly Word[], stopAtWord = false): ParsedOptions {
  const known = knownOptions(table);
  const values: OptionValue[] = [];
  const plain: Word[] = [];
  const unknown: Word[] = [];
  const givenNames = new Set<string>();
  let dashed: readonly Word[] | null = null;
  let at = 0;
  const take = (roles: readonly OptionRole[], attached: Word | null): boolean => {
    for (const [index, role] of roles.entries()) {
      const own = index === 0 ? attached : null;
      const word = own ?? words[at];
      // A number that is none is left for what it may be on another system: a word of its own.
      if (role === "number" && (word === undefined || !NUMBER.test(word.text))) return own === null;
      if (word === undefined) return false;
      if (own === null) at += 1;
      values.push({ role, word });
    }
    return true;
  };
  while (at < words.length) {
    const word = words[at];
    if (word === undefined) break;
    at += 1;
    const { text } = word;
    if (text === "--") {
      dashed = words.slice(at);
      plain.push(...dashed);
      break;
    }
    if (text === "-" || !text.startsWith("-")) {
      if (stopAtWord) {
        plain.push(...words.slice(at - 1));
        break;
      }
      plain.push(word);
    } else if (!readOption(word, known, givenNames, take)) unknown.push(word);
  }
  return { values, words: plain, dashed, unknown, given: givenNames };
}

type TakeOption = (roles: readonly OptionRole[], attached: Word | null) => boolean;

function readOption(word: Word, known: ReadonlyMap<string, readonly OptionRole[]>, givenNames: Set<string>, take: TakeOption): boolean {
  const { text } = word;
  if (known.has("-#") && /^-\d+$/u.test(text)) return true;
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  const longRoles = known.get(name);
  if (longRoles !== undefined && name.length > 2) {
    givenNames.add(name);
    if (equals === -1) return take(longRoles, null);
    // `--color=auto`: a word that chooses, for options that open nothing.
    return longRoles.length === 0 ? true : take(longRoles, wordFrom(word, equals + 1));
  }
  if (text.startsWith("--")) return false;
  for (let letter = 1; letter < text.length; letter += 1) {
    const short = `-${text.charAt(letter)}`;
    const roles = known.get(short);
    if (roles === undefined) return false;
    givenNames.add(short);
    if (roles.length > 0) return take(roles, letter + 1 < text.length ? wordFrom(word, letter + 1) : null);
  }
  return true;
}

const wordFrom = (word: Word, from: number): Word => ({ ...word, text: word.text.slice(from) });

function knownOptions(table: OptionTable): ReadonlyMap<string, readonly OptionRole[]> {
  const known = new Map<string, readonly OptionRole[]>();
  for (const item of table.split(" ")) {
    if (item === "-#") known.set(item, []);
    const entry = /^(--|-|\+)([\w-]+)([#:~<>/!@]*)$/u.exec(item);
    if (entry === null) continue;
    const [, dash = "", name = "", signs = ""] = entry;
    const roles = Array.from(signs, (sign) => ROLES[sign] ?? "read");
    if (dash === "--") known.set(`--${name}`, roles);
    else if (dash === "+") known.set(`-${name}`, roles);
    else for (const letter of name) known.set(`-${letter}`, roles);
  }
  return known;
}
