// Separates the model's command from the text that a host wraps around it before it starts a shell. The command can then be compared with
// what the hook was told, and the host's own part is not run in the sandbox, where its files do not exist. A model gains nothing by
// imitating it: everything runs confined in any case.

import type { HostName } from "./host-table.ts";
import { behindStart } from "./shell-file.ts";

export interface FramedCommand {
  /** What the model wrote. */
  readonly command: string;
  /** Its input is empty. */
  readonly isInputEmpty: boolean;
  /** The file in which the host looks for the directory that the command ended in. */
  readonly directoryFile: string | null;
}

type FrameReader = (text: string) => FramedCommand | null;

/** What a host's shell was told to run. */
export function framedIn(host: HostName, text: string): FramedCommand {
  return frames[host]?.(text) ?? unframed(text);
}

/** What a host makes of the command that its hook was told of, before its shell has it. */
export function commandAsRun(host: HostName, command: string): string {
  const start = host === "gemini" ? /^\s*(?:\S*\/)?(?:sh|bash|zsh)\s+-c\s+/iu.exec(command) : null;
  const word = start === null ? null : wordAt(command, start[0].length);
  return (word === null || command.slice(word.end).trim() !== "" ? command : word.value).trim();
}

const unframed = (command: string): FramedCommand => ({ command, isInputEmpty: false, directoryFile: null });

/** INVARIANT: no other file is ever written outside the sandbox for a command, whatever its text makes of this. */
const DIRECTORY_FILE = /^\/.*\/claude-[\w-]+-cwd$/u;

/** `… && eval 'COMMAND' < /dev/null && pwd -P >| FILE`. The first place from which all of the rest is that: the command is within the word. */
const claudeCode: FrameReader = (text) => {
  for (const at of placesOf(text, " && eval ")) {
    const word = wordAt(text, at);
    const rest = word === null ? "" : text.slice(word.end);
    const tail = /^ (?:\\?< \/dev\/null )?&& pwd -P >\| /u.exec(rest);
    const file = tail === null ? null : wordAt(rest, tail[0].length);
    if (word !== null && tail !== null && file !== null && file.end === rest.length && DIRECTORY_FILE.test(file.value))
      return { command: word.value, isInputEmpty: tail[0].includes("/dev/null"), directoryFile: file.value };
  }
  return null;
};

/** With its snapshot of the person's shell: `… exec '/bin/bash' -c 'COMMAND'`. Without it the command is all there is. */
const codex: FrameReader = (text) => {
  for (const at of placesOf(text, "\nexec ")) {
    const shell = wordAt(text, at);
    const flag = shell === null ? null : /^ -l?c /u.exec(text.slice(shell.end));
    const word = shell === null || flag === null ? null : wordAt(text, shell.end + flag[0].length);
    if (word !== null && word.end === text.length) return unframed(word.value);
  }
  return null;
};

const GEMINI_HEAD = /^(?:shopt [^\n]*; )?_bgpids_file=[^\n]*\n\(\n {2}trap 'jobs -p > "\$_bgpids_file"' EXIT\n/u;
const GEMINI_TAIL = "\n)\n__code=$?\nexit $__code";

/** Around it stands where it looks for processes that were left behind; the sandbox leaves none. */
const gemini: FrameReader = (text) => {
  const head = GEMINI_HEAD.exec(text);
  return head === null || !text.endsWith(GEMINI_TAIL) ? null : unframed(text.slice(head[0].length, -GEMINI_TAIL.length));
};

/** Behind the line of our own hook. */
const copilot: FrameReader = (text) => {
  const command = behindStart("copilot", text);
  return command === null ? null : unframed(command);
};

const frames: Partial<Readonly<Record<HostName, FrameReader>>> = { "claude-code": claudeCode, codex, gemini, copilot };

/** The host's own words stand first, and hold no such place but the one. */
const MAX_PLACES = 8;

/** Behind each of the first occurrences, in order. */
function placesOf(text: string, mark: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(mark); at !== -1 && places.length < MAX_PLACES; at = text.indexOf(mark, at + 1)) places.push(at + mark.length);
  return places;
}

interface ShellWord {
  readonly value: string;
  /** The place behind it. */
  readonly end: number;
}

/** One word as a shell reads it, quotes taken away; null where there is none, or where it means more than its letters. */
function wordAt(text: string, from: number): ShellWord | null {
  let [value, at] = ["", from];
  while (at < text.length) {
    const sign = text.charAt(at);
    if (/[\s;&|<>()]/u.test(sign)) break;
    if (/[$`*?[\]{}#~!]/u.test(sign) && !(sign === "~" && at > from)) return null;
    if (sign === "'") {
      const close = text.indexOf("'", at + 1);
      if (close === -1) return null;
      value += text.slice(at + 1, close);
      at = close + 1;
    } else if (sign === '"') {
      const inner = quotedAt(text, at + 1);
      if (inner === null) return null;
      value += inner.value;
      at = inner.end;
    } else {
      const letter = sign === "\\" ? text.charAt(at + 1) : sign;
      if (letter === "") return null;
      value += letter;
      at += sign === "\\" ? 2 : 1;
    }
  }
  return at === from ? null : { value, end: at };
}

/** What stands between double quotes, up to and with the second. */
function quotedAt(text: string, from: number): ShellWord | null {
  let [value, at] = ["", from];
  for (; at < text.length && text.charAt(at) !== '"'; at += 1) {
    const sign = text.charAt(at);
    if (sign === "$" || sign === "`") return null;
    const next = text.charAt(at + 1);
    const isEscape = sign === "\\" && ['"', "\\", "$", "`"].includes(next);
    value += isEscape ? next : sign;
    if (isEscape) at += 1;
  }
  return at >= text.length ? null : { value, end: at + 1 };
}

/** The words of a line that is nothing but words; null for any other. */
export function wordsOf(text: string): readonly string[] | null {
  const words: string[] = [];
  for (let at = 0; ;) {
    at += /^\s*/u.exec(text.slice(at))?.[0].length ?? 0;
    if (at >= text.length) return words;
    const word = wordAt(text, at);
    if (word === null) return null;
    words.push(word.value);
    at = word.end;
  }
}
