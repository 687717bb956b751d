// The record: rows in a chain, added at the end. The database's triggers refuse to change or delete one.

import type { AuditRecord, Store } from "../agent/ports.ts";
import type { AuditEvent } from "../core/audit.ts";
import { HallpassError } from "../core/errors.ts";
import type { SessionId } from "../core/names.ts";
import { canonical, chained, type ChainedRow, follow, type Link, START } from "./chain.ts";
import type { Backend, Db } from "./db.ts";
import { fields, id, number, parsed, type Shape, word } from "./shape.ts";

type AuditRows = Pick<Store, "record" | "audit" | "verifyAudit">;

/** How many rows are verified at a time; others get their turn in between. */
const PAGE = 500;

export function auditRows(backend: Backend): AuditRows {
  return {
    record: (event) => {
      const text = canonical(event);
      return backend.write(async (db) => {
        const head = await headOf(db);
        if (head === undefined) throw new HallpassError("io-error", "the audit has lost its head");
        const { sequence, hash } = chained(head, text);
        await db.insertInto("audit").values({ sequence, event: text, hash }).execute();
        await db.updateTable("audit_head").set({ sequence, hash }).execute();
      });
    },

    audit: ({ session, after, limit }) =>
      backend.read(async (db) => {
        let query = db.selectFrom("audit").select(["sequence", "event", "hash"]).orderBy("sequence");
        if (session !== undefined) query = query.where("session_id", "=", session);
        if (after !== undefined) query = query.where("sequence", ">", after);
        if (limit !== undefined) query = query.limit(limit);
        return (await query.execute()).map(recordOf);
      }),

    verifyAudit: async () => {
      let last: Link = START;
      for (;;) {
        const { rows, head } = await backend.snapshot(async (db) => ({ rows: await rowsAfter(db, last), head: await headOf(db) }));
        const reached: Link | number = follow(last, rows);
        if (typeof reached === "number") return reached;
        last = reached;
        if (rows.length < PAGE) return atHead(last, head);
      }
    },
  };
}

function headOf(db: Db): Promise<Link | undefined> {
  return db.selectFrom("audit_head").select(["sequence", "hash"]).executeTakeFirst();
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
  return { sequence, event: parsed(event, isEvent), hash };
}

/** Only what every event has is looked at, so that records of other versions can still be read. */
const isRecorded = fields<Pick<AuditEvent, "at" | "kind" | "session">>({
  at: number,
  kind: word("decision", "open-failed", "answer", "grant", "grant-refused", "revocation"),
  session: id<SessionId>(),
});
const isEvent: Shape<AuditEvent> = (value): value is AuditEvent => isRecorded(value);
