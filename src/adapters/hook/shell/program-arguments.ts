// The words of a program of the project's tools and of a program nobody knows: which are paths, which are free text, and which might be a
// command line, which is not read.

import { existsSync } from "node:fs";
import { show } from "../../../core/path/show.ts";
import { isStandardInput, type PathList } from "./path-list.ts";
import { lookUp, flat, lookUpModule, requireByName, REQUIRES, valuesOf } from "./looked-up.ts";
import { programFile } from "./program-file.ts";
import { isRunningOption, mayBeCommandLine, type Program, programNamed, RUNNING_WORDS } from "./programs.ts";
import { ASSIGNMENT, isPowerful } from "./variables.ts";
import type { Word } from "./words.ts";

/** The value is the directory a program starts in. */
const ENTERS = /^(?:-C|--directory|--prefix|--cwd|--dir|--chdir|-chdir|--project-dir)$/u;
const OUTPUT =
  /^(?:-[oOd]|--?out[\w-]*|--(?:dest|destination|junit-?xml|junitfile|log-?file|report-?file|report-log|basetemp|tsBuildInfoFile|metafile|coverprofile))$/iu;
/** `-DLLVM_DIR=/usr/lib/llvm`: a definition, which no program writes to for its letter. */
const DEFINES = /^-D\w+=/u;
/** Behind these a package manager hands the words on to a script. */
const SCRIPTS = /^(?:test|t|tst|run|run-script|rum|urn|vitest|jest|mocha|playwright|ava|tap)$/u;
/** Given these a program says something and reads nothing. */
const SPEAKS = /^(?:--?version|-[vVh]|--?help|version|help)$/u;
/** Python modules that run no program text they are given and serve nothing; others are passed where the workspace holds them. */
const MODULES = new Set(
  (
    "pytest unittest pip venv virtualenv json.tool mypy black ruff flake8 isort pylint build twine coverage compileall py_compile tox nox poetry uvicorn gunicorn flask django " +
    "mkdocs sphinx pre_commit ensurepip pip_audit bandit pyright alembic nose2 doctest site sysconfig platform"
  ).split(" "),
);

export function readProgram(name: string, program: Program, words: readonly Word[], list: PathList): void {
  const reader = new ProgramReader(name, program, words, list);
  reader.read();
}

class ProgramReader {
  readonly #name: string;
  readonly #program: Program;
  readonly #words: readonly Word[];
  readonly #list: PathList;
  #texts: ReadonlySet<string>;
  readonly #runs: ReadonlySet<string>;
  readonly #scripts: ReadonlySet<string>;

  constructor(name: string, program: Program, words: readonly Word[], list: PathList) {
    this.#name = name;
    this.#program = program;
    this.#words = words;
    this.#list = list;
    this.#texts = names(program.texts);
    this.#runs = names(program.runs);
    this.#scripts = names(program.scripts);
  }

  read(): void {
    const { modules, bare, testTexts = "" } = this.#program;
    if (bare === true && this.#words.every(({ text }) => text.startsWith("-") && !SPEAKS.test(text))) this.#input();
    // What it fetches may hold links.
    const [first, second] = this.#words;
    if (this.#program.fetches?.test(`${first?.text ?? ""} ${second?.text ?? ""}`) === true) this.#list.changes.push({ kind: "tree" });
    let before = "";
    // Might the next word be the first that is no option's value?
    let leads = true;
    for (const [at, word] of this.#words.entries()) {
      const { text } = word;
      const isOption = text.startsWith("-");
      if (before !== "" && names(modules).has(before)) return readModule([word, ...this.#words.slice(at + 1)], this.#list);
      this.#refuse(text);
      if (before === "" || !this.#texts.has(before)) this.#word(word, before, leads);
      // From here on the words are those of a script, and its options the ones of a runner of tests.
      if (text === "--" || (leads && SCRIPTS.test(text))) this.#texts = names(`${this.#program.texts ?? ""} ${testTexts}`);
      leads &&= isOption || before !== "";
      before = isOption && text === optionOf(text) && !(before !== "" && this.#texts.has(before)) ? text : "";
    }
    lookUp(this.#program, this.#words, this.#list);
    requireByName(this.#name, valuesOf(REQUIRES, flat(this.#words)), this.#list);
  }

  #input(): void {
    this.#list.doubt(`\`${show(this.#name)}\` takes something from its input, which is not read here`);
  }

  #refuse(text: string): void {
    if (this.#program.refused?.test(text) === true)
      this.#list.doubt(`\`${show(`${this.#name} ${text}`)}\` is a form that is not read here`);
  }

  #word(word: Word, before: string, leads: boolean): void {
    const { text } = word;
    const list = this.#list;
    const option = text.startsWith("-") ? optionOf(text) : "";
    const short = option.startsWith("--") ? "" : (/^-[A-Za-z]/u.exec(option)?.[0] ?? "");
    const attached = option.startsWith("--") ? text.slice(option.length + 1) : text.slice(2);
    const value = /^--?[\w.:-]+=(.*)$/su.exec(text)?.[1] ?? "";
    if (ENTERS.test(before)) list.startAlsoIn(text);
    if ([text, attached, value].some((one) => one !== "" && isStandardInput(one))) this.#input();
    if (before !== "" && this.#scripts.has(before)) programFile(this.#name, word, list);
    else if (this.#isRun(text, option, short, leads))
      list.doubt(`\`${show(`${this.#name} ${option === "" ? text : option}`)}\` may run what it is given, which is not read here`);
    else if (ASSIGNMENT.test(text) && isPowerful(text.slice(0, text.indexOf("=")).replace(/\+$/u, "")))
      list.doubt(`\`${show(text)}\` changes what \`${show(this.#name)}\` does`);
    else if (!this.#texts.has(option) && this.#mayBeCommand(text))
      list.doubt(`\`${show(text)}\`, given to \`${show(this.#name)}\`, may be a command`);
    if (attached !== "" && (ENTERS.test(option) || ENTERS.test(short))) list.startAlsoIn(attached);
    if (attached !== "" && (this.#scripts.has(option) || this.#scripts.has(short)))
      programFile(this.#name, { ...word, text: attached }, list);
    if (this.#texts.has(option)) return;
    const attaches = !DEFINES.test(text) && attached !== "" && OUTPUT.test(short);
    const writes = OUTPUT.test(before) || (value !== "" && OUTPUT.test(option)) || attaches;
    list.argument(writes ? "replace" : "read", word, true);
    this.#joined(text);
  }

  #isRun(text: string, option: string, short: string, leads: boolean): boolean {
    if (option === "") return leads && (this.#runs.has(text) || RUNNING_WORDS.has(text));
    return this.#runs.has(option) || isRunningOption(option) || (short !== "" && this.#runs.has(short));
  }

  #mayBeCommand(text: string): boolean {
    if (this.#list.isElsewhere(text) || !mayBeCommandLine(text)) return false;
    return !this.#list.places.every((place) => existsSync(this.#list.whole(place, text)));
  }

  /** `-includeFILE`, `-Wp,-include,FILE`. */
  #joined(text: string): void {
    for (const option of names(this.#program.joined)) {
      if (!text.startsWith(option) || text.length === option.length) continue;
      const path = text.slice(option.length).replace(/^=/u, "");
      this.#list.push("read", path, true);
      if (isStandardInput(path)) this.#input();
    }
    if (this.#program.joined !== undefined && /^-[WX]\w+,/u.test(text))
      for (const piece of text.split(",").slice(1)) {
        this.#list.push("read", piece.replace(/^[^=]*=/u, ""), true);
        this.#joined(piece);
        if (isStandardInput(piece)) this.#input();
      }
  }
}

const optionOf = (text: string): string => /^--?[\w.:-]+/u.exec(text)?.[0] ?? text;
const names = (list: string | undefined): ReadonlySet<string> => new Set(list?.split(" ").filter((name) => name !== "") ?? []);

/** `python -m`: the module and its words. One that is a program too is read by that program's own table. */
export function readModule([module, ...rest]: readonly Word[], list: PathList): void {
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
  list.doubt(`\`${show(`${name} ${word.text}`)}\` is a form that is not read here`);
  list.argument("read", word, true);
}
