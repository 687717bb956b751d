// Commands read by the tables of forms: those that read, write, move, search by an expression, fetch, and the few with a grammar of
// their own (`sed`, `dd`, `tar`, `[`).

import { show } from "../../../core/path/show.ts";
import { isPlainExpression } from "./expressions.ts";
import { dataFiles, encodedFile, fetchingForms, isPlainAddress } from "./fetching-forms.ts";
import { isDirectory, lastName, readMoving } from "./moving-commands.ts";
import { type ParsedOptions, parseOptions } from "./options.ts";
import type { PathList } from "./path-list.ts";
import { unread } from "./program-arguments.ts";
import { readProcesses } from "./process-commands.ts";
import { programFile } from "./program-file.ts";
import { type Form, readingForms } from "./reading-forms.ts";
import type { Word } from "./words.ts";
import { movingForms, writingForms } from "./writing-forms.ts";

const entry = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** False: no table knows the command. `settled`: has nothing before it in the line changed what is there? */
export function readByForm(name: string, words: readonly Word[], settled: boolean, list: PathList): boolean {
  const reading = entry(readingForms, name === "[" ? "test" : name);
  const writing = entry(writingForms, name);
  const moving = entry(movingForms, name);
  const fetching = entry(fetchingForms, name);
  if (name === "[[") return readCondition(words, list);
  if (readProcesses(name, words, list)) return true;
  if (name === "sed") readSed(words, list);
  else if (name === "dd") readCopy(words, list);
  else if (name === "tar") readArchive(words, list);
  else if (reading !== undefined) readReading(name, reading, words, list);
  else if (writing !== undefined) {
    const parsed = optionsOf(name, writing.options, words, list);
    for (const [at, word] of parsed.words.entries())
      if (name === "tee") list.output(word);
      else list.path(writing.each === "second" ? (at === 0 ? "read" : "replace") : writing.each, word);
  } else if (moving !== undefined) readMoving(name, moving.takesAway, optionsOf(name, moving.options, words, list), settled, list);
  else if (fetching !== undefined) {
    const parsed = optionsOf(name, fetching, words, list);
    if (name === "wget" && !["-O", "--output-document", "--spider"].some((option) => parsed.given.has(option)))
      list.doubt("`wget` writes under a name that the other side gives; `-O` says one");
    for (const word of parsed.words) {
      if (!isPlainAddress(word.text)) list.doubt(`\`${show(word.text)}\` is no plain address`);
      list.push("read", word.text, true);
      list.pieces(word.text, true);
    }
  } else return false;
  return true;
}

/** Parsed, with every value an option takes judged by its role, and a doubt for every option that is not known. */
function optionsOf(name: string, table: string, words: readonly Word[], list: PathList): ParsedOptions {
  const parsed = parseOptions(table, words);
  for (const word of parsed.unknown) unread(name, word, list);
  for (const { role, word } of parsed.values) {
    if (role === "read" || role === "number") list.path("read", word);
    else if (role === "write") list.output(word);
    else if (role === "program") {
      programFile(name, word, list);
      // awk adds the ending itself where it is missing.
      if (name.endsWith("awk")) list.pushExisting(`${word.text}.awk`);
    } else if (role === "enter") list.startAlsoIn(word.text);
    else if (role === "data") readData(word, list);
    else if (role === "encoded") {
      list.push("read", encodedFile(word.text) ?? "", true);
      readData(word, list);
    } else if (role === "certificate") for (const file of certificateFiles(word.text)) list.push("read", file, true);
    else if (role === "expression") readExpression(name, word, list);
  }
  return parsed;
}

/** `file:password`, where the file's own name may hold a colon. */
const certificateFiles = (text: string): readonly string[] => {
  const pieces = text.split(":");
  return pieces.map((_, at) =>
    pieces
      .slice(0, at + 1)
      .join(":")
      .replaceAll(String.raw`\:`, ":"),
  );
};

/** `@file`, `name=@file`, `name=<file`, or text. */
function readData({ text }: Word, list: PathList): void {
  const files = dataFiles(text);
  if (files === null) list.doubt(`\`${show(text)}\` names files, or writes one, in a form that is not read here`);
  for (const file of files ?? []) list.push("read", file, true);
}

function readExpression(name: string, { text }: Word, list: PathList): void {
  if (isPlainExpression(name, text)) return;
  list.doubt(`what is given to \`${show(name)}\` is a program that is not read here`);
  list.pieces(text, true);
}

function readReading(name: string, form: Form, words: readonly Word[], list: PathList): void {
  const parsed = optionsOf(name, form.options, words, list);
  if (name === "diff" && (parsed.given.has("-r") || parsed.given.has("--recursive")) && !parsed.given.has("--no-dereference"))
    list.doubt("`diff -r` follows links, which may lead out; with `--no-dereference` it does not");
  if (name === "diff") readCompared(parsed, list);
  if (name === "strings" && parsed.words.some(({ text }) => text.startsWith("@")))
    list.doubt("`strings @file` takes its words from a file, which is not read here");
  if (form.words === "text") return;
  const given = ["-e", "--regexp", "--expression", "-f", "--file", "--from-file", "--files", "--type-list"].some((option) =>
    parsed.given.has(option),
  );
  // `-e` of some is no expression.
  const own =
    form.words === "expression" &&
    (!given || ((name === "jq" || name === "fd") && !parsed.given.has("-f") && !parsed.given.has("--from-file")));
  for (const [at, word] of parsed.words.entries()) {
    if (own && at === 0) readExpression(name, word, list);
    else {
      list.path("read", word);
      list.pieces(word.text, false);
    }
  }
}

/** Two directories: the files in them, links among them followed. One: the file in it that is called like the other. */
function readCompared({ words, values, given }: ParsedOptions, list: PathList): void {
  const all = [...words, ...values.flatMap(({ role, word }) => (role === "read" ? [word] : []))];
  for (const place of list.places) {
    const directories = all.filter(({ text }) => isDirectory(list.whole(place, text)));
    if (directories.length > 1 && !given.has("--no-dereference"))
      list.doubt("`diff` of directories follows links, which may lead out; with `--no-dereference` it does not");
    for (const { text } of directories)
      for (const other of all)
        if (!directories.includes(other)) list.push("read", `${list.whole(place, text)}/${lastName(other.text)}`, false);
  }
}

/** `-i` may carry a suffix, which is no place; elsewhere an empty word after it. */
function readSed(words: readonly Word[], list: PathList): void {
  const inPlace = words.findIndex(({ text }) => /^-[nErsuz]*i[\w.]*$|^--in-place(?:=[\w.]*)?$/u.test(text));
  const rest = words.filter((_, at) => at !== inPlace && !(inPlace !== -1 && at === inPlace + 1 && words[at]?.text === ""));
  const parsed = optionsOf(
    "sed",
    "-nErsuz -e~ -f! -l# --expression~ --file! --quiet --silent --regexp-extended --null-data --separate --debug --posix --sandbox --version --help",
    rest,
    list,
  );
  const given = ["-e", "-f", "--expression", "--file"].some((option) => parsed.given.has(option));
  for (const [at, word] of parsed.words.entries()) {
    if (at === 0 && !given) readExpression("sed", word, list);
    else list.path(inPlace === -1 ? "read" : "replace", word);
  }
}

function readCopy(words: readonly Word[], list: PathList): void {
  for (const word of words) {
    const [, key, value = ""] = /^(if|of|bs|count|skip|seek|conv|status|iflag|oflag|ibs|obs)=(.*)$/su.exec(word.text) ?? [];
    if (key === undefined) unread("dd", word, list);
    else if (key === "if" || key === "of") {
      if (key === "if") list.path("read", { ...word, text: value });
      else list.output({ ...word, text: value });
    }
  }
}

/** Making and listing. What is taken out of an archive is called as the archive says, so that no text tells what is written. */
function readArchive(words: readonly Word[], list: PathList): void {
  const all = withDashes(words);
  const parsed = optionsOf(
    "tar",
    "-ctvzjJap -f> -C/ --create --list --verbose --gzip --bzip2 --xz --zstd --auto-compress --file> --directory/ --exclude: --exclude-vcs --strip-components# --version --help",
    all,
    list,
  );
  if (parsed.values.some(({ role, word }) => role === "write" && word.text.includes(":")))
    list.doubt("`tar` is given a place on another machine");
  for (const word of parsed.words) {
    list.path("read", word);
    // Elsewhere `@file` is an archive whose members are taken over.
    list.pieces(word.text, false);
  }
}

/** The old way: letters without a dash first, and then what they want, in their order. */
function withDashes([first, ...rest]: readonly Word[]): readonly Word[] {
  if (first === undefined) return [];
  if (!/^[a-zA-Z]+$/u.test(first.text)) return [first, ...rest];
  let taken = 0;
  const options = Array.from(first.text).flatMap((letter) => {
    const option = { ...first, text: `-${letter}` };
    const value = letter === "f" || letter === "C" ? rest[taken++] : undefined;
    return value === undefined ? [option] : [option, value];
  });
  return [...options, ...rest.slice(taken)];
}

/** One test or one comparison of texts; numbers are counted, which may run something. */
function readCondition(words: readonly Word[], list: PathList): boolean {
  if (words.at(-1)?.text !== "]]") return false;
  const inside = words.slice(0, -1).filter(({ text }, at) => !(at === 0 && text === "!"));
  const [first, second] = inside;
  if (inside.length === 2 && second !== undefined && /^-[fdesrwxLhnz]$/u.test(first?.text ?? "")) {
    if (!/^-[nz]$/u.test(first?.text ?? "")) list.path("read", second);
    return true;
  }
  return inside.length === 3 && /^(?:==?|!=|=~)$/u.test(second?.text ?? "");
}
