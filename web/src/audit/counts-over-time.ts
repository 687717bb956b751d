// Records as a picture: how many of each verdict in each stretch of time. Pure.

import type { ShownRecord } from "./audit-page.tsx";

/** Columns of a plot: times in seconds, then how many were allowed, asked about and denied in each stretch. */
export function countsOverTime(records: readonly ShownRecord[], stretches: number): readonly [number[], number[], number[], number[]] {
  const decisions = records.filter(({ event }) => event.kind === "decision");
  const times = decisions.map(({ event }) => event.at);
  const from = Math.min(...times);
  const to = Math.max(...times);
  if (decisions.length === 0) return [[], [], [], []];
  const width = Math.max(1000, Math.ceil((to - from + 1) / stretches));
  const size = Math.floor((to - from) / width) + 1;
  const columns = { allow: zeros(size), ask: zeros(size), deny: zeros(size) };
  for (const { event } of decisions) {
    const column = event["verdict"] === "allow" ? columns.allow : event["verdict"] === "ask" ? columns.ask : columns.deny;
    const index = Math.floor((event.at - from) / width);
    column[index] = (column[index] ?? 0) + 1;
  }
  return [Array.from({ length: size }, (_, index) => (from + index * width) / 1000), columns.allow, columns.ask, columns.deny];
}

const zeros = (size: number): number[] => Array.from({ length: size }, () => 0);
