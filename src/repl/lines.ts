// Lines of text with a little style, before anybody draws them: a chat, an inbox and a test all take the same lines.

import { columns, cutEnd } from "./columns.ts";

export type Style = "plain" | "dim" | "bold" | "green" | "yellow" | "red" | "cyan" | "chosen";

export interface Span {
  readonly text: string;
  readonly style: Style;
}
export type Line = readonly Span[];

export const span = (text: string, style: Style = "plain"): Span => ({ text, style });
export const line = (text: string, style: Style = "plain"): Line => [span(text, style)];

/** The bare text of a line. */
export const textOf = (of: Line): string => of.map(({ text }) => text).join("");

/** Cuts a line to `width`: the last resort for a line that should have been wrapped. */
export function fit(of: Line, width: number): Line {
  const fitted: Span[] = [];
  let left = width;
  for (const { text, style } of of) {
    const size = columns(text);
    if (size > left) {
      if (left > 0) fitted.push(span(cutEnd(text, left), style));
      return fitted;
    }
    fitted.push(span(text, style));
    left -= size;
  }
  return fitted;
}

const codes: Record<Style, readonly [number, number] | null> = {
  plain: null,
  dim: [2, 22],
  bold: [1, 22],
  green: [32, 39],
  yellow: [33, 39],
  red: [31, 39],
  cyan: [36, 39],
  chosen: [1, 22],
};

/** The line as text for a terminal, or without style where there is to be none. */
export function paintLine(of: Line, colour: boolean): string {
  return of
    .map(({ text, style }) => {
      const code = colour ? codes[style] : null;
      return code === null ? text : `\u001b[${code[0]}m${text}\u001b[${code[1]}m`;
    })
    .join("");
}
