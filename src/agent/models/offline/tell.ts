// What was found, told in a few plain sentences: short files in full, long ones by their size and first lines, refusals with their
// reason and without a way around. And before it, what is being done, so that the person sees why a card appears.

import { meanings } from "../../../core/guard/explain.ts";
import { differences } from "./compare.ts";
import { linesIn, list, number, type OutcomeOf, text, type Values } from "./outcome.ts";
import type { PlannedCall, Deed, PlannedStep } from "./steps.ts";
import { block, clip, code, count, firstLines, joinWords, place, quote } from "./words.ts";

/** What is quoted whole, and how much of the rest is shown. */
const SHORT_LINES = 40;
const SHORT_CHARACTERS = 3_000;
const SHOWN = 30;
/** How much of a long file is shown at first. */
export const FIRST_LINES = 12;

/** The answer to a message whose deeds are done, or as far as they are. */
export function tellAll(deeds: readonly Deed[]): string {
  return deeds.map((deed) => tell(deed, deeds.length <= 3)).join("\n\n");
}

function tell({ steps, tell: own, next }: Deed, generous: boolean): string {
  const open = steps.find(({ finding }) => finding === null);
  if (open !== undefined) return `I did not get round to ${code(nameOf(open))}; say it again by itself.`;
  const said = own?.(steps) ?? null;
  if (said !== null) return said;
  // What was only looked at to know what comes next is not told.
  const told = next !== undefined && steps.length > 1 ? steps.slice(1) : steps;
  return told.map((one) => tellStep(one, generous)).join(next === undefined ? " " : "\n\n");
}

/** What was tried, by its path or its command. */
const nameOf = ({ path, askFor, input }: PlannedStep): string => path ?? askFor ?? clip(text(input, "command") || "it", 80);

export function tellStep(one: PlannedStep, generous = true): string {
  const { finding, input, tool } = one;
  const name = place(one.path ?? "");
  const renamed = one.named === null ? "" : `There is no ${code(one.named)}; the one name near to it is ${name}. `;
  switch (finding?.kind) {
    case undefined:
      return "";
    case "file":
      return renamed + tellFile(name, finding, one, generous);
    case "listing":
      return renamed + tellListing(name, finding);
    case "files":
      return tellFiles(text(input, "pattern"), name, finding);
    case "matches":
      return tellMatches(text(input, "pattern"), name, finding);
    case "did":
      return tellDone(tool, name, finding.said);
    case "granted":
      return `I may now read ${code(finding.root)}, for reading only.`;
    case "told":
      return `${tool === "spawn_agent" ? `The agent in ${name} says` : name}:\n\n${block(firstLines(finding.text, 60))}`;
    case "denied":
      if (finding.before) return `${code(nameOf(one))} was refused a moment ago, so I did not ask again.`;
      return `You said no to ${code(nameOf(one))}, so I leave it alone.${finding.note === null ? "" : ` You wrote: ${quote(finding.note)}.`}`;
    case "missing":
      return `There is no ${code(nameOf(one))}.${finding.near.length === 0 ? "" : ` Names near to it: ${joinWords(finding.near.map(code))}. Say which one you mean.`}`;
    case "no-tool":
      return `I have no tool for that here (${code(finding.tool)} is not offered).`;
    case "refused":
      return tellRefusal(finding, one);
  }
}

function tellFile(
  name: string,
  { text: content, from, total, bytes, whole }: OutcomeOf<"file">,
  { lines, taken }: PlannedStep,
  generous: boolean,
): string {
  const shown = linesIn(content);
  if (lines !== null && !taken.has("smaller")) {
    if (shown === 0) return `${name} has only ${count(total, "line")}.`;
    const which = shown === 1 ? `Line ${from}` : `Lines ${from} to ${from + shown - 1}`;
    return `${which} of ${name}, which has ${count(total, "line")}:\n\n${block(firstLines(content, 200))}`;
  }
  if (whole && content === "") return `${name} is empty.`;
  const size = whole ? `${count(total, "line")}, ${count(bytes, "byte")}` : count(total, "line");
  if (whole && content.length <= (generous ? SHORT_CHARACTERS : 1_000) && shown <= (generous ? SHORT_LINES : 15))
    return `${name} (${size}):\n\n${block(content)}`;
  return `${name} is long (${size}). It begins:\n\n${block(firstLines(content, FIRST_LINES))}\n\nSay “more”, or which lines you want to see.`;
}

function tellListing(name: string, { entries, total, withheld }: OutcomeOf<"listing">): string {
  const subject = name.charAt(0).toUpperCase() + name.slice(1);
  if (total === 0)
    return `${subject} is empty${withheld === 0 ? "" : `, as far as I may see; ${count(withheld, "entry is", "entries are")} withheld`}.`;
  const names = entries.slice(0, SHOWN).map(code);
  const shown = total > names.length ? `${names.join(", ")} and ${total - names.length} more` : joinWords(names);
  return `${subject} holds ${count(total, "entry", "entries")}: ${shown}.${withheld === 0 ? "" : ` ${count(withheld, "more is", "more are")} withheld.`}`;
}

function tellFiles(pattern: string, name: string, { files, withheld, more }: OutcomeOf<"files">): string {
  const held = withheld === 0 ? "" : `What is secret or denied was left out (${withheld}).`;
  const least = more ? "More than " : "";
  if (pattern === "*") return `${least || "There are "}${count(files.length, "file")} below ${name}. ${held}`.trim();
  if (files.length === 0) return `No file below ${name} matches ${code(pattern)}. ${held}`.trim();
  const shown = files.slice(0, SHOWN).map((file) => `- ${code(file)}`);
  const rest = files.length > shown.length ? `\n- and ${files.length - shown.length} more` : "";
  return `${least}${count(files.length, "file matches", "files match")} ${code(pattern)}:\n\n${shown.join("\n")}${rest}\n\n${held}`.trim();
}

function tellMatches(wanted: string, name: string, { matches, withheld, more }: OutcomeOf<"matches">): string {
  const held = withheld === 0 ? "" : `What is secret or denied was not searched (${withheld}).`;
  if (matches.length === 0) return `${quote(wanted)} is nowhere in ${name}. ${held}`.trim();
  const files = new Set(matches.map((match) => text(match, "file"))).size;
  const shown = matches.slice(0, 20).map((match) => `${text(match, "file")}:${number(match, "line")}: ${clip(text(match, "text"), 160)}`);
  const rest = matches.length > shown.length ? `\n… and ${matches.length - shown.length} more` : "";
  const many = `${more ? "More than " : ""}${count(matches.length, "line")} in ${count(files, "file")} ${matches.length === 1 ? "has" : "have"}`;
  return `${many} ${quote(wanted)}:\n\n${block(shown.join("\n") + rest)}\n\n${held}`.trim();
}

function tellDone(tool: string, name: string, said: Values): string {
  if (tool === "write_file")
    return `I ${said["created"] === true ? "made" : "wrote"} ${name} (${count(number(said, "bytes_written"), "byte")}).`;
  if (tool === "edit_file") return `I changed ${name} in ${count(number(said, "replaced"), "place")}.`;
  if (tool === "list_access") {
    const from: Readonly<Record<string, string>> = { workspace: "the workspace", mount: "mounted", grant: "granted by you" };
    const roots = list(said, "roots").map(
      (root) => `- ${code(text(root, "path"))}: ${text(root, "mode")} (${from[text(root, "from")] ?? text(root, "from")})`,
    );
    return `I may look into:\n\n${roots.join("\n")}\n\nSecrets stay shut in all of them. Anything else I ask you for first.`;
  }
  const printed = [text(said, "stdout"), text(said, "stderr")].filter((one) => one.trim() !== "");
  const exit = number(said, "exit_code");
  const head = exit === 0 ? "The command ran" : `The command ended with code ${exit}`;
  const notes = list(said, "notes")
    .filter((note) => typeof note === "string")
    .map((note) => clip(note, 300));
  const shown = printed.map((one) => block(firstLines(one, SHORT_LINES)));
  return [printed.length === 0 ? `${head} and printed nothing.` : `${head}:`, ...shown, ...notes].join("\n\n");
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

function tellRefusal({ code: reason, hint }: OutcomeOf<"refused">, one: PlannedStep): string {
  const name = code(nameOf(one));
  if (one.tool === "bash" || reason === "bad-request" || reason === "invalid-path" || reason === "unknown-tool")
    return `That did not work: ${clip(hint.split("\n")[0] ?? "", 400) || meanings[reason]}`;
  if (reason === "already-in-scope") return `${name} is in scope already; just say what you want to see there.`;
  const allowed = reason === "out-of-scope" && one.taken.has("asked");
  const after = allowed
    ? "You allowed it, and it is still refused; it may have changed or been taken back."
    : AFTERWARDS.find(([codes]) => codes.test(reason))?.[1];
  return `${name} ${meanings[reason]}.${after === undefined ? "" : ` ${after}`}`;
}

/** Two files, line by line. */
export function tellComparison([left, right]: readonly PlannedStep[]): string | null {
  if (left === undefined || right === undefined) return null;
  const [one, other] = [left.finding, right.finding];
  if (one?.kind === "denied" && other?.kind === "denied" && !one.before && !other.before)
    return `You said no to ${code(nameOf(left))} and ${code(nameOf(right))}, so I do not compare them.${one.note === null ? "" : ` You wrote: ${quote(one.note)}.`}`;
  if (one?.kind !== "file" || other?.kind !== "file") {
    const wrong = [left, right].filter(({ finding }) => finding?.kind !== "file");
    return `I cannot compare them. ${wrong.map((step) => (step.finding?.kind === "listing" ? `${code(nameOf(step))} is a directory.` : tellStep(step))).join(" ")}`;
  }
  const [first, second] = [code(nameOf(left)), code(nameOf(right))];
  const part = one.whole && other.whole ? "" : " (both are compared only as far as I read them)";
  const found = differences(one.text, other.text);
  if (found.length === 0 && one.text === other.text) return `${first} and ${second} are the same: ${count(one.total, "line")}${part}.`;
  if (found.length === 0) return `${first} and ${second} differ only in how they end.`;
  const lefts = found.filter(({ side }) => side === "left").length;
  const shown = found
    .slice(0, SHORT_LINES)
    .map(({ side, line, text: said }) => `${side === "left" ? "-" : "+"} ${String(line).padStart(4)}  ${clip(said, 160)}`);
  const rest = found.length > shown.length ? `\n… and ${found.length - shown.length} more` : "";
  return `${first} and ${second} differ${part}: ${count(lefts, "line")} only in the first (-), ${count(found.length - lefts, "line")} only in the second (+).\n\n${block(shown.join("\n") + rest, "diff")}`;
}

// ── What is being done ────────────────────────────────────────────────────────────────────────────────────────────────────────

const DOING: Readonly<Record<string, (input: PlannedCall["input"]) => string>> = {
  read_file: ({ path }) => `reading ${place(String(path))}`,
  view_file: ({ path }) => `reading ${place(String(path))}`,
  list_dir: ({ path }) => `listing ${place(String(path))}`,
  find_files: ({ path, pattern }) => `looking for ${code(String(pattern))} in ${place(String(path))}`,
  grep: ({ path, pattern }) => `searching for ${quote(String(pattern))} in ${place(String(path))}`,
  write_file: ({ path }) => `writing ${place(String(path))}`,
  edit_file: ({ path }) => `changing ${place(String(path))}`,
  bash: ({ command }) => `running ${code(clip(String(command), 200))}`,
  list_access: () => "looking up what I may see",
  spawn_agent: ({ path }) => `starting an agent in ${place(String(path))}`,
};

/** A turn's calls in a sentence or two. */
export function announce(calls: readonly PlannedCall[]): string {
  const asked = calls.filter(({ name }) => name === "request_read_access").map(({ input }) => code(String(input["path"])));
  const others = joinWords(
    calls.filter(({ name }) => name !== "request_read_access").map(({ name, input }) => DOING[name]?.(input) ?? `calling ${name}`),
  );
  const [is, it] = asked.length === 1 ? ["is", "it"] : ["are", "them"];
  return [
    ...(others === "" ? [] : [`${others.charAt(0).toUpperCase()}${others.slice(1)}.`]),
    ...(asked.length === 0
      ? []
      : [`${joinWords(asked)} ${is} outside of what I may read, so I ask you for ${it}. If you say no, I leave ${it} alone.`]),
  ].join(" ");
}
