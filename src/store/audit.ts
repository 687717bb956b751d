// The record: rows in a chain, added at the end. The database's triggers refuse to change or delete one.

import { type SelectQueryBuilder, sql } from "kysely";
import type { AuditFilter, AuditRecord, Store } from "../agent/ports.ts";
import { type AuditEvent, auditKinds } from "../core/audit.ts";
import { HallpassError } from "../core/errors.ts";
import type { GrantId, SessionId } from "../core/names.ts";
import { isOnceUse } from "../agent/once-grant.ts";
import { canonical, chained, type ChainedRow, follow, type Link, START } from "./chain.ts";
import { asIs, readable } from "./damage.ts";
import { type SqlBackend, type Db, ONE, type Tables, unindexed } from "./db.ts";
import { fields, id, number, parsed, type Shape, oneOf } from "./shape.ts";

type AuditRows = Pick<Store, "record" | "audit" | "readsUnder" | "auditBase" | "verifyAudit">;

/** How many rows are verified at a time, others getting their turn in between; and how many are added by one statement. */
const PAGE = 500;

const reliedOn: ReadonlySet<AuditEvent["kind"]> = new Set(["revocation", "grant-ended", "roots-changed", "policy-changed", "spool-taken"]);

export function auditRows(backend: SqlBackend): AuditRows {
  return {
    record: async (events) => {
      if (events.length === 0) return;
      // INVARIANT: what ends or uses up somebody's word is on the disk before anybody goes by it, or it would count again.
      // And what hooks had kept is removed there once it is here.
      const isReliedOn = events.some(({ kind }) => reliedOn.has(kind)) || events.some(isOnceUse);
      const recorded = (db: Db): Promise<void> => recordIn(backend, db, events);
      await (isReliedOn ? backend.write(null, recorded) : backend.note(null, recorded));
    },

    audit: (filter) =>
      backend.read((db) => readable(backend.damage, (limit) => recordsFound(backend, db, filter, limit).execute(), recordOf, filter.limit)),

    readsUnder: async (grants) => {
      const reads = new Map<GrantId, { readonly reads: number; readonly last: number }>();
      for (let from = 0; from < grants.length; from += PAGE) {
        const some = grants.slice(from, from + PAGE);
        for (const { grant, count, last } of await backend.read((db) => readsOf(db, some)))
          if (grant !== null) reads.set(grant, { reads: Number(count), last: Number(last) });
      }
      return reads;
    },

    auditBase: () => backend.read(baseOf),

    verifyAudit: async () => {
      let last: Link = await backend.read(baseOf);
      for (;;) {
        const { rows, head } = await backend.snapshot(async (db) => ({
          // A record that cannot be read is left out, and so the chain breaks at its number.
          rows: await readable(backend.damage, () => rowsAfter(db, last), asIs),
          head: await headOf(db),
        }));
        const reached: Link | number = follow(last, rows);
        if (typeof reached === "number") return reached;
        last = reached;
        if (rows.length < PAGE) return atHead(last, head);
      }
    },
  };
}

/** At the end of the chain, in a transaction that may write. Last in it: whoever adds to the chain holds up everybody else who does. */
export async function recordIn(backend: SqlBackend, db: Db, events: readonly AuditEvent[]): Promise<void> {
  if (events.length > 0) await backend.record(db, events.map(canonical));
}

/** The same where nobody else can write before the transaction is over, and a statement costs little. */
export async function recordAlone(db: Db, events: readonly string[]): Promise<void> {
  const head = await headOf(db);
  if (head === undefined) throw new HallpassError("io-error", "the audit has lost its head");
  let last: Link = head;
  const rows = events.map((event): ChainedRow => {
    last = chained(last, event);
    return { ...last, event };
  });
  for (let from = 0; from < rows.length; from += PAGE)
    await db
      .insertInto("audit")
      .values(rows.slice(from, from + PAGE))
      .execute();
  await db.updateTable("audit_head").set({ sequence: last.sequence, hash: last.hash }).execute();
}

/** How far apart the rows of `audit_times` are, in milliseconds: as its trigger has it. */
const TIMES_APART = 10_000;

/** The page of the record that a filter asks for. */
export function recordsFound(backend: SqlBackend, db: Db, filter: AuditFilter, limit: number | undefined) {
  const { session, kind, verdict, reason, grant, after, before, since, path, skip = 0, newestFirst = false } = filter;
  const order = newestFirst ? "desc" : "asc";
  const wantedValues = { used_grant: grant, session_id: session, kind, verdict, reason } as const;
  const endOf = (run: Run) => {
    let query = db.selectFrom("audit").orderBy("sequence", order);
    for (const column of recordColumns) {
      const value = column in run ? run[column] : wantedValues[column];
      if (value === undefined) continue;
      const reference = column in run ? column : unindexed(column);
      query = value === null ? query.where(reference, "is", null) : query.where(reference, "=", value);
    }
    if (since !== undefined) query = query.where(sql<number>`at + 0`, ">=", since).where("sequence", ">=", firstSince(db, since));
    if (after !== undefined) query = query.where("sequence", ">", after);
    if (before !== undefined) query = query.where("sequence", "<", before);
    if (path !== undefined) query = query.where(backend.isAboutPath(path));
    return query;
  };
  const pageOf = (query: SelectQueryBuilder<Tables, "audit", ChainedRow>) => {
    const most = limit === undefined ? query : query.limit(limit);
    return skip === 0 ? most : most.offset(skip);
  };
  const [first = NONE, ...others] = runsOf(filter);
  if (others.length === 0) return pageOf(endOf(first).select(RECORD));
  const numbers = (run: Run) => {
    const end = endOf(run).select("sequence");
    return db.selectFrom((limit === undefined ? end : end.limit(limit + skip)).as("run")).select("run.sequence");
  };
  // The ends of several runs, of which the last so many are wanted: only those rows are fetched.
  const ends = others.reduce((all, run) => all.unionAll(numbers(run)), numbers(first));
  return pageOf(db.selectFrom("audit").select(RECORD).where("sequence", "in", ends).orderBy("sequence", order));
}

const RECORD = ["sequence", "event", "hash"] as const;
const recordColumns = ["used_grant", "session_id", "kind", "verdict", "reason"] as const;

/** The first columns of an index, and what they hold: a run of its entries, in the order of their numbers. */
type Run = Readonly<Partial<Record<(typeof recordColumns)[number], string | null>>>;

/** What no record has. */
const NONE: Run = { kind: null, verdict: null };

/** Which verdicts there are with a kind; no other kind of event has one. */
const verdictsWith: Readonly<Partial<Record<AuditEvent["kind"], readonly string[]>>> = {
  decision: ["allow", "ask", "deny"],
  answer: ["allow", "deny", "reply"],
};

/**
 * The runs that hold what is asked for. Every column before the number is given in each, so that what is not asked for is not gone through,
 * however much of it there is.
 */
function runsOf({ session, kind, verdict, reason, grant }: AuditFilter): readonly Run[] {
  if (grant === undefined && session === undefined) {
    if (reason !== undefined) return [{ reason }];
    if (kind === undefined && verdict === undefined) return [{}];
  }
  const kinds = (kind === undefined ? auditKinds : [kind]).filter((one) => grant === undefined || one === "decision");
  const ends = kinds.flatMap((one) => (verdictsWith[one] ?? [null]).map((verdict) => ({ kind: one, verdict: verdict })));
  return ends
    .filter((end) => verdict === undefined || end.verdict === verdict)
    .map((end) => {
      if (grant !== undefined) return { used_grant: grant, verdict: end.verdict };
      return session === undefined ? end : { session_id: session, ...end };
    });
}

/** Before this number there is no record of that time or later. Null where there is none at all. */
const firstSince = (db: Db, since: number) =>
  db
    .selectFrom("audit_times")
    .select("sequence")
    .where("at", ">", since - TIMES_APART)
    .orderBy("at")
    .limit(ONE);

/** Decisions that a grant let through, for each of some grants. */
function readsOf(db: Db, grants: readonly GrantId[]) {
  return db
    .selectFrom("audit")
    .select((row) => ["used_grant as grant", row.fn.countAll().as("count"), row.fn.max("at").as("last")])
    .where("used_grant", "in", grants)
    .where("verdict", "=", "allow")
    .groupBy("used_grant")
    .execute();
}

/** Where the record ends, as it is now. */
export function headOf(db: Db): Promise<Link | undefined> {
  return db.selectFrom("audit_head").select(["sequence", "hash"]).limit(ONE).executeTakeFirst();
}

/** The last record that was archived and is no longer here. */
export async function baseOf(db: Db): Promise<Link> {
  return (await db.selectFrom("audit_base").select(["sequence", "hash"]).limit(ONE).executeTakeFirst()) ?? START;
}

export function rowsAfter(db: Db, { sequence }: Link): Promise<readonly ChainedRow[]> {
  return db
    .selectFrom("audit")
    .select(["sequence", "event", "hash"])
    .where("sequence", ">", sequence)
    .orderBy("sequence")
    .limit(PAGE)
    .execute();
}

/** Does the chain end where its head says? Rows taken off the end leave nothing broken behind but this. */
function atHead(last: Link, head: Link | undefined): number | null {
  if (head === undefined) return last.sequence + 1;
  if (head.sequence !== last.sequence) return Math.min(head.sequence, last.sequence) + 1;
  return head.hash === last.hash ? null : last.sequence;
}

function recordOf({ sequence, event, hash }: ChainedRow): AuditRecord {
  return { sequence, event: parsed(event, isEvent, { table: "audit", row: String(sequence), column: "event" }), hash };
}

/** Only what every event has is looked at, so that records of other versions can still be read. */
const isRecorded = fields<Pick<AuditEvent, "at" | "kind" | "session">>({
  at: number,
  kind: oneOf(...auditKinds),
  session: id<SessionId>(),
});
const isEvent: Shape<AuditEvent> = (value): value is AuditEvent => isRecorded(value);
