// The record of the store in memory: events in a chain, added at the end.

import type { AuditFilter, AuditRecord, Store } from "../agent/ports.ts";
import type { AuditEvent } from "../core/audit.ts";
import type { GrantId } from "../core/names.ts";
import { canonical, chained, follow, START } from "./chain.ts";
import { firstOf, type Memory } from "./memory-rows.ts";

export function auditIn(memory: Memory) {
  const { records } = memory;
  return {
    record: async (events) => record(memory, events),
    async audit({ after = 0, before = Infinity, limit, newestFirst = false, ...filter }) {
      const found = records.filter(({ sequence, event }) => sequence > after && sequence < before && fits(event, filter));
      return firstOf(found, newestFirst, limit);
    },
    async readsUnder(asked) {
      const reads = new Map<GrantId, { readonly reads: number; readonly last: number }>();
      for (const { event } of records) {
        if (event.kind !== "decision" || event.verdict !== "allow" || event.grant === null || !asked.includes(event.grant)) continue;
        const before = reads.get(event.grant) ?? { reads: 0, last: -Infinity };
        reads.set(event.grant, { reads: before.reads + 1, last: Math.max(before.last, event.at) });
      }
      return reads;
    },
    async verifyAudit() {
      const reached = follow(
        START,
        records.map(({ sequence, event, hash }) => ({ sequence, event: canonical(event), hash })),
      );
      return typeof reached === "number" ? reached : null;
    },
  } satisfies Partial<Store>;
}

/** At the end of the chain, all or none. */
export function record({ records }: Memory, events: readonly AuditEvent[]): void {
  const added: AuditRecord[] = [];
  for (const event of events) {
    const { sequence, hash } = chained(added.at(-1) ?? records.at(-1) ?? START, canonical(event));
    added.push({ sequence, event: structuredClone(event), hash });
  }
  records.push(...added);
}

function fits(event: AuditEvent, { session, kind, verdict, reason, grant, since }: AuditFilter): boolean {
  return (
    (session === undefined || event.session === session) &&
    (kind === undefined || event.kind === kind) &&
    (verdict === undefined || ((event.kind === "decision" || event.kind === "answer") && event.verdict === verdict)) &&
    (reason === undefined || (event.kind === "decision" && event.reason === reason)) &&
    (grant === undefined || (event.kind === "decision" && event.grant === grant)) &&
    (since === undefined || event.at >= since)
  );
}
