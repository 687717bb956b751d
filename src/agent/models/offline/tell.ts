// What was found, told in a few plain sentences: short files in full, long ones by their size and first lines, refusals with their
// reason and without a way around. And before it, what is being done, so that the person sees why a card appears.

import { createTwoFilesPatch } from "diff";
import { meanings } from "../../../core/guard/explain.ts";
import { show } from "../../../core/path/show.ts";
import type { CallOutcome } from "../../transcript.ts";
import { entriesIn, list, nearIn, noteIn, number, type RefusedOutcome, text, texts, type Values, valuesOf } from "./outcome.ts";
import { block, clip, code, count, firstLines, joinWords, place, quote } from "./words.ts";

export interface PlannedCall {
  readonly name: string;
  readonly input: Values;
}

/** What became of a call. */
export interface Look extends PlannedCall {
  readonly outcome: CallOutcome;
  /** What the person called it, where a near name was taken instead. */
  readonly named?: string | undefined;
  /** These very lines were asked for. */
  readonly asked?: boolean;
}

/** What is quoted whole, and how much of the rest is shown. */
const SHORT_LINES = 40;
const SHORT_CHARACTERS = 3_000;
const SHOWN = 30;
/** How much of a long file is shown at first. */
export const FIRST_LINES = 12;

/** `brief`: it is one of many, so less of it is shown. */
export function tell(look: Look, brief = false): string {
  const { name: tool, input, outcome, named } = look;
  if (!outcome.ok) return tellRefusal(look, outcome);
  const values = valuesOf(outcome.output);
  const name = place(text(input, "path"));
  const renamed = named === undefined ? "" : `There is no ${code(named)}; the one name near to it is ${name}. `;
  const said = values === null ? null : tool === "read_file" ? tellFile(name, values, look, brief) : TELLING[tool]?.(values, name, input);
  const speaker = tool === "spawn_agent" ? `The agent in ${name} says` : name;
  return renamed + (said ?? `${speaker}:\n\n${block(firstLines(outcome.output, 60))}`);
}

const TELLING: Readonly<Record<string, (said: Values, name: string, input: Values) => string | null>> = {
  list_dir(said, name) {
    const entries = entriesIn(said);
    const total = Math.max(number(said, "total"), entries.length);
    const withheld = number(said, "withheld");
    const subject = name.charAt(0).toUpperCase() + name.slice(1);
    if (total === 0)
      return `${subject} is empty${withheld === 0 ? "" : `, as far as I may see; ${count(withheld, "entry is", "entries are")} withheld`}.`;
    const names = entries.slice(0, SHOWN).map(code);
    const shown = total > names.length ? `${names.join(", ")} and ${total - names.length} more` : joinWords(names);
    return `${subject} holds ${count(total, "entry", "entries")}: ${shown}.${withheld === 0 ? "" : ` ${count(withheld, "more is", "more are")} withheld.`}`;
  },
  find_files(said, name, input) {
    const files = texts(said, "files");
    const pattern = text(input, "pattern");
    const held = number(said, "withheld") === 0 ? "" : `What is secret or denied was left out (${number(said, "withheld")}).`;
    const least = said["truncated"] === true ? "More than " : "";
    if (pattern === "*") return `${least || "There are "}${count(files.length, "file")} below ${name}. ${held}`.trim();
    if (files.length === 0) return `No file below ${name} matches ${code(pattern)}. ${held}`.trim();
    const shown = files.slice(0, SHOWN).map((file) => `- ${code(file)}`);
    const many = `${least}${count(files.length, "file matches", "files match")}`;
    return `${many} ${code(pattern)}:\n\n${shown.join("\n")}${rest("\n- and", files, shown)}\n\n${held}`.trim();
  },
  grep(said, name, input) {
    const matches = list(said, "matches");
    const wanted = quote(text(input, "pattern"));
    const held = number(said, "withheld") === 0 ? "" : `What is secret or denied was not searched (${number(said, "withheld")}).`;
    if (matches.length === 0) return `${wanted} is nowhere in ${name}. ${held}`.trim();
    const files = new Set(matches.map((match) => text(match, "file"))).size;
    const shown = matches.slice(0, 20).map((match) => `${text(match, "file")}:${number(match, "line")}: ${clip(text(match, "text"), 160)}`);
    const many = `${said["truncated"] === true ? "More than " : ""}${count(matches.length, "line")} in ${count(files, "file")}`;
    const found = block(shown.join("\n") + rest("\n… and", matches, shown));
    return `${many} ${matches.length === 1 ? "has" : "have"} ${wanted}:\n\n${found}\n\n${held}`.trim();
  },
  write_file: (said, name) => `I ${said["created"] === true ? "made" : "wrote"} ${name} (${count(number(said, "bytes_written"), "byte")}).`,
  edit_file: (said, name) => `I changed ${name} in ${count(number(said, "replaced"), "place")}.`,
  list_access(said) {
    const from: Values = { workspace: "the workspace", mount: "mounted", grant: "granted by you" };
    const roots = list(said, "roots").map(
      (root) => `- ${code(text(root, "path"))}: ${text(root, "mode")} (${text(from, text(root, "from")) || text(root, "from")})`,
    );
    return `I may look into:\n\n${roots.join("\n")}\n\nSecrets stay shut in all of them. Anything else I ask you for first.`;
  },
  bash(said) {
    if (!("exit_code" in said)) return null;
    const printed = [text(said, "stdout"), text(said, "stderr")].filter((one) => one.trim() !== "");
    const exit = number(said, "exit_code");
    const head = exit === 0 ? "The command ran" : `The command ended with code ${exit}`;
    const notes = texts(said, "notes").map((note) => clip(note, 300));
    const shown = printed.map((one) => block(firstLines(one, SHORT_LINES)));
    return [printed.length === 0 ? `${head} and printed nothing.` : `${head}:`, ...shown, ...notes].join("\n\n");
  },
};

const rest = (and: string, all: readonly unknown[], shown: readonly unknown[]): string =>
  all.length > shown.length ? `${and} ${all.length - shown.length} more` : "";

const linesIn = (content: string): number => (content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0));
/** How many lines a file has, of which perhaps only some were read. */
export const totalOf = (said: Values): number =>
  typeof said["total_lines"] === "number" ? number(said, "total_lines") : linesIn(text(said, "content"));
/** Was all of the file read? */
export const isWhole = (said: Values): boolean => said["truncated"] !== true && linesIn(text(said, "content")) >= totalOf(said);

function tellFile(name: string, said: Values, { asked }: Look, brief: boolean): string | null {
  if (typeof said["content"] !== "string") return null;
  const [content, total, shown] = [said["content"], totalOf(said), linesIn(said["content"])];
  if (asked === true) {
    if (shown === 0) return `${name} has only ${count(total, "line")}.`;
    const from = Math.max(1, number(said, "from"));
    const which = shown === 1 ? `Line ${from}` : `Lines ${from} to ${from + shown - 1}`;
    return `${which} of ${name}, which has ${count(total, "line")}:\n\n${block(firstLines(content, 200))}`;
  }
  const whole = isWhole(said);
  if (whole && content === "") return `${name} is empty.`;
  const size = whole ? `${count(total, "line")}, ${count(number(said, "bytes_read"), "byte")}` : count(total, "line");
  if (whole && content.length <= (brief ? 1_000 : SHORT_CHARACTERS) && shown <= (brief ? 15 : SHORT_LINES))
    return `${name} (${size}):\n\n${block(content)}`;
  return `${name} is long (${size}). It begins:\n\n${block(firstLines(content, FIRST_LINES))}\n\nSay “more”, or which lines you want to see.`;
}

/** What comes after the reason of a refusal. */
const AFTERWARDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:secret-file|protected-path|policy-deny|virtual-fs)$/, "I leave it at that and look for no other way."],
  [
    /^(?:out-of-whitelist|no-grant-root|root-too-broad)$/,
    "So I cannot ask you for it either; mount it, or start me there, if I am to see it.",
  ],
  [/^no-prompt-channel$/, "So I leave it."],
  [/^(?:write-out-of-scope|read-only-grant|read-only-mount)$/, "I write inside the workspace only."],
  [/^too-large$/, "Even single lines of it are too long to show."],
];

/** A grant that did not help: what was granted is gone or has changed. */
export const STILL_REFUSED: RefusedOutcome = { ok: false, code: "out-of-scope", hint: "granted, and refused" };

function tellRefusal({ name: tool, input }: Look, outcome: RefusedOutcome): string {
  const { code: reason, hint } = outcome;
  const name = code(text(input, "path") || clip(text(input, "command"), 80) || "it");
  const note = noteIn(hint);
  switch (reason) {
    case "person-declined":
      return `You said no to ${name}, so I leave it alone.${note === null ? "" : ` You wrote: ${quote(note)}.`}`;
    case "recently-denied":
      return `${name} was refused a moment ago, so I did not ask again.`;
    case "already-in-scope":
      return `${name} is in scope already; just say what you want to see there.`;
    case "unknown-tool":
      return `I have no tool for that here (${code(tool)} is not offered).`;
    case "not-found":
      if (tool !== "bash") return `There is no ${name}.${tellNear(hint)}`;
      break;
    default:
      break;
  }
  if (tool === "bash" || reason === "bad-request" || reason === "invalid-path")
    return `That did not work: ${clip(hint.split("\n")[0] ?? "", 400) || meanings[reason]}`;
  const after =
    outcome === STILL_REFUSED
      ? "You allowed it, and it is still refused; it may have changed or been taken back."
      : AFTERWARDS.find(([codes]) => codes.test(reason))?.[1];
  return `${name} ${meanings[reason]}.${after === undefined ? "" : ` ${after}`}`;
}

const tellNear = (hint: string): string => {
  const near = nearIn(hint);
  return near.length === 0 ? "" : ` Names near to it: ${joinWords(near.map(code))}. Say which one you mean.`;
};

/** Two files, line by line. Where more lines differ than this, they have little in common. */
const MOST_EDITS = 2_000;

export function tellComparison(looks: readonly Look[]): string {
  const [first = "", second = ""] = looks.map(({ input }) => text(input, "path"));
  const [one, other] = looks.map(fileIn);
  if (one === undefined || other === undefined || one === null || other === null)
    return `I cannot compare them. ${looks.flatMap((look) => (fileIn(look) === null ? [tell(look)] : [])).join(" ")}`;
  const both = `${code(first)} and ${code(second)}`;
  const part = isWhole(one) && isWhole(other) ? "" : " (both are compared only as far as I read them)";
  const [left, right] = [text(one, "content"), text(other, "content")];
  if (left === right) return `${both} are the same: ${count(totalOf(one), "line")}${part}.`;
  const patch = createTwoFilesPatch(show(first), show(second), left, right, "", "", { context: 1, maxEditLength: MOST_EDITS });
  if (patch === undefined) return `${both} have little in common${part}.`;
  const lines = patch.split("\n").slice(1);
  return `${both} differ${part}:\n\n${block(firstLines(patch, 1 + SHORT_LINES).replace(/^=+\n/, "") + rest("\n… and", lines, lines.slice(0, SHORT_LINES)), "diff")}`;
}

const fileIn = ({ name, outcome }: Look): Values | null => (outcome.ok && name === "read_file" ? valuesOf(outcome.output) : null);

/** A turn's calls in a sentence or two. */
export function announce(calls: readonly PlannedCall[]): string {
  const asked = calls.filter(({ name }) => name === "request_read_access").map(({ input }) => code(text(input, "path")));
  const others = joinWords(calls.filter(({ name }) => name !== "request_read_access").map(({ name, input }) => doing(name, input)));
  const [is, it] = asked.length === 1 ? ["is", "it"] : ["are", "them"];
  return [
    ...(others === "" ? [] : [`${others.charAt(0).toUpperCase()}${others.slice(1)}.`]),
    ...(asked.length === 0
      ? []
      : [`${joinWords(asked)} ${is} outside of what I may read, so I ask you for ${it}. If you say no, I leave ${it} alone.`]),
  ].join(" ");
}

const VERBS: Values = {
  read_file: "reading",
  list_dir: "listing",
  write_file: "writing",
  edit_file: "changing",
  spawn_agent: "starting an agent in",
};

function doing(name: string, input: Values): string {
  const [where, pattern] = [place(text(input, "path")), text(input, "pattern")];
  if (name === "find_files") return `looking for ${code(pattern)} in ${where}`;
  if (name === "grep") return `searching for ${quote(pattern)} in ${where}`;
  if (name === "bash") return `running ${code(clip(text(input, "command"), 200))}`;
  return name === "list_access" ? "looking up what I may see" : `${text(VERBS, name) || "using"} ${where}`;
}
