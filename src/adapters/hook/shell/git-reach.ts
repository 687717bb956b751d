// Which git commands show contents of the whole repository, or change files in all of it, whatever directory they are run in. A pathspec keeps
// most of them below the directory it names.

import type { ParsedOptions } from "./options.ts";
import { isNamed } from "../disk.ts";
import type { Word } from "./words.ts";

export interface GitReach {
  /** Shows, or copies, what stands in files anywhere in the repository. */
  readonly reads: boolean;
  /** Changes files anywhere in the repository. */
  readonly writes: boolean;
}

/** Shows what changed unless told otherwise. */
const SHOWS = new Set(["diff", "show", "range-diff"]);
/** Show it only when they are told to. */
const MAY_SHOW = new Set(["log", "reflog", "whatchanged", "rev-list", "shortlog", "diff-tree"]);
/** With one of these nothing but names and numbers is shown… */
const NAMES =
  "--stat --shortstat --numstat --dirstat --summary --compact-summary --raw --name-only --name-status --no-patch -s --quiet".split(" ");
/** …unless one of these is given too. Searching in contents tells of them. */
const CONTENTS =
  "-p -u -U -c -S -G --patch --unified --patch-with-stat --check --color-words --word-diff --word-diff-regex --function-context --binary --pickaxe-regex --pickaxe-all".split(
    " ",
  );
/** Go through changes one by one and show each. */
const PICKS = "-p -i -e --patch --interactive".split(" ");
const CHANGES = new Set(["pull", "merge", "rebase", "cherry-pick", "revert"]);

/** `places`: where git runs. */
export function reachOf(name: string, parsed: ParsedOptions, places: readonly string[]): GitReach {
  const { words, given } = parsed;
  const has = (options: readonly string[]): boolean => options.some((option) => given.has(option));
  const limited = isLimited(parsed, places);
  const [first] = words;
  if (SHOWS.has(name) || MAY_SHOW.has(name)) {
    const shows = SHOWS.has(name) ? !has(NAMES) || has(CONTENTS) : has(CONTENTS);
    const files = words.length > 0 && words.every(isFileOfRevision) && (name === "show" || (name === "diff" && words.length > 1));
    // These show more than the paths that are named.
    const showsMore = has(["--full-diff", "--follow"]);
    return { reads: shows && !given.has("--no-index") && !files && (!limited || showsMore), writes: false };
  }
  if (name === "stash") return stashReach(parsed, has);
  if (name === "checkout" || name === "switch") {
    const makes = name === "checkout" ? ["-b", "-B", "--orphan"] : ["-c", "-C", "--create", "--force-create"];
    // A new branch where one is leaves the files as they are.
    const keepsFiles = has(makes) && words.length === 0 && !has(["-f", "--force", "--discard-changes", "-m", "--merge"]);
    const isWholeTree = !(name === "checkout" && namesFiles(parsed, places));
    return { reads: isWholeTree && has(PICKS), writes: isWholeTree && !keepsFiles };
  }
  if (name === "restore") {
    // Where only something to leave out is named, git takes all the rest of the repository.
    const isWholeTree = words.every(({ text }) => isExclusion(text));
    const staysOnDisk = has(["-S", "--staged"]) && !has(["-W", "--worktree"]);
    return { reads: isWholeTree && has(["-p", "--patch"]), writes: isWholeTree && !staysOnDisk };
  }
  if (name === "reset") return { reads: has(["-p", "--patch"]) && !limited, writes: has(["--hard", "--merge", "--keep"]) };
  if (name === "status") return { reads: has(["-v", "--verbose"]), writes: false };
  if (name === "commit") return { reads: has(["-v", "--verbose", "-p", "--patch"]), writes: false };
  if (name === "add") return { reads: has(PICKS) && !limited, writes: false };
  if (name === "worktree") return { reads: first?.text === "add", writes: false };
  if (name === "ls-tree") return { reads: given.has("--full-tree"), writes: false };
  return { reads: false, writes: CHANGES.has(name) };
}

/** Is there a pathspec that it keeps to? Leaving something out is none. */
function isLimited({ words, dashed }: ParsedOptions, places: readonly string[]): boolean {
  if (dashed !== null) return dashed.some(({ text }) => !isExclusion(text));
  return words.some((word) => isFileWord(word, places));
}

/** Without `--`, git takes a word for a path where such a file is there, and refuses it where there is a revision of that name too. */
function isFileWord({ text }: Word, places: readonly string[]): boolean {
  if (isExclusion(text)) return false;
  if (text.startsWith(":(") || (/[*?[]/u.test(text) && !/[:{}^~@]/u.test(text))) return true;
  return text !== "" && !text.startsWith(":") && places.every((place) => isNamed(text.startsWith("/") ? text : `${place}/${text}`));
}

/** `git checkout [REV] file…` */
function namesFiles({ words, dashed }: ParsedOptions, places: readonly string[]): boolean {
  if (dashed !== null) return dashed.some(({ text }) => !isExclusion(text));
  const [first, ...rest] = words;
  return first !== undefined && (isFileWord(first, places) || rest.some(({ text }) => !isExclusion(text)));
}

function stashReach({ words, dashed, given }: ParsedOptions, has: (options: readonly string[]) => boolean): GitReach {
  const subcommandWords = words.slice(0, words.length - (dashed?.length ?? 0));
  const [first, ...rest] = subcommandWords;
  const command = first?.text ?? "push";
  if (command === "list") return { reads: has(CONTENTS), writes: false };
  if (command === "show") return { reads: true, writes: false };
  if (/^(?:drop|clear|create|store)$/u.test(command)) return { reads: false, writes: false };
  const limited = command === "push" && [...rest, ...(dashed ?? [])].some(({ text }) => !isExclusion(text));
  return { reads: !limited && given.has("-p"), writes: !limited };
}

const isExclusion = (text: string): boolean => readPathspec(text).excludes;

/** `HEAD:path`, `:path`: one file, or the names in one directory, which are judged by themselves. */
const isFileOfRevision = ({ text }: Word): boolean => /^[^:]*:[^:/(!^][^:]*$/u.test(text);

// A pathspec as git reads it: signs or words in front say what the path after them stands for.

export interface Pathspec {
  /** What follows the signs. */
  readonly path: string;
  /** The signs as they stand; null if there are none. */
  readonly magic: string | null;
  /** It says what is left out. */
  readonly excludes: boolean;
  /** It is seen from the top of the repository, not from where git runs. */
  readonly fromTop: boolean;
  /** Letter case does not count. */
  readonly icase: boolean;
  /** What it stands for cannot be told from it: attributes of files, or words that are none of those we know. */
  readonly odd: boolean;
}

/** Words whose meaning is known here. */
const KNOWN_MAGIC: ReadonlySet<string> = new Set(["top", "literal", "glob", "icase", "exclude", ""]);

/** `:(word,word)path`, or `:` and any number of the signs `/`, `!` and `^`, in any order, with or without a second colon. */
export function readPathspec(text: string): Pathspec {
  const [long, inner] = /^:\(((?:[^)\\]|\\.)*)\)/su.exec(text) ?? [];
  const [short] = long === undefined ? (/^:[/!^]+:?/u.exec(text) ?? []) : [];
  const magic = long ?? short ?? null;
  const magicWords = inner === undefined ? [] : inner.split(",");
  return {
    path: text.slice(magic?.length ?? 0),
    magic,
    excludes: magicWords.includes("exclude") || /[!^]/u.test(short ?? ""),
    fromTop: magicWords.includes("top") || (short ?? "").includes("/"),
    icase: magicWords.includes("icase"),
    odd: magicWords.some((word) => !KNOWN_MAGIC.has(word)) || (long === undefined && text.startsWith(":(")),
  };
}
