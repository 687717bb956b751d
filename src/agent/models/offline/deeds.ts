// From the slots of a phrase to what is to be done: the deeds of each intent. None: the phrase does not make sense after all.

import { commandIn, shellWord } from "./commands.ts";
import { MARK, onlyThing, type MaskedToken, thingsIn, unmask } from "./message.ts";
import * as names from "./names.ts";
import { type Clause, pathsIn, valueOf } from "./names.ts";
import type { Deed, Values } from "./outcome.ts";
import { code, joinWords } from "./words.ts";

export type Slots = Readonly<Record<string, string | undefined>>;
type DeedMaker = (slots: Slots, clause: Clause) => readonly Deed[];

const deed = (name: string, path: string, more: Values = {}): Deed => ({ name, input: { path, ...more } });
const list = (path: string): Deed => deed("list_dir", path);
const find = (pattern: string, path: string): Deed => deed("find_files", path, { pattern });
export const run = (command: string, more: Values = {}): Deed => ({ name: "bash", input: { command, ...more } });
const read = (path: string, lines: Values = {}): Deed => (names.isDirectoryName(path) ? list(path) : deed("read_file", path, lines));

// ── Commands of our own ───────────────────────────────────────────────────────────────────────────────────────────────────────

const NO_FILE =
  /^(?:an?|the|new|files?|directory|folder|dir|me|you|detail|short|english|plain|words?|order|place|time|case|all|everything|nothing|something|line|end|root|top|trash|bin|listing|structure)$/i;

/** The one file a slot names: a thing, a plain word, or the one that was looked at last. */
function fileOf(words: string | undefined, { masked, places }: Clause): string | null {
  const token = onlyThing(words ?? "", masked);
  if (token !== undefined) return names.isName(token) && token.text.trim() !== "" ? token.text : null;
  if (words === undefined || /^(?:it|there|that|this)$/i.test(words)) return places.at(-1) ?? null;
  return NO_FILE.test(words) || words.includes(" ") ? null : words;
}

const A_FILE = /\bfiles?\b/i;
const A_DIRECTORY = /\b(?:folder|directory|dir)\b/i;
const ARTICLES = /\b(?:the|my|this|that|called|named)\b(?= *\S)/gi;

/** What is to be deleted, moved or copied: only what is named beyond doubt. `isNew`: a plain word is name enough. */
function targetsOf(words: string | undefined, clause: Clause, isNew = false): readonly string[] {
  const namesText = (words ?? "").replace(/ from (?:the|this|my|our) (?:project|repo|repository|workspace|disk)$/i, "");
  const targets = namesText.split(/, and |, | and /i).map((part) => {
    const rest = part.replace(A_FILE, " ").replace(A_DIRECTORY, " ").replaceAll(ARTICLES, " ").replaceAll(/\s+/g, " ").trim();
    const isWord = isNew && rest === part;
    const isNamed = isWord || A_FILE.test(part) || A_DIRECTORY.test(part) || /[._\d\ue000]|^(?:it|that|this)$/i.test(rest);
    return isNamed && rest !== "" ? fileOf(rest, clause) : null;
  });
  return targets.includes(null) ? [] : targets.flatMap((target) => target ?? []);
}

/** How the slots of a command are read. */
const SLOTS: Readonly<Record<string, (words: string | undefined, clause: Clause, slots: Slots) => readonly string[]>> = {
  many: (words = "ten") => [String(names.countOf(words))],
  when: (words = "") => [words.toLowerCase().replace("today", "midnight").replace("this week", "1 week ago").replaceAll(" ", ".")],
  program: (words = "") => [words.toLowerCase()],
  mark: (words = "", clause) => [valueOf(words, clause)],
  path: (words, clause) => [fileOf(words, clause)].flatMap((path) => path ?? []),
  file: (words = "", clause) => pathsIn(words, clause).slice(0, 1),
  from: (words, clause) => targetsOf(words, clause),
  only: (words, clause) => targetsOf(words, clause).slice(0, / and |,/.test(words ?? "") ? 0 : 1),
  to: (words = "", clause, { into }) =>
    targetsOf(words, clause, true)
      .slice(0, 1)
      .map((goal) => ((into !== undefined && !names.looksLikeFile(goal)) || A_DIRECTORY.test(words) ? goal.replace(/\/?$/, "/") : goal)),
};

/** A command of ours. Each slot becomes single words, none of them taken for an option; `done` is told where it went well. */
export const shell =
  (template: string, done?: string): DeedMaker =>
  (slots, clause) => {
    const values = new Map(
      [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, SLOTS[name]?.(slots[name], clause, slots) ?? []]),
    );
    if ([...values.values()].some((words) => words.length === 0 || words.some((word) => /^[./~]*$/.test(word)))) return [];
    const fill = (text: string, how: (words: readonly string[]) => string): string =>
      text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => how(values.get(name) ?? []));
    const command = fill(template, (words) => words.map(shellWord).join(" "));
    return [run(command, done === undefined ? {} : { done: fill(done, (words) => joinWords(words.map(code))) })];
  };

// ── Looking ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const LEAD = new RegExp(`^(?:there )?(?:(?:${names.IN}|at|have) )?`, "i");
const LIST = /^(?:list|ls|dir|tree)\b/i;

/** "My mind", "some sleep": hardly files. */
const DETERMINED = /^(?:my|your|some|an?(?! and)|you|it) \S/i;

/** Files by their names. `asks`: there may be no file in it. `alone`: there is nothing but the names. */
const readFiles: DeedMaker = ({ words: requestText = "", asks, alone, looks }, clause) => {
  const [words, lines] = names.takeLines(alone ?? requestText);
  const things = thingsIn(words, clause.masked);
  // A lone quotation or piece of code may be anything; only what looks like a path is taken for one.
  const isPath = ({ kind, text }: MaskedToken): boolean => kind === "path" || /^\S*[./~]\S*$/.test(text);
  if ((alone !== undefined && !things.every(isPath)) || /^how to /i.test(words)) return [];
  const paths = pathsIn(words, clause);
  const isPlain =
    (asks === undefined ? things.length > 0 : things.some((one) => isPath(one) || names.looksLikeFile(one.text))) ||
    words.split(" ").some(names.isKnown) ||
    A_FILE.test(words) ||
    A_DIRECTORY.test(words) ||
    paths.some((path) => names.isDirectoryName(path) || clause.places.includes(path));
  return isPlain || looks !== undefined || (asks === undefined && !DETERMINED.test(words)) ? paths.map((path) => read(path, lines)) : [];
};

/** Files by kind, and also by name unless only `kinds` are meant. */
const findFiles: DeedMaker = ({ words: requestText = "", kinds }, clause) => {
  const words = kinds ?? requestText;
  // "ending in .md" says which files, not where.
  const [what, where] = names.splitPlace(words.replace(/\b(ending|ends?) in\b/i, "$1 with"));
  const places = where === "" ? ["."] : pathsIn(where, clause, true);
  const things = thingsIn(what, clause.masked);
  const globs = things.filter(({ kind }) => kind === "glob").map((glob) => glob.text);
  const patterns = globs.length > 1 ? globs : [names.kindOfFiles(what, clause.masked)].flatMap((kind) => kind ?? []);
  if (patterns.length > 0 && (kinds === undefined || things.length <= 1))
    return patterns
      .map(names.splitGlob)
      .flatMap(({ base, pattern }) => (base === "." ? places : [base]).map((path) => find(pattern, path)));
  if (kinds !== undefined) return [];
  if (where !== "" && /^(?:me |all |any |every |the |of )*(?:files?|everything|all)?$/i.test(what.trim())) return places.map(list);
  const name = names.fileNameIn(what, clause);
  return name === null ? [] : places.map((path) => find(name, path));
};

const BEFORE_TEXT =
  /^\s?(?:(?:the|a|an|any|all|our) )?(?:(?:words?|text|string|phrase|term|lines?|function|method|class|type|variable|constant|uses? of|occurrences? of|mentions? of) )?/i;

const search: DeedMaker = ({ text: what = "", where = "" }, clause) => {
  if (names.isAboutFiles(what.trim(), clause)) return [];
  const grep = /^(?:grep|rg|ack)\b/i.test(clause.text);
  const thing = thingsIn(what, clause.masked).find(({ kind }) => kind !== "url");
  const plain = what.replaceAll(/(?:^|\s)-[\w-]+/g, "").replace(BEFORE_TEXT, "");
  const searchText = (
    thing?.text ?? plain.replace(/ (?:comments?|markers?|function|method|class|component|module|everywhere)s?$/i, "")
  ).trim();
  const todo = grep ? undefined : /^(todo|fixme)s$/i.exec(searchText)?.[1]?.toUpperCase();
  // "src and docs", "all *.md files under docs", "TypeScript files": where to look, and perhaps in which files there.
  const kind = names.kindOfFiles(where, clause.masked);
  const { base, pattern } = names.splitGlob(kind ?? "");
  const place = kind === null ? where.trim() : names.splitPlace(where)[1];
  if (searchText === "") return [];
  // Small letters mean any letters, unless they are quoted or grep is called by its name.
  const ignoresCase = !grep && todo === undefined && !/^(?:quote|code)$/.test(thing?.kind ?? "") && !/\p{Lu}/u.test(searchText);
  const anyCase = ignoresCase || (grep && / -\w*i/.test(clause.text)) ? { ignore_case: true } : {};
  const glob = kind === null ? {} : { glob: pattern };
  const paths = place === "" ? [base] : pathsIn(place, clause, true);
  return paths.map((path) => deed("grep", path, { pattern: todo ?? searchText, literal: true, ...anyCase, ...glob }));
};

/** Files that hold plain words. Into any other, "error handling" is not to be written but programmed. */
const PROSE = /\.(?:txt|md|log|csv)$|(?:^|\/)\.\w+ignore$/i;

/** "write_file", "append" or "create". `content` is said to be the text itself; other `words` are so if they are quoted, or in plain files. */
const write =
  (does: string): DeedMaker =>
  ({ path: file, mark, content, words, over, top }, clause) => {
    const path = fileOf(file ?? mark, clause);
    const writtenText = (content ?? words ?? "")
      .trim()
      .replace(/(?<=\S),? (?:in(?:side)? (?:it|there)|inside|as (?:its )?contents?)$/i, "");
    const onlyToken = onlyThing(writtenText, clause.masked);
    const isQuoted = onlyToken !== undefined && /^(?:quote|code|block)$/.test(onlyToken.kind);
    // "A poem" is what it is to be like, which is not for this agent.
    const isText =
      isQuoted || mark !== undefined || !/^(?:(?:a|an|some|the|your|my|me|it|that|this|everything)(?:\s|$)|[\ue000])/i.test(writtenText);
    if (path === null || path.endsWith("/") || !isText || (words !== undefined && !isQuoted && (does === "append" || !PROSE.test(path))))
      return [];
    // What is not quoted replaces nothing.
    const how = does === "write_file" && !isQuoted && over === undefined ? "create" : does;
    const isFirst = top === undefined ? {} : { first: true };
    return [deed(how, path, { content: isQuoted ? onlyToken.text : unmask(writtenText, clause.masked), ...isFirst })];
  };

/** One fact of a project; a question about a file is not one. */
const aboutProject =
  (does: string): DeedMaker =>
  ({ of = "" }, { text: clauseText, places }) => {
    const lastPlace = /\bits\b/i.test(clauseText) ? places.at(-1) : undefined;
    const other = lastPlace === undefined ? names.neighbourIn(of, /^the \S+ \S+$/i.test(of)) : names.directoryOf(lastPlace) || null;
    const isThis = /^(?:|.*\b(?:this|it|that|we|i|you|project|package|app)\b.*)$/i.test(of);
    if (clauseText.includes("\ue000")) return [];
    return [deed(does, other ?? ".", { of: other !== null || isThis ? "" : of.replace(/^(?:the|our) /i, "") })];
  };

const AGAINST =
  / (?:and|with|to|against|vs\.?|as|from) (?:the (?:one|same(?: file| one)?|file) (?:in|from|of) )?((?:(?! (?:and|with|to|against|vs\.?|as|from) ).)+)$/iu;

/** What each intent of the table does. */
export const DEEDS: Readonly<Record<string, DeedMaker>> = {
  readFiles,
  findFiles,
  search,
  /** Directories are deleted as such only where they are called so. */
  remove: (slots, clause) => {
    const isDirectory = A_DIRECTORY.test(slots["from"] ?? "") || targetsOf(slots["from"], clause).every((target) => target.endsWith("/"));
    return shell(`rm ${isDirectory ? "-r " : ""}-- {from}`, "I deleted {from}.")(slots, clause);
  },
  runCommand: ({ command = "" }, clause) => {
    const line = (words: string): string | null => {
      const [thing, plain] = [onlyThing(words, clause.masked), unmask(words, clause.masked).trim()];
      if (thing === undefined) return commandIn(plain, true);
      return /^(?:url|glob)$/.test(thing.kind) || (thing.kind === "path" && !thing.text.includes("/")) ? null : thing.text.trim() || null;
    };
    const placed = new RegExp(`^(.+?) (?:in|inside|from|under|at) (?:the )?(${MARK}|[\\w.-]+)(?: (?:folder|directory))?$`, "iu");
    const [, before = "", place = ""] = placed.exec(command) ?? [];
    const [inside, whole] = [line(before), line(command)];
    return inside !== null ? [run(inside, { cwd: valueOf(place, clause) })] : whole === null ? [] : [run(whole)];
  },
  /** A command that is called by its name. */
  commandByName: ({ line = "" }, { masked }) => {
    const command = line.startsWith("\ue000") ? null : commandIn(unmask(line, masked));
    return command === null ? [] : [run(command)];
  },
  spawn: ({ mark = "", task = "" }, clause) => [deed("spawn_agent", valueOf(mark, clause), { task: unmask(task, clause.masked).trim() })],
  /** "Change the version to 2.0" does not say which words to replace. */
  replace: ({ old = "", new: other = "", path: words, all, everywhere, also, loose }, clause) => {
    const path = fileOf(words, clause);
    if (loose !== undefined && onlyThing(old, clause.masked) === undefined && !PROSE.test(path ?? "")) return [];
    const every = (all ?? everywhere ?? also) === undefined ? {} : { all: true };
    return path === null ? [] : [deed("edit_file", path, { old: valueOf(old, clause), new: valueOf(other, clause), ...every })];
  },
  overview: ({ place = "this project", name }) => {
    const path = name === undefined ? names.projectIn(place) : names.isKnown(name) ? null : names.neighbourIn(`${name} repo`);
    return path === null ? [] : [deed("overview", path)];
  },
  /** "Run the tests": the usual command of this kind of project. */
  projectTask: (slots) => [{ name: "task", input: { task: Object.keys(slots).find((name) => slots[name] !== undefined) } }],
  askFor: ({ mark, place = "", reason }, clause) => {
    const path = mark === undefined ? (names.neighbourIn(place, true) ?? names.neighbourIn(`${place} repo`)) : valueOf(mark, clause);
    return path === null ? [] : [deed("request_read_access", path, reason === undefined ? {} : { reason: valueOf(reason, clause) })];
  },
  /** A question that names files and nothing else that is understood: what stands in them is the answer. */
  readAbout: (_slots, { text: clauseText, masked }) => {
    const paths = thingsIn(clauseText, masked).filter(({ kind }) => kind === "path");
    return paths.length > 3 ? [] : paths.map(({ text: path }) => read(path));
  },
  listPlaces: ({ words = "" }, clause) => {
    const rest = words.replace(LEAD, "").trim();
    if (names.kindOfFiles(rest, clause.masked) !== null) return findFiles({ words }, clause);
    if (names.plainIn(rest) === "" && thingsIn(rest, clause.masked).length === 0 && !/\b(?:it|its|that|there)\b/i.test(rest))
      return [list(".")];
    return pathsIn(rest, clause, true).map((path) => (names.looksLikeFile(path) && !LIST.test(clause.text) ? read(path) : list(path)));
  },
  countFiles: ({ where = "" }, clause) => {
    const place = where.replace(LEAD, "").replace(/ have$/i, "");
    return (/^(?:here|in total)?$/i.test(place) ? ["."] : pathsIn(place, clause, true)).map((path) => find("*", path));
  },
  /** `find "text" in X`, and `find TODO in X`: a quotation, or a word nobody would call a file. */
  findText: ({ text: what = "", where, named }, clause) => {
    const thing = onlyThing(what, clause.masked);
    const isCode = /^(?:[A-Z][A-Z0-9_]+|\w*[a-z][A-Z]\w*|\w+\(\)?)$/.test(what);
    const isText =
      thing === undefined ? isCode : /^(?:quote|code)$/.test(thing.kind) && (where !== undefined || /\s|[^\w.*?/-]/.test(thing.text));
    return isText || named !== undefined ? search({ text: what, where }, clause) : [];
  },
  contains: ({ where = "", text: what = "" }, clause) => {
    if (/^(?:you|we|i|it|they|this)$/i.test(where)) return [];
    const file = thingsIn(what, clause.masked).find(({ kind }) => kind === "path" || kind === "glob");
    const name = file?.text ?? names.kindOfFiles(what, clause.masked) ?? (names.isKnown(what) ? `*${what.toLowerCase()}*` : null);
    return name === null ? search({ text: what, where }, clause) : pathsIn(where, clause, true).map((path) => find(name, path));
  },
  /** Two files. A name may be left out ("the one in ../lib"), or point back ("compare it with b.txt"). */
  compare: (_slots, clause) => {
    const { text: clauseText, masked, places } = clause;
    const named = thingsIn(clauseText, masked).flatMap((one) => (names.isName(one) ? [one.text] : []));
    const right = pathsIn(AGAINST.exec(clauseText)?.[1] ?? "", clause, true);
    const all =
      named.length === 0 && !/\b(?:them|both|these|those|the two|differences?|diff$)\b/i.test(clauseText) ? [] : [...places, ...named];
    const [first, second] = named.length === 1 && right.length === 1 && right[0] !== named[0] ? [...named, ...right] : all.slice(-2);
    if (first === undefined || second === undefined || first === second) return [];
    const isDirectory = names.isDirectoryName(second) || / the (?:one|same(?: file| one)?) (?:in|from|of) /i.test(clauseText);
    return [deed("compare", first, { with: isDirectory ? names.joined(second, first.slice(first.lastIndexOf("/") + 1)) : second })];
  },
  access: () => [{ name: "list_access", input: {} }],
  repositories: () => [list("..")],
  sshKeys: () => [list("~/.ssh")],
  write: write("write_file"),
  append: write("append"),
  create: write("create"),
  dependencies: aboutProject("dependencies"),
  version: aboutProject("version"),
  scripts: aboutProject("scripts"),
  license: aboutProject("license"),
  changelog: aboutProject("changelog"),
};
