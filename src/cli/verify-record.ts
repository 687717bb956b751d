// An exported record, checked: every record's hash covers its event and the hash before it. Whoever can write the store can write a whole
// new chain, or take some off the end of it; a head that was noted elsewhere tells that too (`server/record-head.ts`).

import { canonical, chained, START } from "../store/chain.ts";

export interface Verified {
  readonly records: number;
  /** The first record that does not fit; null where all do. */
  readonly broken: number | null;
  /** The hash of the last record. */
  readonly head: string;
  /** The hash of the record of the number that was noted; null where there is none. */
  readonly hashAtNoted: string | null;
}

export interface Verifying {
  /** The number of a record whose hash was noted elsewhere. */
  readonly noted?: number | null;
  /** Called with how many records have been checked so far. */
  readonly told?: (records: number) => void;
}

/** Line by line: nothing of the record is kept. */
export async function verifyRecord(
  lines: AsyncIterable<string> | Iterable<string>,
  { noted = null, told }: Verifying = {},
): Promise<Verified> {
  let last = START;
  let records = 0;
  let hashAtNoted: string | null = null;
  for await (const text of lines) {
    if (text === "") continue;
    const record = recordOf(text);
    const expected = record === null ? null : chained(last, canonical(record.event));
    if (record === null || expected === null || record.sequence !== expected.sequence || record.hash !== expected.hash)
      return { records, broken: last.sequence + 1, head: last.hash, hashAtNoted };
    last = expected;
    records += 1;
    if (last.sequence === noted) hashAtNoted = last.hash;
    if (records % 1000 === 0) told?.(records);
  }
  return { records, broken: null, head: last.hash, hashAtNoted };
}

function recordOf(text: string): { readonly sequence: number; readonly hash: string; readonly event: unknown } | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || !("sequence" in parsed && "hash" in parsed && "event" in parsed)) return null;
    const { sequence, hash, event } = parsed;
    return typeof sequence === "number" && typeof hash === "string" ? { sequence, hash, event } : null;
  } catch {
    return null;
  }
}
