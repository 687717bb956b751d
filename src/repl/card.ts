// An ask as a card: what is asked, what may be answered, and no more lines than there is room for. It is never higher or wider than it may
// be, and what could not be shown in full cannot be allowed.

import type { WireAsk } from "../wire/values.ts";
import { type CardState, choiceLines, keyLines } from "./card-choices.ts";
import { type Block, factBlocks, fixedBlock, wantsLine } from "./card-facts.ts";
import { columns, cutEnd, wrap } from "./columns.ts";
import { fit, type Line, line, span } from "./lines.ts";

export interface CardSpace {
  readonly width: number;
  /** The most lines it may have. */
  readonly rows: number;
}

export interface CardPicture {
  readonly lines: readonly Line[];
  /** Is everything on it that a yes needs? Otherwise nothing on it may be allowed. */
  readonly whole: boolean;
}

/** Narrower than this nobody can read a path. */
const NARROWEST = 24;

export function cardOf(ask: WireAsk, state: CardState, { width, rows }: CardSpace): CardPicture {
  const blocks = [
    fixedBlock([title(ask, state, width)]),
    ...factBlocks(ask, width),
    fixedBlock([line("")]),
    fixedBlock(choiceLines(state, width)),
    fixedBlock(keyLines(state, ask, width)),
  ];
  const shrunk = width < NARROWEST ? null : shrink(blocks, rows);
  const lines = shrunk ?? smallCard(ask, state, { width, rows });
  return { lines: lines.map((one) => fit(one, width)), whole: shrunk !== null };
}

/** Too much for this window even so. What matters most comes first, and nothing can be allowed. */
function smallCard(ask: WireAsk, state: CardState, { width, rows }: CardSpace): readonly Line[] {
  const why = wrap("This window is too small to show what a yes would open. Make it larger, or press Esc to deny.", width - 2);
  const lines = [title(ask, state, width), ...why.map((text) => line(`  ${text}`, "yellow")), ...wantsLine(ask, width)];
  // In a window of a few lines the one thing to know is what can still be done.
  if (rows < why.length + 1) return [line("too small to allow; Esc denies", "yellow")];
  return lines.slice(0, rows);
}

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
  const count = place.of > 1 ? ` ${place.at + 1} of ${place.of} ` : "";
  const cut = cutEnd(ask.card.title, Math.max(1, width - columns(count) - 6));
  const rule = "─".repeat(Math.max(0, width - columns(cut) - columns(count) - 4));
  return [span("── ", "yellow"), span(cut, "bold"), span(` ${rule}`, "yellow"), span(count, "dim")];
}
