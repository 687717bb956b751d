// A grant: what a yes makes. For a call: one right on one path. For the session: a root, which only reads. There is no grant without
// an ask, and a grant opens nothing itself: the access is judged again.

import type { Right } from "../access.ts";
import type { Clock, Ids } from "../clock.ts";
import type { DoorCode, GrantCode } from "../errors.ts";
import { resolveDir } from "../fs/resolve.ts";
import { type AskId, askId, type CallId, type GrantId, grantId, type RealDir, type RealPath } from "../names.ts";
import type { Answer, Ask } from "./ask.ts";
import { propose } from "./propose.ts";
import type { GrantRoot } from "./root.ts";
import type { Session } from "./session.ts";

interface Granted {
  readonly id: GrantId;
  readonly answers: AskId;
  readonly by: string;
  readonly at: number;
}
export type CallGrant = Granted & { readonly until: "call"; readonly call: CallId; readonly right: Right; readonly path: RealPath };
/** Literal real path, device and inode: another directory of the same name is not granted. */
export type SessionGrant = Granted & { readonly until: "session"; readonly right: "read"; readonly root: GrantRoot };
export type Grant = CallGrant | SessionGrant;

export type Settled =
  | { readonly ok: true; readonly grant: Grant; readonly session: Session }
  | {
      readonly ok: false;
      readonly code: Extract<GrantCode | DoorCode, "person-declined" | "grant-changed" | "bad-request">;
      readonly message: string;
    };

export interface SettlePorts {
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Turn an answer into a grant. The proposal is worked out again and must be the directory that was shown, by path and by identity;
 * if it is not, nothing is granted (`grant-changed`), never something else. The caller judges the access again.
 */
export function settle(session: Session, ask: Ask, answer: Answer, { clock, ids }: SettlePorts): Settled {
  if (answer.verdict === "deny") return { ok: false, code: "person-declined", message: answer.note ?? "the person said no" };
  const granted = { id: grantId(ids()), answers: ask.id, by: answer.by, at: clock() };
  if (answer.until === "call") {
    return withGrant(session, { ...granted, until: "call", call: ask.call, right: ask.right, path: ask.path });
  }
  if (ask.offers !== "session") return { ok: false, code: "bad-request", message: "this ask offers only this path, once" };
  const now = propose(ask.path, session);
  const shown = ask.proposal;
  if (!now.ok || now.proposal.dir !== shown.dir || now.proposal.dev !== shown.dev || now.proposal.ino !== shown.ino) {
    return { ok: false, code: "grant-changed", message: "what a yes would open is no longer what was shown; ask again" };
  }
  const root: GrantRoot = {
    from: "grant",
    dir: shown.dir,
    dev: shown.dev,
    ino: shown.ino,
    grant: granted.id,
    expires: answer.expires ?? null,
  };
  return withGrant(session, { ...granted, until: "session", right: "read", root });
}

/** End a grant early. The next access is judged without it. */
export function revoke(session: Session, grant: GrantId): Session {
  return { ...session, grants: session.grants.filter(({ id }) => id !== grant) };
}

export function revokeAll(session: Session): Session {
  return { ...session, grants: [] };
}

/** Grants read back from a store: each root is resolved again, and what is no longer there is told, not kept. */
export function reopenGrants(
  session: Session,
  paths: readonly string[],
  { clock, ids }: SettlePorts,
): { readonly session: Session; readonly lost: readonly string[] } {
  const lost: string[] = [];
  const grants: Grant[] = [];
  const seen = new Set<RealDir>();
  for (const path of paths) {
    const resolved = path.startsWith("/") && path !== "/" && !path.includes("\0") ? resolveDir(path) : null;
    if (resolved?.ok !== true || resolved.dir === "/") {
      lost.push(path);
    } else if (!seen.has(resolved.dir)) {
      seen.add(resolved.dir);
      const id = grantId(ids());
      const root: GrantRoot = { from: "grant", dir: resolved.dir, dev: resolved.dev, ino: resolved.ino, grant: id, expires: null };
      grants.push({ id, answers: STORED, by: "store", at: clock(), until: "session", right: "read", root });
    }
  }
  return { session: { ...session, grants: [...session.grants, ...grants] }, lost };
}

function withGrant(session: Session, grant: Grant): Settled {
  const others = session.grants.filter(
    (other) => !(other.until === "session" && grant.until === "session" && other.root.dir === grant.root.dir),
  );
  return { ok: true, grant, session: { ...session, grants: [...others, grant] } };
}

const STORED: AskId = askId("stored");
