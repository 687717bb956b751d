// The input field of a chat: several lines, with earlier messages on ↑. A card does not change what is in it.

import { show } from "../core/path/show.ts";
import { chop, cutEnd } from "./columns.ts";
import { edit, editOf, type EditedInput, emptyEdit, lineUpOrDown } from "./editing.ts";
import type { Key } from "./keys.ts";
import { type Line, line, span } from "./lines.ts";

export interface Composer {
  readonly edited: EditedInput;
  /** Earlier messages, oldest first. */
  readonly history: readonly string[];
  /** Which of them is shown; null while something new is written. */
  readonly at: number | null;
  /** The text being written before an earlier message was recalled. */
  readonly draft: string;
}

export const emptyComposer: Composer = { edited: emptyEdit, history: [], at: null, draft: "" };

const KEPT = 200;

/** Add the message to the history, and empty the field. */
export function submitted(composer: Composer, text: string): Composer {
  const history = composer.history.at(-1) === text ? composer.history : [...composer.history, text].slice(-KEPT);
  return { edited: emptyEdit, history, at: null, draft: "" };
}

/** Applies a key; `text` is the message to send, where the key sends it. */
export function compose(composer: Composer, key: Key): { readonly composer: Composer; readonly text: string | null } {
  const { edited } = composer;
  if (key.type === "key" && key.name === "enter") {
    // A backslash before the end of the line: the line goes on.
    if (edited.text.slice(0, edited.at).endsWith("\\"))
      return withEdited(composer, edit(edit(edited, { type: "key", name: "backspace" }), { type: "key", name: "newline" }));
    return edited.text.trim() === "" ? withEdited(composer, edited) : { composer, text: edited.text.trim() };
  }
  if (key.type === "key" && (key.name === "up" || key.name === "down")) {
    const moved = lineUpOrDown(edited, key.name);
    return moved === null ? recall(composer, key.name) : withEdited(composer, moved);
  }
  return withEdited(composer, edit(edited, key));
}

const withEdited = (composer: Composer, edited: EditedInput) => ({ composer: { ...composer, edited }, text: null });

function recall(composer: Composer, direction: "up" | "down"): { readonly composer: Composer; readonly text: null } {
  const { history, at } = composer;
  const to = (at ?? history.length) + (direction === "up" ? -1 : 1);
  if (to < 0 || (at === null && direction === "down")) return { composer, text: null };
  const draft = at === null ? composer.edited.text : composer.draft;
  if (to >= history.length) return { composer: { ...composer, edited: editOf(draft), at: null }, text: null };
  return { composer: { ...composer, edited: editOf(history[to] ?? ""), at: to, draft }, text: null };
}

/** Lines to draw, at most `rows` of them around the cursor, which is drawn as a bar. */
export function composerLines({ edited }: Composer, { width, rows, hint }: { width: number; rows: number; hint: string }): readonly Line[] {
  const inner = Math.max(4, width - 3);
  if (edited.text === "") return [[span("› ", "cyan"), span("▏", "cyan"), span(cutEnd(hint, inner - 1), "dim")]];
  const head = edited.text.slice(0, edited.at).split("\n");
  const cursorRow = head.length - 1;
  const all: { readonly text: string; readonly cursor: boolean }[] = [];
  for (const [row, text] of edited.text.split("\n").entries()) {
    const column = head[cursorRow]?.length ?? 0;
    const rowText = row === cursorRow ? `${show(text.slice(0, column))}▏${show(text.slice(column))}` : show(text);
    for (const piece of chop(rowText, inner)) all.push({ text: piece, cursor: piece.includes("▏") });
  }
  const at = all.findIndex(({ cursor }) => cursor);
  const from = Math.max(0, Math.min(at - rows + 1, all.length - rows));
  const visible = all.slice(from, from + rows);
  const lines = visible.map(({ text }, index): Line => [span(from + index === 0 ? "› " : "  ", "cyan"), span(text)]);
  const below = all.length - from - visible.length;
  return [...more(from, "above"), ...lines, ...more(below, "below")];
}

const more = (count: number, where: string): readonly Line[] =>
  count === 0 ? [] : [line(`  … ${count} more ${count === 1 ? "line" : "lines"} ${where}`, "dim")];
