// Grants for once. A yes for one call is an answered ask, and what has become of it stands in the ask's row: `OnceGrant` in ports.ts says
// how it moves. It is good for the call it was given to, or, given to request_read_access, for the first call of the chat that reads that
// path; and it ends when the session's roots change.
//
// A call of our own loop has one name, however often it is judged. A program from elsewhere names its calls itself: the same name twice is
// two calls, and a call that nobody answered in time is given up and made again under another name. So there a call claims its grant, and one
// that nobody has claimed is transferred. Promise: to one call, of the same session, tool, operation, path and, for a write,
// content, within an hour of the answer.
// Whoever was told of a grant has claimed it, so that nobody else goes by it too.

import { needs, type Operation, type Right } from "../core/access.ts";
import type { AuditEvent } from "../core/audit.ts";
import { isWithin } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import { type AskId, type CallId, grantId, type SessionId } from "../core/names.ts";
import type { StoredOnce } from "../core/session/grant.ts";
import { toolNamed } from "../tools/registry.ts";
import type { OnceGrant, Store, StoredAnswer, StoredAsk, StoredChat } from "./ports.ts";
import type { CallState } from "./transcript.ts";

/** How long after it was given a grant is transferred. Whoever comes later asks again: much else may have changed by then. */
export const TRANSFERABLE = 60 * 60_000;

/** An ask that was answered with a yes for one call. */
export type OnceAnswer = StoredAsk & {
  readonly path: string;
  readonly answer: Extract<StoredAnswer, { readonly verdict: "allow" }> & { readonly until: "call" };
};

function isOnce(ask: StoredAsk): ask is OnceAnswer {
  return ask.answer?.verdict === "allow" && ask.answer.until === "call" && ask.path !== null;
}

/** Was it asked, or judged, for the model's own request? Such a call opens nothing: asking twice uses nothing up. */
export const isRequest = ({ tool }: { readonly tool: string }): boolean => toolNamed(tool)?.asks === "access";

/** A decision that a grant for once made, and by which something is opened. */
export type OnceUse = Extract<AuditEvent, { readonly kind: "decision" }> & { readonly operation: Operation; readonly real: string };

export function isOnceUse(event: AuditEvent): event is OnceUse {
  if (event.kind !== "decision" || event.verdict !== "allow" || event.reason !== "answered") return false;
  return event.operation !== "connect" && event.real !== null && !isRequest(event);
}

/** May this call go by it? Given to a request it is whoever's comes first; any other is for the call it was given to or that claimed it. */
export function mayUse({ ask, claimedBy, usedBy }: OnceGrant, call: CallId): boolean {
  if (!isOnce(ask) || (usedBy !== null && usedBy !== call)) return false;
  return claimedBy === null ? isRequest(ask) || ask.calls[0] === call : claimedBy === call;
}

/** Can it still be used? A yes to a command, its network or an agent is its call's alone, and spent with it. */
export const isUnspent = ({ ask }: OnceGrant): boolean => ask.about === undefined;

/** That one was taken back by somebody, or ended with a change of roots (`by` null). It has no id of its own, so its ask is named. */
export function onceEnding(
  session: SessionId,
  { ask, path }: { readonly ask: AskId; readonly path: string | null },
  at: number,
  by: string | null,
): AuditEvent {
  const common = { at, session, grant: grantId(ask), path, ask };
  return by === null ? { kind: "grant-ended", ...common, why: "roots-changed" } : { kind: "revocation", ...common, by };
}

function describe(ask: OnceAnswer, call: CallId): StoredOnce {
  const { id, right, path, offers, answer } = ask;
  return { call, ask: id, right, path, operation: operationOf(ask), offers, by: answer.by, at: answer.at };
}

/** What was asked for. An ask about the network, or a command, names no operation on a file. */
export const operationOf = ({ operation, right }: Pick<StoredAsk, "operation" | "right">): Operation =>
  operation ?? (right === "write" ? "replace" : "read");

/** Those of the grants for once that let this be done, and of these first those that were given for it by name: another may be wanted later. */
function orderGrants<T extends { readonly ask: StoredAsk }>(grants: readonly T[], operation: Operation, path: string): readonly T[] {
  // To start an agent is to write, and what the call itself does is to list the directory.
  const isLook = ({ about }: StoredAsk): boolean => about?.what === "agent" && operation === "list";
  const fitting = grants.filter(({ ask }) => ask.path === path && (ask.right === needs[operation] || isLook(ask)));
  const [exact, others] = [true, false].map((isExact) => fitting.filter(({ ask }) => (operationOf(ask) === operation) === isExact));
  return [...(exact ?? []), ...(others ?? [])];
}

// ── Calls of our own loop ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a call of our own loop may go by. */
export async function onceFor(store: Store, session: SessionId, { chat, call }: OwnCall): Promise<readonly StoredOnce[]> {
  const grants = await store.onceGrants(session, call);
  return grants.flatMap((one) => (isOnce(one.ask) && one.ask.chat === chat && mayUse(one, call) ? [describe(one.ask, call)] : []));
}

interface OwnCall {
  readonly chat: string;
  readonly call: CallId;
}

/**
 * A call was let through by a grant for once: record it, on the disk. False where none is left, since another call was quicker, here or in
 * another process: that is recorded instead, and nothing the call was to do may be done, or what it did told. What `wasCarriedOut`, since it was
 * written, is recorded as it was.
 */
export async function recordOnceUse(
  store: Pick<Store, "onceGrants" | "useOnce" | "record">,
  use: OnceUse,
  wasCarriedOut: boolean,
): Promise<boolean> {
  for (const { ask } of orderGrants(await store.onceGrants(use.session, use.call, use.real), use.operation, use.real))
    if (await store.useOnce(ask.id, use.call, use, true)) return true;
  await store.record([wasCarriedOut ? use : asRefused(use)]);
  return wasCarriedOut;
}

// ── Calls of other programs ───────────────────────────────────────────────────────────────────────────────────────────────────

/** What must be the same for two calls to be the same call, beside the path. */
export interface CallFingerprint {
  readonly tool: string;
  readonly operation: Operation;
  /** For a command that nothing confines, or that needs the network: its whole text. */
  readonly command?: string;
  readonly about?: "command" | "network";
  /** For a write: a digest of what the call would write. */
  readonly content?: string;
}

/** A call whose name is of its program's own choosing. `wants` is null where only the name is known. */
export interface ForeignCall {
  /** Null: in any chat of the session. */
  readonly chat: string | null;
  readonly call: CallId;
  readonly now: number;
  readonly wants: CallFingerprint | null;
  /** What it is to be for; missing: anything. */
  readonly path?: string;
}

/** A grant for once that a call may go by. */
export interface ClaimableGrant {
  readonly ask: OnceAnswer;
  /** Was it given to another call? */
  readonly isTransferred: boolean;
  /** Make it this call's own. Compare-and-set, between processes too: false where another call was quicker. */
  claim(): Promise<boolean>;
}

/** Every grant for once that this call may go by; those that nobody else may go by come first. */
export async function claimableBy(store: Store, session: SessionId, foreignCall: ForeignCall): Promise<readonly ClaimableGrant[]> {
  const { chat, call, now, wants, path } = foreignCall;
  const ownGrants: ClaimableGrant[] = [];
  const requestGrants: ClaimableGrant[] = [];
  const transferableGrants: ClaimableGrant[] = [];
  for (const grant of await store.onceGrants(session, null, path)) {
    const { ask, claimedBy } = grant;
    if (!isOnce(ask) || (chat !== null && ask.chat !== chat)) continue;
    const [first] = ask.calls;
    const claim = async (firstBecomes: CallState): Promise<boolean> => {
      if (!(await store.claimOnce(ask.id, call))) return false;
      // For people, who see the call in its chat. Whose the grant is stands in its own row.
      if (first !== undefined) await store.setCall(ask.chat, first, ["proposed"], firstBecomes);
      return true;
    };
    if (mayUse(grant, call)) {
      const isTransferred = !isRequest(ask) && first !== call;
      // INVARIANT: a yes is to the content that was shown, also where the program gives another call the same name. A program that judges
      // for itself says what it asked about, and not once more what it does.
      const content = wants?.content ?? ask.content;
      if (content !== ask.content) continue;
      if (isTransferred && wants !== null && !isSame(ask, { ...wants, ...(content === undefined ? {} : { content }) })) continue;
      if (claimedBy === call) ownGrants.push({ ask, isTransferred, claim: alreadyClaimed });
      // It stays whoever's uses it first: a program that is told of it may want it for something else.
      else if (isRequest(ask)) requestGrants.push({ ask, isTransferred, claim: alreadyClaimed });
      else ownGrants.push({ ask, isTransferred, claim: () => claim({ at: "started" }) });
    } else if (claimedBy === null && wants !== null && isYoung(ask, now) && isSame(ask, wants))
      transferableGrants.push({ ask, isTransferred: true, claim: () => claim(transferred) });
  }
  return [...ownGrants, ...requestGrants, ...transferableGrants];
}

/** Claim one that lets the call do this. Null where none is left, since another call was quicker. */
export async function claimOne(claimables: readonly ClaimableGrant[], operation: Operation, path: string): Promise<ClaimableGrant | null> {
  for (const claimable of orderGrants(claimables, operation, path)) if (await claimable.claim()) return claimable;
  return null;
}

/** What is told of them to whoever judges. */
export const describeAll = (claimables: readonly ClaimableGrant[], call: CallId): readonly StoredOnce[] =>
  claimables.map(({ ask }) => describe(ask, call));

/** The grant for once by which an access was allowed was used by another call meanwhile. */
export class OnceGrantConflict extends HallpassError {
  constructor() {
    super("request-closed", "the yes for once was used by another call");
  }
}

/** As `recordOnceUse`, for a call of another program's: the same name again is another call. Throws `OnceGrantConflict` where none is left. */
export async function recordForeignUse(store: Store, use: OnceUse, now: number, content?: string): Promise<void> {
  const { call, tool, operation, real } = use;
  const wants = { tool, operation, ...(content === undefined ? {} : { content }) };
  for (const { ask, claim } of orderGrants(
    await claimableBy(store, use.session, { chat: null, call, now, wants, path: real }),
    operation,
    real,
  ))
    if ((await claim()) && (await store.useOnce(ask.id, call, use, false))) return;
  await store.record([asRefused(use)]);
  throw new OnceGrantConflict();
}

/** A program that judges for itself says that it went by a grant it was told of. It did, so it is recorded as it was, whatever became of that. */
export async function recordToldUse(store: Store, use: OnceUse): Promise<void> {
  for (const grant of orderGrants(await store.onceGrants(use.session, null, use.real), use.operation, use.real))
    if (mayUse(grant, use.call) && (await store.useOnce(grant.ask.id, use.call, use, false))) return;
  await store.record([use]);
}

/** An open ask of the chat about the very same thing. */
export async function openSame(
  store: Store,
  { id: chat, session }: StoredChat,
  { path, right }: { readonly path: string; readonly right: Right },
  wants: CallFingerprint,
): Promise<StoredAsk | null> {
  const open = await store.asks({ session, chat, state: "open" });
  return open.find((ask) => ask.kind === "pending_grant" && ask.path === path && ask.right === right && isSame(ask, wants)) ?? null;
}

const asRefused = (use: OnceUse): AuditEvent => ({ ...use, verdict: "deny", reason: "request-closed" });
const alreadyClaimed = (): Promise<boolean> => Promise.resolve(true);
const isYoung = ({ answer: { at, expires } }: OnceAnswer, now: number): boolean =>
  isWithin(at, now, TRANSFERABLE) && (expires === null || now < expires);

/**
 * Was it asked for the same tool and operation, as the guard judged it then? A command is the same if all of its text is, a write if all of
 * its content is.
 */
function isSame(ask: StoredAsk, { tool, operation, command, about, content }: CallFingerprint): boolean {
  if (about !== undefined || ask.about !== undefined) return ask.about?.what === about && ask.requested[0] === command;
  return ask.tool === tool && ask.operation === operation && ask.content === content;
}

/** What becomes of a call whose grant was transferred. */
const transferred: CallState = {
  at: "done",
  outcome: { ok: false, code: "request-closed", hint: "the yes went to the same call, made again under another name" },
};
