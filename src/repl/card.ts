// An ask as a card: who asks, with which tool, for which path, what that path really is, what a yes would open, and the agent's words as
// its words. Every text of an agent's or a file's goes through `show`; the directory a yes opens is never cut; the card is never higher
// or wider than it may be, and what could not be shown in full cannot be allowed.

import { hasForeignLetters, show } from "../core/path/show.ts";
import type { WireAsk } from "../wire/values.ts";
import { chop, columns, cutEnd, cutMiddle, pad, wrap } from "./columns.ts";
import { diffLines } from "./diff-lines.ts";
import { fit, type Line, line, type Span, span } from "./lines.ts";
import type { Option } from "./options.ts";

export interface CardSpace {
  readonly width: number;
  /** At most so many lines. */
  readonly rows: number;
}

/** What of the card depends on the person: the options, which is chosen, and what is being written. */
export interface CardState {
  readonly options: readonly Option[];
  readonly chosen: number;
  /** Granting options do nothing yet. */
  readonly inert: boolean;
  /** The note or reply that is being written. */
  readonly writing: { readonly as: "note" | "reply"; readonly text: string } | null;
  readonly message: string | null;
  /** Which of how many open asks. */
  readonly place: { readonly at: number; readonly of: number };
}

export interface Card {
  readonly lines: readonly Line[];
  /** Is everything on it that a yes needs? Otherwise nothing on it may be allowed. */
  readonly whole: boolean;
}

/** Blocks give up lines in the order of their rank, highest first, down to `least`. */
interface Block {
  readonly rank: number;
  readonly least: number;
  readonly lines: readonly Line[];
}

const LABEL = 10;

export function cardOf(ask: WireAsk, state: CardState, { width, rows }: CardSpace): Card {
  const blocks = [
    fixed([title(ask, state, width)]),
    ...(ask.kind === "pending_question" ? questionBlocks(ask, width) : accessBlocks(ask, width)),
    ...words(ask, width),
    ...(ask.diff === null ? [] : [{ rank: 9, least: 1, lines: diffLines(ask.diff, width - 2).map((one) => [span("  "), ...one]) }]),
    fixed([line("")]),
    fixed(state.writing === null ? optionLines(state, width) : writingLines(state.writing, width)),
    fixed(footer(state, ask, width)),
  ];
  const sized = shrink(blocks, rows);
  if (sized !== null) return { lines: sized.map((one) => fit(one, width)), whole: true };
  // Too much for this window even so. What matters most comes first, and nothing can be allowed.
  const small = [
    title(ask, state, width),
    ...wrap("This window is too small to show what a yes would open. Make it larger, or press Esc to deny.", width - 2).map((text) =>
      line(`  ${text}`, "yellow"),
    ),
  ];
  return { lines: small.slice(0, Math.max(1, rows)).map((one) => fit(one, width)), whole: false };
}

const fixed = (lines: readonly Line[]): Block => ({ rank: 0, least: lines.length, lines });

function shrink(blocks: readonly Block[], rows: number): readonly Line[] | null {
  const sizes = blocks.map(({ lines }) => lines.length);
  let over = sizes.reduce((sum, size) => sum + size, 0) - rows;
  const order = blocks.map((_, at) => at).sort((a, b) => (blocks[b]?.rank ?? 0) - (blocks[a]?.rank ?? 0));
  for (const at of order) {
    const spare = Math.min(over, (sizes[at] ?? 0) - (blocks[at]?.least ?? 0));
    if (spare <= 0) continue;
    sizes[at] = (sizes[at] ?? 0) - spare;
    over -= spare;
  }
  if (over > 0) return null;
  return blocks.flatMap(({ lines }, at) => {
    const size = sizes[at] ?? 0;
    if (size === lines.length) return lines;
    if (size === 0) return [];
    return [...lines.slice(0, size - 1), line(`  … ${lines.length - size + 1} more lines`, "dim")];
  });
}

function title(ask: WireAsk, { place }: CardState, width: number): Line {
  const text = ask.kind === "pending_question" ? "The agent asks you" : `Allow ${show(ask.tool)}?`;
  const count = place.of > 1 ? ` ${place.at + 1} of ${place.of} ` : "";
  const cut = cutEnd(text, Math.max(1, width - columns(count) - 6));
  const rule = "─".repeat(Math.max(0, width - columns(cut) - columns(count) - 4));
  return [span("── ", "yellow"), span(cut, "bold"), span(` ${rule}`, "yellow"), span(count, "dim")];
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

function optionLines({ options, chosen, inert }: CardState, width: number): readonly Line[] {
  return options.flatMap(({ label, grants }, at): readonly Line[] => {
    const style = inert && grants ? "dim" : at === chosen ? "chosen" : "plain";
    const lines = wrap(cutMiddle(label, (width - 6) * 3), width - 6);
    return lines.map((text, row) => [
      span(`  ${row === 0 && at === chosen ? "›" : " "} `, "cyan"),
      span(`${row === 0 ? `${at + 1} ` : "  "}${text}`, style),
    ]);
  });
}

function writingLines({ as, text }: { readonly as: "note" | "reply"; readonly text: string }, width: number): readonly Line[] {
  const head = as === "note" ? "Deny, and tell the agent:" : "Your answer:";
  const all = wrap(show(text), width - 5);
  const lines = all.slice(-3);
  return [
    line(`  ${head}`, "bold"),
    ...lines.map((one, at) => [span("  │ ", "cyan"), span(one), ...(at === lines.length - 1 ? [span("▏", "cyan")] : [])]),
  ];
}

function footer({ writing, message, inert }: CardState, ask: WireAsk, width: number): readonly Line[] {
  const keys =
    writing !== null
      ? `Enter sends · Esc goes back${writing.as === "note" ? " · nothing is allowed" : ""}`
      : ask.kind === "pending_question"
        ? "↑/↓ or j/k to move · Enter to choose · Esc does not answer"
        : "↑/↓ or j/k to move · Enter to choose · Esc denies · n adds a note";
  const lines = wrap(keys, width - 2).map((text) => line(`  ${text}`, "dim"));
  const note = message ?? (inert && writing === null ? "one moment: keys typed before this do not count" : "");
  return [...lines, line(cutEnd(`  ${note}`, width), "yellow")];
}
