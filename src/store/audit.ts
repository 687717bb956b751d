// The record: rows in a chain, added at the end. The database's triggers refuse to change or delete one.

import { sql } from "kysely";
import type { AuditFilter, AuditRecord, Store } from "../agent/ports.ts";
import { type AuditEvent, auditKinds } from "../core/audit.ts";
import { HallpassError } from "../core/errors.ts";
import type { GrantId, SessionId } from "../core/names.ts";
import { isOnceUse } from "../agent/once-grant.ts";
import { canonical, chained, type ChainedRow, follow, type Link, START } from "./chain.ts";
import { asIs, readable } from "./damage.ts";
import { type SqlBackend, type Db, ONE, unindexed } from "./db.ts";
import { fields, id, number, parsed, type Shape, word } from "./shape.ts";

type AuditRows = Pick<Store, "record" | "audit" | "readsUnder" | "verifyAudit">;

/** How many rows are verified at a time, others getting their turn in between; and how many are added by one statement. */
const PAGE = 500;

const reliedOn: ReadonlySet<AuditEvent["kind"]> = new Set(["revocation", "policy-changed", "spool-taken"]);

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
      backend.read((db) => readable(backend.damage, (limit) => found(db, filter, limit).execute(), recordOf, filter.limit)),

    readsUnder: async (grants) => {
      const reads = new Map<GrantId, { readonly reads: number; readonly last: number }>();
      for (let from = 0; from < grants.length; from += PAGE) {
        const some = grants.slice(from, from + PAGE);
        for (const { grant, count, last } of await backend.read((db) => readsOf(db, some)))
          if (grant !== null) reads.set(grant, { reads: Number(count), last: Number(last) });
      }
      return reads;
    },

    verifyAudit: async () => {
      let last: Link = START;
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
  const found = await headOf(db);
  if (found === undefined) throw new HallpassError("io-error", "the audit has lost its head");
  let last: Link = found;
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

function found(db: Db, filter: AuditFilter, limit: number | undefined) {
  const { session, kind, verdict, reason, grant, after, before, since, newestFirst = false } = filter;
  let query = db
    .selectFrom("audit")
    .select(["sequence", "event", "hash"])
    .orderBy("sequence", newestFirst ? "desc" : "asc");
  // The narrowest first: what leaves the fewest rows has the index. Session and reason have one together.
  const asked = [
    ["used_grant", grant],
    ["session_id", session],
    ["reason", reason],
    ["kind", kind === "decision" ? undefined : kind],
    ["verdict", verdict],
    ["kind", kind === "decision" ? kind : undefined],
  ] as const;
  let narrowest: string | null = null;
  for (const [column, value] of asked) {
    if (value === undefined) continue;
    narrowest ??= column;
    const indexed = column === narrowest || (column === "reason" && narrowest === "session_id");
    query = query.where(indexed ? column : unindexed(column), "=", value);
  }
  if (since !== undefined) {
    query = query.where(sql<number>`at + 0`, ">=", since);
    // Times nearly follow the numbers: from the first number of that time on there is little to pass over, from either end.
    if (narrowest === null)
      query = query.where("sequence", ">=", (row) =>
        row
          .selectFrom("audit as later")
          .select(sql<number>`min(later.sequence + 0)`.as("first"))
          .where("later.at", ">=", since),
      );
  }
  if (after !== undefined) query = query.where("sequence", ">", after);
  if (before !== undefined) query = query.where("sequence", "<", before);
  return limit === undefined ? query : query.limit(limit);
}

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

function rowsAfter(db: Db, { sequence }: Link): Promise<readonly ChainedRow[]> {
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
  kind: word(...auditKinds),
  session: id<SessionId>(),
});
const isEvent: Shape<AuditEvent> = (value): value is AuditEvent => isRecorded(value);
