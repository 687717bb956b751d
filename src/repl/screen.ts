// The terminal as a place to draw: what is settled goes by and stays in the scrollback, what is live is drawn anew below it. Ink draws;
// everything it is given is lines that fit. Nothing is drawn that is higher than the window, since Ink would then wipe the scrollback.

import { render } from "ink";
import type { ReactElement } from "react";
import type { ReadStream, WriteStream } from "node:tty";
import { picture, type SettledBlock, type Size, type View } from "./picture.ts";

export interface Screen {
  size(): Size;
  /** Called when the window has another size, to draw again. */
  onResize(redraw: () => void): void;
  draw(view: View): void;
  /** Wipe the window and draw everything again: whatever else was written there is gone. */
  refresh(): void;
  /** Give the terminal back, let `stop` stop the process, and take it again once it goes on. */
  suspend(stop: () => void): Promise<void>;
  /** Something for the terminal itself: a bell, a notification. Never anything an agent said. */
  signal(sequence: string): void;
  /** Leave the last picture where it is, and the terminal as it was. */
  close(): void;
}

const BEGIN = "\u001b[?2004h\u001b[?1004h";
const END = "\u001b[?2004l\u001b[?1004l\u001b[?25h";
/** Nothing of it is shown before the picture that follows is whole. */
const WIPE = "\u001b[?2026h\u001b[2J\u001b[H";
/** A window that is being dragged changes its size many times a second: it is drawn again after so many milliseconds, not each time. */
const DRAGGED = 60;
/** How long Ink may take to draw what it was given, and a stopped process to stop. */
const DRAWN = 50;

export function openScreen(
  streams: { readonly input: ReadStream; readonly output: WriteStream; readonly errors: WriteStream },
  { colour }: { readonly colour: boolean },
): Screen {
  const { input, output, errors } = streams;
  let generation = 0;
  /** Settled things before this one went by at another width, and are not drawn again. */
  let from = 0;
  let last: View = { settled: [], live: [] };
  const size = (): Size => ({ width: Math.max(8, (output.columns || 80) - 1), rows: Math.max(2, output.rows || 24) });
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
  let resizing: NodeJS.Timeout | undefined;
  let isSuspended = false;
  const draw = (view: View): void => {
    last = view;
    if (!isSuspended && resizing === undefined) ink.rerender(tree());
  };
  const refresh = (): void => {
    resizing = undefined;
    if (isSuspended) return;
    // The terminal has broken its lines anew by now, so that nobody knows how many there are: the window is wiped, and as much of the
    // transcript as fits is written again. What has scrolled away stays as it was.
    ink.clear();
    output.write(WIPE);
    generation += 1;
    from = tailOf(last.settled, size());
    redraw();
  };
  const scheduleRefresh = (): void => {
    resizing ??= setTimeout(refresh, DRAGGED);
  };
  output.on("resize", scheduleRefresh);
  return {
    size,
    draw,
    refresh,
    async suspend(stop) {
      if (isSuspended) return;
      isSuspended = true;
      ink.rerender(picture({ ...last, live: [] }, { from, generation, ...size(), colour }));
      await pause(DRAWN);
      output.write(END);
      input.setRawMode(false);
      stop();
      // Once stopped, no timer runs before the process is continued; where nothing can stop it, it goes on by itself.
      await pause(DRAWN);
      input.setRawMode(true);
      output.write(BEGIN);
      isSuspended = false;
      redraw();
    },
    onResize(listener) {
      redraw = listener;
    },
    signal: (sequence) => void output.write(sequence),
    close() {
      output.off("resize", scheduleRefresh);
      if (resizing !== undefined) {
        clearTimeout(resizing);
        refresh();
      }
      ink.unmount();
      output.write(END);
    },
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/**
 * The output as one without a bottom, which never changes its size. Ink wipes the window and the whole scrollback when what it has drawn is as high as the window,
 * which it is for a moment whenever the window shrinks; here nothing is drawn that is. And it would draw the old lines at a new width.
 */
function endless(output: WriteStream): WriteStream {
  return new Proxy(output, {
    get(target, key) {
      if (key === "rows") return Number.MAX_SAFE_INTEGER;
      if (key === "on" || key === "off")
        return (event: string, listener: () => void) => (event === "resize" ? target : target[key](event, listener));
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? (...words: readonly unknown[]): unknown => Reflect.apply(value, target, words) : value;
    },
  });
}

/** The first of the settled things that, with all after it, fill at most half the window: the rest of it is for what is live. */
function tailOf(settled: readonly SettledBlock[], { width, rows }: Size): number {
  let used = 0;
  for (let at = settled.length - 1; at > 0; at--) {
    used += settled[at]?.lines(width).length ?? 0;
    if (used > rows / 2) return Math.min(at + 1, settled.length - 1);
  }
  return 0;
}
