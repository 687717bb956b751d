// The lower part of a card: the options, what is being written, and which keys do what.

import { show } from "../core/path/show.ts";
import type { WireAsk } from "../wire/values.ts";
import { cutEnd, cutMiddle, wrap } from "./columns.ts";
import { type Line, line, span } from "./lines.ts";
import type { Option } from "./options.ts";

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

/** The options, or what is being written in their place. */
export function choiceLines(state: CardState, width: number): readonly Line[] {
  return state.writing === null ? optionLines(state, width) : writingLines(state.writing, width);
}

function optionLines({ options, chosen, inert }: CardState, width: number): readonly Line[] {
  return options.flatMap(({ label, grants, isWhole }, at): readonly Line[] => {
    const style = inert && grants ? "dim" : at === chosen ? "chosen" : "plain";
    const lines = wrap(isWhole === true ? label : cutMiddle(label, (width - 6) * 3), width - 6);
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

/** Which keys do what, and below it the one thing to know now. */
export function keyLines({ writing, message, inert }: CardState, ask: WireAsk, width: number): readonly Line[] {
  const keys =
    writing !== null
      ? `Enter sends · Esc goes back${writing.as === "note" ? " · nothing is allowed" : ""}`
      : ask.kind === "pending_question"
        ? "↑/↓ or j/k to move · Enter to choose · Esc does not answer"
        : "↑/↓ or j/k to move · Enter to choose · Esc denies · n adds a note";
  const lines = wrap(keys, width - 2).map((text) => line(`  ${text}`, "dim"));
  // For that moment before anything else: a card that came back changed has a message too.
  const note = inert && writing === null ? "one moment: keys typed before this do not count" : (message ?? "");
  return [...lines, line(cutEnd(`  ${note}`, width), "yellow")];
}
