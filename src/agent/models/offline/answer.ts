// What was found, told in a few plain sentences: short files in full, long ones by their size and first lines, refusals with their
// reason and without a way around.

import { differences } from "./compare.ts";
import { type Finding, linesIn } from "./finding.ts";
import type { Task } from "./plan.ts";
import type { Probe } from "./probe.ts";
import { nameOf, noteWords, refusalWords } from "./refusals.ts";
import { block, clip, code, count, firstLines, joinWords, place, quote } from "./words.ts";
import { FIRST_LINES, type Wish } from "./wish.ts";

/** What is quoted whole, and how much of the rest is shown. */
const SHORT_LINES = 40;
const SHORT_CHARACTERS = 3_000;
const SHOWN = 30;

/** The answer to a message whose tasks are settled, or as far as they are. */
export function answerFor(tasks: readonly Task[]): string {
  const generous = tasks.length <= 3;
  return tasks.map((task) => taskWords(task, generous)).join("\n\n");
}

function taskWords({ wish, probes }: Task, generous: boolean): string {
  if (probes.some(({ finding }) => finding === null)) return `I did not get round to ${wishWords(wish)}; say it again by itself.`;
  if (wish.do === "compare") return compareWords(probes, generous);
  if (wish.do === "append" || wish.do === "create") return writtenWords(probes, generous);
  return probes.map((probe) => probeWords(probe, wish, generous)).join(" ");
}

function wishWords(wish: Wish): string {
  switch (wish.do) {
    case "run":
      return code(clip(wish.command, 80));
    case "compare":
      return `comparing ${code(wish.left)} and ${code(wish.right)}`;
    case "access":
      return "what I may see";
    default:
      return code(wish.path);
  }
}

// ── One thing tried ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function probeWords(probe: Probe, wish: Wish, generous: boolean): string {
  const { finding } = probe;
  if (finding === null) return "";
  const name = place(probe.path ?? "");
  const before = renamed(probe, wish);
  switch (finding.kind) {
    case "file":
      return before + fileWords(name, finding, probe, generous);
    case "listing":
      return before + capital(listingWords(name, finding));
    case "files":
      return filesWords(wish.do === "find" ? wish.pattern : "", name, finding);
    case "matches":
      return matchWords(wish.do === "search" ? wish.text : "", name, finding);
    case "written":
      return `${finding.created ? "I made" : "I wrote"} ${name} (${count(finding.bytes, "byte")}).`;
    case "edited":
      return `I changed ${name} in ${count(finding.replaced, "place")}.`;
    case "ran":
      return ranWords(finding);
    case "access":
      return accessWords(finding);
    case "granted":
      return `I may now read ${code(finding.root)}, for reading only.`;
    case "told":
      return probe.tool === "spawn_agent"
        ? `The agent in ${name} says:\n\n${block(firstLines(finding.text, 60))}`
        : `${name}:\n\n${block(firstLines(finding.text, FIRST_LINES))}`;
    default:
      return before + refusalWords(finding, probe);
  }
}

/** Said first where something else was looked at than what was named. */
function renamed({ path, taken }: Probe, wish: Wish): string {
  return taken.has("near") && wish.do === "read" && path !== wish.path
    ? `There is no ${code(wish.path)}; the one name near to it is ${code(path ?? "")}. `
    : "";
}

type Of<K extends Finding["kind"]> = Extract<Finding, { kind: K }>;

function fileWords(name: string, { text, from, total, bytes, whole }: Of<"file">, { lines, taken }: Probe, generous: boolean): string {
  const shown = linesIn(text);
  if (lines !== null && !taken.has("smaller")) {
    if (shown === 0) return `${name} has only ${count(total, "line")}.`;
    const which = shown === 1 ? `Line ${from}` : `Lines ${from} to ${from + shown - 1}`;
    return `${which} of ${name}, which has ${count(total, "line")}:\n\n${block(firstLines(text, 200))}`;
  }
  if (whole && text === "") return `${name} is empty.`;
  const short = text.length <= (generous ? SHORT_CHARACTERS : 1_000) && shown <= (generous ? SHORT_LINES : 15);
  if (whole && short) return `${name} (${count(total, "line")}, ${count(bytes, "byte")}):\n\n${block(text)}`;
  const size = whole ? `${count(total, "line")}, ${count(bytes, "byte")}` : count(total, "line");
  return `${name} is long (${size}). It begins:\n\n${block(firstLines(text, FIRST_LINES))}\n\nSay “more”, or which lines you want to see.`;
}

function listingWords(name: string, { entries, total, withheld }: Of<"listing">): string {
  const held = withheld === 0 ? "" : ` ${count(withheld, "more is", "more are")} withheld.`;
  if (total === 0)
    return `${name} is empty${withheld === 0 ? "" : `, as far as I may see; ${withheld === 1 ? "1 entry is" : `${withheld} entries are`} withheld`}.`;
  const names = entries.slice(0, SHOWN).map((entry) => code(entry.directory ? `${entry.name}/` : entry.name));
  const more = total > names.length ? ` and ${total - names.length} more` : "";
  return `${name} holds ${count(total, "entry", "entries")}: ${more === "" ? joinWords(names) : names.join(", ") + more}.${held}`;
}

function filesWords(pattern: string, name: string, { files, withheld, more }: Of<"files">): string {
  const held = withheld === 0 ? "" : ` What is secret or denied was left out (${withheld}).`;
  if (files.length === 0) return `No file below ${name} matches ${code(pattern)}.${held}`;
  const shown = files.slice(0, SHOWN).map((file) => `- ${code(file)}`);
  const rest = files.length > shown.length ? `\n- and ${files.length - shown.length} more` : "";
  return `${more ? "More than " : ""}${count(files.length, "file matches", "files match")} ${code(pattern)}:\n\n${shown.join("\n")}${rest}${held === "" ? "" : `\n\n${held.trim()}`}`;
}

function matchWords(text: string, name: string, { matches, withheld, more }: Of<"matches">): string {
  const held = withheld === 0 ? "" : ` What is secret or denied was not searched (${withheld}).`;
  if (matches.length === 0) return `${quote(text)} is nowhere in ${name}.${held}`;
  const files = new Set(matches.map(({ file }) => file)).size;
  const shown = matches.slice(0, 20).map(({ file, line, text: found }) => `${file}:${line}: ${clip(found, 160)}`);
  const rest = matches.length > shown.length ? `\n… and ${matches.length - shown.length} more` : "";
  return `${more ? "More than " : ""}${count(matches.length, "line")} in ${count(files, "file")} ${matches.length === 1 ? "has" : "have"} ${quote(text)}:\n\n${block(shown.join("\n") + rest)}${held === "" ? "" : `\n\n${held.trim()}`}`;
}

function ranWords({ exit, stdout, stderr, notes }: Of<"ran">): string {
  const printed = [stdout, stderr].filter((text) => text.trim() !== "");
  const head = exit === 0 ? "The command ran" : `The command ended with code ${exit}`;
  const said =
    printed.length === 0
      ? `${head} and printed nothing.`
      : `${head}:\n\n${printed.map((text) => block(firstLines(text, SHORT_LINES))).join("\n\n")}`;
  return [said, ...notes.map((note) => clip(note, 300))].join("\n\n");
}

function accessWords({ roots }: Of<"access">): string {
  const from: Readonly<Record<string, string>> = { workspace: "the workspace", mount: "mounted", grant: "granted by you" };
  const lines = roots.map((root) => `- ${code(root.path)}: ${root.mode} (${from[root.from] ?? root.from})`);
  return `I may look into:\n\n${lines.join("\n")}\n\nSecrets stay shut in all of them. Anything else I ask you for first.`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

// ── Two files ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function compareWords([left, right]: readonly Probe[], generous: boolean): string {
  if (left === undefined || right === undefined) return "";
  const pair = [left, right];
  const [one, other] = [left.finding, right.finding];
  if (one?.kind === "denied" && other?.kind === "denied" && !one.before && !other.before)
    return `You said no to ${code(nameOf(left))} and ${code(nameOf(right))}, so I do not compare them.${noteWords(one)}`;
  if (one?.kind !== "file" || other?.kind !== "file") {
    const wrong = pair.filter(({ finding }) => finding?.kind !== "file");
    const reasons = wrong.map((probe) =>
      probe.finding?.kind === "listing" ? `${code(probe.path ?? "")} is a directory.` : probeWords(probe, { do: "access" }, generous),
    );
    return `I cannot compare them. ${reasons.join(" ")}`;
  }
  const [first, second] = [code(left.path ?? ""), code(right.path ?? "")];
  const part = one.whole && other.whole ? "" : " (both are compared only as far as I read them)";
  const found = differences(one.text, other.text);
  if (found.length === 0)
    return one.text === other.text
      ? `${first} and ${second} are the same: ${count(one.total, "line")}${part}.`
      : `${first} and ${second} differ only in how they end.`;
  const lefts = found.filter(({ side }) => side === "left").length;
  const shown = found
    .slice(0, SHORT_LINES)
    .map(({ side, line, text }) => `${side === "left" ? "-" : "+"} ${String(line).padStart(4)}  ${clip(text, 160)}`);
  const rest = found.length > shown.length ? `\n… and ${found.length - shown.length} more` : "";
  return `${first} and ${second} differ${part}: ${count(lefts, "line")} only in the first (-), ${count(found.length - lefts, "line")} only in the second (+).\n\n${block(shown.join("\n") + rest, "diff")}`;
}

// ── Looked at, then written ───────────────────────────────────────────────────────────────────────────────────────────────────

function writtenWords([read, written]: readonly Probe[], generous: boolean): string {
  const probe = written ?? read;
  if (probe === undefined) return "";
  const name = code(probe.path ?? "");
  switch (probe.finding?.kind) {
    case "written":
      return probe.finding.created
        ? `I made ${name} (${count(probe.finding.bytes, "byte")}).`
        : `I added it to ${name}, which now has ${count(probe.finding.bytes, "byte")}.`;
    case "file":
    case "told":
      return probe.lines === null
        ? `${name} is too large for me to add to.`
        : `${name} is there already, so I left it as it is. Say “write … to ${clip(probe.path ?? "", 60)}” to replace it.`;
    default:
      return probeWords(probe, { do: "access" }, generous);
  }
}
