// Yeses for one call. Such a yes is an answered ask: it is good for the call it was given to, or, given to request_read_access, for the next
// call of the chat that reads that path, once; and it ends when the session's roots change. What has become of it stands in the ask's row
// (`OnceYes`). Calls of other programs: `once-holds.ts`.

import type { AuditEvent } from "../core/audit.ts";
import { type AskId, type CallId, grantId, type SessionId } from "../core/names.ts";
import type { StoredOnce } from "../core/session/grant.ts";
import type { Asker } from "./live-session.ts";
import type { OnceYes, Store, StoredAnswer, StoredAsk, StoredSession } from "./ports.ts";

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

/** May this call go by the yes? One given to a request is whoever's comes first, any other the call's that it was given to or is kept for. */
export function mayUse({ ask, keptBy, usedBy }: OnceYes, call: CallId): boolean {
  if (!isOnce(ask) || (usedBy !== null && usedBy !== call)) return false;
  return keptBy === null ? isRequest(ask) || ask.calls[0] === call : keptBy === call;
}

/** That these were taken back. A yes for one call has no grant of its own, so its revocation names the ask. */
export function onceRevocations(session: SessionId, asks: readonly AskId[], at: number, by: string): readonly AuditEvent[] {
  return asks.map((ask) => ({ kind: "revocation", at, session, grant: grantId(ask), by }));
}

/** The yeses that a call of our own loop may go by. Other programs' calls: see `holdsOf`. */
export async function onceFor(store: Store, stored: StoredSession, { chat, call }: Asker): Promise<readonly StoredOnce[]> {
  const yeses = await store.onceYeses(stored.id, call);
  return yeses.flatMap((yes) => (isOnce(yes.ask) && yes.ask.chat === chat && mayUse(yes, call) ? [storedOnce(yes.ask, call)] : []));
}

export function storedOnce({ id, right, path, answer }: OnceAsk, call: CallId): StoredOnce {
  return { call, ask: id, right, path, by: answer.by, at: answer.at };
}

/**
 * A call was let through by a yes for once: record it, on the disk. False where none is left, since another call was quicker, here or in
 * another process: that is recorded instead, and nothing the call was to do may be done, or what it did told. What `isDone`, since it was
 * written, is recorded as it was.
 */
export async function recordOnceUse(store: Store, use: OnceUse, isDone = false): Promise<boolean> {
  for (const yes of await store.onceYeses(use.session, use.call))
    if (yes.ask.path === use.real && (await store.useOnce(yes.ask.id, use.call, use, true))) return true;
  await store.record([isDone ? use : { ...use, verdict: "deny", reason: "request-closed" }]);
  return isDone;
}
