// One simple command: its name, its words, its redirections → what it touches. Each command is read by the table of its forms; what no
// table knows – a command, an option, an expansion – is a doubt, and the paths in it are judged all the same.

import { existsSync } from "node:fs";
import { show } from "../../../core/path/show.ts";
import type { Wanted } from "../wanted.ts";
import { readBuiltin } from "./builtins.ts";
import { carriedBy } from "./carriers.ts";
import type { ShellChange } from "./changes.ts";
import { readCondition } from "./command-grammars.ts";
import { commandForms, counters, speakers } from "./commands.ts";
import { readGit } from "./git-arguments.ts";
import { type Known, PathList, type Searched } from "./path-list.ts";
import { readProgram, readShell, readUnknown } from "./program-arguments.ts";
import { programNamed } from "./programs.ts";
import { readByForm } from "./read-command.ts";
import { assigned, ASSIGNMENT } from "./variables.ts";
import type { Word } from "./words.ts";

export interface Simple {
  readonly words: readonly Word[];
  /** What stands behind `for` or `select`: the name, `in` and the words it goes through. */
  readonly listed: readonly Word[];
  readonly redirects: readonly { readonly sign: string; readonly target: Word | null }[];
  /** The text on its input, where the line itself holds it. */
  readonly input: string | null;
  /** A comment behind it. */
  readonly remark: string;
  /** The operator after it. */
  readonly next: string;
}

export interface CommandPlaces extends Known {
  /** The directories it may start in, absolute. */
  readonly places: readonly string[];
  readonly lets?: readonly string[];
  /** Has nothing before it in the line changed what is there? */
  readonly settled?: boolean;
}

export interface SimpleRead {
  readonly accesses: readonly Wanted[];
  readonly doubts: readonly string[];
  /** What later commands do not find as it is now. */
  readonly changes: readonly ShellChange[];
  /** Where names are looked up from here on. */
  readonly searched: readonly Searched[];
  /** Is it a program of the project's, whose words are its own business? */
  readonly program: boolean;
  /** A command within it, to be read like one. */
  readonly inner: string | null;
  /** Where later commands start, if it moves. */
  readonly entered: readonly string[] | null;
}

/** Commands run by commands are followed so far. */
const CARRIED = 8;
const VARIABLE = "the command uses a variable or a substitution, whose value only running it would tell";

export class SimpleReader {
  readonly #command: Simple;
  readonly #list: PathList;
  readonly #lets: readonly string[];
  readonly #settled: boolean;
  #program = false;
  #inner: string | null = null;
  #entered: readonly string[] | null = null;

  constructor(command: Simple, { places, lets = [], settled = true, ...known }: CommandPlaces) {
    this.#settled = settled;
    this.#command = command;
    this.#lets = lets;
    this.#list = new PathList(places, known, command.input);
  }

  read(): SimpleRead {
    for (const { sign, target } of this.#command.redirects) this.#redirect(sign, target);
    const { words } = this.#command;
    if (words.some(({ literal, counted }) => !literal && !counted)) this.#list.doubt(VARIABLE);
    this.#listed(this.#command.listed);
    this.#named(this.#withoutAssignments(words), 0);
    if (/[*?[{$\\]/u.test(this.#command.remark)) this.#list.doubt("a comment behind the command holds signs that some shells would expand");
    for (const piece of this.#command.remark.split(/["'\s]+/u)) this.#list.push("read", piece, false);
    const { accesses, doubts, changes, searched } = this.#list;
    return { accesses, doubts, changes, searched, program: this.#program, inner: this.#inner, entered: this.#entered };
  }

  #redirect(sign: string, target: Word | null): void {
    if (sign === "<<<") {
      if (target?.literal !== true) this.#list.doubt(VARIABLE);
      return;
    }
    if (target === null || !target.literal) return this.#list.doubt("a redirection leads where only running it would tell");
    if (/^[<>]&$/u.test(sign) && /^(?:\d+|-)$/u.test(target.text)) return;
    for (const word of this.#list.expanded(target) ?? []) {
      if (sign === "<") this.#list.path("read", word);
      else this.#list.output(word);
    }
  }

  /** `NAME=value` before a command. */
  #withoutAssignments(words: readonly Word[]): readonly Word[] {
    const at = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
    for (const word of at === -1 ? words : words.slice(0, at)) assigned(word, this.#list);
    return at === -1 ? [] : words.slice(at);
  }

  #named([first, ...rest]: readonly Word[], depth: number): void {
    if (first === undefined) return;
    const bracket = !first.quoted && (first.text === "[" || first.text === "[[");
    if (!first.literal || (first.open && !bracket)) {
      this.#list.doubt("the name of the command cannot be told");
      return readUnknown(rest, this.#list);
    }
    const name = first.text.slice(first.text.lastIndexOf("/") + 1);
    const own = first.text.includes("/") && !(isSystemProgram(first.text) && this.#list.isOutside(first.text));
    if (own) this.#list.path("read", first);
    if (rest.some((word, at) => word.counted && !isNumberOf(name, word, rest[at + 1]))) this.#list.doubt(VARIABLE);
    if (carriesOn(name, rest)) return this.#carried(name, rest, depth);
    if (speakers.has(name)) return this.#spoken(name, rest);
    if (name === "[[") return readCondition(rest, this.#list);
    const words = rest.flatMap((word) => this.#list.expanded(word) ?? []);
    const builtin = readBuiltin(name, words, this.#list);
    if (builtin !== null) {
      this.#entered = builtin.entered;
      return;
    }
    const isShell = commandForms.get(name)?.role === "shell";
    const program = programNamed(name);
    this.#program = own || isShell || program !== undefined || name === "git";
    if (isShell) this.#inner = readShell(name, words, this.#list);
    else if (name === "git") readGit(words, this.#list);
    else if (program !== undefined) readProgram(name, program, words, this.#list);
    else if (!readByForm(name, words, this.#settled, this.#list)) {
      // A file of the workspace that is run does what it likes, as said in the documentation; any other name is a doubt, unless the
      // operator lets it pass.
      if (!own && !this.#lets.includes(name)) this.#list.doubt(`\`${show(name)}\` is no command whose forms are read here`);
      readUnknown(words, this.#list);
    }
  }

  #carried(name: string, rest: readonly Word[], depth: number): void {
    const carried = carriedBy(name, rest);
    if (carried === null || carried.looksUp) return;
    for (const word of carried.assigned) assigned(word, this.#list);
    for (const word of carried.read) this.#list.argument("read", word, true);
    const program = carried.words[0]?.text ?? "";
    if (carried.fetches && /[/:]/u.test(program) && !/^\.{0,2}\//u.test(program) && !this.#isInstalled(program))
      this.#list.doubt(`\`${show(program)}\` may be a program that is fetched from elsewhere`);
    if (carried.unknown.length > 0 || depth >= CARRIED) {
      this.#list.doubt(`\`${show(name)}\` is given options that are not read here`);
      return readUnknown(rest, this.#list);
    }
    this.#named(carried.words, depth + 1);
  }

  /** `@scope/name` and `@scope/name@1`, in the packages of a directory it may start in or one above. */
  #isInstalled(program: string): boolean {
    const [name] = /^@[\w.-]+\/[\w.-]+(?=@|$)/u.exec(program) ?? [];
    return name !== undefined && this.#list.places.every((place) => isAbove(place, `node_modules/${name}`));
  }

  /** Paths among the words of a loop, and the directories that its patterns look into. A row of numbers is no path. */
  #listed(words: readonly Word[]): void {
    const named = words.filter(({ text }) => !/^\{\d+\.\.\d+(?:\.\.\d+)?\}$/u.test(text));
    this.#told(named);
    for (const word of named) {
      const first = /^\/+[^/]*/u.exec(word.text)?.[0];
      // `/api/users` is no path where there is no `/api`.
      if (!word.open && (first === undefined || existsSync(first))) this.#list.argument("read", word, false);
    }
  }

  /** What is said opens nothing, but the names that its patterns stand for are told. */
  #spoken(name: string, words: readonly Word[]): void {
    if (name === "printf" && words[0]?.text.startsWith("-v") === true) {
      this.#list.doubt("`printf -v` sets a variable, by a name that may run something");
      return readUnknown(words, this.#list);
    }
    this.#told(words);
  }

  /** Names that a pattern stands for are told: each directory they are in must be one to look into. */
  #told(words: readonly Word[]): void {
    for (const word of words.filter(({ open, literal }) => open && literal))
      for (const { text } of this.#list.expanded(word) ?? []) {
        const slash = text.lastIndexOf("/");
        if (slash !== -1 && /[*?[]/u.test(word.text)) this.#list.push("list", slash === 0 ? "/" : text.slice(0, slash), false);
      }
  }
}

function isAbove(place: string, path: string): boolean {
  for (let directory = place; directory !== ""; directory = directory.slice(0, directory.lastIndexOf("/")))
    if (existsSync(`${directory}/${path}`)) return true;
  return false;
}

/** May a number that only running tells stand there: where it is said, or compared? */
function isNumberOf(name: string, { text }: Word, next: Word | undefined): boolean {
  if (name === "test" || name === "[") return text === "" && /^(?:-(?:eq|ne|lt|le|gt|ge)|==?|!=)$/u.test(next?.text ?? "");
  return counters.has(name) || /^(?:-j|--jobs=|--parallel=)$/u.test(text);
}

const carriesOn = (name: string, rest: readonly Word[]): boolean => carriedBy(name, rest) !== null;

/** A program of the system's own, which may be run by its full name: that reads nothing of anybody's. */
const isSystemProgram = (path: string): boolean =>
  /^\/s?bin\/[\w.+[-]+$|^\/(?:usr|opt|nix\/store|snap)\/(?:[\w.+@-]+\/)+[\w.+[-]+$/u.test(path) && !/\/\.{1,2}\//u.test(path);
