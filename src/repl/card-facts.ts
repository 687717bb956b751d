// The facts of a card as lines. Every text of an agent's or a file's goes through `show`; the directory a yes opens is never cut, and an
// agent's words stand apart from ours.

import { AGENT_SAYS, partText } from "../core/guard/card.ts";
import { show } from "../core/path/show.ts";
import type { WireAsk, WireCard } from "../wire/values.ts";
import { chop, columns, cutMiddle, pad, wrap } from "./columns.ts";
import { diffLines } from "./diff-lines.ts";
import { type Line, line, type Span, span } from "./lines.ts";

/** Blocks give up lines in the order of their rank, highest first, down to `least`. */
export interface Block {
  readonly rank: number;
  readonly least: number;
  readonly lines: readonly Line[];
}

type Fact = WireCard["facts"][number];

/** A block that gives up nothing. */
export const fixedBlock = (lines: readonly Line[]): Block => ({ rank: 0, least: lines.length, lines });

/** How wide the labels of a card are, at the least. */
const LABEL = 19;
/** In narrower windows a label has a line of its own. */
const WIDE = 64;

/** Everything between a card's title and its options. */
export function factBlocks({ card, diff }: WireAsk, width: number): readonly Block[] {
  // A label and its sentence never touch.
  const column = Math.max(LABEL, ...card.facts.map(({ label }) => columns(label) + 1));
  return [
    ...card.facts.map((fact, at) => block(fact, at, width, column)),
    ...(diff === null ? [] : [{ rank: DIFF, least: 1, lines: diffLines(diff, width - 2).map((one) => [span("  "), ...one]) }]),
  ];
}

/** What is wanted, in one line: for windows that have no room for more. */
export function wantsLine({ card }: WireAsk, width: number): readonly Line[] {
  const wants = card.facts.find(({ kind }) => kind === "wants");
  return wants === undefined ? [] : [line(`  ${cutMiddle(wants.parts.map((part) => partText(part)).join(""), width - 2)}`)];
}

/** What is only good to know goes first, and of that what stands further down; a difference before all. */
const DIFF = 100;

function block(fact: Fact, at: number, width: number, column: number): Block {
  const lines = fact.parts.some(({ kind }) => kind === "words") ? wordLines(fact, width) : plainLines(fact, width, column);
  if (fact.weight !== "may") return fixedBlock(lines);
  const quoted = fact.parts.some(({ kind }) => kind === "words");
  return { rank: quoted ? DIFF - 1 : at + 1, least: quoted ? 2 : 0, lines };
}

function plainLines({ label, parts, weight }: Fact, width: number, column: number): readonly Line[] {
  const isWide = width >= WIDE;
  const inner = isWide ? width - column - 2 : width - 4;
  const style: Span["style"] = weight === "warn" ? "yellow" : weight === "may" ? "dim" : "plain";
  const at = parts.findIndex(({ kind }) => kind === "dir");
  const texts: readonly (readonly [string, Span["style"]])[] =
    at === -1
      ? sentence(parts, inner, style)
      : [
          ...sentence(parts.slice(0, at), inner, style),
          ...chop(show(parts[at]?.text ?? ""), inner).map((text) => [text, "bold"] as const),
          ...sentence(parts.slice(at + 1), inner, style),
        ];
  if (!isWide) return narrowLines(label, texts, width);
  return texts.map(([text, how], row) => [span(`  ${pad(row === 0 ? label : "", column)}`, "dim"), span(text, how)]);
}

/** The label in front of the first words, where they fit beside each other. */
function narrowLines(label: string, texts: readonly (readonly [string, Span["style"]])[], width: number): readonly Line[] {
  const [[text, how] = ["", "plain"] as const, ...rest] = texts;
  const below = (all: typeof texts): readonly Line[] => all.map(([one, style]) => [span("    "), span(one, style)]);
  if (columns(label) + columns(text) + 5 > width) return [line(`  ${label}:`, "dim"), ...below(texts)];
  return [[span(`  ${label}: `, "dim"), span(text, how)], ...below(rest)];
}

function sentence(parts: Fact["parts"], inner: number, style: Span["style"]): readonly (readonly [string, Span["style"]])[] {
  const text = parts
    .map((part) => (part.kind === "path" ? cutMiddle(show(part.text), inner * 2) : partText(part)))
    .join("")
    .replace(/^[,.]? +/u, "");
  return text === "" ? [] : wrap(text, inner).map((one) => [one, style] as const);
}

const LONGEST_WORDS = 500;

/** An agent's words: one block of plain text, marked as the agent's, as `show` writes it. */
function wordLines({ kind, label, parts, weight }: Fact, width: number): readonly Line[] {
  const ownText = parts.flatMap((part) => (part.kind === "words" ? [] : [partText(part)])).join("");
  const agentText = parts.flatMap(({ kind, text }) => (kind === "words" ? [quoted(text)] : [])).join(" ");
  // What a yes lets happen is shown whole.
  const text = weight === "may" ? cutMiddle(agentText, LONGEST_WORDS) : agentText;
  return [
    ...(kind === "reason" ? [] : [line(`  ${`${label} ${ownText}`.trim()}:`, "dim")]),
    line(`  ${AGENT_SAYS}:`, "dim"),
    ...wrap(text, width - 6).map((one) => [span("  │ ", "dim"), span(one)]),
  ];
}

/** An agent's words as one line. `](` is broken up as well, so that a card that is copied somewhere else is no link and no picture. */
function quoted(text: string): string {
  return show(text).replaceAll("](", "]\\u{28}");
}
