// Commands of the shell's own that change the shell: where it is, its variables, its options. Only their plain forms are read.

import { show } from "../../../core/path/show.ts";
import { collapseParents, type PathList } from "./path-list.ts";
import { readProgramFile } from "./program-arguments.ts";
import { readAssignment, ASSIGNMENT, isPowerful } from "./variables.ts";
import type { Word } from "./words.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;
const DECLARES = new Set(["export", "declare", "typeset", "local", "readonly"]);
const SETTINGS = new Set(["errexit", "nounset", "xtrace", "verbose", "pipefail"]);

/** Null: no such command. `entered`: where later commands start, if it moves. */
export function readBuiltin(name: string, words: readonly Word[], list: PathList): { readonly entered: readonly string[] | null } | null {
  if (name === "cd" || name === "pushd") return { entered: enter(name, words, list) };
  if (name === "source" || name === ".") readSourced(name, words, list);
  else if (DECLARES.has(name)) readDeclaration(name, words, list);
  else if (name === "unset") readUnset(words, list);
  else if (name === "set") readSet(words, list);
  else return null;
  return { entered: null };
}

/** A shell goes `link/..` by the name and programs go it by the link: later commands may start in either. */
function enter(name: string, words: readonly Word[], list: PathList): readonly string[] | null {
  const targets = words.filter(({ text }) => !/^-[LPe@]+$/u.test(text) && text !== "--");
  const [target] = targets;
  const options = words.slice(0, words.length - targets.length);
  if (
    targets.length > 1 ||
    (name === "pushd" && target === undefined) ||
    /^[-+]/u.test(target?.text ?? "") ||
    target?.literal === false ||
    options.some((word) => targets.includes(word))
  ) {
    list.doubt("it is not known which directory is entered");
    for (const word of targets) list.argument("list", word, false);
    return null;
  }
  const text = target === undefined ? "~" : target.text === "" ? "." : target.text;
  if (target === undefined) list.push("list", "~", false);
  else list.path("list", { ...target, text });
  const entered = list.places.flatMap((place) => {
    const absolute = list.whole(place, text);
    return /(?:^|\/)\.\.(?:\/|$)/u.test(text) ? [absolute, collapseParents(absolute)] : [collapseParents(absolute)];
  });
  for (const place of entered) list.push("list", place, false);
  return [...new Set(entered)];
}

function readSourced(name: string, [file, ...rest]: readonly Word[], list: PathList): void {
  if (file === undefined || file.text.startsWith("-")) list.doubt(`\`${show(name)}\` takes its program from elsewhere`);
  else readProgramFile(name, file, list);
  for (const word of rest) list.argument("read", word, false);
}

/** Other options give a name to a name, or count what they are given, which may run something. */
function readDeclaration(name: string, words: readonly Word[], list: PathList): void {
  for (const word of words) {
    const { text } = word;
    if (ASSIGNMENT.test(text)) readAssignment(word, list);
    else if (!NAME.test(text) && !(name === "export" ? /^-p$/u : /^-[xrgp]+$/u).test(text)) {
      list.doubt(`\`${show(`${name} ${text}`)}\` is a form that Hallpass does not read`);
      list.argument("read", word, false);
    }
  }
}

function readUnset(words: readonly Word[], list: PathList): void {
  for (const { text } of words)
    if (text !== "-v" && (!NAME.test(text) || isPowerful(text))) list.doubt(`without \`${show(text)}\` the rest may mean something else`);
}

function readSet(words: readonly Word[], list: PathList): void {
  const isPlain = words.every(
    ({ text }, at) => /^[-+][euxv]*o?$/u.test(text) || (SETTINGS.has(text) && /^[-+][euxv]*o$/u.test(words[at - 1]?.text ?? "")),
  );
  if (isPlain && words.length > 0 && words.every(({ text }) => text !== "-" && text !== "+")) return;
  list.doubt("`set` changes how the rest is read");
}
