// The words of a program of the project's tools, of git and of a program nobody knows: which are paths, which are free text, and which
// might be a command line, which is not read.

import { existsSync } from "node:fs";
import { show } from "../../../core/path/show.ts";
import { gitConfigReads, gitForms, gitOptions } from "./git-forms.ts";
import { parseOptions } from "./options.ts";
import { isAddress, type PathList } from "./path-list.ts";
import { isRunningOption, mayBeCommandLine, type Program } from "./programs.ts";
import { programFile } from "./interpreters.ts";
import { ASSIGNMENT, isPowerful } from "./variables.ts";
import type { Word } from "./words.ts";

/** The value is the directory a program starts in. */
const ENTERS = /^(?:-C|--directory|--prefix|--cwd|--dir|--chdir|--project-dir)$/u;
const OUTPUT = /^(?:-o|-O|--output|--out|--outfile|--output-document)$/u;

export function readProgram(name: string, program: Program, words: readonly Word[], list: PathList): void {
  const texts = names(program.texts);
  const runs = names(program.runs);
  const scripts = names(program.scripts);
  const first = words.find(({ text }) => !text.startsWith("-"));
  let before = "";
  for (const word of words) {
    const { text } = word;
    const option = text.startsWith("-") ? (/^--?[\w.:-]+/u.exec(text)?.[0] ?? text) : "";
    const short = /^-[A-Za-z]/u.exec(option)?.[0] ?? "";
    if (before !== "" && texts.has(before)) {
      before = "";
      continue;
    }
    if (ENTERS.test(before)) list.startAlsoIn(text);
    if (text === "-") list.doubt(`\`${show(name)}\` takes something from its input, which is not read here`);
    if (before !== "" && scripts.has(before)) programFile(name, word, list);
    else if (
      runs.has(option) ||
      (word === first && runs.has(text)) ||
      (option !== "" && (isRunningOption(option) || (!option.startsWith("--") && runs.has(short))))
    )
      list.doubt(`\`${show(`${name} ${option === "" ? text : option}`)}\` may run what it is given, which is not read here`);
    else if (ASSIGNMENT.test(text) && isPowerful(text.slice(0, text.indexOf("="))))
      list.doubt(`\`${show(text)}\` changes what \`${show(name)}\` does`);
    else if (
      !texts.has(option) &&
      !isAddress(text) &&
      mayBeCommandLine(text) &&
      !list.places.every((place) => existsSync(list.whole(place, text)))
    )
      list.doubt(`\`${show(text)}\`, given to \`${show(name)}\`, may be a command`);
    const attached = option.startsWith("--") ? text.slice(option.length + 1) : text.slice(2);
    if (attached !== "" && (ENTERS.test(option) || (!option.startsWith("--") && ENTERS.test(short)))) list.startAlsoIn(attached);
    if (attached !== "" && (scripts.has(option) || scripts.has(short))) programFile(name, { ...word, text: attached }, list);
    if (!texts.has(option)) list.argument(OUTPUT.test(before) ? "replace" : "read", word, true);
    before = text === option ? option : "";
  }
}

const names = (list: string | undefined): ReadonlySet<string> => new Set(list?.split(" ") ?? []);

/** Arguments of a command that is not known at all: outside the workspace each must be writable. */
export function readUnknown(words: readonly Word[], list: PathList): void {
  for (const [at, word] of words.entries()) list.argument(OUTPUT.test(words[at - 1]?.text ?? "") ? "replace" : "read", word, true);
}

export function readGit(words: readonly Word[], list: PathList): void {
  const before = parseOptions(gitOptions, words, true);
  for (const word of before.unknown) unread("git", word, list);
  for (const { role, word } of before.values) if (role === "enter") list.startAlsoIn(word.text);
  const [command, ...rest] = before.words;
  if (command === undefined) return;
  if (command.text === "config") return readGitConfig(rest, list);
  const table = Object.hasOwn(gitForms, command.text) ? gitForms[command.text] : undefined;
  if (table === undefined) {
    list.doubt(`\`git ${show(command.text)}\` is a form that is not read here`);
    return readUnknown(rest, list);
  }
  const parsed = parseOptions(table, rest);
  for (const word of parsed.unknown) unread(`git ${command.text}`, word, list);
  for (const { role, word } of parsed.values) {
    if (role === "read" || role === "number") list.path("read", word);
    else if (role === "write") list.path("replace", word);
  }
  const searched = command.text === "grep" && !parsed.given.has("-e") ? parsed.words.slice(1) : parsed.words;
  for (const word of searched) {
    if (word.text.includes("::")) list.doubt(`\`${show(word.text)}\` may be a way to another repository that runs something`);
    if (isAddress(word.text)) continue;
    list.path(command.text === "mv" ? "replace" : command.text === "rm" ? "remove" : "read", word, true);
    list.pieces(word.text, true);
    // `HEAD:path`: what the repository keeps of a file is as shut as the file.
    const kept = word.text.slice(word.text.lastIndexOf(":") + 1);
    if (kept !== word.text && !/^[\w.-]+@[\w.-]+:/u.test(word.text)) list.push("read", kept, true);
  }
}

/** Setting anything is writing the file it is kept in, and what is kept there may run later. */
function readGitConfig(words: readonly Word[], list: PathList): void {
  const [first] = words;
  const options = words.filter(({ text }) => text.startsWith("-"));
  const isScope = (text: string): boolean => /^--(?:global|system|local|worktree)$/u.test(text);
  const looks =
    options.every(({ text }) => gitConfigReads.has(text) || isScope(text)) &&
    (words.some(({ text }) => /^--(?:get|list)|^-l$/u.test(text)) ||
      (first !== undefined && (first.text === "get" || first.text === "list")) ||
      words.filter(({ text }) => !text.startsWith("-")).length === 1);
  if (looks) return;
  list.doubt("`git config` sets what git may run later");
  for (const place of words.some(({ text }) => text === "--global" || text === "--system") ? [".gitconfig"] : [".git/config"])
    list.push("replace", place === ".gitconfig" ? "~/.gitconfig" : place, false);
  readUnknown(words, list);
}

/** An option no table knows. */
export function unread(name: string, word: Word, list: PathList): void {
  list.doubt(`\`${show(`${name} ${word.text}`)}\` is a form that is not read here`);
  list.argument("read", word, true);
}
