// What a card says of its ask: who asks, with which tool, for which path, what that path really is, what a yes would open, and the agent's
// words as its words. Every text of an agent's or a file's goes through `show`; the directory a yes opens is never cut.

import { hasForeignLetters, show } from "../core/path/show.ts";
import type { WireAsk } from "../wire/values.ts";
import { chop, cutEnd, cutMiddle, pad, wrap } from "./columns.ts";
import { diffLines } from "./diff-lines.ts";
import { type Line, line, type Span, span } from "./lines.ts";

/** Blocks give up lines in the order of their rank, highest first, down to `least`. */
export interface Block {
  readonly rank: number;
  readonly least: number;
  readonly lines: readonly Line[];
}

/** A block that gives up nothing. */
export const fixed = (lines: readonly Line[]): Block => ({ rank: 0, least: lines.length, lines });

const LABEL = 10;

/** Everything between a card's title and its options. */
export function factBlocks(ask: WireAsk, width: number): readonly Block[] {
  return [
    ...(ask.kind === "pending_question" ? questionBlocks(ask, width) : accessBlocks(ask, width)),
    ...words(ask, width),
    ...(ask.diff === null ? [] : [{ rank: 9, least: 1, lines: diffLines(ask.diff, width - 2).map((one) => [span("  "), ...one]) }]),
  ];
}

/** The path as it was asked for, in one line: for windows that have no room for more. */
export function pathLine(ask: WireAsk, width: number): readonly Line[] {
  return ask.requested.length === 0 ? [] : field("Path", [cutMiddle(ask.requested.map(show).join(", "), width - LABEL - 2)]);
}

/** A label and its text, the text's further lines below its first. */
function field(label: string, lines: readonly string[], style: Span["style"] = "plain"): readonly Line[] {
  return lines.map((text, at) => [span(`  ${pad(at === 0 ? label : "", LABEL)}`, "dim"), span(text, style)]);
}

function accessBlocks(ask: WireAsk, width: number): readonly Block[] {
  const inner = width - LABEL - 2;
  const asked = ask.requested.map((path) => show(path));
  const shown = asked.slice(0, 4).flatMap((path) => chop(cutMiddle(path, inner * 2), inner));
  const real = ask.path === null ? [] : chop(cutMiddle(show(ask.path), inner * 4), inner);
  const opens = ask.offers === "session" && ask.proposal !== null ? ask.proposal : null;
  const foreign = [...ask.requested, ask.path ?? "", opens?.dir ?? ""].some(hasForeignLetters);
  return [
    { rank: 4, least: 0, lines: field("Agent", [cutMiddle(whoAsks(ask), inner)]) },
    fixed(field("Tool", [cutEnd(`${show(ask.tool)} · ${ask.right === "write" ? "writes" : "reads"}`, inner)])),
    fixed(field("Path", [...shown, ...(asked.length > 4 ? [`… and ${asked.length - 4} more`] : [])])),
    fixed(field("Resolved", real)),
    ...(opens === null
      ? [fixed(field("Opens", wrap("this and nothing else, for this one call", inner)))]
      : [
          fixed(field("Opens", chop(show(opens.dir), inner), "bold")),
          { rank: 5, least: 1, lines: field("", wrap(covers(ask), inner), "dim") },
        ]),
    ...(foreign ? [fixed(field("", wrap("has letters outside ASCII; look closely", inner), "yellow"))] : []),
    { rank: 6, least: 0, lines: field("Why", wrap(show(ask.because), inner)) },
    { rank: 3, least: 0, lines: earlier(ask, inner) },
    // A machine that nobody named has a random name, which tells nobody anything.
    {
      rank: 8,
      least: 0,
      lines: /^(local|[0-9a-f]{24})$/.test(ask.machine) ? [] : field("Files on", [cutMiddle(show(ask.machine), inner)]),
    },
  ];
}

function questionBlocks(ask: WireAsk, width: number): readonly Block[] {
  const lines = wrap(cutMiddle(show(ask.question ?? ""), 2000), width - 2).map((text) => line(`  ${text}`));
  return [
    { rank: 4, least: 0, lines: field("Agent", [cutMiddle(whoAsks(ask), width - LABEL - 2)]) },
    { rank: 5, least: 1, lines },
  ];
}

/** The agents that ask, outermost first. */
export function whoAsks(ask: WireAsk): string {
  const own = ask.asker.label ?? (ask.asker.host === null ? "this chat" : ask.asker.host);
  const host = ask.asker.host !== null && ask.asker.label !== null ? ` (${show(ask.asker.host)})` : "";
  return `${[...ask.asker.parents, own].map(show).join(" › ")}${host}`;
}

/** Why this directory and no other, in words. */
const markers: Readonly<Record<string, string>> = {
  project: "registered project",
  ".git": "git repository",
  "package.json": "package (package.json)",
  "go.mod": "Go module (go.mod)",
  "Cargo.toml": "Rust package (Cargo.toml)",
};

function covers(ask: WireAsk): string {
  const parts = ["read only, until this session ends"];
  if (ask.proposal !== null) parts.push(markers[ask.proposal.because] ?? show(ask.proposal.because));
  const { survey } = ask;
  if (survey !== null) {
    const least = survey.complete ? "" : "at least ";
    parts.push(`${least}${survey.files.toLocaleString("en-US")} ${survey.files === 1 ? "file" : "files"}`);
    if (survey.secrets > 0) parts.push(`${least}${survey.secrets} ${survey.secrets === 1 ? "secret stays" : "secrets stay"} shut`);
    if (survey.repositories > 0)
      parts.push(`${least}${survey.repositories} other ${survey.repositories === 1 ? "repository" : "repositories"} in it`);
    if (survey.worktree) parts.push("a linked worktree");
    if (survey.submodule) parts.push("a submodule");
  }
  return parts.join(" · ");
}

function earlier(ask: WireAsk, inner: number): readonly Line[] {
  const [last] = ask.earlier;
  if (last === undefined) return [];
  return field("Before", wrap(`${last.verdict === "allow" ? "allowed" : "denied"} by ${show(last.by)}`, inner), "dim");
}

const LONGEST_WORDS = 500;

/** The agent's reason: one block of plain text, marked as the agent's, as `show` writes it. */
function words(ask: WireAsk, width: number): readonly Block[] {
  if (ask.words === null) return [];
  const text = quoted(ask.words);
  return [
    fixed([line("  The agent says (unverified):", "dim")]),
    { rank: 8, least: 1, lines: wrap(cutMiddle(text, LONGEST_WORDS), width - 6).map((one) => [span("  │ ", "dim"), span(one)]) },
  ];
}

/** An agent's words as one line. `](` is broken up as well, so that a card that is copied somewhere else is no link and no picture. */
export function quoted(text: string): string {
  return show(text).replaceAll("](", "]\\u{28}");
}
