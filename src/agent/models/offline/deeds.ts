// From the slots of a phrase to what is to be done: the deeds of each intent. Null: the phrase does not make sense after all.

import { commandIn, shellWord } from "./commands.ts";
import type { Deed } from "./doing.ts";
import { MARK, onlyThing, startsWithVerb, type Thing, thingsIn, unmask } from "./message.ts";
import * as names from "./names.ts";
import { valueOf } from "./names.ts";
import type { Values } from "./outcome.ts";
import { FIRST_LINES } from "./tell.ts";
import { code, joinWords } from "./words.ts";

/** A clause without manners, with what its marks and its pronouns stand for, and the deeds of the message before. */
export type Clause = names.Said & Readonly<{ text: string; deeds: readonly Deed[] }>;
export type Slots = Readonly<Record<string, string | undefined>>;
type Deeds = readonly Deed[] | null;
type Does = (slots: Slots, clause: Clause) => Deeds;

export const deed = (does: string, path: string | null, input: Values = {}, lines: names.Lines | null = null): Deed => ({
  does,
  path,
  input,
  lines,
  stage: 0,
});
export const list = (path: string): Deed => deed("list_dir", path);
const find = (pattern: string, path: string): Deed => deed("find_files", path, { pattern });
export const run = (command: string, more: Values = {}): Deed => deed("bash", null, { command, ...more });
const read = (path: string, lines: names.Lines | null = null): Deed =>
  names.isDirectoryName(path) ? list(path) : deed("read_file", path, {}, lines);

/** What is to be written. "A poem" is not that but what it is to be like, which is not for this agent. */
function contentOf(words: string | undefined, { masked }: Clause): string | null {
  const plain = (words ?? "").trim();
  const [first] = plain.startsWith("\ue000") ? thingsIn(plain, masked) : [];
  if (first !== undefined && /^(?:quote|code|block)$/.test(first.kind)) return onlyThing(plain, masked)?.text ?? null;
  return /^(?:a|an|some|the|your|my|me|it|that)(?:\s|$)/i.test(plain) ? null : unmask(plain, masked);
}

const NO_FILE =
  /^(?:an?|the|new|files?|directory|folder|dir|me|you|detail|short|english|plain|words?|order|place|time|case|all|everything|nothing|something|line|end|root|top|trash|bin)$/i;

/** The one file a slot names: a thing, a plain word, or the one that was looked at last. */
function fileOf(words: string | undefined, { masked, places }: Clause): string | null {
  const thing = onlyThing(words ?? "", masked);
  if (thing !== undefined) return names.isName(thing) && thing.text.trim() !== "" ? thing.text : null;
  if (words === undefined || /^(?:it|there|that|this)$/i.test(words)) return places.at(-1)?.path ?? null;
  return NO_FILE.test(words) || words.includes(" ") ? null : words;
}

const A_FILE = /\b(?:files?|datei|archivo|fichero|fichier)\b/i;
const A_DIRECTORY = /\b(?:folder|directory|dir|ordner|verzeichnis|carpeta|directorio|dossier|répertoire)\b/i;
const ARTICLES = /\b(?:the|my|this|that|called|named|die|den|das|el|la|le)\b(?= *\S)/gi;

/** What is to be deleted, moved or copied: only what is named beyond doubt. `isNew`: a plain word is name enough. */
function targetsOf(words: string | undefined, clause: Clause, isNew = false): readonly string[] {
  const said = (words ?? "").replace(/ from (?:the|this|my|our) (?:project|repo|repository|workspace|disk)$/i, "");
  const targets = said.split(/, and |, | and | und | y | et /i).map((part) => {
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
  from: (words, clause) => targetsOf(words, clause),
  only: (words, clause) => targetsOf(words, clause).slice(0, / and |,/.test(words ?? "") ? 0 : 1),
  to: (words = "", clause, { into }) =>
    targetsOf(words, clause, true)
      .slice(0, 1)
      .map((goal) => ((into !== undefined && !names.looksLikeFile(goal)) || A_DIRECTORY.test(words) ? goal.replace(/\/?$/, "/") : goal)),
};

/** A command of ours. Each slot becomes single words, none of them taken for an option; `done` is told where it went well. */
export const shell =
  (template: string, done?: string): Does =>
  (slots, clause) => {
    const values = new Map(
      [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, SLOTS[name]?.(slots[name], clause, slots) ?? []]),
    );
    if ([...values.values()].some((words) => words.length === 0 || words.some((word) => /^[./~]*$/.test(word)))) return null;
    const fill = (text: string, how: (words: readonly string[]) => string): string =>
      text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => how(values.get(name) ?? []));
    const command = fill(template, (words) => words.map(shellWord).join(" "));
    return [run(command, done === undefined ? {} : { done: fill(done, (words) => joinWords(words.map(code))) })];
  };

const NAMES_ALONE = new RegExp(`^(?:(?:the )?files? )?${MARK}(?:(?:,| and| &|, and) (?:the )?${MARK})*$`, "iu");

const LEAD = new RegExp(`^(?:there )?(?:${names.IN}|at|have) `, "i");

const BEFORE_TEXT =
  /^\s?(?:(?:the|a|an|any|all|der|die|das|el|la|le|our) )?(?:(?:words?|text|string|phrase|term|lines?|function|method|class|type|variable|constant|uses? of|occurrences? of|mentions? of) )?/i;

const AGAINST = "(?:and|with|to|against|vs\\.?|as|from|mit|und|con|y|avec|et)";
const ONE_IN = new RegExp(
  `(${MARK}) ${AGAINST} (?:the (?:one|same(?: file| one)?|file)|that|its (?:copy|twin)) (?:in|from|of|under|at) (?:the (?=\ue000))?(.+)$`,
  "iu",
);

/** "write_file", "append" or "create", with what is to stand in the file. */
const write =
  (does: string): Does =>
  ({ path: words, mark, content: said }, clause) => {
    const [path, content] = [fileOf(words ?? mark, clause), mark === undefined ? contentOf(said, clause) : ""];
    return path === null || content === null || path.endsWith("/") ? null : [deed(does, path, { content })];
  };

/** One fact of a project; a question about a file is not one. */
const aboutProject =
  (does: string): Does =>
  ({ of = "" }, { text: said }) => {
    const other = names.neighbourIn(of, /^the \S+ \S+$/i.test(of));
    const what = /^(?:|.*\b(?:this|it|that|we|i|you|project|package|app|projekt|proyecto|projet)\b.*)$/i.test(of)
      ? ""
      : of.replace(/^(?:the|our) /i, "");
    return said.includes("\ue000") ? null : [deed(does, other ?? ".", { of: other === null ? what : "" })];
  };

const readFiles: Does = ({ words = "", asks, shell: program }, clause) => {
  // "The env example file": whatever is called something like it.
  const spoken = /^(?:the |my |our )?([\w-]+(?: [\w-]+){1,3}) file$/i.exec(words)?.[1];
  if (spoken !== undefined && !/\b(?:the|an?|of|in|my|whole|first|last|other|that|this|same)\b/i.test(spoken))
    return [find(`*${spoken.toLowerCase().replaceAll(" ", "*")}*`, ".")];
  const { paths = [], lines = null } = names.namedIn(words, clause) ?? {};
  // "What is up?" and "tell me a joke" have no file in them, unless they name one plainly.
  const isPlain =
    thingsIn(words, clause.masked).length > 0 ||
    words.split(" ").some(names.isKnown) ||
    paths.some((path) => names.isDirectoryName(path) || clause.offered.includes(path) || clause.places.some((one) => one.path === path));
  if (paths.length === 0 || (asks !== undefined && !isPlain) || /^how to /i.test(words)) return null;
  const shown = lines !== null && "to" in lines ? lines.to : 10;
  const wanted = program === undefined ? lines : /head/i.test(program) ? { from: 1, to: shown } : { last: shown };
  return paths.map((path) => read(path, wanted));
};

/** Files by kind, and also by name unless only `kinds` are meant. */
const findFiles: Does = ({ words: said = "", kinds }, clause) => {
  const words = kinds ?? said;
  // "ending in .md" says which files, not where.
  const [what, where] = names.splitPlace(words.replace(/\b(ending|ends?) in\b/i, "$1 with"));
  const places = where === "" ? ["."] : names.placesIn(where, clause);
  const things = thingsIn(what, clause.masked);
  const globs = things.filter(({ kind }) => kind === "glob").map((glob) => glob.text);
  const patterns = globs.length > 1 ? globs : [names.kindOfFiles(what, clause.masked)].flatMap((kind) => kind ?? []);
  if (patterns.length > 0 && (kinds === undefined || things.length <= 1))
    return patterns
      .map(names.splitGlob)
      .flatMap(({ base, pattern }) => (base === "." ? places : [base]).map((path) => find(pattern, path)));
  if (kinds !== undefined) return null;
  if (where !== "" && /^(?:me |all |any |every |the |of )*(?:files?|everything|all)?$/i.test(what.trim())) return places.map(list);
  const name = names.fileNameIn(what, clause);
  return name === null ? null : places.map((path) => find(name, path));
};

const search: Does = ({ text: what = "", where = "" }, clause) => {
  if (names.isAboutFiles(what.trim(), clause)) return null;
  const grep = /^(?:grep|rg|ack)\b/i.test(clause.text);
  const thing = thingsIn(what, clause.masked).find(({ kind }) => kind !== "url");
  const plain = what.replaceAll(/(?:^|\s)-[\w-]+/g, "").replace(BEFORE_TEXT, "");
  const wanted = (thing?.text ?? plain.replace(/ (?:comments?|markers?|function|method|class)$/i, "")).trim();
  const todo = grep ? undefined : /^(todo|fixme)s$/i.exec(wanted)?.[1]?.toUpperCase();
  // "src and docs", "all *.md files under docs", "TypeScript files": where to look, and perhaps in which files there.
  const kind = names.kindOfFiles(where, clause.masked);
  const { base, pattern } = names.splitGlob(kind ?? "");
  const place = kind === null ? where.trim() : names.splitPlace(where)[1];
  const paths = place === "" ? [base] : names.placesIn(place, clause);
  if (wanted === "" || paths.length === 0) return null;
  // Small letters mean any letters, unless they are quoted or grep is called by its name.
  const small = !grep && todo === undefined && !/^(?:quote|code)$/.test(thing?.kind ?? "") && !/\p{Lu}/u.test(wanted);
  const anyCase = small || (grep && / -\w*i/.test(clause.text)) ? { ignore_case: true } : {};
  const glob = kind === null ? {} : { glob: pattern };
  return paths.map((path) => deed("grep", path, { pattern: todo ?? wanted, literal: true, ...anyCase, ...glob }));
};

/** What each intent of the table does. */
export const DEEDS: Readonly<Record<string, Does>> = {
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
    return inside !== null ? [run(inside, { cwd: valueOf(place, clause) })] : whole === null ? null : [run(whole)];
  },
  /** A command that is called by its name. */
  commandByName: ({ line = "" }, { masked }) => {
    const command = line.startsWith("\ue000") ? null : commandIn(unmask(line, masked));
    return command === null ? null : [run(command)];
  },
  spawn: ({ mark = "", task = "" }, clause) => [deed("spawn_agent", valueOf(mark, clause), { task: unmask(task, clause.masked).trim() })],
  replace: ({ old = "", new: other = "", path: words, all, everywhere, also }, clause) => {
    const path = fileOf(words, clause);
    const every = (all ?? everywhere ?? also) === undefined ? {} : { all: true };
    return path === null ? null : [deed("edit_file", path, { old: valueOf(old, clause), new: valueOf(other, clause), ...every })];
  },
  overview: ({ place = "this project", name }) => {
    const path = name === undefined ? names.projectIn(place) : names.neighbourIn(`${name} repo`);
    return path === null ? null : [deed("overview", path)];
  },
  /** "Run the tests": the usual command of this kind of project. */
  projectTask: (slots) => [deed("task", null, { task: Object.keys(slots).find((name) => slots[name] !== undefined) })],
  askFor: ({ mark, place = "", reason }, clause) => {
    const path = mark === undefined ? (names.neighbourIn(place, true) ?? names.neighbourIn(`${place} repo`)) : valueOf(mark, clause);
    return path === null ? null : [deed("request_read_access", path, reason === undefined ? {} : { reason: valueOf(reason, clause) })];
  },
  /** Nothing but names: they are to be read. */
  readAlone: ({ words = "" }, clause) => {
    const things = thingsIn(words, clause.masked);
    if (things.length === 0 || /^its /i.test(words)) {
      const asked = words !== clause.text || names.isKnown(words) || /^(?:the (?:first|second|third) one|both|its \S+)$/i.test(words);
      return asked && !startsWithVerb(words) ? readFiles({ words, asks: "" }, clause) : null;
    }
    if (!NAMES_ALONE.test(words)) return null;
    if (things.length === 1 && things[0]?.kind === "glob") return findFiles({ words }, clause);
    // A lone quotation or piece of code may be anything; only what looks like a path is taken for one.
    const isPath = (one: Thing): boolean => one.kind === "path" || (names.isName(one) && /^\S*[./~]\S*$/.test(one.text));
    return things.every(isPath) ? things.map(({ text: path }) => read(path)) : null;
  },
  /** A question that names files and nothing else that is understood: what stands in them is the answer. */
  readAbout: (_slots, { text: said, masked }) => {
    const paths = thingsIn(said, masked).filter(({ kind }) => kind === "path");
    const isAboutDoing =
      /\b(?:delete|remove|write|change|run|move|rename|create|edit|fix|copy|overwrite|safe|install|execute|break)d?\b/i.test(said);
    return paths.length === 0 || paths.length > 3 || isAboutDoing ? null : paths.map(({ text: path }) => read(path));
  },
  /** So many lines at a time, where no number is said; the first of a long file have been shown. */
  more: (_slots, { deeds, places }) => {
    const last = deeds.findLast(({ does }) => does === "read_file");
    const path = places.findLast(({ directory }) => !directory)?.path;
    if (last === undefined || path === undefined) return null;
    const from = (last.lines === null ? FIRST_LINES : "to" in last.lines ? last.lines.to : 0) + 1;
    return [read(path, { from, to: from + 39 })];
  },
  readAll: ({ place = "" }, clause) => {
    const path = names.placeIn(place, clause);
    return path === null || names.looksLikeFile(path) ? null : [deed("read all", path)];
  },
  listPlaces: ({ words = "" }, clause) => {
    const rest = words.replace(LEAD, "").trim();
    if (/^(?:the |our |my )?[\w-]+'s \S+$/i.test(rest)) return readFiles({ words: rest }, clause);
    if (names.kindOfFiles(rest, clause.masked) !== null) return findFiles({ words }, clause);
    const place = names.placeIn(rest, clause);
    if (place !== null) return [names.looksLikeFile(place) && !/^(?:list|ls|dir|tree)\b/i.test(clause.text) ? read(place) : list(place)];
    if (names.plainIn(rest) === "" && thingsIn(rest, clause.masked).length === 0) return [list(".")];
    return names.namedIn(rest, clause)?.paths.map(list) ?? null;
  },
  countFiles: ({ where = "" }, clause) => {
    const place = where.replace(LEAD, "").replace(/ have$/i, "");
    return (/^(?:here|in total)?$/i.test(place) ? ["."] : names.placesIn(place, clause)).map((path) => find("*", path));
  },
  exists: ({ mark = "" }, clause) => {
    const path = valueOf(mark, clause).replace(/\/$/, "");
    const slash = path.lastIndexOf("/");
    return [find(`./${path.slice(slash + 1)}`, slash === -1 ? "." : path.slice(0, slash) || "/")];
  },
  /** `find "text" in X`, and `find TODO in X`: a quotation, or a word nobody would call a file. */
  findText: ({ text: what = "", where, named }, clause) => {
    const thing = onlyThing(what, clause.masked);
    const isCode = /^(?:[A-Z][A-Z0-9_]+|\w*[a-z][A-Z]\w*|\w+\(\)?)$/.test(what);
    const isText =
      thing === undefined ? isCode : /^(?:quote|code)$/.test(thing.kind) && (where !== undefined || /\s|[^\w.*?/-]/.test(thing.text));
    return isText || named !== undefined ? search({ text: what, where }, clause) : null;
  },
  contains: ({ where = "", text: what = "" }, clause) => {
    if (/^(?:you|we|i|it|they|this|anyone|anybody)$/i.test(where)) return null;
    const file = thingsIn(what, clause.masked).find(({ kind }) => kind === "path" || kind === "glob");
    return file === undefined ? search({ text: what, where }, clause) : [find(file.text, names.placeIn(where, clause) ?? ".")];
  },
  /** Two files. A name may be left out ("the one in ../lib"), or point back ("compare it with b.txt"). */
  compare: (_slots, clause) => {
    const { text: said, masked, places } = clause;
    const pair = (left = "", right = ""): Deeds =>
      left === right || left === "" || right === "" ? null : [deed("compare", left, { with: right })];
    const sameIn = (dir: string, file: string): Deeds => pair(file, names.joined(dir, file.slice(file.lastIndexOf("/") + 1)));
    const [, file = "", where = ""] = ONE_IN.exec(said) ?? [];
    const place = where === "" ? null : names.placeIn(where, clause);
    if (place !== null) return sameIn(place, valueOf(file, clause));
    const [first, second] = thingsIn(said, masked).flatMap((one) => (names.isName(one) ? [one.text] : []));
    if (first !== undefined && second !== undefined) return pair(first, second);
    const right = new RegExp(` ${AGAINST} ([^\ue000]+)$`, "iu").exec(said)?.[1] ?? "";
    const neighbour = names.neighbourIn(right);
    const other = / of /i.test(right) ? names.namedIn(right, clause)?.paths[0] : undefined;
    if (first !== undefined && other !== undefined) return pair(first, other);
    if (first !== undefined) return neighbour === null ? pair(places.at(-1)?.path, first) : sameIn(neighbour, first);
    const pointsBack = /\b(?:them|both|these|those|the two|differences?|diff$)\b/i.test(said);
    return pointsBack ? pair(...places.slice(-2).map(({ path }) => path)) : null;
  },
  access: () => [deed("list_access", null)],
  repositories: () => [list("..")],
  diff: (slots, clause) => (clause.places.length === 2 ? null : shell("git diff")(slots, clause)),
  write: write("write_file"),
  append: write("append"),
  create: write("create"),
  dependencies: aboutProject("dependencies"),
  version: aboutProject("version"),
  scripts: aboutProject("scripts"),
  license: aboutProject("license"),
};
