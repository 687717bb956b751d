// What was found, told in a few plain sentences: short files in full, long ones by their size and first lines, refusals with their
// reason and without a way around. And before it, what is being done, so that the person sees why a card appears.

import { createTwoFilesPatch } from "diff";
import { meanings } from "../../../core/guard/explain.ts";
import { show } from "../../../core/path/show.ts";
import type { CallOutcome } from "../../transcript.ts";
import {
  type Deed,
  entriesIn,
  list,
  nearIn,
  noteIn,
  number,
  refusal,
  type RefusedOutcome,
  text,
  texts,
  type Values,
  valuesOf,
} from "./outcome.ts";
import { block, clip, code, count, firstLines, joinWords, quote } from "./words.ts";

/** What became of a call. */
export interface CallReport extends Deed {
  readonly outcome: CallOutcome;
  /** What the person called it, where a near name was taken instead. */
  readonly named?: string | undefined;
  /** These very lines were asked for. */
  readonly isRequestedPart?: boolean;
}

/** What is quoted whole, and how much of the rest is shown. */
const SHORT_LINES = 40;
const SHORT_CHARACTERS = 3_000;
const SHOWN = 30;
/** How much of a long file is shown at first. */
const FIRST_LINES = 12;

/** A place as it was named. */
const placeIn = (input: Values): string => (text(input, "path") === "." ? "the workspace" : code(text(input, "path")));

/** `brief`: it is one of many, so less of it is shown. */
export function tell(look: CallReport, brief = false): string {
  const { name: tool, input, outcome, named } = look;
  if (!outcome.ok) return tellRefusal(look, outcome);
  const name = placeIn(input);
  const path = text(input, "path");
  const instead =
    path === `../${named ?? ""}`
      ? ` here, so I looked next door, in ${name}`
      : path.endsWith(`/${named ?? ""}`)
        ? ` here; the only file of that name is ${name}`
        : `; the one name near to it is ${name}`;
  const renamed = named === undefined ? "" : `There is no ${code(named)}${instead}. `;
  const values = valuesOf(outcome);
  const description = Object.keys(values).length === 0 ? null : DESCRIBERS[tool]?.(values, name, { ...look, brief });
  const speaker = tool === "spawn_agent" ? `The agent in ${name} says` : name;
  return renamed + (description ?? `${speaker}:\n\n${firstLines(outcome.output, 60)}`);
}

type Describer = (values: Values, name: string, look: CallReport & { readonly brief: boolean }) => string | null;
const DESCRIBERS: Readonly<Record<string, Describer>> = {
  read_file: tellFile,
  list_dir(values, name) {
    const entries = entriesIn(values);
    const total = Math.max(number(values, "total"), entries.length);
    const withheld = number(values, "withheld");
    const subject = name.charAt(0).toUpperCase() + name.slice(1);
    if (total === 0)
      return `${subject} is empty${withheld === 0 ? "" : `, as far as I may see; ${count(withheld, "entry is", "entries are")} withheld`}.`;
    const names = entries.slice(0, SHOWN).map(code);
    const listedNames = total > names.length ? `${names.join(", ")} and ${total - names.length} more` : joinWords(names);
    return `${subject} holds ${count(total, "entry", "entries")}: ${listedNames}.${withheld === 0 ? "" : ` ${count(withheld, "more is", "more are")} withheld.`}`;
  },
  find_files(values, name, { input }) {
    const files = texts(values, "files");
    const pattern = code(text(input, "pattern"));
    const withheldNote = tellWithheld(values, "left out");
    if (pattern === "`*`")
      return `${tellLeast(values) || "There are "}${count(files.length, "file")} below ${name}. ${withheldNote}`.trim();
    if (files.length === 0) return `No file below ${name} matches ${pattern}. ${withheldNote}`.trim();
    const listedFiles = files.slice(0, SHOWN).map((file) => `- ${code(file)}`);
    const many = `${tellLeast(values)}${count(files.length, "file matches", "files match")} ${pattern}`;
    return `${many}:\n\n${listedFiles.join("\n")}${rest("\n- and", files, listedFiles)}\n\n${withheldNote}`.trim();
  },
  grep(values, name, { input }) {
    const matches = list(values, "matches");
    const pattern = quote(text(input, "pattern"));
    const withheldNote = tellWithheld(values, "not searched");
    if (matches.length === 0) return `${pattern} is nowhere in ${name}. ${withheldNote}`.trim();
    const files = new Set(matches.map((match) => text(match, "file"))).size;
    const listedMatches = matches
      .slice(0, 20)
      .map((match) => `${text(match, "file")}:${number(match, "line")}: ${clip(text(match, "text"), 160)}`);
    const many = `${tellLeast(values)}${count(matches.length, "line")} in ${count(files, "file")}`;
    const matchBlock = block(listedMatches.join("\n") + rest("\n… and", matches, listedMatches));
    return `${many} ${matches.length === 1 ? "has" : "have"} ${pattern}:\n\n${matchBlock}\n\n${withheldNote}`.trim();
  },
  write_file: (values, name) =>
    `I ${values["created"] === true ? "made" : "wrote"} ${name} (${count(number(values, "bytes_written"), "byte")}).`,
  edit_file: (values, name) => `I changed ${name} in ${count(number(values, "replaced"), "place")}.`,
  list_access(values) {
    const from: Values = { workspace: "the workspace", mount: "mounted", grant: "granted by you" };
    const roots = list(values, "roots").map(
      (root) => `- ${code(text(root, "path"))}: ${text(root, "mode")} (${text(from, text(root, "from")) || text(root, "from")})`,
    );
    return `I may look into:\n\n${roots.join("\n")}\n\nSecrets stay hidden in all of them. Anything else I ask you for first.`;
  },
  bash(values) {
    if (!("exit_code" in values)) return null;
    const printed = [text(values, "stdout"), text(values, "stderr")].filter((one) => one.trim() !== "");
    const exit = number(values, "exit_code");
    const head = exit === 0 ? "The command ran" : `The command ended with code ${exit}`;
    const notes = texts(values, "notes").map((note) => clip(note, 300));
    const printedBlocks = printed.map((one) => firstLines(one, SHORT_LINES));
    return [printed.length === 0 ? `${head} and printed nothing.` : `${head}:`, ...printedBlocks, ...notes].join("\n\n");
  },
};

const tellLeast = (values: Values): string => (values["truncated"] === true ? "More than " : "");
const tellWithheld = (values: Values, was: string): string =>
  number(values, "withheld") === 0 ? "" : `What is secret or denied was ${was} (${number(values, "withheld")}).`;
const rest = (and: string, all: readonly unknown[], shown: readonly unknown[]): string =>
  all.length > shown.length ? `${and} ${all.length - shown.length} more` : "";

const linesIn = (content: string): number => (content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0));
/** How many lines a file has, of which perhaps only some were read. */
export const totalOf = (values: Values): number =>
  typeof values["total_lines"] === "number" ? number(values, "total_lines") : linesIn(text(values, "content"));
/** Was all of the file read? */
export const isWhole = (values: Values): boolean => values["truncated"] !== true && linesIn(text(values, "content")) >= totalOf(values);

function tellFile(
  values: Values,
  name: string,
  { isRequestedPart: asked, brief }: CallReport & { readonly brief: boolean },
): string | null {
  if (typeof values["content"] !== "string") return null;
  const [content, total, lineCount] = [values["content"], totalOf(values), linesIn(values["content"])];
  if (asked === true) {
    if (lineCount === 0) return `${name} has only ${count(total, "line")}.`;
    const from = Math.max(1, number(values, "from"));
    const which = lineCount === 1 ? `Line ${from}` : `Lines ${from} to ${from + lineCount - 1}`;
    return `${which} of ${name}, which has ${count(total, "line")}:\n\n${firstLines(content, 200)}`;
  }
  const whole = isWhole(values);
  if (whole && content === "") return `${name} is empty.`;
  const size = whole ? `${count(total, "line")}, ${count(number(values, "bytes_read"), "byte")}` : count(total, "line");
  if (whole && content.length <= (brief ? 1_000 : SHORT_CHARACTERS) && lineCount <= (brief ? 15 : SHORT_LINES))
    return `${name} (${size}):\n\n${block(content)}`;
  return `${name} is long (${size}). It begins:\n\n${firstLines(content, FIRST_LINES)}\n\nSay which lines you want to see.`;
}

/** What is said of a refusal in place of what its code means, or after that. */
const INSTEAD: Values = {
  "person-declined": "You said no to NAME, so I leave it alone.",
  "recently-denied": "NAME was refused a moment ago, so I did not ask again.",
  "already-in-scope": "NAME is in scope already; just say what you want to see there.",
  "unknown-tool": "I have no tool for that here (TOOL is not offered).",
  "not-found": "There is no NAME.",
};
const AFTERWARDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:secret-file|protected-path|policy-deny|virtual-fs)$/, " I leave it at that and look for no other way."],
  [
    /^(?:out-of-whitelist|no-grant-root|root-too-broad)$/,
    " So I cannot ask you for it either; mount it, or start me there, if I am to see it.",
  ],
  [/^no-prompt-channel$/, " So I leave it."],
  [/^(?:write-out-of-scope|read-only-grant|read-only-mount)$/, " I write inside the workspace only."],
  [/^too-large$/, " Even single lines of it are too long to show."],
];

/** A grant that did not help: what was granted is gone or has changed. */
export const STILL_REFUSED = refusal("out-of-scope", "granted, and refused");

function tellRefusal({ name: tool, input }: CallReport, outcome: RefusedOutcome): string {
  const { code: reason, hint } = outcome;
  const name = code(text(input, "path") || clip(text(input, "command"), 80) || "it");
  const instead = tool === "bash" && reason === "not-found" ? "" : text(INSTEAD, reason);
  const note = reason === "person-declined" ? noteIn(hint) : null;
  const near = nearIn(outcome).map(code);
  const more =
    note !== null ? ` You wrote: ${quote(note)}.` : near.length > 0 ? ` Names near to it: ${joinWords(near)}. Say which one you mean.` : "";
  if (instead !== "") return instead.replace("TOOL", () => code(tool)).replace("NAME", () => name) + more;
  if (tool === "bash" || reason === "bad-request" || reason === "invalid-path")
    return `That did not work: ${clip(hint.split("\n")[0] ?? "", 400) || meanings[reason]}`;
  const after =
    outcome === STILL_REFUSED
      ? " You allowed it, and it is still refused; it may have changed or been taken back."
      : AFTERWARDS.find(([codes]) => codes.test(reason))?.[1];
  return `${name} ${meanings[reason]}.${after ?? ""}`;
}

/** Two files, line by line. Where more lines differ than this, they have little in common. */
const MOST_EDITS = 2_000;

export function tellComparison(looks: readonly CallReport[]): string {
  const bad = looks.filter(({ name, outcome }) => name !== "read_file" || !("content" in valuesOf(outcome)));
  if (bad.length > 0) return `I cannot compare them. ${bad.map((look) => tell(look)).join(" ")}`;
  const [first = "", second = ""] = looks.map(({ input }) => text(input, "path"));
  const [firstValues = {}, secondValues = {}] = looks.map(({ outcome }) => valuesOf(outcome));
  const both = `${code(first)} and ${code(second)}`;
  const part = isWhole(firstValues) && isWhole(secondValues) ? "" : " (both are compared only as far as I read them)";
  const [left, right] = [text(firstValues, "content"), text(secondValues, "content")];
  if (left === right) return `${both} are the same: ${count(totalOf(firstValues), "line")}${part}.`;
  const patch = createTwoFilesPatch(show(first), show(second), left, right, "", "", { context: 1, maxEditLength: MOST_EDITS });
  if (patch === undefined) return `${both} have little in common${part}.`;
  const [, ...lines] = patch.trimEnd().split("\n");
  const shownLines = lines.slice(0, SHORT_LINES);
  return `${both} differ${part}:\n\n${firstLines(shownLines.join("\n") + rest("\n… and", lines, shownLines), SHORT_LINES + 1, "diff")}`;
}

/** A call in a sentence or two. */
export function announce({ name, input }: Deed): string {
  const [where, pattern] = [placeIn(input), text(input, "pattern")];
  const doing: Values = {
    read_file: `Reading ${where}.`,
    list_dir: `Listing ${where}.`,
    find_files: `Looking for ${code(pattern)} in ${where}.`,
    grep: `Searching for ${quote(pattern)} in ${where}.`,
    write_file: `Writing ${where}.`,
    edit_file: `Changing ${where}.`,
    bash: `Running ${code(clip(text(input, "command"), 200))}.`,
    list_access: "Looking up what I may see.",
    spawn_agent: `Starting an agent in ${where}.`,
    request_read_access: `${where} is outside of what I may read, so I ask you for it. If you say no, I leave it alone.`,
  };
  return text(doing, name) || `Using ${where}.`;
}
