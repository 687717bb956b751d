// What an agent's side decided, as the daemon takes it for the record. A record that ends with this process is read by nobody but the
// host session, to see which yeses for one call are used up: there only those are kept, and the others would fill the memory.

import type { Operation } from "../../core/access.ts";
import type { AuditEvent } from "../../core/audit.ts";
import type { SpoolableEvent } from "../../wire/connection.ts";

/** A read that a yes for once let through. */
export type OnceRead = Extract<AuditEvent, { readonly kind: "decision" }> & { readonly reason: "answered"; readonly operation: Operation };

/** The longest the daemon keeps of a path that was asked for, and of what went wrong. A longer path is none, and was refused. */
const [PATH, FAULT] = [4096, 2000];

/** Did a yes for one call let it through? Such a decision is kept in every record. */
function isAnswered(event: AuditEvent): boolean {
  return event.kind === "decision" && event.reason === "answered";
}

/** Does the daemon judge it again, and record it then? A write is its own call's and done by now: it is recorded as it is. */
export function usesOnce(event: AuditEvent): event is OnceRead {
  return event.kind === "decision" && event.reason === "answered" && READS.has(event.operation);
}

const READS: ReadonlySet<string> = new Set(["read", "list", "search"]);

/**
 * What is recorded: first what a yes for once let through, then the rest. Answers and grants are left out: they are the daemon's own to record.
 */
export function recordable(
  events: readonly AuditEvent[],
  shared: boolean,
): readonly [once: readonly SpoolableEvent[], others: readonly SpoolableEvent[]] {
  const [once, others]: [SpoolableEvent[], SpoolableEvent[]] = [[], []];
  for (const event of events) {
    if (event.kind === "open-failed") {
      if (shared) others.push({ ...event, requested: event.requested.slice(0, PATH) });
    } else if (event.kind === "decision" && !usesOnce(event) && (shared || isAnswered(event)))
      (isAnswered(event) ? once : others).push({
        ...event,
        requested: event.requested.slice(0, PATH),
        fault: event.fault?.slice(0, FAULT) ?? null,
      });
  }
  return [once, others];
}

/** The most the daemon takes at once; of the bytes, what leaves room for what is around them. */
const [MOST, MOST_BYTES] = [500, 48 * 1024];

/** In parts that the daemon takes: one, unless a single call looked at very much. */
export function partsOf<T>(values: readonly T[]): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let bytes = 0;
  for (const value of values) {
    const own = Buffer.byteLength(JSON.stringify(value)) + 1;
    const last = parts.at(-1);
    bytes += own;
    if (last !== undefined && last.length < MOST && bytes <= MOST_BYTES) last.push(value);
    else {
      parts.push([value]);
      bytes = own;
    }
  }
  return parts;
}
