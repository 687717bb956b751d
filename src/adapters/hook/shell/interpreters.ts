// Shells and interpreters: the forms in which their program is a file. A shell's program given as a word is read like a command;
// any other program text, as a word or on the input, is not read.

import { show } from "../../../core/path/show.ts";
import { type CommandForm, commandForms } from "./commands.ts";
import { parseOptions } from "./options.ts";
import type { PathList } from "./path-list.ts";
import { lookUpNodeFile, requireByName } from "./looked-up.ts";
import { readModule } from "./program-arguments.ts";
import { programFile } from "./program-file.ts";
import type { Word } from "./words.ts";

/** Given alone, these say something and read no program. */
const SPEAKS = /^(?:-[vVh]|--version|--help|--test|--run)$/u;

/** Null: no interpreter of that name. Python and its kind may carry a version. */
export function interpreterForm(name: string): CommandForm | null {
  const plain = /^(?:python|pypy|ruby|perl|php|lua)(?=[\d.]*$)/u.exec(name)?.[0] ?? name;
  const form = commandForms.get(plain === "pypy" ? "python" : plain);
  return form !== undefined && /^(?:shell|node|script)$/u.test(form.role) ? form : null;
}

/** The text of a shell's program that is to be read; null where there is none. */
export function readInterpreter(name: string, { role: kind, options }: CommandForm, words: readonly Word[], list: PathList): string | null {
  const module = /^(?:python|pypy)/u.test(name) ? moduleAt(words) : -1;
  const parsed = parseOptions(options, module === -1 ? words : words.slice(0, module), true);
  for (const { role, word } of parsed.values) {
    // Where python keeps what it compiles.
    if (role === "text" && word.text.startsWith("pycache_prefix")) list.doubt(`\`${show(`${name} -X ${word.text}`)}\` writes elsewhere`);
    if (role === "program") {
      programFile(name, word, list);
      if (kind === "node") lookUpNodeFile(word.text, list);
    } else if (role === "read") list.path("read", word);
    else if (role === "write") list.path("replace", word);
  }
  if (kind === "node") {
    const named = parsed.values.flatMap(({ role, word }) => (role === "program" ? [word.text] : []));
    requireByName(name, named, list);
  }
  const [first, ...rest] = module === -1 ? parsed.words : words.slice(module + 1);
  for (const word of parsed.unknown) {
    list.doubt(`\`${show(`${name} ${word.text}`)}\` is a form that is not read here`);
    list.argument("read", word, true);
  }
  if (kind === "shell" && parsed.given.has("-c")) {
    for (const word of rest) list.argument("read", word, true);
    if (first?.literal === true) return first.text;
    list.doubt(`\`${show(name)}\` is given a program that only running would tell`);
    return null;
  }
  if (module !== -1) {
    readModule(words.slice(module + 1), list);
    return null;
  }
  if (first !== undefined) {
    programFile(name, first, list);
    if (kind === "node") lookUpNodeFile(first.text, list);
  } else if (![...parsed.given].some((option) => SPEAKS.test(option))) list.doubt(`\`${show(name)}\` takes its program from its input`);
  for (const word of rest) list.argument("read", word, true);
  return null;
}

/** Where `-m` stands, if nothing but options stands before it. */
function moduleAt(words: readonly Word[]): number {
  const at = words.findIndex(({ text }) => text === "-m" || !text.startsWith("-") || text === "-");
  return words[at]?.text === "-m" ? at : -1;
}
