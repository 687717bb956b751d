// From the slots of a phrase to what is to be done: the deeds of each intent.

import { isCommand, isShellLine, shellWord } from "./commands.ts";
import type { Deed } from "./doing.ts";
import { MARK, onlyThing, startsWithVerb, type Thing, thingsIn, unmask } from "./message.ts";
import * as names from "./names.ts";
import type { Values } from "./outcome.ts";
import { FIRST_LINES } from "./tell.ts";
import { code, joinWords } from "./words.ts";

/** A clause without manners, with what its marks and its pronouns stand for, and the deeds of the message before. */
export type Clause = names.Said & Readonly<{ text: string; deeds: readonly Deed[] }>;
export type Slots = Readonly<Record<string, string | undefined>>;
type Deeds = readonly Deed[] | null;

export const deed = (does: string, path: string | null, input: Values = {}, more: Partial<Deed> = {}): Deed => ({
  does,
  path,
  input,
  lines: null,
  stage: 0,
  ...more,
});
export const list = (path: string): Deed => deed("list_dir", path);
const find = (pattern: string, path: string): Deed => deed("find_files", path, { pattern });
export const run = (command: string, more: Values = {}): Deed => deed("bash", null, { command, ...more });
const read = (path: string, lines: names.Lines | null = null): Deed =>
  names.isDirectoryName(path) ? list(path) : deed("read_file", path, {}, { lines });

// ── Values of slots ──

/** The text of a thing that stands alone; other words as they were written. */
const valueOf = (words: string | undefined, { masked }: Clause): string =>
  onlyThing(words ?? "", masked)?.text ?? unmask(words ?? "", masked).trim();

/** What is to be written. "A poem" is not that but what it is to be like, which is not for this agent. */
function contentOf(words: string | undefined, { masked }: Clause): string | null {
  const plain = (words ?? "").trim();
  const [first] = plain.startsWith("\ue000") ? thingsIn(plain, masked) : [];
  if (first !== undefined && /^(?:quote|code|block)$/.test(first.kind)) return onlyThing(plain, masked)?.text ?? null;
  return /^(?:a|an|some|the|your|my|me|it|that)(?:\s|$)/i.test(plain) ? null : unmask(plain, masked);
}

const NO_FILE =
  /^(?:an?|the|new|files?|directory|folder|dir|me|you|detail|short|english|plain|words?|order|place|time|case|all|everything|nothing|something|line|end)$/i;

/** The one file a slot names: a thing, a plain word, or the one that was looked at last. */
function fileOf(words: string | undefined, { masked, places }: Clause): string | null {
  const thing = onlyThing(words ?? "", masked);
  if (thing !== undefined) return /^(?:path|quote|code)$/.test(thing.kind) && thing.text.trim() !== "" ? thing.text : null;
  if (words === undefined || /^(?:it|there|that|this)$/i.test(words)) return places.at(-1)?.path ?? null;
  return NO_FILE.test(words) || words.includes(" ") ? null : words;
}

const A_FILE = /\b(?:files?|datei|archivo|fichero|fichier)\b/i;
const A_DIRECTORY = /\b(?:folder|directory|dir|ordner|verzeichnis|carpeta|directorio|dossier|répertoire)\b/i;

/** What is to be deleted, moved or copied: only what is named beyond doubt. */
function targetsOf(words: string | undefined, clause: Clause): readonly string[] {
  const targets = (words ?? "").split(/, and |, | and | und | y | et /i).map((part) => {
    const plain = part
      .replace(A_FILE, " ")
      .replace(A_DIRECTORY, " ")
      .replaceAll(/\b(?:the|my|this|that|called|named|die|den|das|el|la|le)\b(?= *\S)/gi, " ");
    const rest = plain.replaceAll(/\s+/g, " ").trim();
    const isNamed = A_FILE.test(part) || A_DIRECTORY.test(part) || rest.startsWith("\ue000") || /[._\d]|^(?:it|that|this)$/i.test(rest);
    return isNamed && rest !== "" ? fileOf(rest, clause) : null;
  });
  return targets.includes(null) ? [] : targets.flatMap((target) => target ?? []);
}

/** A command of ours, with its targets as single words, none of them taken for an option; `done` is told where it went well. */
const change = (program: string, targets: readonly string[], done: string): readonly Deed[] => [
  run(`${program} -- ${targets.map(shellWord).join(" ")}`, { done }),
];

// ── Changing ──

export function runCommand({ command = "" }: Slots, clause: Clause): Deeds {
  const placed = new RegExp(`^(.+?) (?:in|inside|from|under|at) (?:the )?(${MARK}|[\\w.-]+)(?: (?:folder|directory))?$`, "iu").exec(
    command,
  );
  const line = (words: string): string | null => {
    const [thing, plain] = [onlyThing(words, clause.masked), unmask(words, clause.masked).trim()];
    if (thing === undefined) return isCommand(plain, true) || isShellLine(plain) ? plain : null;
    return /^(?:url|glob)$/.test(thing.kind) || (thing.kind === "path" && !thing.text.includes("/")) ? null : thing.text.trim() || null;
  };
  const inside = placed === null ? null : line(placed[1] ?? "");
  const whole = line(command);
  return inside !== null ? [run(inside, { cwd: valueOf(placed?.[2], clause) })] : whole === null ? null : [run(whole)];
}

export const spawn = ({ mark, task = "" }: Slots, clause: Clause): Deeds => [
  deed("spawn_agent", valueOf(mark, clause), { task: unmask(task, clause.masked).trim() }),
];

/** "write_file", "append" or "create", with what is to stand in the file. */
export const write =
  (does: string) =>
  ({ path: words, mark, content: said }: Slots, clause: Clause): Deeds => {
    const [path, content] = [fileOf(words ?? mark, clause), mark === undefined ? contentOf(said, clause) : ""];
    return path === null || content === null || path.endsWith("/") ? null : [deed(does, path, { content })];
  };

export function replace({ old, new: other, path: words, all, everywhere, also }: Slots, clause: Clause): Deeds {
  const path = fileOf(words, clause);
  const every = (all ?? everywhere ?? also) === undefined ? {} : { all: true };
  return path === null ? null : [deed("edit_file", path, { old: valueOf(old, clause), new: valueOf(other, clause), ...every })];
}

export function makeDirectory({ path: words }: Slots, clause: Clause): Deeds {
  const path = fileOf(words, clause);
  return path === null ? null : change("mkdir", [path], `I made the directory ${code(path)}.`);
}

export function remove({ from }: Slots, clause: Clause): Deeds {
  const targets = targetsOf(from, clause);
  if (targets.length === 0 || targets.some((target) => /^[./~]*$/.test(target))) return null;
  const program = A_DIRECTORY.test(from ?? "") || targets.every((target) => target.endsWith("/")) ? "rm -r" : "rm";
  return change(program, targets, `I deleted ${joinWords(targets.map(code))}.`);
}

export const move =
  (program: string, verb: string) =>
  ({ from, to = "" }: Slots, clause: Clause): Deeds => {
    const [[target, ...more], [goal]] = [targetsOf(from, clause), targetsOf(to, clause)];
    if (target === undefined || goal === undefined || more.length > 0) return null;
    const into = A_DIRECTORY.test(to) && !goal.endsWith("/") ? `${goal}/` : goal;
    return change(program, [target, into], `I ${verb} ${code(target)} to ${code(into)}.`);
  };

// ── The project ──

/** One fact of the project; a question about a file is not one. */
export const aboutProject =
  (does: string) =>
  ({ of = "" }: Slots, { text: said }: Clause): Deeds =>
    said.includes("\ue000") ? null : [deed(does, ".", { of })];

export function overview({ place = "this project" }: Slots): Deeds {
  const path = names.projectIn(place);
  return path === null ? null : [deed("overview", path)];
}

/** The last commit, or the last one that changed a file. */
export const lastChange = ({ mark }: Slots, clause: Clause): Deeds => [
  run(mark === undefined ? "git log -n 1" : `git log -n 1 -- ${shellWord(valueOf(mark, clause))}`),
];

/** "Run the tests": the usual command of this kind of project. */
export const projectTask = (slots: Slots): Deeds => [
  deed("task", null, { task: 1 + ["test", "build", "lint", "install"].findIndex((name) => slots[name] !== undefined) }),
];

export function askFor({ mark, place, reason }: Slots, clause: Clause): Deeds {
  const path = mark === undefined ? names.neighbourIn(place ?? "") : valueOf(mark, clause);
  return path === null
    ? null
    : [deed("request_read_access", path, reason === undefined ? {} : { reason: unmask(reason, clause.masked).trim() })];
}

// ── Looking ──

export function readFiles({ words = "", asks, shell }: Slots, clause: Clause): Deeds {
  // "The env example file": whatever is called something like it.
  const spoken = /^(?:the |my |our )?([\w-]+(?: [\w-]+){1,3}) file$/i.exec(words)?.[1];
  if (spoken !== undefined && !/\b(?:the|an?|of|in|my|whole|first|last|other|that|this|same)\b/i.test(spoken))
    return [find(`*${spoken.toLowerCase().replaceAll(" ", "*")}*`, ".")];
  const named = names.namedIn(words, clause);
  // "What is up?" and "tell me a joke" have no file in them, unless they name one plainly.
  if (named === null || (asks !== undefined && !names.isPlain(words, clause, named))) return null;
  const { paths, lines } = named;
  const shown = lines !== null && "to" in lines ? lines.to : 10;
  const wanted = shell === undefined ? lines : /head/i.test(shell) ? { from: 1, to: shown } : { last: shown };
  return paths.map((path) => read(path, wanted));
}

const NAMES_ALONE = new RegExp(`^(?:(?:the )?files? )?${MARK}(?:(?:,| and| &|, and) (?:the )?${MARK})*$`, "iu");

/** Nothing but names: they are to be read. */
export function readAlone(words: string, clause: Clause): Deeds {
  const things = thingsIn(words, clause.masked);
  if (things.length === 0 || /^its /i.test(words)) {
    const asked = words !== clause.text || names.isKnown(words) || /^(?:the (?:first|second|third) one|both|its \S+)$/i.test(words);
    return asked && !startsWithVerb(words) ? readFiles({ words, asks: "" }, clause) : null;
  }
  if (!NAMES_ALONE.test(words)) return null;
  if (things.length === 1 && things[0]?.kind === "glob") return findFiles(words, clause, true);
  // A lone quotation or piece of code may be anything; only what looks like a path is taken for one.
  const isPath = ({ kind, text: name }: Thing): boolean => kind === "path" || (/^(?:code|quote)$/.test(kind) && /^\S*[./~]\S*$/.test(name));
  return things.every(isPath) ? things.map(({ text: path }) => read(path)) : null;
}

/** A question that names files and nothing else that is understood: what stands in them is the answer. */
export function readAbout(_slots: Slots, { text: said, masked }: Clause): Deeds {
  const paths = thingsIn(said, masked).filter(({ kind }) => kind === "path");
  const isAboutDoing =
    /\b(?:delete|remove|write|change|run|move|rename|create|edit|fix|copy|overwrite|safe|install|execute|break)d?\b/i.test(said);
  return paths.length === 0 || paths.length > 3 || isAboutDoing ? null : paths.map(({ text: path }) => read(path));
}

/** So many lines at a time, where no number is said; the first of a long file have been shown. */
export function more(_slots: Slots, { deeds, places }: Clause): Deeds {
  const last = deeds.findLast(({ does }) => does === "read_file");
  const path = places.findLast(({ directory }) => !directory)?.path;
  if (last === undefined || path === undefined) return null;
  const from = (last.lines === null ? FIRST_LINES : "to" in last.lines ? last.lines.to : 0) + 1;
  return [read(path, { from, to: from + 39 })];
}

export function readAll({ place = "" }: Slots, clause: Clause): Deeds {
  const path = names.placeIn(place, clause);
  return path === null || names.looksLikeFile(path) ? null : [deed("read all", path)];
}

export function listPlaces(words: string, clause: Clause): Deeds {
  const rest = words.replace(/^(?:there )?(?:in|inside|under|within|at|of|from|have|im|en|dans) /i, "").trim();
  if (names.kindOfFiles(rest, clause.masked) !== null) return findFiles(words, clause, true);
  const place = names.placeIn(rest, clause);
  if (place !== null) return [names.looksLikeFile(place) && !/^(?:list|ls|dir|tree)\b/i.test(clause.text) ? read(place) : list(place)];
  if (names.plainIn(rest) === "" && thingsIn(rest, clause.masked).length === 0) return [list(".")];
  return names.namedIn(rest, clause)?.paths.map(list) ?? null;
}

export function countFiles({ where = "" }: Slots, clause: Clause): Deeds {
  const place = where.replace(/^(?:in|inside|under|within|at|of|im|en|dans) /i, "").replace(/ have$/i, "");
  return (/^(?:here|in total)?$/i.test(place) ? ["."] : names.placesIn(place, clause)).map((path) => find("*", path));
}

export function exists({ mark }: Slots, clause: Clause): Deeds {
  const path = valueOf(mark, clause).replace(/\/$/, "");
  const slash = path.lastIndexOf("/");
  return [find(`./${path.slice(slash + 1)}`, slash === -1 ? "." : path.slice(0, slash) || "/")];
}

const WITHIN = /^(.*?)(?:^| )(?:in|inside|within|under|of|from|below|im|en|dans) ((?:(?! (?:in|inside|within|under|of|from|below) ).)+)$/i;

/** Files by kind, and with `byName` also by name. */
export function findFiles(words: string, clause: Clause, byName: boolean): Deeds {
  // "ending in .md" says which files, not where.
  const spoken = words.replace(/\b(ending|ends?) in\b/i, "$1 with");
  const within = WITHIN.exec(spoken);
  const [what = "", where = ""] = within === null ? [spoken] : [within[1], within[2]];
  const places = where === "" ? ["."] : names.placesIn(where, clause);
  const things = thingsIn(what, clause.masked);
  const globs = things.filter(({ kind }) => kind === "glob").map((glob) => glob.text);
  const kinds = globs.length > 1 ? globs : [names.kindOfFiles(what, clause.masked)].flatMap((kind) => kind ?? []);
  if (kinds.length > 0 && (byName || things.length <= 1))
    return kinds.flatMap((kind) => {
      const { base, pattern } = names.splitGlob(kind);
      return (base === "." ? places : [base]).map((path) => find(pattern, path));
    });
  if (byName && where !== "" && /^(?:me |all |any |every |the |of )*(?:files?|everything|all)?$/i.test(what.trim()))
    return places.map(list);
  const name = byName ? names.fileNameIn(what, clause) : null;
  return name === null ? null : places.map((path) => find(name, path));
}

const BEFORE_TEXT =
  /^\s?(?:(?:the|a|an|any|all|der|die|das|el|la|le|our) )?(?:(?:words?|text|string|phrase|term|lines?|function|method|class|type|variable|constant|uses? of|occurrences? of|mentions? of) )?/i;

export function search({ text: what = "", where = "" }: Slots, clause: Clause): Deeds {
  if (names.isAboutFiles(what.trim(), clause)) return null;
  const grep = /^(?:grep|rg|ack)\b/i.test(clause.text);
  const thing = thingsIn(what, clause.masked).find(({ kind }) => kind !== "url");
  const plain = what.replaceAll(/(?:^|\s)-[\w-]+/g, "").replace(BEFORE_TEXT, "");
  const wanted = (thing?.text ?? plain.replace(/ (?:comments?|markers?|function|method|class)$/i, "")).trim();
  const todo = grep ? undefined : /^(todo|fixme)s$/i.exec(wanted)?.[1]?.toUpperCase();
  const { paths, glob } = whereIn(where.trim(), clause);
  if (wanted === "" || paths.length === 0) return null;
  // Small letters mean any letters, unless they are quoted or grep is called by its name.
  const small = !grep && todo === undefined && !/^(?:quote|code)$/.test(thing?.kind ?? "") && !/\p{Lu}/u.test(wanted);
  const anyCase = small || (grep && / -\w*i/.test(clause.text)) ? { ignore_case: true } : {};
  return paths.map((path) => deed("grep", path, { pattern: todo ?? wanted, literal: true, ...anyCase, ...glob }));
}

/** "src and docs", "all *.md files under docs", "TypeScript files": where to look, and perhaps in which files there. */
function whereIn(words: string, clause: Clause): Readonly<{ paths: readonly string[]; glob: Values }> {
  const kind = names.kindOfFiles(words, clause.masked);
  if (kind === null) return { paths: words === "" ? ["."] : names.placesIn(words, clause), glob: {} };
  const rest = / (?:in|under|from|of|below|inside) (.+)$/i.exec(words)?.[1] ?? "";
  const { base, pattern } = names.splitGlob(kind);
  return { paths: rest === "" ? [base] : names.placesIn(rest, clause), glob: { glob: pattern } };
}

/** `find "text" in X`, and `find TODO in X`: a quotation, or a word nobody would call a file. */
export function findText({ text: what = "", where, named }: Slots, clause: Clause): Deeds {
  const thing = onlyThing(what, clause.masked);
  const isCode = /^(?:[A-Z][A-Z0-9_]+|\w*[a-z][A-Z]\w*|\w+\(\)?)$/.test(what);
  const isText =
    thing === undefined ? isCode : /^(?:quote|code)$/.test(thing.kind) && (where !== undefined || /\s|[^\w.*?/-]/.test(thing.text));
  return isText || named !== undefined ? search({ text: what, where }, clause) : null;
}

export function contains({ where = "", text: what = "" }: Slots, clause: Clause): Deeds {
  if (/^(?:you|we|i|it|they|this|anyone|anybody)$/i.test(where)) return null;
  const file = thingsIn(what, clause.masked).find(({ kind }) => kind === "path" || kind === "glob");
  return file === undefined ? search({ text: what, where }, clause) : [find(file.text, names.placeIn(where, clause) ?? ".")];
}

const AGAINST = "(?:and|with|to|against|vs\\.?|as|from|mit|und|con|y|avec|et)";
const ONE_IN = new RegExp(
  `(${MARK}) ${AGAINST} (?:the (?:one|same(?: file| one)?|file)|that|its (?:copy|twin)) (?:in|from|of|under|at) (?:the (?=\ue000))?(.+)$`,
  "iu",
);

/** Two files. A name may be left out ("the one in ../lib"), or point back ("compare it with b.txt"). */
export function compare(_slots: Slots, clause: Clause): Deeds {
  const { text: said, masked, places } = clause;
  const pair = (left = "", right = ""): Deeds =>
    left === right || left === "" || right === "" ? null : [deed("compare", left, { with: right })];
  const sameIn = (dir: string, file: string): Deeds => pair(file, names.joined(dir, file.slice(file.lastIndexOf("/") + 1)));
  const other = ONE_IN.exec(said);
  const place = other === null ? null : names.placeIn(other[2] ?? "", clause);
  if (other !== null && place !== null) return sameIn(place, valueOf(other[1], clause));
  const [first, second] = thingsIn(said, masked).flatMap(({ kind, text: path }) => (/^(?:path|quote|code)$/.test(kind) ? [path] : []));
  if (first !== undefined && second !== undefined) return pair(first, second);
  const neighbour = names.neighbourIn(new RegExp(` ${AGAINST} (.+)$`, "iu").exec(said)?.[1] ?? "");
  if (first !== undefined) return neighbour === null ? pair(places.at(-1)?.path, first) : sameIn(neighbour, first);
  const pointsBack = /\b(?:them|both|these|those|the two|differences?|diff$)\b/i.test(said);
  return pointsBack ? pair(...places.slice(-2).map(({ path }) => path)) : null;
}
