// One simple command: its name, its words, its redirections → what it touches. Each command is read by the table of its forms; what no
// table knows – a command, an option, an expansion – is a doubt, and the paths in it are judged all the same.

import { existsSync } from "node:fs";
import { show } from "../../../core/path/show.ts";
import type { WantedAccess } from "../wanted.ts";
import { readBuiltin } from "./builtins.ts";
import { type InnerCommand, carriedBy } from "./carriers.ts";
import type { ShellChange } from "./changes.ts";
import { readCondition } from "./command-grammars.ts";
import { commandForms, counters, speakers } from "./commands.ts";
import { readGit } from "./git-arguments.ts";
import { type ShellSurroundings, PathList, type SearchVariable } from "./path-list.ts";
import { readProgram, readShell, readUnknown } from "./program-arguments.ts";
import { programNamed } from "./programs.ts";
import { readByForm } from "./read-command.ts";
import { readAssignment, ASSIGNMENT } from "./variables.ts";
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

export interface CommandPlaces extends ShellSurroundings {
  /** The directories it may start in, absolute. */
  readonly places: readonly string[];
  readonly lets?: readonly string[];
  /** Has nothing before it in the line changed what is there? */
  readonly settled?: boolean;
}

export interface SimpleRead {
  readonly accesses: readonly WantedAccess[];
  readonly doubts: readonly string[];
  /** What later commands do not find as it is now. */
  readonly changes: readonly ShellChange[];
  /** Where names are looked up from here on. */
  readonly searched: readonly SearchVariable[];
  /** Is it a program of the project's, whose words are its own business? */
  readonly program: boolean;
  /** A command within it, to be read like one. */
  readonly inner: string | null;
  /** Where later commands start, if it moves. */
  readonly entered: readonly string[] | null;
}

/** Commands run by commands are followed so far. */
const MAX_NESTING = 8;
const VARIABLE = "the command uses a variable or a substitution, whose value is known only when it runs";

export function readSimple(command: Simple, { places, lets = [], settled = true, ...known }: CommandPlaces): SimpleRead {
  const list = new PathList(places, known, command.input);
  for (const { sign, target } of command.redirects) readRedirect(sign, target, list);
  if (command.words.some(({ literal, counts }) => !literal && counts === "")) list.doubt(VARIABLE);
  readListed(command.listed, list);
  const at = command.words.findIndex(({ text }) => !ASSIGNMENT.test(text));
  const words = at === -1 ? [] : command.words.slice(at);
  for (const word of at === -1 ? command.words : command.words.slice(0, at)) readAssignment(word, list);
  const kind = readNamed(words, { list, lets, settled }, 0);
  if (/[*?[{$\\]/u.test(command.remark)) list.doubt("a comment behind the command holds signs that some shells would expand");
  for (const piece of command.remark.split(/["'\s]+/u)) list.push("read", piece, false);
  const { accesses, doubts, changes, searched } = list;
  return { accesses, doubts, changes, searched, ...PLAIN, ...kind };
}

/** What else is known of a command, beside its paths. */
type Kind = Partial<Pick<SimpleRead, "program" | "inner" | "entered">>;
const PLAIN = { program: false, inner: null, entered: null };

interface Surroundings {
  readonly list: PathList;
  readonly lets: readonly string[];
  readonly settled: boolean;
}

function readRedirect(sign: string, target: Word | null, list: PathList): void {
  if (sign === "<<<") {
    if (target?.literal !== true) list.doubt(VARIABLE);
    return;
  }
  if (target === null || !target.literal) return list.doubt("a redirection leads where only running it would tell");
  if (/^[<>]&$/u.test(sign) && /^(?:\d+|-)$/u.test(target.text)) return;
  for (const word of list.expanded(target) ?? []) {
    if (sign === "<") list.path("read", word);
    else list.output(word);
  }
}

function readNamed([first, ...rest]: readonly Word[], surroundings: Surroundings, depth: number): Kind {
  const { list } = surroundings;
  if (first === undefined) return {};
  const bracket = !first.quoted && (first.text === "[" || first.text === "[[");
  if (!first.literal || (first.open && !bracket)) {
    list.doubt("the name of the command cannot be told");
    readUnknown(rest, list);
    return {};
  }
  const name = first.text.slice(first.text.lastIndexOf("/") + 1);
  const isOwnProgram = first.text.includes("/") && !(isSystemProgram(first.text) && list.isOutside(first.text));
  if (isOwnProgram) list.path("read", first);
  if (rest.some((word, at) => word.counts !== "" && !isNumberOf(name, word, rest[at + 1]))) list.doubt(VARIABLE);
  const carried = carriedBy(name, rest);
  if (carried !== null) return readCarried(name, rest, carried, surroundings, depth);
  if (speakers.has(name) && !(name === "printf" && rest[0]?.text.startsWith("-v") === true)) {
    readPrinted(rest, list);
    return {};
  }
  if (name === "[[") {
    readCondition(rest, list);
    return {};
  }
  const words = rest.flatMap((word) => list.expanded(word) ?? []);
  const builtin = readBuiltin(name, words, list);
  if (builtin !== null) return builtin;
  if (commandForms.get(name)?.role === "shell") return { program: true, inner: readShell(name, words, list) };
  const program = programNamed(name);
  if (name === "git") readGit(words, list);
  else if (program !== undefined) readProgram(name, program, words, list);
  else if (!readByForm(name, words, surroundings.settled, list)) {
    // A file of the workspace that is run does what it likes, as said in the documentation; any other name is a doubt, unless the
    // operator lets it pass.
    if (!isOwnProgram && !surroundings.lets.includes(name)) list.doubt(`\`${show(name)}\` is no command whose forms are read here`);
    readUnknown(words, list);
  }
  return { program: isOwnProgram || program !== undefined || name === "git" };
}

function readCarried(name: string, rest: readonly Word[], carried: InnerCommand, surroundings: Surroundings, depth: number): Kind {
  const { list } = surroundings;
  if (carried.looksUp) return {};
  for (const word of carried.assigned) readAssignment(word, list);
  for (const word of carried.read) list.argument("read", word, true);
  const program = carried.words[0]?.text ?? "";
  if (carried.fetches && /[/:]/u.test(program) && !/^\.{0,2}\//u.test(program) && !isInstalled(program, list))
    list.doubt(`\`${show(program)}\` may be a program that is fetched from elsewhere`);
  if (carried.unknown.length === 0 && depth < MAX_NESTING) return readNamed(carried.words, surroundings, depth + 1);
  list.doubt(`\`${show(name)}\` is given options that are not read here`);
  readUnknown(rest, list);
  return {};
}

/** `@scope/name` and `@scope/name@1`, in the packages of a directory it may start in or one above. */
function isInstalled(program: string, list: PathList): boolean {
  const [name] = /^@[\w.-]+\/[\w.-]+(?=@|$)/u.exec(program) ?? [];
  return name !== undefined && list.places.every((place) => isAbove(place, `node_modules/${name}`));
}

/** Paths among the words of a loop, and the directories that its patterns look into. A row of numbers is no path. */
function readListed(words: readonly Word[], list: PathList): void {
  const listedWords = words.filter(({ text }) => !/^\{\d+\.\.\d+(?:\.\.\d+)?\}$/u.test(text));
  readPrinted(listedWords, list);
  for (const word of listedWords) {
    const first = /^\/+[^/]*/u.exec(word.text)?.[0];
    // `/api/users` is no path where there is no `/api`.
    if (!word.open && (first === undefined || existsSync(first))) list.argument("read", word, false);
  }
}

/** What is said opens nothing, but the names that its patterns stand for are told: each directory they are in must be one to look into. */
function readPrinted(words: readonly Word[], list: PathList): void {
  for (const word of words.filter(({ open, literal }) => open && literal))
    for (const { text } of list.expanded(word) ?? []) {
      const slash = text.lastIndexOf("/");
      if (slash !== -1 && /[*?[]/u.test(word.text)) list.push("list", slash === 0 ? "/" : text.slice(0, slash), false);
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

/** A program of the system's own, which may be run by its full name: that reads nothing of anybody's. */
const isSystemProgram = (path: string): boolean =>
  /^\/s?bin\/[\w.+[-]+$|^\/(?:usr|opt|nix\/store|snap)\/(?:[\w.+@-]+\/)+[\w.+[-]+$/u.test(path) && !/\/\.{1,2}\//u.test(path);
