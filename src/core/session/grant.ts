// A grant: what a yes makes. For a call: one right on one path. For the session: a root, which only reads. There is no grant without
// an ask, and a grant opens nothing itself: the access is judged again.

import { NETWORK, type Operation, type Right } from "../access.ts";
import type { Clock, Ids } from "../clock.ts";
import type { CallerCode, GrantCode } from "../errors.ts";
import { resolveDir, resolveEntry, resolveTarget } from "../fs/resolve.ts";
import { type AskId, askId, type CallId, type GrantId, grantId, type RealDir, type RealPath } from "../names.ts";
import type { Answer, Ask, GrantExtent } from "./ask.ts";
import { folderIn, type Proposal, propose, wider } from "./propose.ts";
import { type GrantRoot, isSame, type KeptIdentity } from "./root.ts";
import type { Session } from "./session.ts";

interface GrantBasis {
  readonly id: GrantId;
  readonly answers: AskId;
  readonly by: string;
  readonly at: number;
}
export type CallGrant = GrantBasis & {
  readonly until: "call";
  readonly call: CallId;
  readonly right: Right;
  readonly path: RealPath;
  /** What was asked for: a yes to read is none to search all below. */
  readonly operation: Operation;
  /** What the card offered. One that offered once alone told of all that a listing or search would show, also of what a rule asks about. */
  readonly offers: Ask["offers"];
};
/** Literal real path, device, inode and birth: another directory of the same name is not granted, nor one that has its inode by now. */
export type SessionGrant = GrantBasis & { readonly until: "session"; readonly right: "read"; readonly root: GrantRoot };
/** The network for commands: for one call, or for the session. It is no root, and opens no file. */
export type NetworkGrant = GrantBasis & { readonly call: CallId | null; readonly expires: number | null };
/** What a yes opened: for one call, or for the session. */
export type Grant = CallGrant | SessionGrant;

/** How a grant ended: it is no longer in force, or whoever keeps it cannot be reached, so that nobody could say so. */
export type GrantLoss = "ended" | "unreachable";

/** What became of an answer: the grant and the session that has it, or why there is none. */
export type SettleResult =
  | { readonly ok: true; readonly grant: Grant; readonly session: Session }
  | {
      readonly ok: false;
      readonly code: Extract<GrantCode | CallerCode, "person-declined" | "grant-changed" | "bad-request">;
      readonly message: string;
    };

/** An ask as far as an answer to it goes: as it was raised, or read back from a store, where its paths are text. */
export interface AnswerableAsk {
  readonly id: AskId;
  readonly call: CallId;
  readonly right: Right;
  readonly path: string;
  readonly operation: Operation;
  readonly offers: Ask["offers"];
  /** What was shown, where a yes for the session is offered: what is proposed, the folder in it, and the repository around it. */
  readonly proposal?: ({ readonly dir: string } & KeptIdentity) | null;
  readonly folder?: string;
  readonly repository?: { readonly dir: string } & KeptIdentity;
}

export interface SettlePorts {
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface SettlingPorts extends SettlePorts {
  /** Does the access that was asked about pass in this session? */
  readonly passes: (session: Session, ask: AnswerableAsk) => boolean;
}

/**
 * Turn an answer into a grant. The proposal is worked out again and must be the directory that was shown, by path and by identity;
 * if it is not, or the access would still not pass, nothing is granted (`grant-changed`), never something else. The caller judges the access
 * again.
 */
export function settle(session: Session, ask: AnswerableAsk, answer: Answer, { clock, ids, passes }: SettlingPorts): SettleResult {
  if (answer.verdict === "deny") return { ok: false, code: "person-declined", message: answer.note ?? "the person said no" };
  const granted = { id: grantId(ids()), answers: ask.id, by: answer.by, at: clock() };
  if (answer.until === "call") {
    const path = realPathAt(ask.path, ask.right);
    const { call, right, operation, offers } = ask;
    return path === null ? changed : withGrant(session, { ...granted, until: "call", call, right, path, operation, offers });
  }
  const { proposal } = ask;
  if (ask.offers !== "session" || proposal === undefined || proposal === null)
    return { ok: false, code: "bad-request", message: "this ask offers only this path, once" };
  const now = stillOffered(session, ask.path, { ...ask, proposal }, answer.opens ?? "proposal");
  if (now === null) return changed;
  const { dir, dev, ino, born } = now;
  const root: GrantRoot = { from: "grant", dir, dev, ino, born, grant: granted.id, expires: answer.expires ?? null };
  const settled = withGrant(session, { ...granted, until: "session", right: "read", root });
  // INVARIANT: "granted" is said only of what was shown, and only if the access now passes.
  return settled.ok && passes(settled.session, ask) ? settled : changed;
}

/** A yes came to nothing. */
const changed = {
  ok: false,
  code: "grant-changed",
  message: "what a yes would open is no longer what was shown; ask again",
} as const satisfies SettleResult;

/** What a yes for `path` would grant now, if it is exactly what was shown: the same path and the same directory. Never something else. */
function stillProposed(session: Session, path: string, shownDir: { readonly dir: string } & KeptIdentity): Proposal | null {
  const now = propose(path, session);
  if (!now.ok) return null;
  const { proposal } = now;
  return proposal.dir === shownDir.dir && isSame(shownDir, proposal) ? proposal : null;
}

/** As `stillProposed`, for each of the directories that an ask offers. The proposed one must be the one that was shown in any case. */
function stillOffered(
  session: Session,
  path: string,
  shown: {
    readonly proposal: { readonly dir: string } & KeptIdentity;
    readonly folder?: string;
    readonly repository?: { readonly dir: string } & KeptIdentity;
  },
  opens: GrantExtent,
): Proposal | null {
  const { folder, repository } = shown;
  const proposal = stillProposed(session, path, shown.proposal);
  if (proposal === null || opens === "proposal") return proposal;
  if (opens === "folder") return folder === undefined ? null : folderIn(proposal, folder);
  const now = repository === undefined ? null : wider(proposal, session);
  return now !== null && repository !== undefined && now.dir === repository.dir && isSame(repository, now) ? now : null;
}

/** End a grant early. The next access is judged without it. */
export function revoke(session: Session, grant: GrantId): Session {
  const others = ({ id }: GrantBasis): boolean => id !== grant;
  return { ...session, grants: session.grants.filter(others), network: session.network.filter(others) };
}

/** The session without any grant. */
export function revokeAll(session: Session): Session {
  return { ...session, grants: [], network: [] };
}

/** A session grant as a store keeps it. A bare path is taken as the directory that is there now. */
export type StoredRoot =
  | string
  | (KeptIdentity & {
      readonly id: GrantId;
      readonly ask: AskId;
      readonly path: string;
      readonly by: string;
      readonly at: number;
      readonly expires: number | null;
    });

/** A yes for one call, as a store keeps it: its path is text until it is resolved again. */
export interface StoredOnce {
  readonly call: CallId;
  readonly ask: AskId;
  readonly right: Right;
  readonly path: string;
  readonly operation: Operation;
  readonly offers: Ask["offers"];
  readonly by: string;
  readonly at: number;
}

/**
 * Grants read back from a store. Each root is resolved again; what is no longer there, or is reached through a link by now, is told as
 * lost. One whose directory was replaced keeps the identity it was given for, so judging finds it stale.
 */
export function reopenGrants(
  session: Session,
  roots: readonly StoredRoot[],
  { clock, ids, once = [] }: SettlePorts & { readonly once?: readonly StoredOnce[] },
): { readonly session: Session; readonly lost: readonly string[] } {
  const lost: string[] = [];
  const grants: Grant[] = [];
  const network: NetworkGrant[] = [];
  const seen = new Set<RealDir>();
  for (const root of roots) {
    const path = typeof root === "string" ? root : root.path;
    if (typeof root !== "string" && path === NETWORK) {
      const { id, ask: answers, by, at, expires } = root;
      network.push({ id, answers, by, at, call: null, expires });
      continue;
    }
    const resolved = path.startsWith("/") && !path.includes("\0") ? resolveDir(path) : null;
    if (resolved?.ok !== true || resolved.dir === "/" || (typeof root !== "string" && resolved.dir !== path)) {
      lost.push(path);
    } else if (!seen.has(resolved.dir)) {
      seen.add(resolved.dir);
      const stored =
        typeof root === "string"
          ? {
              id: grantId(ids()),
              ask: STORED,
              dev: resolved.dev,
              ino: resolved.ino,
              born: resolved.born,
              by: "store",
              at: clock(),
              expires: null,
            }
          : root;
      // INVARIANT: a birth that was not kept is not filled in from what stands there now: that may be another directory already.
      const { dev, ino, born = null, id, expires } = stored;
      const place: GrantRoot = { from: "grant", dir: resolved.dir, dev, ino, born, grant: id, expires };
      grants.push({ id: stored.id, answers: stored.ask, by: stored.by, at: stored.at, until: "session", right: "read", root: place });
    }
  }
  for (const { call, ask, right, path, operation, offers, by, at } of once) {
    if (path === NETWORK) {
      network.push({ id: grantId(ids()), answers: ask, by, at, call, expires: null });
      continue;
    }
    const real = realPathAt(path, right);
    if (real === null) continue;
    grants.push({ id: grantId(ids()), answers: ask, by, at, until: "call", call, right, path: real, operation, offers });
  }
  return { session: { ...session, grants: [...session.grants, ...grants], network: [...session.network, ...network] }, lost };
}

/** The stored path, if it still is a path without links: then it is the one that was shown. */
function realPathAt(path: string, right: Right): RealPath | null {
  const { target } = right === "read" ? resolveTarget(path) : resolveEntry(path);
  target.pin?.close();
  return target.path === path ? target.path : null;
}

function withGrant(session: Session, grant: Grant): SettleResult {
  const others = session.grants.filter(
    (other) => !(other.until === "session" && grant.until === "session" && other.root.dir === grant.root.dir),
  );
  return { ok: true, grant, session: { ...session, grants: [...others, grant] } };
}

const STORED: AskId = askId("stored");
