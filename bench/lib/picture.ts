// All goals in one picture of plain text: a bar a goal, as long as what was measured, with
// a mark where the goal is. Every bar has its own scale, so the marks stand in one column.
import { figure } from "./report.ts";
import type { Judged } from "./report.ts";

const WIDTH = 40;
/** Column of the goal's mark; a third of the room remains for what exceeds it. */
const MARK = 30;

/** Draws `name  =======   |   0.61 of 0.90  ok`, one line a goal. */
export function drawGoals(goals: readonly Judged[]): string {
  if (goals.length === 0) return "no goal was measured";
  const nameWidth = Math.max(...goals.map((goal) => goal.name.length));
  const head = `${"".padEnd(nameWidth)}  ${"goal".padStart(MARK + 3)}`;
  return [head, ...goals.map((goal) => drawGoal(goal, nameWidth))].join("\n");
}

function drawGoal(goal: Judged, nameWidth: number): string {
  const share = goal.measured / goal.limit;
  const length = Math.max(1, Math.round(share * MARK));
  const cells = Array.from({ length: WIDTH }, (_, column) => {
    if (column === WIDTH - 1 && length > WIDTH) return ">";
    if (column === MARK) return "|";
    return column < length ? "=" : " ";
  });
  const words = `${figure(goal.measured)} of ${figure(goal.limit)}`;
  return `${goal.name.padEnd(nameWidth)}  ${cells.join("")}  ${words.padStart(14)}  ${goal.outcome}`;
}
