// A stored session made live: roots resolved again, grants with the identity they were given for, answers for single calls.

import type { Clock, Ids } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import { directoriesAround } from "../core/guard/resolve-access.ts";
import type { CallId, SessionId } from "../core/names.ts";
import { isInside } from "../core/path/contain.ts";
import type { CompiledPolicy } from "../core/policy/compile.ts";
import { reopenGrants, type StoredOnce } from "../core/session/grant.ts";
import { openSession, type Session } from "../core/session/session.ts";
import { onceFor } from "./once-grant.ts";
import type { SessionSettings, Store, StoredMount, StoredRoots } from "./ports.ts";
import { inheritedWorkspaces } from "./spawning.ts";

/** The policy of a workspace; `PolicyFor` in config/policy-for.ts is one. */
export interface LivePolicy {
  (workspace: string, inherited: readonly string[], mounts?: readonly { readonly path: string; readonly mode: string }[]): CompiledPolicy;
  /** The names by which our own files are reached: a mount changes a policy only where it holds one of them. Missing: any mount may. */
  readonly ownNames?: () => readonly string[];
}

export interface LivePorts {
  readonly store: Store;
  readonly home: string;
  /**
   * The policy that holds in a workspace, freshly read, with the repositories' policies of `inherited` workspaces on top. Throws
   * `invalid-policy` where it is malformed, or would be taken from one of the `mounts`: then nothing is done.
   */
  readonly policyFor: LivePolicy;
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

/** The roots of a session, all of them or those that can hold an access. */
export interface KnownRoots extends StoredRoots {
  /** The mounts that a policy could be taken from; missing where `mounts` are all there are. */
  readonly policyMounts?: readonly StoredMount[];
}

/** At once: over a network each look takes its time. */
export async function rootsOf(store: Store, session: SessionId): Promise<KnownRoots> {
  const [projects, mounts, grants] = await Promise.all([store.projects(), store.mounts(session), store.grants(session)]);
  return { projects, mounts, grants };
}

/** The roots that can hold one of these names (`namesOf`), however many others there are. */
export async function rootsAround({ store, policyFor }: LivePorts, session: SessionId, names: readonly string[]): Promise<KnownRoots> {
  const own = policyFor.ownNames?.() ?? null;
  const roots = await store.rootsAt(session, directoriesAround([...names, ...(own ?? [])]));
  const policyMounts =
    own === null ? await store.mounts(session) : roots.mounts.filter(({ path }) => own.some((name) => isInside(path, name)));
  return { ...roots, policyMounts };
}

/**
 * What a call is judged in, as of now: revocations, new grants and policy changes since the last call all count. `roots` are those that
 * the caller has just read, if it has.
 */
export async function liveSession(
  ports: LivePorts,
  stored: SessionSettings,
  asker: Asker | null,
  roots: KnownRoots | null = null,
): Promise<Session> {
  const { store, home, policyFor, clock, ids } = ports;
  if (stored.archivedAt !== null) throw new HallpassError("session-closed", "the session has been archived");
  const [{ projects, mounts, grants, policyMounts = mounts }, inherited, once] = await Promise.all([
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
    policy: policyFor(stored.workspace, inherited, policyMounts),
    attended: stored.attended,
  });
  if (!opened.ok) throw new HallpassError(opened.code, opened.message);
  // A mount that a link leads elsewhere by now may hold what the path does not name: our own files, or another access.
  const isMoved = opened.session.mounts.some(({ dir }) => !mounts.some(({ path }) => path === dir));
  if (policyMounts !== mounts && isMoved) return liveSession(ports, stored, asker, await rootsOf(store, stored.id));
  return reopenGrants(opened.session, grants, { clock, ids, once }).session;
}
