// Session grants of the store in memory: given by an answer, ended by revocation or with their session. What the session may read by them
// is also kept in its `allowedReadPaths`, changed with them.

import type { Store, StoredAsk, StoredGrant } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import type { SessionId } from "../core/names.ts";
import { record } from "./memory-audit.ts";
import { already, type Memory } from "./memory-rows.ts";
import { exact, legible } from "./text.ts";

export function grantsIn(memory: Memory) {
  const { sessions, grants } = memory;
  return {
    grants: async (session) => [...grants.values()].filter((grant) => isLive(grant, session)),
    grant: async (id) => grants.get(id) ?? null,
    async revokeGrant(id, at, events) {
      const grant = grants.get(id);
      if (grant === undefined || grant.revokedAt !== null) return false;
      grants.set(id, { ...grant, revokedAt: at });
      const session = sessions.get(grant.session);
      if (session !== undefined)
        sessions.set(session.id, { ...session, allowedReadPaths: session.allowedReadPaths.filter((path) => path !== grant.path) });
      record(memory, events);
      return true;
    },
  } satisfies Partial<Store>;
}

/** Not revoked, and of this session (null: of any). */
export const isLive = (grant: StoredGrant, session: SessionId | null): boolean =>
  grant.revokedAt === null && (session === null || grant.session === session);

/** The grant that answers the ask, as it is kept. Throws where it cannot be given; nothing is changed. */
export function grantFor({ sessions, grants }: Memory, ask: StoredAsk, grant: StoredGrant): StoredGrant {
  if (grant.session !== ask.session || grant.ask !== ask.id)
    throw new HallpassError("wrong-session", "a grant is for the session and the ask that it answers");
  const kept = { ...grant, id: exact(grant.id), path: exact(grant.path), by: legible(grant.by), revokedAt: null };
  if (grants.has(grant.id)) throw already();
  if (sessions.get(ask.session)?.archivedAt !== null)
    throw new HallpassError("session-closed", "the session is archived: nothing is granted in it any more");
  return kept;
}

/** Give it. An earlier one for the same directory ends: a session has one at a time. */
export function give({ sessions, grants }: Memory, grant: StoredGrant): void {
  for (const other of grants.values())
    if (isLive(other, grant.session) && other.path === grant.path) grants.set(other.id, { ...other, revokedAt: grant.at });
  grants.set(grant.id, grant);
  const session = sessions.get(grant.session);
  if (session !== undefined && !session.allowedReadPaths.includes(grant.path))
    sessions.set(session.id, { ...session, allowedReadPaths: [...session.allowedReadPaths, grant.path] });
}
