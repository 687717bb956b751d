// The words of a project's programs, of interpreters and of programs nobody knows: which are paths, which are free text, and which may be a
// program themselves, of which only the paths that stand in it are judged.

import { existsSync } from "node:fs";
import { show } from "../../../core/path/show.ts";
import { commandForms } from "./commands.ts";
import { splitCompilerWords, lookUp, lookUpModule, lookUpNodeFile, requireByName, REQUIRES, valuesOf } from "./looked-up.ts";
import { parseOptions } from "./options.ts";
import { isStandardInput, type PathList } from "./path-list.ts";
import { mayBeCommandLine, type Program, programNamed, RUNNING_WORDS } from "./programs.ts";
import type { Word } from "./words.ts";

/** The value is the directory a program starts in. */
const ENTERS = /^(?:-C|--directory|--prefix|--cwd|--dir|--chdir|-chdir|--project-dir)$/u;
const OUTPUT =
  /^(?:-[oOd]|--?out[\w-]*|--(?:dest|destination|test-reporter-destination|junit-?xml|junitfile|log-?file|report-?file|report-log|basetemp|tsBuildInfoFile|metafile|coverprofile))$/iu;
/** `-DLLVM_DIR=/usr/lib/llvm`: a definition, which no program writes to for its letter. */
const DEFINES = /^-D\w+=/u;
/** Given these a program says something, or finds its program by itself. */
const SPEAKS = /^(?:--?version|-[vVhm]|--?help|version|help|--test|--run(?:=.*)?)$/u;
/** Python modules that are known here; others are passed where the workspace holds them. */
const MODULES = new Set(
  (
    "pytest unittest pip venv virtualenv json.tool mypy black ruff flake8 isort pylint build twine coverage compileall py_compile tox nox poetry uvicorn gunicorn flask django " +
    "mkdocs sphinx pre_commit ensurepip pip_audit bandit pyright alembic nose2 doctest site sysconfig platform"
  ).split(" "),
);

/** A file that is given to a program to be run; or its input. */
export function readProgramFile(name: string, word: Word, list: PathList): void {
  if (isStandardInput(word.text)) list.programOnInput(name);
  list.argument("read", word, true);
}

/** `sh` and its kind: the text of the program, which is read like a command; null where it is a file or cannot be told. */
export function readShell(name: string, words: readonly Word[], list: PathList): string | null {
  const parsed = parseOptions(commandForms.get(name)?.options ?? "", words, true);
  for (const word of parsed.unknown) unread(name, word, list);
  const [first, ...rest] = parsed.words;
  const isText = parsed.given.has("-c");
  const onInput = !isText && (parsed.given.has("-s") || first === undefined);
  for (const word of onInput ? parsed.words : rest) list.argument("read", word, true);
  if (onInput) {
    if (list.input === null && ![...parsed.given].some((option) => SPEAKS.test(option))) list.programOnInput(name);
    return list.input;
  }
  if (isText && first?.literal === true) return first.text;
  if (isText || first?.text.startsWith("+") === true) list.doubt(`\`${show(name)}\` is given a program that is known only when it runs`);
  else if (first !== undefined) readProgramFile(name, first, list);
  return null;
}

export function readProgram(name: string, program: Program, words: readonly Word[], list: PathList): void {
  const { modules = "", bare, fetches, isNode } = program;
  const texts = names(program.texts);
  if (list.input !== null) list.program(list.input);
  const isOption = (text: string): boolean => text.startsWith("-") && !SPEAKS.test(text) && !mayBeCommandLine(text);
  if (bare === true && words.every(({ text }) => isOption(text))) list.programOnInput(name);
  // What it fetches may hold links.
  if (fetches?.test(`${words[0]?.text ?? ""} ${words[1]?.text ?? ""}`) === true) list.changes.push({ kind: "tree" });
  let before = "";
  // Might the next word be the first that is no option's value?
  let leads = true;
  for (const [at, word] of words.entries()) {
    const { text } = word;
    const module = modules !== "" && leads && text.startsWith(modules) ? text.slice(modules.length) : "";
    if (module !== "") return readModule([{ ...word, text: module }, ...words.slice(at + 1)], list);
    if (before !== "" && before === modules) return readModule(words.slice(at), list);
    if (before === "" || !texts.has(before)) readArgument({ name, program, texts, list }, word, before, leads);
    leads &&= text.startsWith("-") || before !== "";
    before = text.startsWith("-") && text === optionOf(text) && !texts.has(before) ? text : "";
  }
  lookUp(program, words, list);
  const loaded = valuesOf(REQUIRES, splitCompilerWords(words));
  requireByName(name, loaded, list);
  if (isNode === true) for (const file of [...loaded, ...words.map(({ text }) => text)]) lookUpNodeFile(file, list);
}

interface ProgramCall {
  readonly name: string;
  readonly program: Program;
  readonly texts: ReadonlySet<string>;
  readonly list: PathList;
}

/** `before`: the option in front of it, which may take it as a value. `leads`: it may be the first that is no option's value. */
function readArgument({ name, program, texts, list }: ProgramCall, word: Word, before: string, leads: boolean): void {
  const { text } = word;
  const option = text.startsWith("-") ? optionOf(text) : "";
  const short = option.startsWith("--") ? "" : (/^-[A-Za-z]/u.exec(option)?.[0] ?? "");
  const attached = option.startsWith("--") ? text.slice(option.length + 1) : text.slice(2);
  const value = /^[\w.:-]+=(.*)$/su.exec(text)?.[1] ?? "";
  if (program.refused?.test(text) === true) list.doubt(`\`${show(`${name} ${text}`)}\` is a form that Hallpass does not read`);
  if (ENTERS.test(before)) list.startAlsoIn(text);
  if ([text, attached, value].some((candidate) => candidate !== "" && isStandardInput(candidate))) list.programOnInput(name);
  if (option === "" && leads && (names(program.runs).has(text) || RUNNING_WORDS.has(text)))
    list.doubt(`\`${show(`${name} ${text}`)}\` runs or sets up something else, which is not read here`);
  if (attached !== "" && (ENTERS.test(option) || ENTERS.test(short))) list.startAlsoIn(attached);
  if (texts.has(option)) return;
  const isFile = list.isElsewhere(text) || list.places.every((place) => existsSync(list.whole(place, text)));
  if (mayBeCommandLine(text) && !isFile) return list.program(text);
  const attaches = !DEFINES.test(text) && attached !== "" && OUTPUT.test(short);
  const writes = OUTPUT.test(before) || (value !== "" && OUTPUT.test(option)) || attaches;
  list.argument(writes ? "replace" : "read", word, true);
  if (program.joined !== undefined) readJoined(name, names(program.joined), text, list);
}

/** `-includeFILE`, `-Wp,-include,FILE`. */
function readJoined(name: string, options: ReadonlySet<string>, text: string, list: PathList): void {
  const pieces = /^-[WX]\w+,/u.test(text) ? text.split(",").slice(1) : [];
  const values = [...options].filter((option) => text.startsWith(option)).map((option) => text.slice(option.length).replace(/^=/u, ""));
  for (const path of [...values, ...pieces.map((piece) => piece.replace(/^[^=]*=/u, ""))]) {
    list.push("read", path, true);
    if (isStandardInput(path)) list.programOnInput(name);
  }
  for (const piece of pieces) readJoined(name, options, piece, list);
}

const optionOf = (text: string): string => /^--?[\w.:-]+/u.exec(text)?.[0] ?? text;
const names = (list: string | undefined): ReadonlySet<string> => new Set(list?.split(" ").filter((name) => name !== "") ?? []);

/** `python -m`: the module and its words. One that is a program too is read by that program's own table. */
function readModule([module, ...rest]: readonly Word[], list: PathList): void {
  const name = module?.text ?? "";
  const file = name.replaceAll(".", "/");
  const own =
    /^[\w.]+$/u.test(name) &&
    list.places.every((place) => [`${file}.py`, file, `src/${file}`].some((path) => existsSync(`${place}/${path}`)));
  lookUpModule(name, list);
  if (!MODULES.has(name) && !own) list.doubt(`the module \`${show(name)}\` is none that is known here`);
  // It writes the second file it is given.
  if (name === "json.tool") for (const word of rest) list.argument("replace", word, true);
  else if (!own) readProgram(name, programNamed(name.replaceAll("_", "-")) ?? { texts: "-k" }, rest, list);
  else for (const word of rest) list.argument("read", word, true);
}

/** Arguments of a command that is not known at all: outside the workspace each must be writable. */
export function readUnknown(words: readonly Word[], list: PathList): void {
  for (const [at, word] of words.entries()) {
    const writes = OUTPUT.test(words[at - 1]?.text ?? "") || (word.text.includes("=") && OUTPUT.test(optionOf(word.text)));
    list.argument(writes ? "replace" : "read", word, true);
  }
}

/** An option no table knows. */
export function unread(name: string, word: Word, list: PathList): void {
  list.doubt(`\`${show(`${name} ${word.text}`)}\` is a form that Hallpass does not read`);
  list.argument("read", word, true);
}
