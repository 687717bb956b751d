// A stored session made live: roots resolved again, grants with the identity they were given for, answers for single calls.

import type { Clock, Ids } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import type { CallId, SessionId } from "../core/names.ts";
import type { CompiledPolicy } from "../core/policy/compile.ts";
import { reopenGrants, type StoredOnce } from "../core/session/grant.ts";
import { openSession, type Session } from "../core/session/session.ts";
import { onceFor } from "./once-grant.ts";
import type { Store, StoredRoots, StoredSession } from "./ports.ts";
import { inheritedWorkspaces } from "./spawning.ts";

export interface LivePorts {
  readonly store: Store;
  readonly home: string;
  /**
   * The policy that holds in a workspace, freshly read, with the repositories' policies of `inherited` workspaces on top. Throws
   * `invalid-policy` where it is malformed, or would be taken from one of the `mounts`: then nothing is done.
   */
  readonly policyFor: (
    workspace: string,
    inherited: readonly string[],
    mounts?: readonly { readonly path: string; readonly mode: string }[],
  ) => CompiledPolicy;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Who is to be judged: one call of one chat. */
export interface Asker {
  readonly chat: string;
  readonly call: CallId;
  /** Its grants for once, where another program drives the session and chooses the call's name (`claimableBy`). */
  readonly once?: () => Promise<readonly StoredOnce[]>;
}

/** At once: over a network each look takes its time. */
export async function rootsOf(store: Store, session: SessionId): Promise<StoredRoots> {
  const [projects, mounts, grants] = await Promise.all([store.projects(), store.mounts(session), store.grants(session)]);
  return { projects, mounts, grants };
}

/**
 * What a call is judged in, as of now: revocations, new grants and policy changes since the last call all count. `roots` are those that
 * the caller has just read, if it has.
 */
export async function liveSession(
  ports: LivePorts,
  stored: StoredSession,
  asker: Asker | null,
  roots: StoredRoots | null = null,
): Promise<Session> {
  const { store, home, policyFor, clock, ids } = ports;
  if (stored.archivedAt !== null) throw new HallpassError("session-closed", "the session has been archived");
  const [{ projects, mounts, grants }, inherited, once] = await Promise.all([
    roots ?? rootsOf(store, stored.id),
    inheritedWorkspaces(store, stored),
    asker === null ? [] : (asker.once?.() ?? onceFor(store, stored.id, asker)),
  ]);
  const opened = openSession({
    id: stored.id,
    workspace: stored.workspace,
    mounts: mounts.map(({ path, mode }) => ({ path, mode })),
    projects: projects.map(({ path }) => path),
    home,
    policy: policyFor(stored.workspace, inherited, mounts),
    attended: stored.attended,
  });
  if (!opened.ok) throw new HallpassError(opened.code, opened.message);
  return reopenGrants(opened.session, grants, { clock, ids, once }).session;
}
