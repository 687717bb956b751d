// Verifies an exported record: each record's hash covers its event and the previous hash. Whoever can write the store can write a whole
// new chain, or cut off its end; only a head noted elsewhere (`server/record-head.ts`) shows that.

import { z } from "zod";
import { isRecord, parseJson } from "../core/record.ts";
import type { ArchiveHead } from "../store/archive.ts";
import { canonical, chained, type Link, START } from "../store/chain.ts";

export interface VerifyResult {
  readonly records: number;
  /** The first record that does not fit; null where all do. */
  readonly broken: number | null;
  /** The hash of the last record. */
  readonly head: string;
  /** The hash of the record of the number that was noted; null where there is none. */
  readonly hashAtNoted: string | null;
  /** The record before the first: number 0, or the last one that was archived. */
  readonly after: Link;
  /** What its records say was archived, and where it was written. */
  readonly archived: readonly { readonly first: number; readonly last: number; readonly file: string }[];
}

export interface VerifyOptions {
  /** The number of a record whose hash was noted elsewhere. */
  readonly noted?: number | null;
  /** Called with how many records have been checked so far. */
  readonly onProgress?: (records: number) => void;
}

/** Line by line: nothing of the record is kept. */
export async function verifyRecord(
  lines: AsyncIterable<string> | Iterable<string>,
  { noted = null, onProgress }: VerifyOptions = {},
): Promise<VerifyResult> {
  let last: Link = START;
  let head: ArchiveHead | null = null;
  const archived: { first: number; last: number; file: string }[] = [];
  let records = 0;
  let hashAtNoted: string | null = null;
  for await (const text of lines) {
    if (text === "") continue;
    if (records === 0 && head === null) {
      head = headIn(text);
      if (head !== null) {
        last = head.after;
        if (last.sequence === noted) hashAtNoted = last.hash;
        continue;
      }
    }
    const record = recordOf(text);
    const expected = record === null ? null : chained(last, canonical(record.event));
    if (record === null || expected === null || record.sequence !== expected.sequence || record.hash !== expected.hash)
      return { records, broken: last.sequence + 1, head: last.hash, hashAtNoted, after: head?.after ?? START, archived };
    if (isArchived(record.event)) archived.push({ first: record.event.first, last: record.event.last, file: record.event.file });
    last = expected;
    records += 1;
    if (last.sequence === noted) hashAtNoted = last.hash;
    if (records % 1000 === 0) onProgress?.(records);
  }
  // An archive says where it ends, so that one that was cut short is found out.
  const isWhole = head?.last === undefined || (head.last.sequence === last.sequence && head.last.hash === last.hash);
  return { records, broken: isWhole ? null : last.sequence + 1, head: last.hash, hashAtNoted, after: head?.after ?? START, archived };
}

const link = z.strictObject({ sequence: z.number().int().min(0), hash: z.string() });
const headSchema = z.strictObject({ hallpass: z.literal("audit"), after: link, last: link.optional() });

function headIn(text: string): ArchiveHead | null {
  const read = headSchema.safeParse(parseJson(text));
  if (!read.success) return null;
  const { after, last } = read.data;
  return { hallpass: "audit", after, ...(last === undefined ? {} : { last }) };
}

const archivedSchema = z.looseObject({ kind: z.literal("archived"), first: z.number(), last: z.number(), file: z.string() });
const isArchived = (event: unknown): event is z.infer<typeof archivedSchema> => archivedSchema.safeParse(event).success;

function recordOf(text: string): { readonly sequence: number; readonly hash: string; readonly event: unknown } | null {
  const parsed = parseJson(text);
  if (!isRecord(parsed) || !("event" in parsed)) return null;
  const { sequence, hash, event } = parsed;
  return typeof sequence === "number" && typeof hash === "string" ? { sequence, hash, event } : null;
}
