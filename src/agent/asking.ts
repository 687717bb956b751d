// Turns a refused access into an ask in the store, or into an outcome at once. Accesses to the same root share one card, a denial holds until
// the person speaks again, and the number of asks per minute is limited.

import type { AuditEvent } from "../core/audit.ts";
import { type Clock, isToCome } from "../core/clock.ts";
import { NETWORK } from "../core/access.ts";
import type { Code } from "../core/errors.ts";
import type { AskId, CallId, SessionId } from "../core/names.ts";
import { meanings } from "../core/guard/explain.ts";
import { show } from "../core/path/show.ts";
import type { Ask, NetworkAsk } from "../core/session/ask.ts";
import { askPerson } from "../tools/ask-person.ts";
import type { Store, StoredAsk, StoredChat } from "./ports.ts";
import { isSameQuestion } from "./stored-key.ts";
import type { CallOutcome, Transcript } from "./transcript.ts";

export interface AskingPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** How many asks a session may raise in a minute. */
  readonly perMinute: number;
}

/** How long a no stands where nobody can tell when the person has spoken again. */
export const DENIAL = 5 * 60_000;
const MINUTE = 60_000;

type AskingEvent = Extract<AuditEvent, { readonly kind: "decision" }> & { readonly verdict: "ask" };

/** A decision that a person is to be asked. */
export const isAsking = (event: AuditEvent): event is AskingEvent => event.kind === "decision" && event.verdict === "ask";

/** The ask that the guard judged necessary, and the ask that was used for it: itself, an open one for the same thing, or none. */
export interface AskSubstitution {
  readonly judged: AskId;
  readonly ask: AskId | null;
}

/** Holds decisions to ask until it is known which ask they led to, so that the record names only asks that exist. */
export interface PendingDecisions {
  keep(event: AskingEvent): void;
  /** Removes and returns those of a call; the caller records them. */
  take(session: SessionId, call: CallId): readonly AskingEvent[];
  /** Record those of a call; null where nobody was asked. */
  record(session: SessionId, call: CallId, came: AskSubstitution | null): Promise<void>;
}

const withRaisedAsk = (events: readonly AskingEvent[], came: AskSubstitution | null): readonly AuditEvent[] =>
  events.map((event) => ({ ...event, ask: event.ask === came?.judged ? came.ask : null }));

export function createUndecided(store: Pick<Store, "record">): PendingDecisions {
  let pending: readonly AskingEvent[] = [];
  const take: PendingDecisions["take"] = (session, call) => {
    const isOfCall = (event: AskingEvent): boolean => event.call === call && event.session === session;
    const eventsOfCall = pending.filter(isOfCall);
    pending = pending.filter((event) => !isOfCall(event));
    return eventsOfCall;
  };
  return {
    keep(event) {
      pending = [...pending, event];
    },
    take,
    async record(session, call, came) {
      const eventsOfCall = take(session, call);
      if (eventsOfCall.length > 0) await store.record(withRaisedAsk(eventsOfCall, came));
    },
  };
}

/** What became of an access that needs a person: an outcome at once, or the ask that now waits. */
export type RaiseResult =
  /** `denial`: the no that it goes by. */
  { readonly outcome: CallOutcome; readonly denial: StoredAsk | null } | { readonly ask: StoredAsk };

/**
 * Raise an ask, and record the decisions to ask with what came of them. A denial since `spokeAt`, when the person last spoke, is an answer to
 * the same question now. `content`: of what would be written, for a call that may be made again under another name.
 */
export async function raise(
  ports: AskingPorts & { readonly undecided: PendingDecisions },
  chat: StoredChat,
  spokeAt: number,
  ask: Ask | NetworkAsk,
  words: string | null,
  content?: string,
): Promise<RaiseResult> {
  const { store, clock, perMinute, undecided } = ports;
  const decided = undecided.take(chat.session, ask.call);
  const pendingEvents = decided.some((event) => event.ask === ask.id) ? decided : [...decided, ...decisionsToAsk(ask)];
  const eventsNaming = (askToName: AskId | null): readonly AuditEvent[] => withRaisedAsk(pendingEvents, { judged: ask.id, ask: askToName });
  const recordUnasked = async (): Promise<void> => {
    if (pendingEvents.length > 0) await store.record(eventsNaming(null));
  };
  const now = clock();
  const [denied, waiting, recent] = await Promise.all([
    deniedSince(store, chat, spokeAt, now),
    store.asks({ chat: chat.id, state: "open" }),
    store.asks({ session: chat.session, since: now - MINUTE }),
  ]);
  const stored = { ...storedAsk(ask, chat.id, words), ...(content === undefined ? {} : { content }) };
  const denial = denied.findLast((other) => isSameQuestion(other, stored));
  if (denial !== undefined) {
    await recordUnasked();
    return { outcome: recentlyDenied(ask), denial };
  }
  const open = waiting.find((other) => other.kind === "pending_grant" && other.offers === "session" && isSameQuestion(other, stored));
  if (open !== undefined && (await store.joinAsk(open.id, ask.call, ask.requested, eventsNaming(open.id)))) {
    return { ask: { ...open, calls: [...open.calls, ask.call], requested: [...open.requested, ask.requested] } };
  }
  if (recent.filter(({ at }) => at > now - MINUTE && !isToCome(at, now)).length >= perMinute) {
    await recordUnasked();
    return { outcome: refusalOutcome("rate-limited", ask), denial: null };
  }
  // INVARIANT: the ask and the decision to ask are on the disk together, or neither is.
  await store.openAsk(stored, eventsNaming(ask.id));
  return { ask: stored };
}

/** What no guard judges, since it is more than an access to a path: that a person is to be asked is recorded all the same. */
function decisionsToAsk(ask: Ask | NetworkAsk): readonly AskingEvent[] {
  if (!("operation" in ask) || !("about" in ask) || ask.about === undefined) return [];
  const { id, session, call, tool, operation, path, at, about } = ask;
  // A command's text is not for the record: it may hold a password.
  const [requested, reason] = about.what === "command" ? [path, "sandbox-unavailable"] : [ask.requested, ask.reason];
  const none = { rule: null, root: null, grant: null, fault: null };
  return [{ kind: "decision", at, session, call, tool, operation, requested, real: path, verdict: "ask", reason, ...none, ask: id }];
}

/** Why a yes for the session has no grant: none was made, its time is over, or it was taken back. */
export async function whyNotGranted(store: Store, ask: Pick<StoredAsk, "id" | "session" | "answer">, now: number): Promise<Code> {
  const isOver = ask.answer?.verdict === "allow" && ask.answer.expires !== null && ask.answer.expires <= now;
  return (await refusalOf(store, ask)) ?? (isOver ? "grant-expired" : "grant-revoked");
}

/** Why a yes made no grant, as it was recorded; null where it made one. */
export async function refusalOf(store: Store, { id, session }: Pick<StoredAsk, "id" | "session">): Promise<Code | null> {
  for (const { event } of await store.audit({ session, kind: "grant-refused" }))
    if (event.kind === "grant-refused" && event.ask === id) return event.code;
  return null;
}

/** When the person last spoke in a chat. */
export const lastSpoke = (transcript: Transcript): number => transcript.findLast(({ role }) => role === "person")?.at ?? 0;

/** Has a person said no to the same question since they last spoke? */
export async function wasDenied(store: Store, chat: StoredChat, spokeAt: number, now: number, ask: Ask | NetworkAsk): Promise<boolean> {
  const stored = storedAsk(ask, chat.id, null);
  return (await deniedSince(store, chat, spokeAt, now)).some((other) => isSameQuestion(other, stored));
}

/** A no that a clock noted which was set back since does not count: whether the person has spoken after it cannot be told, so they are asked. */
async function deniedSince(store: Pick<Store, "asks">, chat: StoredChat, spokeAt: number, now: number): Promise<readonly StoredAsk[]> {
  // The same where the person spoke by such a clock: what they denied since may be before it.
  const since = isToCome(spokeAt, now) ? now - DENIAL : spokeAt;
  const denied = await store.asks({ chat: chat.id, deniedSince: since });
  return denied.filter(({ answer }) => answer === null || !isToCome(answer.at, now));
}

export const recentlyDenied = (ask: Ask | NetworkAsk): CallOutcome => refusalOutcome("recently-denied", ask);

function refusalOutcome(code: "recently-denied" | "rate-limited", ask: Ask | NetworkAsk): CallOutcome {
  const subject = ask.path === NETWORK ? "the network" : `\`${show(ask.requested)}\``;
  return { ok: false, code, hint: `${subject} ${meanings[code]}.` };
}

function storedAsk(ask: Ask | NetworkAsk, chat: string, words: string | null): StoredAsk {
  const session = "proposal" in ask ? ask : null;
  return {
    id: ask.id,
    session: ask.session,
    chat,
    kind: "pending_grant",
    calls: [ask.call],
    tool: ask.tool,
    requested: [ask.requested],
    path: ask.path,
    ...("links" in ask && ask.links !== undefined ? { links: ask.links } : {}),
    ...("onTheWay" in ask && ask.onTheWay !== undefined ? { onTheWay: ask.onTheWay } : {}),
    ...("about" in ask && ask.about !== undefined ? { about: ask.about } : {}),
    right: ask.right,
    ...("operation" in ask ? { operation: ask.operation } : {}),
    offers: ask.offers,
    proposal: session === null ? null : { ...session.proposal },
    survey: session?.survey ?? null,
    ...(session?.folder === undefined ? {} : { folder: session.folder }),
    ...(session?.repository === undefined ? {} : { repository: session.repository }),
    reason: ask.reason,
    words,
    question: null,
    options: [],
    at: ask.at,
    state: "open",
    answer: null,
  };
}

/** A question of the model's, as a row like any other ask. */
export function questionAsk(
  chat: StoredChat,
  call: CallId,
  {
    id,
    at,
    question,
    options,
  }: { readonly id: StoredAsk["id"]; readonly at: number; readonly question: string; readonly options: readonly string[] },
): StoredAsk {
  return {
    id,
    session: chat.session,
    chat: chat.id,
    kind: "pending_question",
    calls: [call],
    tool: askPerson.name,
    requested: [],
    path: null,
    right: "read",
    offers: "once",
    proposal: null,
    survey: null,
    reason: "question",
    words: null,
    question,
    options,
    at,
    state: "open",
    answer: null,
  };
}
