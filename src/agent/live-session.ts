// A stored session made live: roots resolved again, grants with the identity they were given for, answers for single calls.

import type { Clock, Ids } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import type { CallId } from "../core/names.ts";
import type { CompiledPolicy } from "../core/policy/compile.ts";
import { reopenGrants, type StoredOnce } from "../core/session/grant.ts";
import { openSession, type Session } from "../core/session/session.ts";
import type { Store, StoredAsk, StoredSession } from "./ports.ts";
import { inheritedWorkspaces } from "./spawning.ts";

export interface LivePorts {
  readonly store: Store;
  readonly home: string;
  /**
   * The policy that holds in a workspace, freshly read, with the repositories' policies of `inherited` workspaces on top. Throws
   * `invalid-policy` where it is malformed: then nothing is done.
   */
  readonly policyFor: (workspace: string, inherited: readonly string[]) => CompiledPolicy;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Who is to be judged: one call of one chat. */
export interface Asker {
  readonly chat: string;
  readonly call: CallId;
}

/** What a call is judged in, as of now: revocations, new grants and policy changes since the last call all count. */
export async function liveSession(ports: LivePorts, stored: StoredSession, asker: Asker | null): Promise<Session> {
  const { store, home, policyFor, clock, ids } = ports;
  if (stored.archivedAt !== null) throw new HallpassError("session-closed", "the session has been archived");
  const projects = await store.projects();
  const opened = openSession({
    id: stored.id,
    workspace: stored.workspace,
    mounts: (await store.mounts(stored.id)).map(({ path, mode }) => ({ path, mode })),
    projects: projects.map(({ path }) => path),
    home,
    policy: policyFor(stored.workspace, await inheritedWorkspaces(store, stored)),
    attended: stored.attended,
  });
  if (!opened.ok) throw new HallpassError(opened.code, opened.message);
  const once = asker === null ? [] : await onceFor(store, stored, asker);
  return reopenGrants(opened.session, await store.grants(stored.id), { clock, ids, once }).session;
}

/** Yeses for one call: given to this very call, or through request_read_access to the next call of the chat that reads that path. */
export async function onceFor(store: Store, stored: StoredSession, { chat, call }: Asker): Promise<readonly StoredOnce[]> {
  const once: StoredOnce[] = [];
  for (const ask of await store.asks({ session: stored.id, chat, state: "answered" })) {
    if (ask.answer?.verdict !== "allow" || ask.answer.until !== "call" || ask.path === null) continue;
    const own = ask.calls[0] === call;
    if (!own && (ask.tool !== "request_read_access" || (await wasUsed(store, ask, ask.answer.at, call)))) continue;
    once.push({ call, ask: ask.id, right: ask.right, path: ask.path, by: ask.answer.by, at: ask.answer.at });
  }
  return once;
}

/** Has another call been let through by that yes? Then it is used up. Told by the record of decisions, whatever the path was called. */
async function wasUsed(store: Store, ask: StoredAsk, since: number, call: CallId): Promise<boolean> {
  const records = await store.audit({ session: ask.session, kind: "decision", reason: "answered", since });
  return records.some(
    ({ event }) => event.kind === "decision" && event.real === ask.path && event.call !== call && !ask.calls.includes(event.call),
  );
}
