// Yeses for one call. Such a yes is an answered ask and nothing else: it is good for the call it was given to, or, given to
// request_read_access, for the next call of the chat that reads that path, once; and it ends when the session's roots change. What uses it
// up is the record of the decision that it made, which the store takes once (`useOnce`). Calls of other programs: `once-holds.ts`.

import type { AuditEvent } from "../core/audit.ts";
import type { Clock } from "../core/clock.ts";
import { type CallId, grantId, type SessionId } from "../core/names.ts";
import type { StoredOnce } from "../core/session/grant.ts";
import type { Asker } from "./live-session.ts";
import type { AuditFilter, Store, StoredAnswer, StoredAsk, StoredSession } from "./ports.ts";

/** An ask that was answered with a yes for one call. */
export type OnceAsk = StoredAsk & {
  readonly path: string;
  readonly answer: Extract<StoredAnswer, { readonly verdict: "allow" }> & { readonly until: "call" };
};

export function isOnce(ask: StoredAsk): ask is OnceAsk {
  return ask.answer?.verdict === "allow" && ask.answer.until === "call" && ask.path !== null;
}

/** Was it asked, or judged, for the model's own request? Such a call opens nothing: asking twice uses nothing up. */
export const isRequest = ({ tool }: { readonly tool: string }): boolean => tool === "request_read_access";

/** A decision that a yes for one call made, and by which something is opened. */
export type OnceUse = Extract<AuditEvent, { readonly kind: "decision" }> & { readonly real: string };

export function isOnceUse(event: AuditEvent): event is OnceUse {
  if (event.kind !== "decision" || event.verdict !== "allow" || event.reason !== "answered") return false;
  return event.real !== null && !isRequest(event);
}

/** Which records tell whether a yes of this session, given then, can still be used; see `isGoodFor`. */
export function recordsOfOnce(session: SessionId, since: number): readonly AuditFilter[] {
  return [
    { session, kind: "revocation" },
    { session, kind: "decision", reason: "answered", since },
  ];
}

/** A yes for one call has no grant of its own, so its revocation names the ask. */
export function isEnded({ id }: OnceAsk, events: readonly AuditEvent[]): boolean {
  return events.some((event) => event.kind === "revocation" && event.grant === grantId(id));
}

/** Can this call still use the yes, by what is in the record? */
export function isGoodFor(ask: OnceAsk, call: CallId, events: readonly AuditEvent[]): boolean {
  const { calls, path, answer } = ask;
  if (isEnded(ask, events)) return false;
  if (!isRequest(ask)) return calls[0] === call;
  // Another call was let through by it, whatever the path was called, and be it named like the request.
  return !events.some((event) => isOnceUse(event) && event.at >= answer.at && event.real === path && event.call !== call);
}

/** Was this very call let through by it before? */
export function isUsedBy({ path, answer }: OnceAsk, call: CallId, events: readonly AuditEvent[]): boolean {
  return events.some((event) => isOnceUse(event) && event.at >= answer.at && event.real === path && event.call === call);
}

/** The yeses that a call of our own loop may go by. Other programs' calls: see `holdsOf`. */
export async function onceFor(store: Store, stored: StoredSession, { chat, call }: Asker): Promise<readonly StoredOnce[]> {
  const yeses = (await store.asks({ session: stored.id, chat, state: "answered" })).filter(isOnce);
  if (yeses.length === 0) return [];
  const events = await eventsFor(store, stored.id, Math.min(...yeses.map(({ answer }) => answer.at)));
  return yeses.filter((ask) => isGoodFor(ask, call, events)).map((ask) => storedOnce(ask, call));
}

export function storedOnce({ id, right, path, answer }: OnceAsk, call: CallId): StoredOnce {
  return { call, ask: id, right, path, by: answer.by, at: answer.at };
}

/** End every yes for one call that the session has: its roots are others now, and what was shown no longer is. Recorded as revoked. */
export async function endOnceYeses(store: Store, session: SessionId, by: string, clock: Clock): Promise<void> {
  const records = await store.audit({ session, kind: "revocation" });
  const ended = new Set<string>(records.flatMap(({ event }) => (event.kind === "revocation" ? [event.grant] : [])));
  const yeses = (await store.asks({ session, state: "answered" })).filter((ask) => isOnce(ask) && !ended.has(ask.id));
  const at = clock();
  await store.record(yeses.map((ask): AuditEvent => ({ kind: "revocation", at, session, grant: grantId(ask.id), by })));
}

/**
 * A call was let through by a yes for once: record it, on the disk. False where none is left, since another call was quicker, here or in
 * another process: that is recorded instead, and nothing the call was to do may be done, or what it did told. What `isDone`, since it was
 * written, is recorded as it was.
 */
export async function recordOnceUse(store: Store, use: OnceUse, isDone = false): Promise<boolean> {
  const yeses = (await store.asks({ session: use.session, state: "answered" })).filter(isOnce).filter(({ path }) => path === use.real);
  for (const { id } of yeses) if (await store.useOnce(id, use.call, use)) return true;
  await store.record([isDone ? use : { ...use, verdict: "deny", reason: "request-closed" }]);
  return isDone;
}

export async function eventsFor(store: Store, session: SessionId, since: number): Promise<readonly AuditEvent[]> {
  const found = await Promise.all(recordsOfOnce(session, since).map((filter) => store.audit(filter)));
  return found.flat().map(({ event }) => event);
}
