// A stored session made live: roots resolved again, grants with the identity they were given for, answers for single calls.

import type { Clock, Ids } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import type { CallId } from "../core/names.ts";
import type { CompiledPolicy } from "../core/policy/compile.ts";
import { reopenGrants } from "../core/session/grant.ts";
import { openSession, type Session } from "../core/session/session.ts";
import type { Store, StoredSession } from "./ports.ts";
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

/** What a call is judged in, as of now: revocations, new grants and policy changes since the last call all count. */
export async function liveSession(ports: LivePorts, stored: StoredSession, call: CallId | null): Promise<Session> {
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
  const granted = reopenGrants(opened.session, await store.grants(stored.id), { clock, ids }).session;
  if (call === null) return granted;
  const once = await onceFor(store, stored, call);
  return reopenGrants(granted, [], { clock, ids, once }).session;
}

/** Yeses for one call: given to this very call, or through request_read_access to the next call that reads that path. */
async function onceFor(store: Store, stored: StoredSession, call: CallId) {
  const answered = await store.asks({ session: stored.id, state: "answered" });
  const once = [];
  for (const ask of answered) {
    if (ask.answer?.verdict !== "allow" || ask.answer.until !== "call" || ask.path === null) continue;
    const own = ask.calls[0] === call;
    if (own || (ask.tool === "request_read_access" && !(await wasUsed(store, ask.chat, ask.calls[0] ?? call, ask.requested[0] ?? ""))))
      once.push({ call, ask: ask.id, right: ask.right, path: ask.path, by: ask.answer.by, at: ask.answer.at });
  }
  return once;
}

/** Has a later call read what that request asked for? A yes for once is then used up. */
async function wasUsed(store: Store, chat: string, request: CallId, requested: string): Promise<boolean> {
  const calls = (await store.transcript(chat)).flatMap((message) => (message.role === "agent" ? message.calls : []));
  const from = calls.findIndex(({ id }) => id === request);
  return calls.slice(from + 1).some(({ input, state }) => state.at === "done" && state.outcome.ok && pathOf(input) === requested);
}

function pathOf(input: unknown): unknown {
  return typeof input === "object" && input !== null && "path" in input ? input.path : undefined;
}
