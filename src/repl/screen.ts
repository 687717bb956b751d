// The terminal as a place to draw: what is settled goes by and stays in the scrollback, what is live is drawn anew below it. Ink draws;
// everything it is given is lines that fit. Nothing is drawn that is higher than the window, since Ink would then wipe the scrollback.

import { Box, render, Static, Text } from "ink";
import { createElement as h, type ReactElement } from "react";
import type { ReadStream, WriteStream } from "node:tty";
import { fit, type Line, type Style } from "./lines.ts";

/** Something that will not change any more, with its lines for a width. */
export interface Settled {
  readonly id: string;
  readonly lines: (width: number) => readonly Line[];
}

export interface View {
  readonly settled: readonly Settled[];
  readonly live: readonly Line[];
}

export interface Size {
  readonly width: number;
  readonly rows: number;
}

export interface Screen {
  size(): Size;
  /** Called when the window has another size, to draw again. */
  onResize(redraw: () => void): void;
  draw(view: View): void;
  /** Something for the terminal itself: a bell, a notification. Never anything an agent said. */
  signal(sequence: string): void;
  /** Leave the last picture where it is, and the terminal as it was. */
  close(): void;
}

const BEGIN = "\u001b[?2004h\u001b[?1004h";
const END = "\u001b[?2004l\u001b[?1004l\u001b[?25h";
const WIPE = "\u001b[2J\u001b[H";

export function openScreen(
  streams: { readonly input: ReadStream; readonly output: WriteStream; readonly errors: WriteStream },
  { colour }: { readonly colour: boolean },
): Screen {
  const { input, output, errors } = streams;
  let generation = 0;
  /** Settled things before this one went by at another width, and are not drawn again. */
  let from = 0;
  let last: View = { settled: [], live: [] };
  const size = (): Size => ({ width: Math.max(20, (output.columns || 80) - 1), rows: Math.max(6, output.rows || 24) });
  const tree = (): ReactElement => picture(last, { from, generation, width: size().width, rows: size().rows, colour });
  let redraw: () => void = () => {};
  // Before anything is drawn: what is typed meanwhile waits, and is not echoed into the picture.
  input.setRawMode(true);
  output.write(BEGIN);
  const ink = render(tree(), {
    stdin: input,
    stdout: endless(output),
    stderr: errors,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 60,
  });
  const draw = (view: View): void => {
    last = view;
    ink.rerender(tree());
  };
  const resized = (): void => {
    // The terminal has broken its lines anew by now, so that nobody knows how many there are: the window is wiped, and as much of the
    // transcript as fits is written again. What has scrolled away stays as it was.
    ink.clear();
    output.write(WIPE);
    generation += 1;
    from = tailOf(last.settled, size());
    redraw();
  };
  output.on("resize", resized);
  return {
    size,
    draw,
    onResize(listener) {
      redraw = listener;
    },
    signal: (sequence) => void output.write(sequence),
    close() {
      output.off("resize", resized);
      ink.unmount();
      output.write(END);
    },
  };
}

/**
 * The output as one without a bottom. Ink wipes the window and the whole scrollback when what it has drawn is as high as the window,
 * which it is for a moment whenever the window shrinks; here nothing is drawn that is.
 */
function endless(output: WriteStream): WriteStream {
  return new Proxy(output, {
    get(target, key) {
      if (key === "rows") return Number.MAX_SAFE_INTEGER;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? (...words: readonly unknown[]): unknown => Reflect.apply(value, target, words) : value;
    },
  });
}

/** The first of the settled things that, with all after it, fill at most half the window: the rest of it is for what is live. */
function tailOf(settled: readonly Settled[], { width, rows }: Size): number {
  let used = 0;
  for (let at = settled.length - 1; at > 0; at--) {
    used += settled[at]?.lines(width).length ?? 0;
    if (used > rows / 2) return Math.min(at + 1, settled.length - 1);
  }
  return 0;
}

export interface Drawing extends Size {
  readonly from: number;
  readonly generation: number;
  readonly colour: boolean;
}

/** One picture, for Ink. */
export function picture({ settled, live }: View, { from, generation, width, rows, colour }: Drawing): ReactElement {
  const drawn = live.slice(-(rows - 1));
  return h(
    Box,
    { flexDirection: "column" },
    h(Static<Settled>, {
      key: generation,
      items: settled.slice(from),
      children: (item) =>
        h(
          Box,
          { key: item.id, flexDirection: "column" },
          item.lines(width).map((one, at) => drawnLine(one, at, width, colour)),
        ),
    }),
    ...drawn.map((one, at) => drawnLine(one, at, width, colour)),
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
