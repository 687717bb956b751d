// Commands read by the tables of forms: those that read, write, move, search by an expression, fetch, and the few with a grammar of
// their own (`sed`, `dd`, `tar`, `[`).

import { statSync } from "node:fs";
import { show } from "../../../core/path/show.ts";
import { isPlainExpression } from "./expressions.ts";
import { programFile } from "./interpreters.ts";
import { fetchingForms, isPlainAddress } from "./fetching-forms.ts";
import { type Parsed, parseOptions } from "./options.ts";
import { type PathList, trimmed } from "./path-list.ts";
import { unread } from "./program-arguments.ts";
import { type Form, readingForms } from "./reading-forms.ts";
import type { Word } from "./words.ts";
import { movingForms, writingForms } from "./writing-forms.ts";

const entry = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** False: no table knows the command. */
export function readByForm(name: string, words: readonly Word[], list: PathList): boolean {
  const reading = entry(readingForms, name === "[" ? "test" : name);
  const writing = entry(writingForms, name);
  const moving = entry(movingForms, name);
  const fetching = entry(fetchingForms, name);
  if (name === "[[") return readCondition(words, list);
  if (name === "sed") readSed(words, list);
  else if (name === "dd") readCopy(words, list);
  else if (name === "tar") readArchive(words, list);
  else if (reading !== undefined) readReading(name, reading, words, list);
  else if (writing !== undefined) {
    const parsed = optionsOf(name, writing.options, words, list);
    for (const [at, word] of parsed.words.entries())
      if (name === "tee") list.output(word);
      else list.path(writing.each === "second" ? (at === 0 ? "read" : "replace") : writing.each, word);
  } else if (moving !== undefined) readMoving(name, moving.takesAway, optionsOf(name, moving.options, words, list), list);
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
function optionsOf(name: string, table: string, words: readonly Word[], list: PathList): Parsed {
  const parsed = parseOptions(table, words);
  for (const word of parsed.unknown) unread(name, word, list);
  for (const { role, word } of parsed.values) {
    if (role === "read" || role === "number") list.path("read", word);
    else if (role === "write") list.output(word);
    else if (role === "program") programFile(name, word, list);
    else if (role === "enter") list.startAlsoIn(word.text);
    else if (role === "data") readData(word, list);
    else if (role === "expression") readExpression(name, word, list);
  }
  return parsed;
}

/** `@file`, `name=@file`, `name=<file`, or text. */
function readData({ text }: Word, list: PathList): void {
  for (const match of text.matchAll(/(?:^|[=;,"])[@<]"?([^;,"]*)/gu)) list.push("read", match[1] ?? "", true);
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

/** `cp a b dir`: what is written is the last, or each of the others in it. */
function readMoving(name: string, takesAway: boolean, { words }: Parsed, list: PathList): void {
  const target = words.at(-1);
  const others = words.length > 1 ? words.slice(0, -1) : words;
  for (const word of others) list.path(takesAway ? "remove" : "read", word);
  if (name === "rsync" && words.some(({ text }) => text.includes(":"))) list.doubt("`rsync` is given a place on another machine");
  if (target === undefined || words.length < 2) return;
  for (const place of list.places) {
    const whole = list.whole(place, trimmed(target.text));
    const into = isDirectory(whole) ? others.map(({ text }) => `${whole}/${lastName(text)}`) : [whole];
    for (const path of into) list.push("replace", path, false);
  }
  if (target.quoted && target.text.startsWith("~")) list.path("replace", target);
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
  const [first, ...rest] = words;
  // The old way: letters without a dash, the only one with a value last.
  const old = first !== undefined && /^[a-zA-Z]+$/u.test(first.text);
  const letters = old ? `-${first.text.replaceAll("f", "")}${first.text.includes("f") ? "f" : ""}` : "";
  const all = old ? [{ ...first, text: letters }, ...rest] : words;
  const parsed = optionsOf(
    "tar",
    "-ctvzjJap -f> -C/ --create --list --verbose --gzip --bzip2 --xz --zstd --auto-compress --file> --directory/ --exclude: --exclude-vcs --strip-components# --version --help",
    all,
    list,
  );
  if (parsed.values.some(({ role, word }) => role === "write" && word.text.includes(":")))
    list.doubt("`tar` is given a place on another machine");
  for (const word of parsed.words) list.path("read", word);
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

const lastName = (path: string): string => trimmed(path).slice(trimmed(path).lastIndexOf("/") + 1);

function isDirectory(path: string): boolean {
  return !path.includes("\0") && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
