// Variables a command sets: which of them change what later words mean, or make a program run something of their own.

import { show } from "../../../core/path/show.ts";
import { isStandardInput, type PathList } from "./path-list.ts";
import { mayBeCommandLine } from "./programs.ts";
import type { Word } from "./words.ts";

/** `NAME=value`. */
export const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/u;

/** They change where words lead, or what a shell makes of them; names are looked up in what some of them name. */
const LEADING =
  /^(?:IFS|ENV|PWD|OLDPWD|BASH\w*|SHELLOPTS|FUNCNEST|GLOBIGNORE|POSIXLY_CORRECT|ZDOTDIR|PS\d|PROMPT\w*|LD_\w+|DYLD_\w+|GIT_\w+|XDG_\w+|TMPDIR|HISTFILE|\w*(?:PATH|HOME|LIB))$/iu;
/** Directories of code, which is the workspace's where the directory is. Their values are judged as paths. */
const PLACES_OF_CODE = /^(?:PYTHONPATH|NODE_PATH)$/u;
/** Their values are texts that people read, or say where to connect to: a blank or a `&` in them is none of a command's. */
const TEXTS =
  /(?:^|_)(?:MESSAGE|MSG|TITLE|NAME|TEXT|DESCRIPTION|BODY|COMMENT|NOTES?|AUTHOR|EMAIL|DATE|VERSION|LABELS?|COLORS?|QUERY|FORMAT|STATUS|AGENT|DSN|URL|URI|ORIGINS?|LOG)$/iu;

/** A shell gives these values of its own, whatever is assigned. */
const CHANGING =
  /^(?:_|E?UID|E?GID|S?RANDOM|SECONDS|EPOCH\w*|LINENO|PPID|GROUPS|HIST\w*|OPT\w*|COLUMNS|LINES|DIRSTACK|PIPESTATUS|STATUS|ARGV|REPLY|MATCH|SIGNALS|OPTIONS|COMMANDS|FUNCTIONS|ALIASES|PARAMETERS|USERDIRS|NAMEDDIRS|KEYMAP|WATCH\w*|PSVAR|USERNAME|HOSTNAME)$/iu;

/**
 * Variables that the line itself sets before anything else, to plain text: `DIR=src; ls $DIR`. Only where each stands nowhere else but as
 * `$NAME` or `${NAME}`, so that nothing later sets it again.
 */
export function setBefore(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const assignment = /[ \t\n]*([A-Za-z_]\w*)=(["']?)([\w./:@%+,-]+)\2[ \t]*(?:;(?!;)|\n|&&)/uy;
  for (let match = assignment.exec(text); match !== null; match = assignment.exec(text)) {
    const [, name = "", , value = ""] = match;
    if (isPowerful(name) || CHANGING.test(name)) return new Map();
    values.set(name, value);
  }
  const named = new Map<string, number>();
  for (const { 1: name } of text.matchAll(/\$\{\w+\}|\$\w+|(\w+)/gu)) if (name !== undefined) named.set(name, (named.get(name) ?? 0) + 1);
  for (const name of values.keys()) if (named.get(name) !== 1) values.delete(name);
  return values;
}

/** Does setting it change what the rest means? */
export const isPowerful = (name: string): boolean => LEADING.test(name) && !PLACES_OF_CODE.test(name);

/** A variable that is set: its name may change what the rest means; its value may be a path, hold some, or be a program that something runs. */
export function readAssignment({ text }: Word, list: PathList): void {
  const at = text.indexOf("=");
  const name = text.slice(0, at).replace(/\+$/u, "");
  const value = text.slice(at + 1);
  if (isPowerful(name)) list.doubt(`\`${show(name)}\` is set, which changes what the rest of it means`);
  else if (mayBeCommandLine(value) && !TEXTS.test(name)) return list.program(value);
  if (isStandardInput(value)) list.programOnInput(name);
  list.pieces(text, false);
  if (list.isElsewhere(value)) return;
  if (PLACES_OF_CODE.test(name))
    for (const directory of value.split(":")) list.searched.push({ variable: name, directory: directory || "." });
  for (const path of new Set([value, ...value.split(":")])) list.push("read", path, true);
}
