// One simple command: its name, its words, its redirections → the paths in it. The table of commands says what is done with each;
// where it does not know the command, a path outside the workspace must be writable to be passed.

import { existsSync, statSync } from "node:fs";
import type { Operation } from "../../../core/access.ts";
import { show } from "../../../core/path/show.ts";
import type { Wanted } from "../wanted.ts";
import * as known from "./commands.ts";
import { isPlainExpression } from "./expressions.ts";
import { expandWord } from "./open-words.ts";
import type { Word } from "./words.ts";

export interface Simple {
  readonly words: readonly Word[];
  readonly redirects: readonly { readonly sign: string; readonly target: Word | null }[];
  /** Does it read from a pipe, a file or a here-document? */
  readonly stdin: boolean;
}

export interface Places {
  /** The directories it may start in, absolute. */
  readonly places: readonly string[];
  readonly home: string;
}

export interface SimpleRead {
  readonly accesses: readonly Wanted[];
  readonly doubts: readonly string[];
  /** A command within it, to be read like one. */
  readonly inner: string | null;
  /** Where later commands start, if it moves. */
  readonly entered: readonly string[] | null;
}

const VARIABLE = "the command uses a variable or a substitution, whose value only running it would tell";

export class SimpleReader {
  readonly #command: Simple;
  readonly #places: Places;
  readonly #accesses: Wanted[] = [];
  readonly #doubts: string[] = [];
  #inner: string | null = null;
  #entered: readonly string[] | null = null;

  constructor(command: Simple, places: Places) {
    this.#command = command;
    this.#places = places;
  }

  read(): SimpleRead {
    for (const { sign, target } of this.#command.redirects) this.#redirect(sign, target);
    if (this.#command.words.some((word) => !word.literal)) this.#doubts.push(VARIABLE);
    const words = this.#withoutAssignments(this.#command.words);
    const [name, ...rest] = carried(words);
    if (name !== undefined) this.#named(name, rest);
    return { accesses: this.#accesses, doubts: this.#doubts, inner: this.#inner, entered: this.#entered };
  }

  #redirect(sign: string, target: Word | null): void {
    if (sign.startsWith("<<<")) return;
    if (target === null || !target.literal) return void this.#doubts.push("a redirection leads where only running it would tell");
    if (/^[<>]&$/u.test(sign) && /^(?:\d+|-)$/u.test(target.text)) return;
    this.#add(sign === "<" ? "read" : "replace", target);
  }

  /** `NAME=value` before a command. */
  #withoutAssignments(words: readonly Word[]): readonly Word[] {
    const at = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
    for (const word of at === -1 ? words : words.slice(0, at)) this.#assigned(word);
    return at === -1 ? [] : words.slice(at);
  }

  #assigned({ text }: Word): void {
    const name = text.slice(0, text.indexOf("="));
    if (known.powerful.test(name)) this.#doubts.push(`\`${show(name)}\` is set, which changes what the rest of it means`);
    this.#pieces(text, false);
  }

  #named(first: Word, rest: readonly Word[]): void {
    if (!first.literal || first.open) return void this.#doubts.push("the name of the command cannot be told");
    const name = first.text.slice(first.text.lastIndexOf("/") + 1);
    if (first.text.includes("/") && !known.isSystemProgram(first.text)) this.#add("read", first);
    if (known.opaque.has(name)) return this.#opaque(name, rest);
    if (known.shells.has(name) || known.isInterpreter(name)) return this.#interpreter(name, rest);
    if (known.talkers.has(name)) return;
    if (name === "cd" || name === "pushd") return this.#enter(rest);
    if (name === "export" || name === "declare" || name === "local" || name === "readonly" || name === "typeset") {
      for (const word of rest) if (ASSIGNMENT.test(word.text)) this.#assigned(word);
      return;
    }
    this.#arguments(name, rest);
  }

  #opaque(name: string, rest: readonly Word[]): void {
    this.#doubts.push(`\`${show(name)}\` runs or changes something no text tells`);
    for (const word of rest) this.#word("read", word, true);
  }

  /** A program in another language, given as a word or on its input, is not read; one of the shell's is. */
  #interpreter(name: string, rest: readonly Word[]): void {
    const code = rest.findIndex(({ text }) => /^-[A-Za-z]*[cepr]$|^--(?:eval|print|command|exec)(?:=|$)|^-(?:pe|ne|e)/u.test(text));
    const script = rest.findIndex(({ text }) => !text.startsWith("-") && !text.startsWith("+"));
    if (code !== -1 && (script === -1 || code < script)) {
      const program = rest[code + 1];
      const isPlainShell = known.shells.has(name) && /^-[a-z]*c$/u.test(rest[code]?.text ?? "");
      if (isPlainShell && program?.literal === true) this.#inner = program.text;
      else this.#doubts.push(`\`${show(name)}\` is given a program as text, which is not read here`);
    } else if (script === -1 && !rest.some(({ text }) => /^(?:-[vVh]|--version|--help)$/u.test(text)))
      this.#doubts.push(`\`${show(name)}\` takes its program from its input`);
    for (const word of rest) this.#word("read", word, true);
  }

  #enter(rest: readonly Word[]): void {
    const target = rest.find(({ text }) => !/^-[LPe@]$/u.test(text) && text !== "--");
    if (target?.text === "-" || target?.literal === false) return void this.#doubts.push("it cannot be told which directory is entered");
    const texts = target === undefined ? ["~"] : target.open ? (this.#expanded(target) ?? []) : [target.text];
    for (const text of texts) this.#push("list", text, false);
    this.#entered = this.#places.places.flatMap((place) => texts.map((text) => this.#from(place, text)));
  }

  #arguments(name: string, words: readonly Word[]): void {
    const mayWrite = !known.readers.has(name);
    const rest = known.expressions.has(name) ? this.#withoutExpression(name, words) : words;
    const plain = rest.filter(({ text }) => !text.startsWith("-") || text === "-");
    const write = Object.hasOwn(known.writers, name) ? known.writers[name] : undefined;
    const moves = Object.hasOwn(known.movers, name) ? known.movers[name] : undefined;
    const edits = name === "sed" && words.some(({ text }) => /^(?:-[a-zA-Z]*i|--in-place)/u.test(text));
    if (name === "find" && words.some(({ text }) => /^-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)$/u.test(text)))
      this.#doubts.push("`find` is told to do more than find");
    if (name === "git" && words.some(({ text }) => text === "-c" || /^--(?:exec-path|upload-pack|receive-pack|config-env)/u.test(text)))
      this.#doubts.push("`git` is given settings that may run something");
    if (moves !== undefined) this.#move(moves, rest, plain);
    else
      for (const [at, word] of rest.entries()) {
        const output = mayWrite && /^(?:-o|-O|--output|--out|--outfile|--output-document)$/u.test(rest[at - 1]?.text ?? "");
        this.#word(output ? "replace" : edits ? "replace" : (write ?? "read"), word, mayWrite && write === undefined);
      }
    if (name === "dd") for (const { text } of rest) if (text.startsWith("of=")) this.#push("replace", text.slice(3), false);
  }

  /** `cp a b dir`: what is written is the last, or each of the others in it. */
  #move(takesAway: boolean, rest: readonly Word[], plain: readonly Word[]): void {
    if (rest.some(({ text }) => /^-[a-zA-Z]*t$|^--target-directory/u.test(text)))
      this.#doubts.push("the command names its target by an option");
    const target = plain.at(-1);
    for (const word of rest) {
      if (word === target && plain.length > 1) continue;
      this.#word(takesAway && !word.text.startsWith("-") ? "remove" : "read", word, false);
    }
    if (target === undefined || plain.length < 2) return;
    const sources = plain.slice(0, -1).flatMap((word) => (word.open ? (this.#expanded(word) ?? []) : [word.text]));
    for (const place of this.#places.places) {
      const whole = this.#from(place, trimmed(target.text));
      const into = isDirectory(whole) ? sources.map((source) => `${whole}/${lastName(source)}`) : [whole];
      for (const path of into) this.#push("replace", path, false);
    }
  }

  #withoutExpression(name: string, words: readonly Word[]): readonly Word[] {
    const given = words.some(({ text }) => /^(?:-e|--regexp|--expression|-f|--file|--from-file)(?:=|$)/u.test(text));
    const kept: Word[] = [];
    let passed = given;
    for (const [at, word] of words.entries()) {
      const valueOfE = /^(?:-e|--regexp|--expression)$/u.test(words[at - 1]?.text ?? "");
      if (valueOfE || (!passed && !word.text.startsWith("-") && !isOptionValue(words[at - 1]?.text ?? ""))) {
        passed = true;
        if (!isPlainExpression(name, word.text)) {
          this.#doubts.push(`what is given to \`${show(name)}\` is a program that is not read here`);
          this.#pieces(word.text, true);
        }
      } else kept.push(word);
    }
    return kept;
  }

  /** One argument: itself, what stands after `=` in an option, and every piece of it that leads somewhere by itself. */
  #word(operation: Operation, word: Word, mayWrite: boolean): void {
    if (!word.literal) return;
    const { text } = word;
    if (isAddress(text)) return;
    if (!text.startsWith("-")) this.#add(operation, word, mayWrite);
    else {
      const value = /^--?[\w-]+=(.+)$/su.exec(text)?.[1] ?? /^-[A-Za-z]((?:~?\/|\.).+)$/su.exec(text)?.[1];
      if (value !== undefined && !isAddress(value)) this.#push(operation, value, mayWrite);
    }
    this.#pieces(text, mayWrite);
  }

  /** Paths within a longer word: after `=`, `:`, `@`, a quote, a blank. An absolute one counts where its first name is there at all. */
  #pieces(text: string, mayWrite: boolean): void {
    for (const match of text.matchAll(/(?<=[=:,@\s"'`<>|;({[])(?:~\/|\.{0,2}\/)[^\s"'`<>|;(){},]*/gu)) {
      const [piece] = match;
      if (/:\/\/[^\s]*$/u.test(text.slice(0, match.index) + piece.slice(0, 2)) && piece.startsWith("//")) continue;
      if (!piece.startsWith("/") || existsSync(`/${piece.split("/").find((name) => name !== "") ?? ""}`))
        this.#push("read", piece, mayWrite);
    }
    const attached = /(?:^|=)@([^@\s]+)$/u.exec(text)?.[1];
    if (attached !== undefined) this.#push("read", attached, mayWrite);
  }

  #add(operation: Operation, word: Word, mayWrite = false): void {
    if (!word.open) return this.#push(operation, word.text, mayWrite);
    const texts = this.#expanded(word);
    if (texts === null) return void this.#doubts.push(`\`${show(word.text)}\` stands for more names than are looked at`);
    for (const text of texts) this.#push(operation, text, mayWrite);
  }

  #expanded(word: Word): readonly string[] | null {
    const all: string[] = [];
    for (const place of this.#places.places) {
      const texts = expandWord(word.text, place, this.#places.home);
      if (texts === null) return null;
      all.push(...texts);
    }
    return [...new Set(all)];
  }

  #push(operation: Operation, written: string, mayWrite: boolean): void {
    const path = operation === "read" || operation === "list" || operation === "search" ? written : trimmed(written);
    if (path === "" || path === "-" || known.isIdleDevice(path)) return;
    if (path.startsWith("/") || path.startsWith("~")) this.#accesses.push(wanted(operation, path, null, mayWrite));
    else for (const from of this.#places.places) this.#accesses.push(wanted(operation, path, from, mayWrite));
  }

  #from(place: string, text: string): string {
    if (text.startsWith("/")) return text;
    return text === "~" || text.startsWith("~/") ? this.#places.home + text.slice(1) : `${place}/${text}`;
  }
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/u;
const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) && !/^file:/iu.test(text);
const trimmed = (path: string): string => (path.length > 1 ? path.replace(/\/+$/u, "") || "/" : path);
const lastName = (path: string): string => trimmed(path).slice(trimmed(path).lastIndexOf("/") + 1);
/** Options of grep and its kind that take the next word. */
const isOptionValue = (text: string): boolean =>
  /^-(?:[ABCmgtTfd]|-(?:include|exclude|exclude-dir|glob|type|max-count|context|after-context|before-context))$/u.test(text);

function wanted(operation: Operation, path: string, from: string | null, mayWrite: boolean): Wanted {
  return mayWrite ? { operation, path, from, mayWrite } : { operation, path, from };
}

function isDirectory(path: string): boolean {
  return !path.includes("\0") && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Without `env A=1`, `timeout 5`, `nohup` and the like, as far as they stand there plainly. */
function carried(words: readonly Word[]): readonly Word[] {
  let rest = words;
  for (let first = rest[0]; first?.literal === true && known.carriers.has(first.text); first = rest[0]) {
    const name = first.text;
    rest = rest.slice(1);
    const isHead = ({ text }: Word): boolean => text.startsWith("-") || (name === "env" && ASSIGNMENT.test(text));
    while (rest[0] !== undefined && isHead(rest[0])) {
      // `env -S "…"`, `env -C dir`: what follows is another command line, or starts elsewhere.
      if (/^-(?:S|C|u|n|-)/u.test(rest[0]?.text ?? ""))
        return [{ kind: "word", text: "eval", literal: true, open: false, quoted: false }, ...rest];
      rest = rest.slice(1);
    }
    if (name === "timeout") rest = rest.slice(1);
  }
  return rest;
}
