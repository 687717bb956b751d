// A text and a place in it, changed by keys. What is pasted is text and nothing else: control characters in it are dropped.

import type { Key } from "./keys.ts";

export interface EditedInput {
  readonly text: string;
  /** Where the cursor is, in code units; never inside a character. */
  readonly at: number;
}

export const emptyEdit: EditedInput = { text: "", at: 0 };

/** The text with the cursor at its end. */
export const editOf = (text: string): EditedInput => ({ text, at: text.length });

/** What the key makes of it. Keys that do not edit change nothing. */
export function edit(edited: EditedInput, key: Key): EditedInput {
  const { text, at } = edited;
  if (key.type === "text") return insertText(edited, key.text);
  if (key.type === "paste") return insertText(edited, plainText(key.text));
  switch (key.name) {
    case "newline":
      return insertText(edited, "\n");
    case "left":
      return { text, at: before(text, at) };
    case "right":
      return { text, at: after(text, at) };
    case "word-left":
      return { text, at: wordBefore(text, at) };
    case "word-right":
      return { text, at: at + (/^\s*\S*/u.exec(text.slice(at))?.[0].length ?? 0) };
    case "home":
      return { text, at: lineStart(text, at) };
    case "end":
      return { text, at: lineEnd(text, at) };
    case "backspace":
      return cut(text, before(text, at), at);
    case "delete":
      return cut(text, at, after(text, at));
    case "delete-word":
      return cut(text, wordBefore(text, at), at);
    case "delete-to-start":
      return cut(text, lineStart(text, at), at);
    case "delete-to-end":
      return cut(text, at, lineEnd(text, at));
    case "blur":
    case "down":
    case "end-of-input":
    case "enter":
    case "escape":
    case "focus":
    case "interrupt":
    case "redraw":
    case "suspend":
    case "tab":
    case "up":
      return edited;
  }
}

/** One line up or down, in the same column where there is one; null where there is no such line. */
export function lineUpOrDown({ text, at }: EditedInput, direction: "up" | "down"): EditedInput | null {
  const start = lineStart(text, at);
  const column = at - start;
  if (direction === "up") {
    if (start === 0) return null;
    const above = lineStart(text, start - 1);
    return { text, at: atCharacterStart(text, Math.min(above + column, start - 1)) };
  }
  const end = lineEnd(text, at);
  if (end === text.length) return null;
  return { text, at: atCharacterStart(text, Math.min(end + 1 + column, lineEnd(text, end + 1))) };
}

/** Lines of a paste as one text: ends of lines are one character, a tab is spaces, every other control character goes. */
function plainText(text: string): string {
  return text
    .replace(/\r\n?/gu, "\n")
    .replaceAll("\t", "    ")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/gu, "");
}

const insertText = ({ text, at }: EditedInput, more: string): EditedInput => ({
  text: text.slice(0, at) + more + text.slice(at),
  at: at + more.length,
});
const cut = (text: string, from: number, to: number): EditedInput => ({ text: text.slice(0, from) + text.slice(to), at: from });
const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
};
const wordBefore = (text: string, at: number): number => at - (/\S*\s*$/u.exec(text.slice(0, at))?.[0].length ?? 0);

/** The character before the cursor, with the marks on it. */
function before(text: string, at: number): number {
  return at - (/[\s\S][\p{Mn}\p{Me}]*$/u.exec(text.slice(0, at))?.[0].length ?? 0);
}

function after(text: string, at: number): number {
  return at + (/^[\s\S][\p{Mn}\p{Me}]*/u.exec(text.slice(at))?.[0].length ?? 0);
}

/** Not between the two halves of a character. */
function atCharacterStart(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}
