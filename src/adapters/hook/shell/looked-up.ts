// Names that a program looks up in directories it was given: a header by `-I`, a module by `NODE_PATH` or `PYTHONPATH`. Each is judged in
// every directory it may be found in, with every ending it may have there.

import { show } from "../../../core/path/show.ts";
import type { PathList } from "./path-list.ts";
import type { Program } from "./programs.ts";
import type { Word } from "./words.ts";

/** More pairs of a directory and a name than are looked at. */
const MAX_LOOKUPS = 100;
/** Options of Node's, and of programs that run in it, whose value is a module to load first. */
export const REQUIRES = "-r --require --import --loader --experimental-loader";
const NODE_ENDINGS = ".js .cjs .mjs .json .node .ts /package.json /index.js /index.json /index.node".split(" ");

export function lookUp(program: Program, words: readonly Word[], list: PathList): void {
  const { searched = "", prefixed, lookedUp } = program;
  if (lookedUp === undefined) return;
  const texts = splitCompilerWords(words);
  const directories = [...valuesOf(searched, texts), ...prefixedDirectories(prefixed, texts)];
  const plain = lookedUp.words === true ? texts.filter((text) => !text.startsWith("-")) : [];
  const names = [...valuesOf(lookedUp.options, texts), ...plain].filter((name) => !name.startsWith("/"));
  if (directories.length * names.length > MAX_LOOKUPS)
    return list.doubt("more names are looked up, or in more directories, than are judged one by one");
  for (const directory of new Set(directories))
    for (const name of new Set(names))
      for (const candidate of [name, `${name}${lookedUp.endings ?? ""}`, name.replace(/^:/u, ""), `lib${name}.a`, `lib${name}.so`])
        list.pushExisting(`${directory}/${candidate}`);
}

/** The words as the programs within a compiler get them: `-Wp,-I,dir` is three. */
export const splitCompilerWords = (words: readonly Word[]): readonly string[] =>
  words
    .flatMap(({ text }) => (/^-W[pla],/u.test(text) ? text.split(",").slice(1) : [text]))
    .filter((text) => !/^-X(?:preprocessor|linker|assembler)$/u.test(text));

/** What stands behind each of these options, in the same word or the next. */
export function valuesOf(options: string, texts: readonly string[]): readonly string[] {
  const names = options.split(" ").filter((name) => name !== "");
  return texts.flatMap((text, at) =>
    names.flatMap((name) => {
      if (text === name) return texts[at + 1] ?? [];
      return text.startsWith(name) ? text.slice(name.length).replace(/^=/u, "") : [];
    }),
  );
}

function prefixedDirectories(prefixed: Program["prefixed"], texts: readonly string[]): readonly string[] {
  if (prefixed === undefined) return [];
  const rests = valuesOf(prefixed.rest, texts);
  return valuesOf(prefixed.prefix, texts).flatMap((prefix) => [
    ...rests.flatMap((rest) => [prefix + rest, `${prefix}/${rest.replace(/^(?:=|\$SYSROOT)/u, "")}`]),
    `${prefix}/usr/include`,
    `${prefix}/include`,
  ]);
}

/** A file that Node loads may be called without its ending, or be a directory. */
export function lookUpNodeFile(file: string, list: PathList): void {
  for (const ending of NODE_ENDINGS) list.pushExisting(file + ending);
}

/** A module that Node loads by its name alone: with a NODE_PATH it is looked for in ways that are not followed here. */
export function requireByName(name: string, modules: readonly string[], list: PathList): void {
  const byName = modules.find((module) => module !== "" && !/^(?:\.{0,2}\/|node:)/u.test(module));
  if (byName !== undefined && list.searched.some(({ variable }) => variable === "NODE_PATH"))
    list.doubt(`\`${show(`${name} ${byName}`)}\` is looked up by NODE_PATH`);
}

/** `python -m`: the module's own files, and those of the packages it is in, wherever Python would find them first. */
export function lookUpModule(module: string, list: PathList): void {
  const paths = list.searched.flatMap(({ variable, directory }) => (variable === "PYTHONPATH" ? [directory] : []));
  const names = module.split(".");
  for (const directory of new Set([".", "src", ...paths]))
    for (const [at] of names.entries()) {
      const file = `${directory}/${names.slice(0, at + 1).join("/")}`;
      for (const candidate of [file, `${file}.py`, `${file}/__init__.py`, `${file}/__main__.py`]) list.pushExisting(candidate);
    }
}
