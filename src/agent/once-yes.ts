// Yeses for one call. Such a yes is an answered ask and nothing else: it is good for the call it was given to, or, given to
// request_read_access, for the next call of the chat that reads that path, once; and it ends when the session's roots change.

import type { AuditEvent } from "../core/audit.ts";
import type { Clock } from "../core/clock.ts";
import { type CallId, grantId, type SessionId } from "../core/names.ts";
import type { StoredOnce } from "../core/session/grant.ts";
import type { Asker } from "./live-session.ts";
import type { Store, StoredAsk, StoredSession } from "./ports.ts";

type OnceAsk = StoredAsk & {
  readonly path: string;
  readonly answer: { readonly verdict: "allow"; readonly until: "call"; readonly at: number; readonly by: string };
};

export async function onceFor(store: Store, stored: StoredSession, { chat, call }: Asker): Promise<readonly StoredOnce[]> {
  const yeses = (await store.asks({ session: stored.id, chat, state: "answered" })).filter(isOnce);
  if (yeses.length === 0) return [];
  const ended = await endedIn(store, stored.id);
  const once: StoredOnce[] = [];
  for (const ask of yeses) {
    if (ended.has(ask.id)) continue;
    const own = ask.calls[0] === call;
    if (!own && (ask.tool !== "request_read_access" || (await wasUsed(store, ask, call)))) continue;
    once.push({ call, ask: ask.id, right: ask.right, path: ask.path, by: ask.answer.by, at: ask.answer.at });
  }
  return once;
}

/** End every yes for one call that the session has: its roots are others now, and what was shown no longer is. Recorded as revoked. */
export async function endOnceYeses(store: Store, session: SessionId, by: string, clock: Clock): Promise<void> {
  const ended = await endedIn(store, session);
  const yeses = (await store.asks({ session, state: "answered" })).filter((ask) => isOnce(ask) && !ended.has(ask.id));
  const at = clock();
  await store.record(yeses.map((ask): AuditEvent => ({ kind: "revocation", at, session, grant: grantId(ask.id), by })));
}

/** The asks whose yes was ended, by their ids: a yes for one call has no grant of its own, so its revocation names the ask. */
async function endedIn(store: Store, session: SessionId): Promise<ReadonlySet<string>> {
  const records = await store.audit({ session, kind: "revocation" });
  return new Set(records.flatMap(({ event }) => (event.kind === "revocation" ? [event.grant] : [])));
}

function isOnce(ask: StoredAsk): ask is OnceAsk {
  return ask.answer?.verdict === "allow" && ask.answer.until === "call" && ask.path !== null;
}

/** Has another call been let through by that yes? Then it is used up. Told by the record of decisions, whatever the path was called. */
async function wasUsed(store: Store, ask: OnceAsk, call: CallId): Promise<boolean> {
  const records = await store.audit({ session: ask.session, kind: "decision", reason: "answered", since: ask.answer.at });
  return records.some(
    ({ event }) => event.kind === "decision" && event.real === ask.path && event.call !== call && !ask.calls.includes(event.call),
  );
}
