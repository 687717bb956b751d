// Reading a command's words: flags that are known, a suggestion for those that nearly are.

import { parseArgs, type ParseArgsConfig } from "node:util";
import { show } from "../core/path/show.ts";
import { nearNames } from "../tools/near.ts";
import { UsageError } from "./host.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** The words as flags and plain words. Throws a UsageError that says what is wrong and what was nearly meant. */
export function readWords<const T extends Options>(words: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : "the flags are not understood";
    const unknown = /^Unknown option '(--?[^']*)'/u.exec(message)?.[1];
    if (unknown === undefined) throw new UsageError(message.split(". ")[0] ?? message);
    const near = nearNames(unknown.replace(/^-+/u, ""), Object.keys(options)).map((name) => `--${name}`);
    throw new UsageError(`there is no flag ${show(unknown)}${near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`}`);
  }
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
