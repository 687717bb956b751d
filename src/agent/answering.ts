// A person's answer to an ask, from whatever screen. Read it from the top: `answerAsk` checks it, `allow` works out what a yes grants, and
// `storeAnswer` writes the answer, the grant, the record and what becomes of the calls in one transaction, then wakes the chat. Of several answers
// one is taken. An answer opens nothing: it makes a grant, and the chat, which finds its call proposed again, judges it anew.

import { NETWORK } from "../core/access.ts";
import { isWithin } from "../core/clock.ts";
import { type AskId, callId, type CallId, grantId } from "../core/names.ts";
import { answerEvent, type AuditEvent } from "../core/audit.ts";
import type { Code } from "../core/errors.ts";
import { createGuard, type Guard } from "../core/guard/guard.ts";
import { isOffered } from "../core/guard/card-choices.ts";
import { meanings } from "../core/guard/explain.ts";
import { networkNow } from "../core/guard/network.ts";
import { isInside } from "../core/path/contain.ts";
import { show } from "../core/path/show.ts";
import type { GrantExtent } from "../core/session/ask.ts";
import type { Session } from "../core/session/session.ts";
import { liveSession, type LivePorts } from "./live-session.ts";
import { goesOn, isLookup } from "./lookups.ts";
import { STOPPED } from "./next.ts";
import { isRequest, operationOf } from "./once-grant.ts";
import type { AskInSession, ClosingAsk, StoredAnswer, StoredAsk, StoredGrant, StoredSession, WaitingYes } from "./ports.ts";
import type { CallState, CallOutcome } from "./transcript.ts";

/** What a person may say. `by` is who; never taken from an agent. */
export type GivenAnswer =
  | {
      readonly verdict: "allow";
      readonly until: "call" | "session";
      readonly by: string;
      readonly expires?: number;
      /** Which of the offered directories; the proposed one, unless said. */
      readonly opens?: GrantExtent;
      /** Is the grant to be kept for the workspace? Whoever asked for the answer sees to it. */
      readonly keeps?: boolean;
      /** When it was said, where that was before now. */
      readonly at?: number;
    }
  | { readonly verdict: "deny"; readonly by: string; readonly note?: string; readonly stop?: boolean }
  | { readonly verdict: "reply"; readonly by: string; readonly text: string };

/** What became of an answer: it stands, with the grant it made, or why it does not. */
export type AnswerResult =
  | {
      readonly ok: true;
      readonly ask: StoredAsk;
      readonly grant: StoredGrant | null;
      /** Other open asks that the same yes settled. */
      readonly also: readonly StoredAsk[];
      /** The ask's session, as it was just before the answer. */
      readonly session: StoredSession;
    }
  /** Kept with the ask, which stays open, until the machine with the files has judged it. */
  | { readonly ok: "waits"; readonly ask: StoredAsk }
  /** Not taken. For `request-closed` the ask shows its final state. */
  | { readonly ok: false; readonly code: Code; readonly message: string; readonly ask: StoredAsk | null };

export interface AnsweringPorts extends LivePorts {
  /** The machine this runs on. */
  readonly machine: string;
  /** Do several machines share the store? Then a yes is judged on the one that has the files. */
  readonly isShared: boolean;
  /** Judges what an answer would let pass besides. It records nothing: nothing is accessed here. */
  readonly trial: Guard;
  /** How long an ask stays answerable, in milliseconds; null for ever. */
  readonly askLife: number | null;
  /** A chat has something to go on with. */
  readonly wake: (chat: string) => void;
}

type Changes = readonly { readonly call: CallId; readonly to: CallState }[];

/**
 * Answer an ask. Compare-and-set: of any number of answers, one is taken, and the others learn which. Whoever has just read the ask hands
 * it over instead of its id.
 */
export async function answerAsk(ports: AnsweringPorts, askOrId: AskId | AskInSession, input: GivenAnswer): Promise<AnswerResult> {
  const { store, clock, askLife } = ports;
  const askInSession = typeof askOrId === "string" ? await store.askInSession(askOrId) : askOrId;
  if (askInSession === null) return refuse("not-found", "there is no such ask", null);
  const { ask } = askInSession;
  if (ask.state !== "open") return refuse("request-closed", "it was answered or closed before", ask);
  const answeredAt = (input.verdict === "allow" ? input.at : undefined) ?? clock();
  if (askLife !== null && !isWithin(ask.at, answeredAt, askLife)) {
    await store.closeAsks(ask.session, [expiry(ask, clock())]);
    return refuse("grant-expired", "nobody answered in time; the agent must ask again", await store.ask(ask.id));
  }
  if ((ask.kind === "pending_question") !== (input.verdict === "reply") && input.verdict !== "deny") {
    return refuse(
      "bad-request",
      ask.kind === "pending_question" ? "this is a question; it takes a reply" : "this asks for a grant; it takes allow or deny",
      ask,
    );
  }
  const at = clock();
  if (input.verdict === "reply") {
    const answer: StoredAnswer = { verdict: "reply", by: input.by, at, text: input.text };
    return storeAnswer(ports, askInSession, settlementOf(ask, answer), all(ask, { ok: true, output: input.text }));
  }
  if (input.verdict === "deny") {
    const answer: StoredAnswer = { verdict: "deny", by: input.by, at, note: input.note ?? null, stop: input.stop === true };
    const result = await storeAnswer(ports, askInSession, settlementOf(ask, answer), all(ask, outcomeOfDenial(input)));
    return result.ok === true && answer.stop ? { ...result, also: await stopOthers(ports, ask, at) } : result;
  }
  return allow(ports, askInSession, input, at);
}

async function allow(
  ports: AnsweringPorts,
  askInSession: AskInSession,
  input: Extract<GivenAnswer, { verdict: "allow" }>,
  at: number,
): Promise<AnswerResult> {
  const { ask, session: stored, roots } = askInSession;
  const isNetwork = ask.path === NETWORK;
  if (!isOnCard(askInSession, input))
    return refuse("bad-request", "its card does not offer this answer; take one of its choices. The question stays open", ask);
  const answer = {
    verdict: "allow" as const,
    until: input.until,
    by: input.by,
    at: input.at ?? at,
    expires: input.expires ?? null,
    ...(input.keeps === true ? { keeps: true as const } : {}),
  };
  if (input.until === "call") {
    const [first, ...others] = ask.calls;
    // Once means this path and this call: what was put to the same card asks again for itself.
    const changes = [...(first === undefined ? [] : await afterYes(ports, ask, [first], null)), ...others.map(again)];
    return storeAnswer(ports, askInSession, settlementOf(ask, answer), changes);
  }
  if (ask.path === null) return refuse("bad-request", "this ask names nothing that could be granted", ask);
  if (stored.archivedAt !== null) return refuse("session-closed", "the session has ended", ask);
  const { right, path, offers } = ask;
  const guardAsk = { id: ask.id, call: ask.calls[0] ?? callId("answer"), right, path, operation: operationOf(ask), offers };
  const isElsewhere = stored.machine !== ports.machine;
  if (isElsewhere && ports.isShared) return wait(ports, askInSession, input, at);
  const live = await liveSession(ports, stored, null, roots).catch((error: unknown) => {
    if (isElsewhere) return null;
    throw error;
  });
  if (live === null) return filesElsewhere(ask, stored);
  if (isNetwork) return allowNetwork(ports, askInSession, input, answer, live);
  const { proposal, folder, repository } = ask;
  const offeredDirs = { proposal, ...(folder === undefined ? {} : { folder }), ...(repository === undefined ? {} : { repository }) };
  // What the guard records of it goes into the transaction that stores the answer; the answer with the time at which it was said.
  const events: AuditEvent[] = [];
  const audit = (event: AuditEvent): void => void events.push(event.kind === "answer" ? { ...event, at: answer.at } : event);
  const guard = createGuard({ clock: ports.clock, ids: ports.ids, audit });
  const settled = guard.answer(live, { ...guardAsk, ...offeredDirs }, { ...input, until: "session" });
  if (!settled.ok || settled.grant.until === "call") {
    // Judged where the files are not: that nothing can be granted here tells nothing of what was shown there.
    if (isElsewhere) return filesElsewhere(ask, stored);
    const code = settled.ok ? "grant-changed" : settled.code;
    const hint = `the person said yes to ${show(ask.requested[0] ?? "")}, which ${meanings["grant-changed"]}: nothing was granted. Ask again if you still need it.`;
    const result = await storeAnswer(ports, askInSession, { answer, grant: null, events }, all(ask, { ok: false, code, hint }));
    if (result.ok !== true) return result;
    return refuse("grant-changed", "what a yes would open is no longer what was shown; nothing was granted", result.ask);
  }
  const { id, root } = settled.grant;
  const { dev, ino, born, expires } = root;
  const grant: StoredGrant = {
    id,
    session: ask.session,
    ask: ask.id,
    path: root.dir,
    dev,
    ino,
    born,
    by: input.by,
    at,
    expires,
    revokedAt: null,
  };
  const storedAnswer = grant.path === proposal?.dir ? answer : { ...answer, opened: grant.path };
  const changes = await afterGrant(ports, ask, grant.path, input);
  const answered = await storeAnswer(ports, askInSession, { answer: storedAnswer, grant, events }, changes);
  return answered.ok === true ? { ...answered, also: await settleOthers(ports, grant, settled.session) } : answered;
}

/** Does the card offer this yes? That one waits already for another machine is looked at when it is kept. */
function isOnCard({ ask, session }: AskInSession, { until, opens, keeps }: Extract<GivenAnswer, { verdict: "allow" }>): boolean {
  const { about = null, folder = null, repository, operation = null } = ask;
  const shownRepository = repository === undefined ? null : { dir: repository.dir, because: repository.because, survey: repository.survey };
  return isOffered(
    { ...ask, about, folder, repository: shownRepository, operation, waiting: null, workspace: session.workspace },
    {
      decision: until === "call" ? "allow_once" : "allow",
      ...(opens === undefined || opens === "proposal" ? {} : { opens }),
      ...(keeps === true ? { keep: true } : {}),
    },
  );
}

/** The network for the session's commands: it is no directory, so the policy alone is looked at again. */
async function allowNetwork(
  ports: AnsweringPorts,
  askInSession: AskInSession,
  { by }: Extract<GivenAnswer, { verdict: "allow" }>,
  answer: Extract<StoredAnswer, { verdict: "allow" }>,
  live: Session,
): Promise<AnswerResult> {
  const { ask } = askInSession;
  const { expires } = answer;
  const at = ports.clock();
  const events = [answerEvent({ at: answer.at, session: ask.session, ask: ask.id, path: ask.path }, answer)];
  const now = networkNow(live, null, at);
  if (now?.verdict === "deny") {
    const outcome = { ok: false, code: now.reason, hint: `the command ${meanings[now.reason]}; the person's yes changes nothing` } as const;
    const refused: AuditEvent = { kind: "grant-refused", at, session: ask.session, ask: ask.id, path: NETWORK, code: now.reason };
    const result = await storeAnswer(ports, askInSession, { answer, grant: null, events: [...events, refused] }, all(ask, outcome));
    if (result.ok !== true) return result;
    return refuse("grant-changed", "the policy shuts the network for commands by now; nothing was granted", result.ask);
  }
  const id = grantId(ports.ids());
  const grant: StoredGrant = {
    id,
    session: ask.session,
    ask: ask.id,
    path: NETWORK,
    dev: 0,
    ino: 0,
    born: null,
    by,
    at,
    expires,
    revokedAt: null,
  };
  const until = expires === null ? "session" : "time";
  const granted: AuditEvent = { kind: "grant", at, session: ask.session, grant: id, ask: ask.id, until, expires, path: NETWORK, by };
  const answered = await storeAnswer(ports, askInSession, { answer, grant, events: [...events, granted] }, ask.calls.map(again));
  return answered.ok === true ? { ...answered, also: await settleOthers(ports, grant, live) } : answered;
}

/** The yes is kept as it was given. The machine with the files hears of it, and answers with it. */
async function wait(
  { store }: AnsweringPorts,
  { ask, session }: AskInSession,
  { by, expires, opens = "proposal", keeps = false }: Extract<GivenAnswer, { verdict: "allow" }>,
  at: number,
): Promise<AnswerResult> {
  const yes: WaitingYes = { by, at, opens, keeps, lasts: expires === undefined ? null : expires - at };
  if (await store.keepYes(ask.id, yes)) return { ok: "waits", ask: { ...ask, waitingYes: yes } };
  const now = await store.ask(ask.id);
  if (now?.state !== "open") return refuse("request-closed", "somebody else answered first", now);
  return refuse("files-elsewhere", `a yes waits already for the machine \`${show(session.machine)}\``, now);
}

/** Every other open ask of the session that this yes covers is settled too; nobody is asked twice for the same thing. */
async function settleOthers(ports: AnsweringPorts, grant: StoredGrant, session: Session): Promise<readonly StoredAsk[]> {
  const { store, trial, wake } = ports;
  const judged = new Map<string, boolean>();
  const covered = (await store.asks({ session: grant.session, state: "open" })).filter(({ kind, right, path }) => {
    if (path === NETWORK) return grant.path === NETWORK;
    // Only what lies in what was granted is judged: a session may have hundreds of other asks, and judging is the dear part.
    if (kind !== "pending_grant" || right !== "read" || path === null || !isInside(grant.path, path)) return false;
    const isAllowed = judged.get(path) ?? isAllowedNow(trial, session, path);
    judged.set(path, isAllowed);
    return isAllowed;
  });
  const closing: ClosingAsk[] = [];
  for (const other of covered)
    closing.push({
      ask: other.id,
      path: other.path,
      why: "covered",
      at: grant.at,
      calls: await afterYes(ports, other, other.calls, other.proposal?.dir ?? grant.path),
    });
  const closed = new Set(await store.closeAsks(grant.session, closing));
  const also = covered.filter(({ id }) => closed.has(id));
  for (const { chat } of also) wake(chat);
  return also.map((other) => ({ ...other, state: "closed", closed: "covered" }));
}

/** An agent that was stopped waits for nothing: what else its chat asks is closed, so that no later yes has it go on. */
async function stopOthers({ store, wake }: AnsweringPorts, { chat, session }: StoredAsk, at: number): Promise<readonly StoredAsk[]> {
  const others = await store.asks({ chat, state: "open" });
  const closing = others.map((other): ClosingAsk => ({
    ask: other.id,
    path: other.path,
    why: "stopped",
    at,
    calls: closed(other, "stopped"),
  }));
  const stopped = new Set(await store.closeAsks(session, closing));
  if (stopped.size > 0) wake(chat);
  return others.filter(({ id }) => stopped.has(id)).map((other) => ({ ...other, state: "closed", closed: "stopped" }));
}

/** A folder is known to hold the path of the first call alone: what else was put to the card is judged again. */
async function afterGrant(
  ports: AnsweringPorts,
  ask: StoredAsk,
  root: string,
  { opens }: { readonly opens?: GrantExtent },
): Promise<Changes> {
  if (opens !== "folder") return afterYes(ports, ask, ask.calls, root);
  return [...(await afterYes(ports, ask, ask.calls.slice(0, 1), root)), ...ask.calls.slice(1).map(again)];
}

/** After a yes: a request_read_access is answered, everything else is judged and done again. */
async function afterYes({ store }: AnsweringPorts, ask: StoredAsk, calls: readonly CallId[], root: string | null): Promise<Changes> {
  if (isLookup(ask)) return goesOn({ calls });
  // The ask says which tool its first call was; only where others were put to it does somebody have to look.
  const others = calls.filter((call) => call !== ask.calls[0]);
  const names = others.length === 0 ? null : await store.calls(ask.chat, others);
  return calls.map((call) => {
    const name = call === ask.calls[0] ? ask.tool : names?.get(call)?.name;
    if (!isRequest({ tool: name ?? "" })) return again(call);
    const output = root === null ? `granted: ${ask.path ?? ""} (once)` : `granted: ${root}`;
    return { call, to: { at: "done", outcome: { ok: true, output } } };
  });
}

/** What is stored of an answer, in one write: the person's words as they said them, and what they came to. */
interface Settlement {
  readonly answer: StoredAnswer;
  readonly grant: StoredGrant | null;
  readonly events: readonly AuditEvent[];
}

/** Compare-and-set: whoever comes second is told how the ask stands. */
async function storeAnswer(
  ports: AnsweringPorts,
  { ask, session }: AskInSession,
  settlement: Settlement,
  calls: Changes,
): Promise<AnswerResult> {
  const { answer, grant, events } = settlement;
  if (!(await ports.store.answerAsk(ask.id, answer, { grant, calls, events })))
    return refuse("request-closed", "somebody else answered first", await ports.store.ask(ask.id));
  ports.wake(ask.chat);
  return { ok: true, ask: { ...ask, state: "answered", answer }, grant, also: [], session };
}

/** An answer that makes no grant: a no, a reply, or a yes for once, which the call itself uses. */
function settlementOf(ask: StoredAsk, answer: StoredAnswer): Settlement {
  return { answer, grant: null, events: [answerEvent({ at: answer.at, session: ask.session, ask: ask.id, path: ask.path }, answer)] };
}

const filesElsewhere = (ask: StoredAsk, { machine }: StoredSession): AnswerResult =>
  refuse("files-elsewhere", `the files are on the machine \`${show(machine)}\`: answer it there; the question stays open`, ask);

function isAllowedNow(guard: Guard, session: Session, path: string): boolean {
  const decision = guard.judge({ call: callId("answer"), tool: "answer", operation: "read", path }, session);
  if (decision.verdict === "allow") decision.pass.close();
  return decision.verdict === "allow";
}

function outcomeOfDenial({ note, stop }: Extract<GivenAnswer, { verdict: "deny" }>): CallOutcome {
  const message = note === undefined || note === "" ? "denied" : `denied. The person says: ${note}`;
  const denied = { ok: false, code: "person-declined" } as const;
  return stop === true ? { ...denied, hint: `${message}\n${STOPPED}`, stops: true } : { ...denied, hint: message };
}

const again = (call: CallId): Changes[number] => ({ call, to: { at: "proposed" } });
/** A command that runs goes on with its refusal, unless the agent is to stop. */
const all = (ask: StoredAsk, outcome: CallOutcome): Changes =>
  isLookup(ask) && (outcome.ok || outcome.stops !== true) ? goesOn(ask) : ask.calls.map((call) => ({ call, to: { at: "done", outcome } }));
/** Every call of an ask that ends without an answer. */
export const closed = (ask: StoredAsk, code: Code): Changes =>
  all(ask, { ok: false, code, hint: `${ask.requested.map(show).join(", ")} ${meanings[code]}.` });
/** Nobody answered it in time. */
export const expiry = (ask: StoredAsk, at: number): ClosingAsk => ({
  ask: ask.id,
  path: ask.path,
  why: "expired",
  at,
  calls: all(ask, {
    ok: false,
    code: "grant-expired",
    hint: `${ask.requested.map(show).join(", ")}: nobody answered in time, so nothing was granted. Ask again if you still need it.`,
  }),
});
const refuse = (code: Code, message: string, ask: StoredAsk | null): AnswerResult => ({ ok: false, code, message, ask });
