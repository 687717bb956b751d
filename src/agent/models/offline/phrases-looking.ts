// Requests to look: read, list, find, search, compare. Each takes a clause and gives the wishes it means, or null where it is not one
// of its kind. Tried in the order of `looking`, from the more particular to the more general.

import { ONE_MARK, VERBS } from "./clauses.ts";
import { compareWish } from "./comparing.ts";
import { findWish, kindOfFiles } from "./finding-files.ts";
import { type Masked, MARK, type Thing, thingsIn } from "./mask.ts";
import { byName, OBJECT, objectsOf, placeIn } from "./objects.ts";
import { pointedAt } from "./pointing.ts";
import { searchWish } from "./searching.ts";
import { FIRST_LINES, type Memory, readWish, type Wish } from "./wish.ts";

/** A clause with what its marks and its pronouns stand for. */
export interface Said {
  readonly text: string;
  readonly masked: Masked;
  readonly memory: Memory;
}
type Phrase = (said: Said) => readonly Wish[] | null;

const re = (source: string): RegExp => new RegExp(source, "iu");
const pathsIn = (text: string, masked: Masked): readonly Thing[] =>
  thingsIn(text, masked).filter(({ kind }) => kind !== "block" && kind !== "url");

// ── compare, search and find ──────────────────────────────────────────────────────────────────────────────────────────────────

const compare: Phrase = ({ text, masked, memory }) => compareWish(text, masked, memory);
const search: Phrase = ({ text, masked, memory }) => searchWish(text, masked, memory);
const find: Phrase = ({ text, masked, memory }) => findWish(text, masked, memory);

// ── list ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const LISTING = [
  re(String.raw`^(?:list(?:ing)?|ls|dir|tree)\b(?:\s+-\w+)*(.*)$`),
  re(
    String.raw`^(?:show|give|tell|print|display)(?: me| us)?(?: all)?(?: of)?(?: the| a)?(?: (?:directory|folder|file|project))? (?:files|folders|directories|entries|everything|listing|list|tree|structure|names)\b(.*)$`,
  ),
  re(
    String.raw`^(?:(?:show|tell)(?: me| us)? )?what(?:'s| is| are| do we have| have you got)(?: there)?(?: the)?(?: (?:files|folders|directories|things|contents?))? (?:are |is )?(?:in|inside|under|within|at|of)\b(.*)$`,
  ),
  re(String.raw`^(?:what|which)(?: \w+)? (?:files|folders|directories|things|stuff) (?:are|is|do (?:you|we)|does|live|exist|lie)\b(.*)$`),
  re(String.raw`^how many (?:files|folders|directories|entries)\b(.*)$`),
  re(String.raw`^(?:look|peek)(?:ing)? (?:in|into|inside|around)\b(?! for)(.*)$`),
  re(String.raw`^(?:see|check)(?:ing)? what(?:'s| is) (?:in|inside|under|at)\b(.*)$`),
  re(
    String.raw`^(?:read|show|open|view)(?: me)? (?:everything|all(?: of)?(?: the)? files|every(?: single)? file) (?:in|under|inside|from)\b(.*)$`,
  ),
  re(String.raw`^what (?:do|can|could|did) (?:you|we|i) (?:see|find) (?:in|inside|under|at)\b(.*)$`),
  re(String.raw`^(?:cd|chdir|go) (?:to |into )?(${MARK}|\w+)$`),
];

const list: Phrase = ({ text, masked, memory }) => {
  const rest = LISTING.map((pattern) => pattern.exec(text)?.[1]).find((one) => one !== undefined);
  if (rest === undefined) return null;
  const kind = kindOfFiles(rest, masked);
  if (kind !== null) return findWish(`find ${rest}`, masked, memory);
  const place = placeIn(rest.replace(/^\s*(?:there\s+)?(?:in|inside|under|within|at|of|from|have)\b/i, ""), masked, memory);
  if (place !== null)
    return [looksLikeFile(place) && !/^(?:list|ls|dir|tree)\b/i.test(text) ? readWish(place) : { do: "list", path: place }];
  const objects = objectsOf(rest, masked, memory);
  if (objects !== null && objects.paths.length > 0) return objects.paths.map(({ path }): Wish => ({ do: "list", path }));
  if (objects?.within !== null && objects?.within !== undefined) return [{ do: "list", path: objects.within }];
  return /^(?:\s*\b(?:the|all|of|my|your|our|files?|folders?|director(?:y|ies)|everything|there|are|is|here|in|this|current|project|workspace|entries|names|have|got|any|contents?|and|do|you|we|structure)\b)*\s*$/i.test(
    rest,
  )
    ? [{ do: "list", path: "." }]
    : null;
};

/** A name with an ending is read rather than listed; what it really is turns out when it is tried. */
export const looksLikeFile = (path: string): boolean =>
  /(?:^|\/)[^/]+\.[A-Za-z]\w{0,9}$|(?:^|\/)(?:README|LICENSE|Makefile|Dockerfile|CHANGELOG)$/.test(path);

// ── read ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const READING = [
  re(
    String.raw`^(?:re-?)?(?:read|show|open|cat|print|display|view|dump|load|fetch|see|get|output|examine|inspect|review|less|more|type|check|study|investigate|explore|browse)(?:ing|ting)?\b(?: me| us| out| up)?\b(.*)$`,
  ),
  re(String.raw`^(?:have|take)(?: a| another)? (?:look|peek|glance) (?:at|into|in)\b(.*)$`),
  re(String.raw`^(?:look|peek|glance)(?:ing)? (?:at|into|through|over)\b(.*)$`),
  re(String.raw`^(?:summari[sz]e|explain|describe|outline|analy[sz]e|quote|recite|go through|go over|walk me through)(?:ing)?\b(.*)$`),
  re(String.raw`^(?:give|tell|send)(?:ing)? (?:me|us)\b(?: about| what)?(.*)$`),
  re(String.raw`^what(?:'s| is| are| does| do) (.*?)(?: (?:say|says|contain|contains|about|look like|for|hold|holds|do))?$`),
  re(String.raw`^how many lines\b(?: (?:are|does|do|is))?(?: there)?(?: (?:in|of|has))?(.*?)(?: (?:have|has|contain))?$`),
  re(String.raw`^(head|tail)\b(.*)$`),
  re(String.raw`^(?:contents?|text) of\b(.*)$`),
  re(String.raw`^count(?: the)?(?: number of)?(?: lines)?(?: (?:in|of))?\b(.*)$`),
  re(String.raw`^how (?:long|big|large) (?:is|are)\b(.*)$`),
  re(String.raw`^((?:the )?(?:first|last|top|bottom|final)\b.*\blines?\b.*|lines? \d.*)$`),
];

const read: Phrase = ({ text, masked, memory }) => {
  const match = READING.map((pattern) => pattern.exec(text)).find((one) => one !== null);
  if (match === undefined) return null;
  const shell = /^(head|tail)$/i.exec(match[1] ?? "")?.[1]?.toLowerCase();
  const words = shell === undefined ? (match[1] ?? "") : (match[2] ?? "");
  // "read all the Markdown files": which they are comes first.
  if (kindOfFiles(words, masked) !== null && thingsIn(words, masked).every(({ kind }) => kind === "glob"))
    return findWish(`find ${words}`, masked, memory);
  const objects = objectsOf(words, masked, memory);
  if (objects === null) return null;
  // "What is up?" and "tell me a joke" have no file in them, unless they name one plainly.
  if (
    /^(?:what|tell|give|send|explain|describe|outline|how)/i.test(text) &&
    pathsIn(text, masked).length === 0 &&
    pointedAt(words, masked, memory) === null &&
    !/\b(?:readme|license|changelog)\b/i.test(words)
  )
    return null;
  const lines =
    shell === "tail" && objects.lines !== null && "to" in objects.lines ? { last: objects.lines.to } : (objects.lines ?? byShell(shell));
  if (objects.paths.length === 0) return objects.within === null ? null : [whole(objects.within, lines)];
  return objects.paths.map(({ path, otherwise }) => (isDirectoryName(path) ? { do: "list", path } : readWish(path, lines, otherwise)));
};

const byShell = (shell: string | undefined) => (shell === undefined ? null : shell === "head" ? { from: 1, to: 10 } : { last: 10 });

/** Spelled so that it can only be a directory. */
const isDirectoryName = (path: string): boolean => path.endsWith("/") || path === "." || path === ".." || path === "~";

const whole = (path: string, lines: Parameters<typeof readWish>[1]): Wish =>
  isDirectoryName(path) ? { do: "list", path } : readWish(path, lines);

// ── nothing but a name ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** So many lines at a time, where no number is said; the first of a long file have been shown. */
const PORTION = 40;

/** "More": what follows the lines that were last shown. */
const more: Phrase = ({ text, memory }) => {
  if (
    !/^(?:(?:read|show|give|tell|print)(?: me| us)? )?(?:some |the )?(?:more|next|rest|further|next (?:lines|page|part)|more (?:lines|of it|of that))(?: (?:lines|please))?$|^keep reading$|^read on$/i.test(
      text,
    )
  )
    return null;
  const last = memory.wishes.findLast(({ wish }) => wish.do === "read")?.wish;
  const path = memory.places.findLast(({ directory }) => !directory)?.path;
  if (last?.do !== "read" || path === undefined) return null;
  const from = (last.lines === null ? FIRST_LINES : "to" in last.lines ? last.lines.to : 0) + 1;
  return [readWish(path, { from, to: from + PORTION - 1 })];
};

const bare: Phrase = ({ text, masked, memory }) => {
  const things = thingsIn(text, masked);
  const listOfMarks = re(
    String.raw`^(?:the |and |also |plus |what about |how about |same for |or |in )*(?:(?:the )?files? )?${OBJECT}(?:\s*(?:,|and|&|,\s*and)\s*(?:the )?${MARK})*(?: (?:too|as well|also|then|instead|again))?$`,
  );
  if (things.length === 0) {
    const known = /^(?:the )?(readme|licen[cs]e|changelog|makefile|dockerfile)$/i.exec(text)?.[1];
    if (known !== undefined) return [byName(known)].map(({ path, otherwise }) => readWish(path, null, otherwise));
    const asked =
      /^(?:(?:and|also|what about|how about|same for|now)\s+)+(.*)$/i.exec(text)?.[1] ??
      (/^(?:the other one|the (?:first|second|third|last) one|both|its \S+)$/i.test(text) ? text : null);
    const objects = asked === null || re(`^${VERBS}\\b`).test(asked) ? null : objectsOf(asked, masked, memory);
    return objects === null || objects.paths.length === 0
      ? null
      : objects.paths.map(({ path, otherwise }) => readWish(path, null, otherwise));
  }
  const pointed = pointedAt(text, masked, memory);
  if (pointed !== null) return pointed.length === 0 ? null : pointed.map(({ path, otherwise }) => readWish(path, null, otherwise));
  if (!listOfMarks.test(text)) return null;
  // A lone quotation or piece of code may be anything; only what looks like a path is taken for one.
  if (
    things.some(
      ({ kind, text: name }) =>
        kind === "block" || kind === "url" || ((kind === "code" || kind === "quote") && !/^[^\s]*[./~][^\s]*$/.test(name)),
    )
  )
    return null;
  const [only] = things;
  if (only?.kind === "glob" && ONE_MARK.test(text)) return findWish(`find ${text}`, masked, memory);
  return things.some(({ kind }) => kind === "glob") ? null : things.map(({ text: path }) => whole(path, null));
};

/** A question that names files and nothing else that is understood: what stands in them is the answer. */
const question: Phrase = ({ text, masked }) => {
  const paths = pathsIn(text, masked).filter(({ kind }) => kind === "path");
  if (
    !/^(?:what|which|who|why|when|where|how|does|do|is|are|has|have|can|could|did)\b/i.test(text) ||
    paths.length === 0 ||
    paths.length > 3
  )
    return null;
  return paths.map(({ text: path }) => whole(path, null));
};

export const looking: readonly Phrase[] = [more, compare, search, find, list, read, bare, question];
