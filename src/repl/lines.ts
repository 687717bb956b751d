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
