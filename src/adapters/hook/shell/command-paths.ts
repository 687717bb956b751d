// A shell command → the paths it names, each with its operation, and the reasons why more cannot be determined. This is a cautious reading
// of text and not a security boundary: a program that runs may do anything. Whatever is not plain is a doubt, never a pass.

import { existsSync } from "node:fs";
import { show } from "../../../core/path/show.ts";
import type { WantedAccess } from "../wanted.ts";
import { type ShellChange, isUnsettled } from "./changes.ts";
import { type Simple, type SimpleRead, readSimple } from "./simple-command.ts";
import type { ShellSurroundings, SearchVariable } from "./path-list.ts";
import { isPowerful } from "./variables.ts";
import { cutCommand, type ShellToken, type Word } from "./words.ts";

export interface CommandPaths {
  readonly accesses: readonly WantedAccess[];
  readonly doubts: readonly string[];
  /** What it leaves otherwise than it is now. */
  readonly changes: readonly ShellChange[];
}

export interface ShellContext extends ShellSurroundings {
  /** Where the command starts, absolute. */
  readonly base: string;
  /** Further commands that the operator lets pass, by their names; the paths among their words are judged. */
  readonly lets?: readonly string[];
  /** What commands before it in the line changed. */
  readonly changes?: readonly ShellChange[];
}

/** A shell within a shell within a shell is followed so deep. */
const DEPTH = 4;
const KEYWORDS = new Set(["if", "then", "else", "elif", "fi", "while", "until", "do", "done", "!", "{", "}", "time"]);
/** After these alone a directory that is there now is still there. */
const HARMLESS = new Set([
  "cd",
  "pwd",
  "ls",
  "echo",
  "printf",
  "export",
  "set",
  "true",
  "test",
  "[",
  "mkdir",
  "cat",
  "head",
  "tail",
  "grep",
]);
/** These cannot fail. */
const CANNOT_FAIL = new Set(["echo", "true", "pwd"]);
const UNREAD = new Set(["case", "esac", "function", "coproc"]);

export function commandPaths(text: string, surroundings: ShellContext, depth = 0): CommandPaths {
  const cut = cutCommand(text, !/[\s*?[\]\\]/u.test(surroundings.base + surroundings.home));
  if (!cut.ok) return { accesses: [], doubts: [cut.why], changes: [] };
  const { commands, doubts, straight } = simpleCommands(cut.tokens);
  const accesses: WantedAccess[] = [];
  const allDoubts: string[] = [...doubts];
  const reads: SimpleRead[] = [];
  const changes: ShellChange[] = [];
  let places: readonly string[] = [surroundings.base];
  let formerPlaces: string[] = [];
  let isUnchanged = true;
  let searched: readonly SearchVariable[] = surroundings.searched ?? [];
  // Is everything before this, as far as `&&` goes back, sure to have gone well?
  let isCertain = true;
  for (const command of commands) {
    const read = readSimple(command, { ...surroundings, places, settled: isUnchanged, searched });
    // Set for one command it is not set for the next; nobody is the worse for looking there too.
    searched = read.searched;
    reads.push(read);
    accesses.push(...(read.doubts.length === 0 ? read.accesses : read.accesses.map((access) => ({ ...access, isUnsure: true }) as const)));
    allDoubts.push(...read.doubts);
    if (read.inner !== null) {
      if (depth >= DEPTH) allDoubts.push("shells are nested deeper than is read");
      else
        for (const place of places) {
          const earlier = [...(surroundings.changes ?? []), ...changes];
          const inside = commandPaths(read.inner, { ...surroundings, base: place, changes: earlier, searched }, depth + 1);
          changes.push(...inside.changes);
          accesses.push(...inside.accesses);
          allDoubts.push(...inside.doubts);
        }
    }
    if (isChanged(read, [...(surroundings.changes ?? []), ...changes], surroundings.home)) allDoubts.push(CHANGED);
    changes.push(...read.changes);
    // Where it is not plain which commands run after a `cd`, relative paths are judged from every place they may start from. One that
    // may fail holds as far as `&&` goes: after that the commands may still be where they were.
    if (read.entered !== null) {
      isCertain &&= isUnchanged && isPlain(command) && read.entered.every((place) => existsSync(`${place}/.`));
      if (!isCertain) formerPlaces = [...formerPlaces, ...places];
      places = straight ? read.entered : [...new Set([...places, ...read.entered])];
    }
    if (command.next !== "&&" && formerPlaces.length > 0) places = [...new Set([...formerPlaces.splice(0), ...places])];
    const name = command.words[0]?.text ?? "";
    isCertain = command.next !== "&&" || (isCertain && isPlain(command) && (read.entered !== null || CANNOT_FAIL.has(name)));
    isUnchanged &&= HARMLESS.has(name);
    if (places.length > 16)
      return { accesses, doubts: [...allDoubts, "the command changes its directory too often to be followed"], changes };
  }
  // In a loop, a pipe or the background, what stands later in the line may have run before.
  if (!straight && changes.length > 0 && reads.some((read) => isChanged(read, changesOfOthers(changes, read), surroundings.home)))
    allDoubts.push(CHANGED);
  return { accesses, doubts: [...new Set(allDoubts)], changes };
}

const CHANGED = "an earlier part of the command changes what is there, so it is not known what a later part opens";

const changesOfOthers = (changes: readonly ShellChange[], { changes: own }: SimpleRead): readonly ShellChange[] =>
  changes.filter((change) => !own.includes(change));

/** The words of a program of the project's are its own business: it may do anything. A directory that is there is taken to stay one. */
function isChanged({ accesses, program }: SimpleRead, changes: readonly ShellChange[], home: string): boolean {
  if (changes.length === 0) return false;
  const namedChanges = changes.filter(({ kind }) => kind !== "tree");
  return accesses.some((access) => {
    if (program && access.mayWrite === true) return false;
    const entered = access.operation === "list" && existsSync(`${access.from ?? ""}/${access.path}/.`);
    return isUnsettled(access, home, entered ? namedChanges : changes);
  });
}

/** Without a redirection that might fail, and keep the command from running. */
const isPlain = ({ redirects }: Simple): boolean =>
  redirects.every(({ sign, target }) => sign.endsWith("&") || target?.text === "/dev/null");

interface Simples {
  readonly commands: readonly Simple[];
  readonly doubts: readonly string[];
  /** One command after the other, nothing conditional, grouped or piped: a `cd` holds for all that follow. */
  readonly straight: boolean;
}

interface Draft {
  words: Word[];
  listed: Word[];
  redirects: { sign: string; target: Word | null }[];
  documents: string[];
  remark: string;
}

const emptyDraft = (): Draft => ({ words: [], listed: [], redirects: [], documents: [], remark: "" });

function simpleCommands(tokens: readonly ShellToken[]): Simples {
  const commands: Simple[] = [];
  const doubts: string[] = [];
  let straight = true;
  let current = emptyDraft();
  let loop = false;
  const end = (next: string): void => {
    const { words, listed, redirects, documents } = current;
    if (words.length + listed.length + redirects.length + documents.length > 0)
      commands.push({ ...current, next, input: inputOf(current, commands.at(-1)) });
    current = emptyDraft();
    loop = false;
  };
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "operator") {
      end(token.text);
      if (![";", "&&", "\n"].includes(token.text)) straight = false;
      if (token.text.startsWith(";;") || token.text === ";&") doubts.push("the command has a form that Hallpass does not read");
    } else if (token.kind === "redirect") {
      const next = tokens[at + 1];
      current.redirects.push({ sign: token.text, target: next?.kind === "word" ? next : null });
    } else if (token.kind === "document") {
      current.documents.push(token.text);
      if (!token.literal) doubts.push("a here-document holds something that is known only when it runs");
    } else if (token.kind === "unread") doubts.push(token.why);
    else if (token.kind === "remark") current.remark += ` ${token.text}`;
    else {
      const before = tokens[at - 1];
      if (before?.kind === "redirect") continue;
      const first = current.words.length === 0 && !token.quoted && !loop;
      if (first && KEYWORDS.has(token.text)) straight &&= token.text === "time";
      else if (first && (token.text === "for" || token.text === "select")) {
        loop = true;
        straight = false;
        if (token.text === "select") doubts.push("`select` is not read here");
      } else if (first && UNREAD.has(token.text)) doubts.push(`\`${show(token.text)}\` is not read here`);
      else if (loop) {
        // `for x in a b`: the words become arguments later, through a variable, and that is a doubt of its own. Names that a pattern
        // stands for are counted and told without it.
        current.listed.push(token);
        if (!token.literal) doubts.push("the command uses a variable or a substitution, whose value is known only when it runs");
        if (isPowerful(token.text)) doubts.push(`\`${show(token.text)}\` is set, which changes what the rest of it means`);
      } else current.words.push(token);
    }
  }
  end("");
  return { commands, doubts, straight };
}

/** The text a command finds on its input, where the line itself holds it: a here-document, `<<< text`, `echo text |`. */
function inputOf({ documents, redirects }: Draft, before: Simple | undefined): string | null {
  const strings = redirects.flatMap(({ sign, target }) => (sign === "<<<" && target !== null ? [target.text] : []));
  if (documents.length + strings.length > 0) return [...documents, ...strings].join("\n");
  if (before === undefined || !/^\|&?$/u.test(before.next)) return null;
  const [name, ...words] = before.words;
  if (name?.text === "cat" && words.length === 0) return before.input;
  return name?.text === "echo" || name?.text === "printf" ? words.map(({ text }) => text).join(" ") : null;
}
