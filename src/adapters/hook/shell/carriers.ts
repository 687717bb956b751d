// Commands that run the rest of their words as a command.

import { commandForms } from "./commands.ts";
import { parseOptions } from "./options.ts";
import { ASSIGNMENT } from "./variables.ts";
import type { Word } from "./words.ts";

export interface InnerCommand {
  /** The command that is run; empty where there is none. */
  readonly words: readonly Word[];
  /** `NAME=value` words before it. */
  readonly assigned: readonly Word[];
  /** Options that are not understood: what they do to the rest is not known. */
  readonly unknown: readonly Word[];
  /** Paths that its options name. */
  readonly read: readonly Word[];
  /** May the program be one that is fetched, by a name that says nothing? */
  readonly fetches: boolean;
  /** Is it only looked for, not run (`command -v`)? */
  readonly looksUp: boolean;
}

/** Null where the words are no such command. `name` is without its directory. */
export function carriedBy(name: string, all: readonly Word[]): InnerCommand | null {
  const rest = withoutLead(name, all);
  const two = rest[0]?.literal === true ? commandForms.get(`${name} ${rest[0].text}`) : undefined;
  const inner = two?.role.startsWith("carry") === true;
  const form = inner ? two : commandForms.get(name);
  if (form?.role.startsWith("carry") !== true) return null;
  const looksUp = name === "command" && /^-[vV]$/u.test(rest[0]?.text ?? "");
  if (looksUp) return { words: rest.slice(1), assigned: [], unknown: [], read: [], fetches: false, looksUp };
  const parsed = parseOptions(form.options, inner ? rest.slice(1) : rest, true);
  let words = parsed.words;
  if (name === "env" && words[0]?.text === "-") words = words.slice(1);
  const first = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
  const assigned = form.role === "carry-assigned" ? words.slice(0, first === -1 ? words.length : first) : [];
  words = words.slice(form.role === "carry-second" ? 1 : assigned.length);
  // `npx eslint@9`: the version is none of the name.
  const [program, ...more] = words;
  if (program !== undefined && /^[\w.-]+@[\w.^~-]+$/u.test(program.text))
    words = [{ ...program, text: program.text.slice(0, program.text.indexOf("@")) }, ...more];
  const read = parsed.values.flatMap(({ role, word }) => (role === "read" ? [word] : []));
  return { words, assigned, unknown: parsed.unknown, read, fetches: form.role === "carry-fetched", looksUp };
}

/** The words from the first that is no option on, of those that may have options there; all of them where an option is not known. */
function withoutLead(name: string, words: readonly Word[]): readonly Word[] {
  const form = commandForms.get(name);
  const parsed = form?.role === "lead" ? parseOptions(form.options, words, true) : null;
  return parsed === null || parsed.unknown.length > 0 ? words : parsed.words;
}
