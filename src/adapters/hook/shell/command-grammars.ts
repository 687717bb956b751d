// Commands that a row of the table cannot describe: their words have an order of their own, or some forms do more than the row says.

import { show } from "../../../core/path/show.ts";
import { isDirectory } from "../disk.ts";
import { lastName } from "./moving-commands.ts";
import type { ParsedOptions } from "./options.ts";
import type { PathList } from "./path-list.ts";
import { unread } from "./program-arguments.ts";
import type { Word } from "./words.ts";

/** Commands that are read by no row. A hook that is ended is one that lets go, in most hosts. */
export const grammars: ReadonlyMap<string, (words: readonly Word[], list: PathList) => void> = new Map([
  ["dd", readCopy],
  ["kill", readKill],
]);

interface RewriteResult {
  readonly words: readonly Word[];
  readonly inPlace: boolean;
}

/** Words as their row has them. */
export const rewrites: ReadonlyMap<string, (words: readonly Word[]) => RewriteResult> = new Map([
  ["sed", withoutInPlace],
  ["tar", (words: readonly Word[]) => ({ words: withDashes(words), inPlace: false })],
]);

type Check = (parsed: ParsedOptions, list: PathList, words: readonly Word[]) => void;

/** What else a command does; `words` are all of its words, as they are. */
export const checks: ReadonlyMap<string, Check> = new Map([
  ["diff", checkDiff],
  ["ps", checkStates],
  ["strings", checkStrings],
  ["tar", checkArchive],
  ["wget", checkWget],
]);

function checkStrings({ words }: ParsedOptions, list: PathList): void {
  if (words.some(({ text }) => text.startsWith("@"))) list.doubt("`strings @file` takes its words from a file, which is not read here");
}

/** What is taken out of an archive is called as the archive says, so that no text tells what is written: its row has no such form. */
function checkArchive({ words, values }: ParsedOptions, list: PathList): void {
  // On some systems `@file` is an archive whose members are taken over.
  for (const { text } of words) if (text.startsWith("@")) list.push("read", text.slice(1), false);
  if (values.some(({ role, word }) => role === "write" && word.text.includes(":"))) list.doubt("`tar` is given a place on another machine");
}

function checkWget({ given }: ParsedOptions, list: PathList): void {
  if (!["-O", "--output-document", "--spider"].some((option) => given.has(option)))
    list.doubt("`wget` writes under a name that the other side gives; `-O` says one");
}

/** Two directories: the files in them, links among them followed. One: the file in it that is called like the other. */
function checkDiff({ words, values, given }: ParsedOptions, list: PathList): void {
  const follows = !given.has("--no-dereference");
  if (follows && (given.has("-r") || given.has("--recursive")))
    list.doubt("`diff -r` follows links, which may lead out; with `--no-dereference` it does not");
  const all = [...words, ...values.flatMap(({ role, word }) => (role === "read" ? [word] : []))];
  for (const place of list.places) {
    const directories = all.filter(({ text }) => isDirectory(list.whole(place, text)));
    if (directories.length > 1 && follows)
      list.doubt("`diff` of directories follows links, which may lead out; with `--no-dereference` it does not");
    for (const { text } of directories)
      for (const other of all)
        if (!directories.includes(other)) list.push("read", `${list.whole(place, text)}/${lastName(other.text)}`, false);
  }
}

/** Letters of `ps aux` that take the next word. */
const TAKES = /^[A-Za-z]*[oOkKNpqtTUgC]$/u;

/** `ps e` shows the environment of every process, and so may `-auxe`, which is read as `auxe` where nobody is called `xe`. */
function checkStates(parsed: ParsedOptions, list: PathList, words: readonly Word[]): void {
  const shows =
    words.some(({ text }) => /^-[a-z]*u[a-z]*e/iu.test(text)) ||
    parsed.values.some(({ word }) => /env/iu.test(word.text)) ||
    parsed.words.some(({ text }, at) => (TAKES.test(parsed.words[at - 1]?.text ?? "") ? /env/iu : /[eE]|[^\w,]/u).test(text));
  if (shows) list.doubt("`ps` may show the environment of other processes");
}

const SIGNAL = /^-(?:\d+|(?:SIG)?[A-Z]+\d?)$/u;

/** One signal and then numbers, jobs or `$!`: a group, or all there is, has the hook in it. */
function readKill(words: readonly Word[], list: PathList): void {
  const [first, second] = words;
  let named = words;
  if (/^-[lL]$|^--(?:list|table|version|help)/u.test(first?.text ?? "")) return;
  if (/^(?:-[sn]|--signal)$/u.test(first?.text ?? "") && /^[\w+]+$/u.test(second?.text ?? "")) named = words.slice(2);
  else if (SIGNAL.test(first?.text ?? "")) named = words.slice(1);
  if (named[0]?.text === "--") named = named.slice(1);
  // `$?` and `$#` may be 0, which is the whole group.
  for (const { text, counts } of named)
    if (!(text === "" && /^[!$]$/u.test(counts)) && !/^(?:[1-9]\d*|%[\w+%-]*)$/u.test(text))
      list.doubt(`\`kill\` is given \`${show(text)}\`, which may be more than one process`);
}

function readCopy(words: readonly Word[], list: PathList): void {
  for (const word of words) {
    const [, key, value = ""] = /^(if|of|bs|count|skip|seek|conv|status|iflag|oflag|ibs|obs)=(.*)$/su.exec(word.text) ?? [];
    if (key === undefined) unread("dd", word, list);
    else if (key === "if") list.path("read", { ...word, text: value });
    else if (key === "of") list.output({ ...word, text: value });
  }
}

/** `-i` may carry a suffix, which is no place; elsewhere an empty word after it. */
function withoutInPlace(words: readonly Word[]): RewriteResult {
  const at = words.findIndex(({ text }) => /^-[nErsuz]*i[\w.]*$|^--in-place(?:=[\w.]*)?$/u.test(text));
  if (at === -1) return { words, inPlace: false };
  return { words: [...words.slice(0, at), ...words.slice(words[at + 1]?.text === "" ? at + 2 : at + 1)], inPlace: true };
}

/** The old way of tar: letters without a dash first, and then what they want, in their order. */
function withDashes([first, ...rest]: readonly Word[]): readonly Word[] {
  if (first === undefined) return [];
  if (!/^[a-zA-Z]+$/u.test(first.text)) return [first, ...rest];
  let valueCount = 0;
  const options = Array.from(first.text).flatMap((letter) => {
    const option = { ...first, text: `-${letter}` };
    const value = letter === "f" || letter === "C" ? rest[valueCount++] : undefined;
    return value === undefined ? [option] : [option, value];
  });
  return [...options, ...rest.slice(valueCount)];
}

/** `[[ … ]]`: one test or one comparison of texts; numbers are counted, which may run something. */
export function readCondition(words: readonly Word[], list: PathList): void {
  const inside = words.slice(0, -1).filter(({ text }, at) => !(at === 0 && text === "!"));
  const [first, second] = inside;
  const tests = inside.length === 2 && /^-[fdesrwxLhnz]$/u.test(first?.text ?? "");
  const compares = inside.length === 3 && /^(?:==?|!=|=~)$/u.test(second?.text ?? "");
  if (words.at(-1)?.text !== "]]" || !(tests || compares)) list.doubt("`[[` is given a form that Hallpass does not read");
  else if (tests && second !== undefined && !/^-[nz]$/u.test(first?.text ?? "")) list.path("read", second);
}
