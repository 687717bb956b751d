// kill, pkill and ps: which processes are ended, and what of them is shown. A hook that is ended is one that lets go, in most hosts.

import { show } from "../../../core/path/show.ts";
import { parseOptions } from "./options.ts";
import type { PathList } from "./path-list.ts";
import { unread } from "./program-arguments.ts";
import type { Word } from "./words.ts";

const SIGNAL = /^-(?:\d+|(?:SIG)?[A-Z]+\d?)$/u;
/** Letters of `ps aux` that take the next word. */
const TAKES = /[oOkKNpqtTUgC]$/u;
const PS = "-AaefFHlLTwjxuZ -p: -o: -u: -U: -C: --sort: --no-headers --forest --pid: --ppid:";

/** False: none of these commands. */
export function readProcesses(name: string, words: readonly Word[], list: PathList): boolean {
  if (name === "kill") readKill(words, list);
  else if (name === "pkill") {
    list.doubt("`pkill` ends every process that a pattern fits, the hook's among them");
    for (const word of words) list.argument("read", word, true);
  } else if (name === "ps") readStates(words, list);
  else return false;
  return true;
}

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

/** `ps e` shows the environment of every process. */
function readStates(words: readonly Word[], list: PathList): void {
  const parsed = parseOptions(PS, words);
  for (const word of parsed.unknown) unread("ps", word, list);
  // `-auxe` is read as `auxe` where nobody is called `xe`.
  if (words.some(({ text }) => /^-[a-z]*u[a-z]*e/iu.test(text))) list.doubt("`ps` may show the environment of other processes");
  for (const [at, { text }] of parsed.words.entries()) {
    const before = parsed.words[at - 1]?.text ?? "";
    const value = /^[A-Za-z]+$/u.test(before) && TAKES.test(before);
    if (value ? /env/iu.test(text) : /[eE]|[^\w,]/u.test(text))
      list.doubt(`\`ps ${show(text)}\` may show the environment of other processes`);
  }
  if (parsed.values.some(({ word }) => /env/iu.test(word.text))) list.doubt("`ps` may show the environment of other processes");
}
