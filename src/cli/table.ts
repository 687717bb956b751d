// Tables for people: columns as wide as they must be, and what does not fit cut in the middle. Programs get JSON instead.

import { columns, cutMiddle, pad } from "../repl/columns.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Host } from "./host.ts";
import { type Paint, paintFor } from "./paint.ts";

export interface TableColumn<T> {
  readonly name: string;
  readonly value: (row: T) => string;
  /** May be cut where the line would be too long. */
  readonly cut?: true;
  /** As far as it may be cut. */
  readonly least?: number;
  readonly paint?: (text: string, row: T) => string;
}

const GAP = "  ";

/** The rows as text, with a head; `width` is the window's. Values come in shown already. */
export function table<T>(
  rows: readonly T[],
  cols: readonly TableColumn<T>[],
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string {
  const cells = rows.map((row) => cols.map(({ value }) => value(row)));
  const widths = cols.map(({ name }, at) => Math.max(columns(name), ...cells.map((line) => columns(line[at] ?? ""))));
  // The widest is cut first: a short column is not made illegible for the sake of a long one.
  for (let over = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (cols.length - 1) - width; over > 0; over -= 1) {
    const widest = cols.reduce(
      (most, { cut, least = LEAST }, at) => (cut === true && (widths[at] ?? 0) > Math.max(least, widths[most] ?? 0) ? at : most),
      -1,
    );
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const line = (of: readonly string[], style: (text: string, at: number) => string): string =>
    of
      .map((text, at) => style(pad(cutMiddle(text, widths[at] ?? 0), at === cols.length - 1 ? 0 : (widths[at] ?? 0)), at))
      .join(GAP)
      .trimEnd();
  const head = line(
    cols.map(({ name }) => name.toUpperCase()),
    (text) => paint.dim(text),
  );
  const body = rows.map((row, index) => line(cells[index] ?? [], (text, at) => cols[at]?.paint?.(text, row) ?? text));
  return `${[head, ...body].join("\n")}\n`;
}

const LEAST = 8;

/** A list as a table for people, or as JSON for programs. `none` is said where it is empty. Gives the exit code. */
export function writeRows<T>(
  host: Pick<Host, "output" | "env">,
  rows: readonly T[],
  cols: readonly TableColumn<T>[],
  { json, none, after }: { readonly json: boolean | undefined; readonly none: string; readonly after?: string },
): number {
  if (json === true) host.output.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0) host.output.write(`${none}\n`);
  else host.output.write(`${table(rows, cols, tableSpace(host))}${after === undefined ? "" : `${after}\n`}`);
  return exitCodes.done;
}

/** The window of a command, for its tables. */
export const tableSpace = ({ output, env }: Pick<Host, "output" | "env">): { readonly width: number; readonly paint: Paint } => ({
  width: windowWidth(output),
  paint: paintFor(output, env),
});

/** The window's width, for tables; 100 where there is no window. */
export function windowWidth(stream: { readonly columns?: number; readonly isTTY?: boolean }): number {
  return stream.isTTY === true && stream.columns !== undefined && stream.columns > 0 ? stream.columns : 100;
}

/** `12 s`, `5 min`, `3 h`, `2 d` ago; for tables. */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} d ago`;
}
