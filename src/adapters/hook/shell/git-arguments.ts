// The words of git: which are paths, what of them a repository keeps, which patterns git itself would match, and what git puts into the
// working tree.

import { show } from "../../../core/path/show.ts";
import { commandForms } from "./commands.ts";
import { mayBeSecret } from "../secret-pattern.ts";
import { reachOf, readPathspec } from "./git-reach.ts";
import { topsOf } from "./git-top.ts";
import { expandWord } from "./open-words.ts";
import { type ParsedOptions, parseOptions } from "./options.ts";
import { type PathList, withoutEndSlashes } from "./path-list.ts";
import { readUnknown, unread } from "./program-arguments.ts";
import type { Word } from "./words.ts";

/** After these any file of the working tree may be another one. */
const CHANGES_TREE = new Set("checkout switch restore reset stash pull merge rebase cherry-pick revert".split(" "));
/** Of those, forms that leave the files as they are. */
const LEAVES = /^(?:stash (?:list|show|drop|clear|create|store))$/u;
/** Words with a colon are no `REV:path` here. */
const NO_CONTENTS = new Set("fetch push pull clone remote ls-remote branch commit".split(" "));
/** Their patterns are of names of branches and the like, or nothing but names is told. */
const NAMES_ONLY = new Set(
  "branch tag remote ls-remote for-each-ref show-ref name-rev describe fetch push merge-base rev-parse ls-files ls-tree check-ignore".split(
    " ",
  ),
);

/** Of `git config`: these only look. */
const CONFIG_READS = new Set(
  "--get --get-all --get-regexp --get-urlmatch --list -l list get --name-only --show-origin --show-scope -z --null --show-names".split(" "),
);

export function readGit(words: readonly Word[], list: PathList): void {
  const gitOptions = parseOptions(commandForms.get("git")?.options ?? "", words, true);
  for (const word of gitOptions.unknown) unread("git", word, list);
  let places = list.places;
  for (const { role, word } of gitOptions.values) {
    if (role !== "enter") continue;
    list.startAlsoIn(word.text);
    places = places.map((place) => list.whole(place, word.text));
  }
  const [command, ...rest] = gitOptions.words;
  if (command === undefined) return;
  const { text: name } = command;
  if (name === "config") return readGitConfig(rest, list);
  const form = commandForms.get(`git ${name}`);
  if (form === undefined) {
    list.doubt(`\`git ${show(name)}\` is a form that Hallpass does not read`);
    return readUnknown(rest, list);
  }
  const parsed = parseOptions(form.options, rest);
  const tops = [...new Set(places.flatMap(topsOf))];
  const { reads, writes } = reachOf(name, parsed, places);
  for (const top of tops.filter((top) => list.isOutside(top))) {
    if (reads) list.push("search", top, false);
    if (writes) list.push("replace", top, false);
  }
  for (const word of parsed.unknown) unread(`git ${name}`, word, list);
  for (const { role, word } of parsed.values) {
    if (role === "read" || role === "number") list.path("read", word);
    else if (role === "write") list.path("replace", word);
    // `-L1,20:file`
    else if (role === "enter") pathspec(word.text.slice(word.text.lastIndexOf(":") + 1), "read", { list, tops });
  }
  const hasPatternOption = parsed.given.has("-e") || parsed.given.has("-f");
  for (const word of name === "grep" && !hasPatternOption ? parsed.words.slice(1) : parsed.words)
    readWord(name, word, { list, tops }, parsed.given.has("--no-index"));
  noteChanges(name, parsed, list);
}

/** Where paths go, and the tops of the repositories that git may work in. */
interface GitPathContext {
  readonly list: PathList;
  readonly tops: readonly string[];
}

/** `asFiles`: git opens them itself, wherever they are. */
function readWord(name: string, word: Word, repository: GitPathContext, asFiles: boolean): void {
  const { list, tops } = repository;
  const { text } = word;
  if (text.includes("::")) list.doubt(`\`${show(text)}\` may be a way to another repository that runs something`);
  if (list.isElsewhere(text)) return;
  const operation = name === "mv" ? "replace" : name === "rm" ? "remove" : "read";
  list.path(operation, word, !asFiles);
  if (NAMES_ONLY.has(name) ? text.startsWith(":") : pathspec(text, operation, repository, asFiles)) return;
  // `HEAD:path`: what the repository keeps of a file is as shut as the file. A path that begins with a dot is seen from here, any other from
  // the top. A colon may be part of the path.
  if (!text.includes(":") || /^[\w.-]+@[\w.-]+:/u.test(text)) return;
  for (const { index } of text.matchAll(/:/gu)) {
    const storedPath = text.slice(index + 1);
    list.push("read", storedPath, true);
    if (!NO_CONTENTS.has(name) && !/^\.\.?(?:\/|$)/u.test(storedPath))
      for (const top of tops) list.push("read", storedPath === "" ? top : `${top}/${storedPath}`, true);
  }
}

/** A word as git reads it where it is no name: with magic before it, and patterns of its own, in which `*` goes through slashes. */
function pathspec(text: string, operation: "read" | "replace" | "remove", { list, tops }: GitPathContext, asFiles = false): boolean {
  const { path, magic, excludes, fromTop, icase, odd } = readPathspec(text);
  if (odd) list.doubt(`\`${show(text)}\` stands for files that only git would tell`);
  // What is left out is not shown.
  if (excludes) return true;
  list.push(operation, path, !asFiles);
  if (magic !== null && path.startsWith("/")) list.push(operation, path.replace(/^\/+/u, ""), true);
  // From the top of the repository, which may be above: a pattern by its fixed beginning.
  if (fromTop) for (const top of tops) list.push(operation, `${top}/${fixedPart(path)}`, true);
  if (icase) list.push(operation, path.toLowerCase(), true);
  if (/[*?[]/u.test(path)) {
    for (const place of list.places) for (const name of expandWord(path, place, list.home) ?? []) list.push(operation, name, true);
    if (mayBeSecret(path)) list.doubt(`\`${show(text)}\` may stand for a file that is shut`);
  }
  return magic !== null;
}

/** The directories before the first name that is a pattern; all of it where none is. */
function fixedPart(path: string): string {
  const sign = path.search(/[*?[]/u);
  return sign === -1 ? path : path.slice(0, path.lastIndexOf("/", sign) + 1);
}

function noteChanges(name: string, { words, given }: ParsedOptions, list: PathList): void {
  // A new branch where one is leaves the files as they are.
  const branches = ["-b", "-B", "-c", "-C", "--create", "--orphan"].some((option) => given.has(option)) && words.length === 0;
  const [first, second] = words;
  const keepsTree =
    branches ||
    LEAVES.test(`${name} ${first?.text ?? ""}`) ||
    (name === "reset" && !["--hard", "--merge", "--keep"].some((option) => given.has(option))) ||
    (name === "restore" && (given.has("--staged") || given.has("-S")) && !given.has("--worktree") && !given.has("-W"));
  if (CHANGES_TREE.has(name) && !keepsTree) list.changes.push({ kind: "tree" });
  const created =
    name === "clone"
      ? (second?.text ?? lastName(first?.text ?? "").replace(/\.git$/u, ""))
      : name === "worktree" && first?.text === "add"
        ? second?.text
        : name === "mv"
          ? words.at(-1)?.text
          : undefined;
  if (created === undefined || created === "") return;
  for (const place of list.places)
    list.changes.push({ kind: name === "mv" ? "unknown" : "filled", path: withoutEndSlashes(list.plain(place, created)) });
}

const lastName = (path: string): string =>
  withoutEndSlashes(path).slice(Math.max(withoutEndSlashes(path).lastIndexOf("/"), withoutEndSlashes(path).lastIndexOf(":")) + 1);

/** Setting anything is writing the file it is kept in, and what is kept there may run later. */
function readGitConfig(words: readonly Word[], list: PathList): void {
  const [first] = words;
  const options = words.filter(({ text }) => text.startsWith("-"));
  const isScope = (text: string): boolean => /^--(?:global|system|local|worktree)$/u.test(text);
  const onlyReads =
    options.every(({ text }) => CONFIG_READS.has(text) || isScope(text)) &&
    (words.some(({ text }) => /^--(?:get|list)|^-l$/u.test(text)) ||
      (first !== undefined && (first.text === "get" || first.text === "list")) ||
      words.filter(({ text }) => !text.startsWith("-")).length === 1);
  if (onlyReads) return;
  list.doubt("`git config` sets what git may run later");
  for (const place of words.some(({ text }) => text === "--global" || text === "--system") ? [".gitconfig"] : [".git/config"])
    list.push("replace", place === ".gitconfig" ? "~/.gitconfig" : place, false);
  readUnknown(words, list);
}
