// The session a call is judged in, from what the daemon says of it. Roots and grants are resolved again here, where the files are, and
// the policy is read afresh; ids and paths that come over the wire are names until then.

import { HallpassError } from "../../core/errors.ts";
import type { Clock, Ids } from "../../core/clock.ts";
import { askId, callId, grantId } from "../../core/names.ts";
import type { CompiledPolicy } from "../../core/policy/compile.ts";
import { reopenGrants } from "../../core/session/grant.ts";
import { openSession, type Session } from "../../core/session/session.ts";
import type { PolicyFor } from "../../config/policy-for.ts";
import type { AgentState } from "./kept-state.ts";

export interface SessionPorts {
  readonly home: string;
  readonly policyFor: PolicyFor;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * A maker of sessions. The same state under the same policy is the same session, made once: what it was made of was real then, and
 * judging looks anew at what it names. Throws `session-closed`, `invalid-policy`, or why the workspace or a mount cannot be a root.
 */
export function createSessions(ports: SessionPorts): (state: AgentState) => Session {
  let last: { readonly state: AgentState; readonly policy: CompiledPolicy; readonly session: Session } | null = null;
  return (state) => {
    const policy = ports.policyFor(state.session.workspace, state.inherited, state.session.mounts);
    if (last?.state !== state || last.policy !== policy) last = { state, policy, session: sessionOf(state, policy, ports) };
    return last.session;
  };
}

function sessionOf({ session, projects, grants, once }: AgentState, policy: CompiledPolicy, { home, clock, ids }: SessionPorts): Session {
  if (session.archivedAt !== null) throw new HallpassError("session-closed", "the session has been ended");
  const opened = openSession({
    id: session.id,
    workspace: session.workspace,
    mounts: session.mounts,
    projects,
    home,
    policy,
    attended: session.attended,
  });
  if (!opened.ok) throw new HallpassError(opened.code, opened.message);
  const roots = grants
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ id, ask, path, dev, ino, born, by, at, expires }) => ({
      id: grantId(id),
      ask: askId(ask),
      path,
      dev,
      ino,
      born,
      by,
      at,
      expires,
    }));
  const yeses = once.map((yes) => ({ ...yes, call: callId(yes.call), ask: askId(yes.ask) }));
  return reopenGrants(opened.session, roots, { clock, ids, once: yeses }).session;
}
