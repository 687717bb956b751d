// What one simple command touches, as it is found: paths with what is done there, and doubts. Relative paths are taken from every
// directory the command may start in.

import { existsSync } from "node:fs";
import type { Operation } from "../../../core/access.ts";
import { isInside } from "../../../core/path/contain.ts";
import { show } from "../../../core/path/show.ts";
import { isAddress, pathOfAddress, trimEndOf } from "../file-pattern.ts";
import type { WantedAccess } from "../wanted.ts";
import type { ShellChange } from "./changes.ts";
import { isNamed, realOf, statsOf } from "../disk.ts";
import { literalsIn } from "./literals.ts";
import { expandWord } from "./open-words.ts";
import type { Word } from "./words.ts";

/** `NODE_PATH=src`: a directory in which a program looks names up. */
export interface SearchVariable {
  readonly variable: string;
  readonly directory: string;
}

/** What is known before a command is read. */
export interface ShellSurroundings {
  readonly home: string;
  /** Absolute; where there is none everything is outside. */
  readonly workspace?: string;
  /** Where names are looked up, by variables that commands before it set. */
  readonly searched?: readonly SearchVariable[];
}

export class PathList {
  readonly accesses: WantedAccess[] = [];
  readonly doubts: string[] = [];
  /** What it puts where something else was, or nothing: what later commands find there is not what is there now. */
  readonly changes: ShellChange[] = [];
  /** Directories that variables name, in which programs look names up. */
  readonly searched: SearchVariable[];
  readonly home: string;
  /** The text on the command's input, where the line itself holds it. */
  readonly input: string | null;
  #places: readonly string[];
  #isUnsure = false;
  readonly #workspace: string | null;

  constructor(places: readonly string[], { home, workspace, searched = [] }: ShellSurroundings, input: string | null = null) {
    this.#places = places;
    this.input = input;
    this.home = home;
    this.#workspace = workspace ?? null;
    this.searched = [...searched];
  }

  /** Does the workspace not hold it? Of a real path. */
  isOutside(path: string): boolean {
    const workspace = this.#workspace === null ? null : realOf(this.#workspace);
    return workspace === null || !isInside(workspace, path);
  }

  get places(): readonly string[] {
    return this.#places;
  }

  /** Relative paths from here on may start in a directory that an option names, too. */
  startAlsoIn(text: string): void {
    this.push("list", text, false);
    this.#places = [...this.#places, ...this.#places.map((place) => this.whole(place, text))];
  }

  doubt(why: string): void {
    this.doubts.push(why);
  }

  /** One argument of a command that is not understood: itself, what an option carries, and every piece of it that leads somewhere. */
  argument(operation: Operation, word: Word, mayWrite: boolean): void {
    if (!word.literal) return;
    const { text } = word;
    if (this.isElsewhere(text)) return;
    if (isIdleDevice(text)) return;
    if (!text.startsWith("-")) this.path(operation, word, mayWrite);
    else {
      const values = [
        /^--?[\w-]+=(.+)$/su.exec(text)?.[1],
        /^-[A-Za-z]+?((?:~?\/|\.).*)$/su.exec(text)?.[1],
        /^-[A-Za-z](.+)$/su.exec(text)?.[1],
      ];
      for (const value of new Set(values)) if (value !== undefined && !this.isElsewhere(value)) this.push(operation, value, mayWrite);
    }
    this.pieces(text, mayWrite);
  }

  /** A program given as text, or another text that may be one. What it names may be no path at all. */
  program(text: string): void {
    this.#isUnsure = true;
    if (text.length <= 255 && !/^[/~]|[\n\r]/u.test(text)) this.push("read", text, true);
    for (const path of literalsIn(text, (name) => this.#isThere(name))) this.push("read", path, true);
    this.#isUnsure = false;
  }

  /** A program on the command's input. */
  programOnInput(name: string): void {
    if (this.input === null) this.doubt(`\`${show(name)}\` takes its program from its input, which is not in the command`);
    else this.program(this.input);
  }

  /** Is there a file of this name, or a directory or link that it begins with? */
  #isThere(name: string): boolean {
    const [first = ""] = name.split("/", 1);
    if (first === "" || first.length > 255 || first.startsWith("-")) return false;
    return this.#places.some((place) => {
      const stats = statsOf(this.whole(place, first));
      return stats !== undefined && (first === name || !stats.isFile());
    });
  }

  /** A word that is a path. Quoted, a leading `~` is a name like others; what a shell makes of `$HOME` looks the same here. */
  path(operation: Operation, word: Word, mayWrite = false): void {
    this.push(operation, word.text, mayWrite);
    if (word.quoted && word.text.startsWith("~")) this.push(operation, `./${word.text}`, mayWrite);
  }

  /** Paths within a longer word: after `=`, `:`, `@`, a quote, a blank. */
  pieces(text: string, mayWrite: boolean): void {
    for (const path of literalsIn(text, (name) => this.#isThere(name))) this.push("read", path, mayWrite);
    for (const match of text.matchAll(/file:[^\s"'`<>|;(){},]+/giu)) this.push("read", match[0], mayWrite);
  }

  /** The names an unquoted pattern stands for; the word itself where it is none. Null, and a doubt: they cannot be told. */
  expanded(word: Word): readonly Word[] | null {
    if (!word.open || !word.literal) return [word];
    const names = new Set<string>();
    for (const place of this.#places) {
      // Quoted it is a name like others, and `"$HOME"` looks the same here.
      const isLiteralName = word.quoted && word.text.startsWith("~") && existsSync(`${place}/~`);
      const texts = isLiteralName ? null : expandWord(word.text, place, this.home);
      if (texts === null) {
        this.doubt(`\`${show(word.text)}\` stands for names that are not looked at one by one`);
        return null;
      }
      for (const text of texts) names.add(text);
    }
    return Array.from(names, (text) => ({ ...word, text, open: false }));
  }

  /** A file that is read if it is there. */
  pushExisting(path: string): void {
    if (this.#places.some((place) => isNamed(this.whole(place, path)))) this.push("read", path, true);
  }

  /** A path that is written through: what is there stays there. */
  output(word: Word): void {
    if (!isIdleDevice(word.text)) this.path("replace", word);
  }

  push(operation: Operation, text: string, mayWrite: boolean): void {
    const changes = operation !== "read" && operation !== "list" && operation !== "search";
    const path = changes ? withoutEndSlashes(text) : text;
    if (path === "" || path === "-" || (isIdleDevice(path) && !changes)) return;
    if (/[\n\r]/u.test(path)) return this.#text(operation, path, changes, mayWrite);
    const address = pathOfAddress(path);
    if (address === null) this.doubt(`\`${show(path)}\` names no file on this machine`);
    else if (address !== path) this.#addAccess(operation, address, mayWrite);
    this.#addAccess(operation, path, mayWrite);
    // With a slash after it a link is, in some programs, the directory it leads to.
    if (operation === "remove" && path !== text) this.#addAccess("list", `${path}/.`, mayWrite);
  }

  /**
   * What has line breaks is a program or another text, and no path is judged that has one. Its first line may begin like a path; a name that
   * has one is a doubt where it is there, or where something is put there.
   */
  #text(operation: Operation, text: string, changes: boolean, mayWrite: boolean): void {
    const [line = ""] = text.split(/[\n\r]/u, 1);
    if (line.includes("/")) this.push(operation, line, mayWrite);
    const name = /^[^\n\r]*[^/]*/u.exec(text)?.[0] ?? "";
    if (changes || this.#places.some((place) => isNamed(this.whole(place, name))))
      this.doubt(`\`${show(line)}…\` is a name with a line break, which is not read here`);
  }

  #addAccess(operation: Operation, path: string, mayWrite: boolean): void {
    const from = path.startsWith("/") || path.startsWith("~") ? [null] : this.#places;
    const more = { ...(mayWrite ? { mayWrite } : {}), ...(this.#isUnsure ? { isUnsure: true as const } : {}) };
    for (const place of from) this.accesses.push({ operation, path, from: place, ...more });
  }

  /** Is it an address, and no name here? A directory may be called like the beginning of one. */
  isElsewhere(text: string): boolean {
    if (!isAddress(text)) return false;
    const first = text.slice(0, text.indexOf("/"));
    return this.#places.every((place) => !isNamed(`${place}/${first}`));
  }

  /** A path as it is from one of the places. */
  whole(place: string, text: string): string {
    if (text.startsWith("/")) return text;
    return text === "~" || text.startsWith("~/") ? this.home + text.slice(1) : `${place}/${text}`;
  }

  /** The same with every `name/..` taken out of it. */
  plain(place: string, text: string): string {
    return collapseParents(this.whole(place, text));
  }
}

/** The path with every `name/..` taken out of it. */
export function collapseParents(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

export const withoutEndSlashes = (path: string): string => (path.length > 1 ? trimEndOf(path, "/") || "/" : path);

/** Devices that hold nothing of anybody's, to be read or written through; taken away or replaced they are missed by all. */
const isIdleDevice = (path: string): boolean => /^\/dev\/(?:null|zero|stdin|stdout|stderr|full|random|urandom)$/u.test(path);

/** Is it what a program finds on its input, by any name that is not refused as a device? */
export const isStandardInput = (text: string): boolean => text === "-" || /^\/[./]*(?:dev|proc)\/(?!(?:null|stdout|stderr)$)/u.test(text);
