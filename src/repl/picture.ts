// One picture for Ink: what is settled above, what is live below it, as lines that fit the window.

import { Box, Static, Text } from "ink";
import { createElement as h, type ReactElement } from "react";
import { fit, type Line, type Style } from "./lines.ts";

/** Something that will not change any more, with its lines for a width. */
export interface SettledBlock {
  readonly id: string;
  readonly lines: (width: number) => readonly Line[];
}

export interface View {
  readonly settled: readonly SettledBlock[];
  readonly live: readonly Line[];
}

export interface Size {
  readonly width: number;
  readonly rows: number;
}

export interface Drawing extends Size {
  readonly from: number;
  readonly generation: number;
  readonly colour: boolean;
}

/** One picture, for Ink. */
export function picture({ settled, live }: View, { from, generation, width, rows, colour }: Drawing): ReactElement {
  const visible = live.slice(-(rows - 1));
  return h(
    Box,
    { flexDirection: "column" },
    h(Static<SettledBlock>, {
      key: `settled:${generation}`,
      items: settled.slice(from),
      children: (item) =>
        h(
          Box,
          { key: item.id, flexDirection: "column" },
          item.lines(width).map((one, at) => drawnLine(one, at, width, colour)),
        ),
    }),
    ...visible.map((one, at) => drawnLine(one, at, width, colour)),
  );
}

const styles: Record<Style, Readonly<Record<string, string | boolean>>> = {
  plain: {},
  dim: { dimColor: true },
  bold: { bold: true },
  green: { color: "green" },
  yellow: { color: "yellow" },
  red: { color: "red" },
  cyan: { color: "cyan" },
  chosen: { bold: true },
};

function drawnLine(of: Line, key: number, width: number, colour: boolean): ReactElement {
  const spans = fit(of, width).filter(({ text }) => text !== "");
  return h(
    Text,
    { key, wrap: "truncate-end" },
    // A line without anything in it would have no height.
    ...(spans.length === 0 ? [" "] : spans.map(({ text, style }, at) => h(Text, { key: at, ...(colour ? styles[style] : {}) }, text))),
  );
}
