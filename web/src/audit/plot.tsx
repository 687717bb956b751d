// Decisions over time, by verdict. The numbers are in the table beneath it and in the label, so the picture is never the only place.

import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { count } from "../words/counts.ts";
import type { ShownRecord } from "./audit-page.tsx";
import { countsOverTime } from "./counts-over-time.ts";

const HEIGHT = 170;
const legend = [
  ["allow", "bg-allow"],
  ["ask", "bg-ask"],
  ["deny", "bg-deny"],
] as const;

export function Plot({ records }: { readonly records: readonly ShownRecord[] }) {
  const place = useRef<HTMLDivElement>(null);
  const columns = countsOverTime(records, 48);
  const sum = (column: readonly number[]): number => column.reduce((total, one) => total + one, 0);
  const label = `Decisions over time: ${count(sum(columns[1]), "allow")}, ${count(sum(columns[2]), "ask")}, ${count(sum(columns[3]), "deny", "denies")}`;
  useEffect(() => {
    const element = place.current;
    const [times, allows, asks, denies] = columns;
    const [first, second] = times;
    if (element === null || first === undefined) return;
    /** Seconds that a bar stands for. */
    const stretch = second === undefined ? 1 : second - first;
    const style = getComputedStyle(document.body);
    const colour = (name: string): string => resolveColour(element, `var(--${name})`);
    const bars = UPlot.paths.bars?.({ size: [0.72, 28], align: 1 });
    const series = (name: string, token: string): UPlot.Series => ({
      label: name,
      stroke: colour(token),
      fill: colour(token),
      width: 0,
      ...(bars === undefined ? {} : { paths: bars }),
      points: { show: false },
    });
    const axis = {
      stroke: colour("faint"),
      grid: { stroke: colour("line"), width: 1 },
      ticks: { show: false },
      font: `11px ${style.fontFamily}`,
    };
    const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
    // Stacked: each bar is drawn whole, and the smaller ones over it.
    const upTo = (...stack: readonly (readonly number[])[]): (number | null)[] =>
      times.map((_, index) => stack.reduce((sum, column) => sum + (column[index] ?? 0), 0) || null);
    const plot = new UPlot(
      {
        width: element.clientWidth,
        padding: [10, 8, 0, 0],
        height: HEIGHT,
        cursor: { show: false },
        legend: { show: false },
        // The last bar begins where the last stretch does, and needs its room.
        scales: {
          x: { range: () => [first, (times.at(-1) ?? first) + stretch] },
          y: { range: (_plot, _low, high) => [0, Math.max(4, high * 1.15)] },
        },
        axes: [
          { ...axis, size: 24, space: 90, values: (_plot, splits) => splits.map((split) => clock.format(split * 1000)) },
          { ...axis, size: 30, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
        ],
        series: [{ label: "time" }, series("deny", "deny"), series("ask", "ask"), series("allow", "allow")],
      },
      [times, upTo(allows, asks, denies), upTo(allows, asks), upTo(allows)],
      element,
    );
    const sized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      plot.destroy();
    };
  }, [records]);
  return (
    <figure className="rounded-xl border border-line bg-surface p-3">
      <figcaption className="mb-1 flex flex-wrap items-center justify-between gap-x-4 px-1 text-xs text-soft">
        {label}
        <span className="flex gap-3">
          {legend.map(([name, colour]) => (
            <span key={name} className="flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-2.5 rounded-xs ${colour}`} /> {name}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={place} className="plot min-h-[170px]" role="img" aria-label={label} />
    </figure>
  );
}

/** A colour of the style sheet as the canvas wants it. */
function resolveColour(element: HTMLElement, colour: string): string {
  const probe = document.createElement("span");
  probe.style.color = colour;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
