// The record: looked through newest first, or given whole, a line an event, as it is read.

import { auditKinds } from "../../core/audit.ts";
import { defined } from "../../core/defined.ts";
import { sessionId } from "../../core/names.ts";
import type { AuditFilter, AuditRecord, Store } from "../../agent/ports.ts";
import type { AppPorts } from "../ports.ts";
import { textStream } from "../text-stream.ts";
import { wireRecords } from "../views/record.ts";
import { findSession } from "./find-rows.ts";
import type { Handlers } from "./handler.ts";

const LISTED = 100;
const PAGE = 500;
/** Records that are looked at for a path in one answer: some ten milliseconds. */
const LOOKED = 8000;

export function auditRoutes(ports: AppPorts): Pick<Handlers, "audit" | "exportAudit"> {
  const { store } = ports;
  return {
    async audit({ query: { session, before, kind, verdict, since, path, limit = LISTED } }) {
      if (session !== undefined) await findSession(ports, session);
      const knownKind = auditKinds.find((one) => one === kind);
      if (kind !== undefined && knownKind === undefined) return { records: [], next: null };
      const filter: AuditFilter = defined({
        newestFirst: true,
        session: session === undefined ? undefined : sessionId(session),
        before,
        kind: knownKind,
        verdict,
        since,
      });
      // No index finds a part of a path: so many records are looked at for it, and whoever wants more goes on from there.
      const [firstSkipped] = path === undefined ? [] : await store.audit({ ...filter, skip: LOOKED, limit: 1 });
      const window = defined({ path, after: firstSkipped?.sequence });
      // One more than is shown tells whether there are earlier ones.
      const page = await store.audit({ ...filter, ...window, limit: limit + 1 });
      const records = await wireRecords(ports, page.slice(0, limit));
      const last = page.length > limit ? (records.at(-1)?.sequence ?? null) : null;
      return { records, next: last ?? (firstSkipped === undefined ? null : firstSkipped.sequence + 1) };
    },

    exportAudit: async ({ query: { after } }) => textStream(exportLines(ports, after ?? 0)),
  };
}

/** The record of that number, or the one before the first that is here: where that is later, or there is none of the number. */
async function beginning(store: Store, from: number): Promise<Pick<AuditRecord, "sequence" | "hash">> {
  const base = await store.auditBase();
  const [record] = from <= base.sequence ? [] : await store.audit({ after: from - 1, limit: 1 });
  return record?.sequence === from ? { sequence: from, hash: record.hash } : base;
}

/** Page by page: a long record is never in memory whole. */
async function* exportLines({ store, machine }: Pick<AppPorts, "store" | "machine">, from: number): AsyncGenerator<string, void> {
  const base = await beginning(store, from);
  // As the first line of an archive: so this, too, verifies by itself.
  if (base.sequence > 0) yield `${JSON.stringify({ hallpass: "audit", after: base })}\n`;
  for (let after = base.sequence; ;) {
    const page = await store.audit({ after, limit: PAGE });
    if (page.length > 0) yield (await wireRecords({ store, machine }, page)).map((record) => `${JSON.stringify(record)}\n`).join("");
    after = page.at(-1)?.sequence ?? after;
    if (page.length < PAGE) return;
  }
}
