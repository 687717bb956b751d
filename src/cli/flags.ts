// Parses a command's arguments: known flags, a suggestion for a misspelled one, and no more positional arguments than the command takes.

import { parseArgs } from "node:util";
import { show } from "../core/path/show.ts";
import { nearNames } from "../tools/near.ts";
import { type CommandName, type CommandRow, commandTable, type FlagRow } from "./command-table.ts";
import { UsageError } from "./host.ts";

type Flags = Readonly<Record<string, FlagRow>>;

/** What was typed, a flag at a time. */
type ValuesOf<F> = {
  readonly [N in keyof F]?: F[N] extends { readonly type: "boolean" }
    ? boolean | undefined
    : F[N] extends { readonly multiple: true }
      ? readonly string[] | undefined
      : string | undefined;
};
type FlagsOf<N extends CommandName> = (typeof commandTable)[N] extends { readonly flags: infer F extends Flags } ? F : Flags;

/** One call of a command: its flags, its positional arguments, and what follows `--`, if that is another program's; null without `--`. */
export interface Call<N extends CommandName> {
  readonly values: ValuesOf<FlagsOf<N>>;
  readonly words: readonly string[];
  readonly rest: readonly string[] | null;
}

/** A command's words as a call of it. Throws a UsageError that says what is wrong and what was nearly meant. */
export function readCall<N extends CommandName>(name: N, all: readonly string[]): Call<N> {
  const row: CommandRow = commandTable[name];
  if (row.raw === true) return { values: {}, words: all, rest: null };
  const end = row.passes === true ? all.indexOf("--") : -1;
  const { values, positionals: words } = readWords(end === -1 ? all : all.slice(0, end), flagsOf(name));
  const [least, most] = row.takes ?? [0, 0];
  if (words.length < least || words.length > most)
    throw new UsageError(
      `usage: hallpass ${name} ${row.usage}${row.choices === undefined ? "" : `, one of ${row.choices.join(", ")}`}`.trimEnd(),
    );
  return { values, words, rest: end === -1 ? null : all.slice(end + 1) };
}

function flagsOf<N extends CommandName>(name: N): FlagsOf<N>;
function flagsOf(name: CommandName): Flags {
  const row: CommandRow = commandTable[name];
  return row.flags ?? {};
}

/** The words as flags and plain words. */
export function readWords<const F extends Flags>(
  words: readonly string[],
  flags: F,
): { readonly values: ValuesOf<F>; readonly positionals: readonly string[] };
export function readWords(words: readonly string[], flags: Flags): { readonly values: object; readonly positionals: readonly string[] } {
  // parseArgs takes no `short` that is undefined.
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, multiple = false, short }]) => [
      name,
      { type, multiple, ...(short === undefined ? {} : { short }) },
    ]),
  );
  try {
    return parseArgs({ args: fillOptionalValues(words, flags), options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : "the flags are not valid";
    const unknown = /^Unknown option '(--?[^']*)'/u.exec(message)?.[1];
    if (unknown === undefined) throw new UsageError(message.split(". ")[0] ?? message);
    const near = nearNames(unknown.replace(/^-+/u, ""), Object.keys(flags)).map((name) => `--${name}`);
    throw new UsageError(`unknown flag ${show(unknown)}${near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`}`);
  }
}

/** Gives a flag with an optional value an empty one, unless the next argument is its value. */
function fillOptionalValues(words: readonly string[], flags: Flags): string[] {
  const [first, next = "", ...more] = words;
  if (first === undefined || first === "--") return [...words];
  const fits = flags[first.slice(2)]?.optional;
  if (fits === undefined) return [first, ...fillOptionalValues(words.slice(1), flags)];
  return fits.test(next)
    ? [`${first}=${next}`, ...fillOptionalValues(more, flags)]
    : [`${first}=`, ...fillOptionalValues(words.slice(1), flags)];
}

/** One of a few words, or a UsageError that lists them and names the nearest. */
export function oneOf<const T extends string>(what: string, word: string, known: readonly T[]): T {
  const found = known.find((one) => one === word);
  if (found !== undefined) return found;
  // Half a name is nearer than any other that only looks alike.
  const near =
    (word.length < 3 ? undefined : known.find((one) => one.startsWith(word) || word.startsWith(one))) ?? nearNames(word, known)[0];
  throw new UsageError(
    `${what} takes one of ${known.join(", ")}; found ${show(word)}${near === undefined ? "" : `, did you mean ${near}?`}`,
  );
}

/** A number in a range, or a UsageError that names both ends; null where nothing was said. */
export function numberIn(what: string, text: string | undefined, least: number, most: number): number | null {
  if (text === undefined) return null;
  const number = /^\d{1,6}$/u.test(text) ? Number(text) : NaN;
  if (!(number >= least && number <= most)) throw new UsageError(`${what} must be a number from ${least} to ${most}; found ${show(text)}`);
  return number;
}
