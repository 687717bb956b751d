// The audit's chain: each record's hash covers its event and the hash before it, so that a record cannot be changed, moved or taken
// out without breaking every hash after it. No key is in it: whoever may write the store may also write a whole new chain. To notice
// that, keep a hash somewhere else.

import { createHash } from "node:crypto";

/** Where a chain begins. */
export const START: Link = { sequence: 0, hash: "" };

export interface Link {
  readonly sequence: number;
  readonly hash: string;
}

export interface ChainedRow extends Link {
  /** Canonical JSON. */
  readonly event: string;
}

/** What follows `previous`: the row of this event. `event` is canonical JSON. */
export function chained(previous: Link, event: string): ChainedRow {
  const hash = createHash("sha256")
    .update(`{"event":${event},"previous":${JSON.stringify(previous.hash)}}`)
    .digest("hex");
  return { sequence: previous.sequence + 1, event, hash };
}

/** Follow `rows` on from `previous`: the last link if all of them fit, else the first sequence number that does not. */
export function follow(previous: Link, rows: Iterable<ChainedRow>): Link | number {
  let last = previous;
  for (const row of rows) {
    const expected = chained(last, row.event);
    if (row.sequence !== expected.sequence || row.hash !== expected.hash) return expected.sequence;
    last = row;
  }
  return last;
}

/**
 * JSON with one spelling for one value (RFC 8785): keys sorted by code unit, no spaces, fields that are undefined left out. Half a
 * surrogate pair is escaped.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`;
}
