// What a suite prints: one aligned table, then a line for each goal. The goal line is
// also what run.ts reads back from a suite's output, so writing and reading it live here.
import { compare, timeOf } from "./paired.ts";
import type { Measured } from "./paired.ts";

/** A limit on the ratio of two variants, or, without the second, on the median time of one in milliseconds. */
export interface Goal {
  readonly name: string;
  readonly limit: number;
  readonly variant: string;
  readonly against?: string;
}

export type Outcome = "ok" | "fail" | "noisy";

/** A goal after it was measured, as its line says it. */
export interface Judged {
  readonly name: string;
  readonly limit: number;
  readonly measured: number;
  readonly outcome: Outcome;
}

/** One paired run in a table: its heading, and the order in which rows are shown. */
export interface Section {
  readonly title: string;
  readonly measured: Measured;
  readonly rows: readonly string[];
}

/** What the harness itself may be wrong by. */
const TOLERANCE = 1.07;

/**
 * Fails where the median exceeds the limit by more than 7 %. The minima are shown beside it and excuse nothing: with them a limit of 0.90 let 0.99
 * pass. An unlucky run is what the second and third are for, and a noisy machine judges nothing.
 */
export function judge(goal: Goal, measured: Measured, quiet: "quiet" | "noisy"): Judged {
  const ratio = goal.against === undefined ? null : compare(measured, goal.variant, goal.against);
  const median = ratio?.median ?? timeOf(measured, goal.variant).wall / 1e6;
  const bound = goal.limit * TOLERANCE;
  const over = median > bound;
  const unsteady = quiet === "noisy" || measured.state === "noisy";
  return {
    name: goal.name,
    limit: goal.limit,
    measured: median,
    outcome: unsteady ? "noisy" : over ? "fail" : "ok",
  };
}

/** `goal <name> ≤ 3.00 measured 2.41 ok` */
export function formatGoal(goal: Judged): string {
  return `goal ${goal.name} ≤ ${figure(goal.limit)} measured ${figure(goal.measured)} ${goal.outcome}`;
}

/** Reads a line of `formatGoal` back; undefined for any other line. */
export function parseGoal(line: string): Judged | undefined {
  const found = /^goal (.+) ≤ ([\d.]+) measured ([\d.]+) (ok|fail|noisy)$/.exec(line);
  const [, name, limit, measured, outcome] = found ?? [];
  if (name === undefined || limit === undefined || measured === undefined) return undefined;
  if (outcome !== "ok" && outcome !== "fail" && outcome !== "noisy") return undefined;
  return { name, limit: Number(limit), measured: Number(measured), outcome };
}

/** The table of a suite: a heading a section, a row a variant, ratios to the section's anchor. */
export function formatTable(sections: readonly Section[]): string {
  const head = ["", "per operation", "ratio", "(quartiles)", "of minima", "CPU", ""];
  const rows: (readonly string[])[] = [head];
  for (const section of sections) {
    const { measured } = section;
    const names = [...section.rows, measured.twin.name];
    rows.push([`${section.title}${steadiness(measured)}`]);
    for (const name of names) rows.push(tableRow(measured, name));
  }
  return align(rows);
}

function tableRow(measured: Measured, name: string): readonly string[] {
  const ratio = compare(measured, name, measured.anchor);
  const time = timeOf(measured, name);
  const quartiles = `(${figure(ratio.low)}–${figure(ratio.high)})`;
  return [
    `  ${name}`,
    duration(time.wall),
    figure(ratio.median),
    quartiles,
    figure(ratio.minima),
    duration(time.cpu),
    name === measured.twin.name ? "A/A" : "",
  ];
}

function steadiness(measured: Measured): string {
  if (measured.state === "noisy") return "  (noisy: A/A out of bounds in every attempt)";
  return measured.attempts > 1 ? `  (attempt ${measured.attempts}; A/A voided the others)` : "";
}

/** First column to the left, the others to the right; a row of one cell is a heading. */
function align(rows: readonly (readonly string[])[]): string {
  const cells = rows.filter((row) => row.length > 1);
  const columns = Math.max(...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  return rows.map((row) => (row.length === 1 ? `${row[0]}` : alignRow(row, widths))).join("\n");
}

function alignRow(row: readonly string[], widths: readonly number[]): string {
  const padded = row.map((cell, column) => {
    const width = widths[column] ?? 0;
    return column === 0 ? cell.padEnd(width) : cell.padStart(width);
  });
  return padded.join("  ").trimEnd();
}

/** A ratio with three digits that say something: 2.41, 0.067, 0.0031, 352. */
export function figure(value: number): string {
  if (value >= 100) return value.toFixed(0);
  if (value >= 0.1 || value === 0) return value.toFixed(2);
  if (value >= 0.01) return value.toFixed(3);
  return value.toFixed(5);
}

/** Nanoseconds in the unit a person would say. */
export function duration(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(0)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(2)} µs`;
  if (nanoseconds < 1e9) return `${(nanoseconds / 1e6).toFixed(2)} ms`;
  return `${(nanoseconds / 1e9).toFixed(2)} s`;
}
