// Judges a call without a daemon: by the policy files as they are now, with only the grants that the caller of the hook passes in, and
// with the decision written to the spool. Stricter than with a daemon, never looser.

import { HallpassError } from "../../core/errors.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { askId, callId, grantId } from "../../core/names.ts";
import { reopenGrants } from "../../core/session/grant.ts";
import { openSession, type Session } from "../../core/session/session.ts";
import type { Environment, ConfigContext } from "../../config/locations.ts";
import { dataDirectory, leadsPlainly } from "../../config/own-directory.ts";
import type { HookAnswer, HookHost, HostCall } from "./host-call.ts";
import { type HookJudgePorts, judgeCall, judgedOf } from "./judge-call.ts";
import { type PolicyCache, policyFor } from "./kept-policy.ts";
import { type DecisionEvent, spoolCall } from "./spool.ts";

export interface InProcessJudge {
  readonly workspace: string;
  readonly home: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly operatorFile?: string;
  readonly lets: readonly string[];
  /** Could somebody answer an ask of ours at all? */
  readonly attended: boolean;
  /** `device:inode:birth:path`, or without the birth, of directories granted for reading; one that is another directory by now is stale. */
  readonly grants?: readonly string[];
  /** Where what was understood of the policy is kept; null: nowhere. */
  readonly kept: PolicyCache | null;
  /** Keep what is decided for the record? False for a canary, which nobody acts on. */
  readonly isRecorded: boolean;
}

/**
 * Rejects with `invalid-policy` where a file is malformed, with `hook-failed` where the decision cannot be recorded, and with what a workspace
 * that cannot be one is refused with: the caller denies.
 */
export async function judgeInProcess(host: HookHost, call: HostCall, surroundings: InProcessJudge): Promise<HookAnswer> {
  const { workspace, lets } = surroundings;
  const session = await openHere(surroundings);
  const events: DecisionEvent[] = [];
  const guard = createGuard({ audit: (event) => void (event.kind === "decision" && events.push(event)), clock: Date.now });
  const hookCall = callId(call.callId ?? `hook-${process.pid}-${Date.now()}`);
  const ports: HookJudgePorts = {
    workspace: session.workspace.dir,
    home: session.home,
    lets,
    session,
    ask: null,
    foreignServer: async (name) => {
      const { foreignServer } = await import("./own-server.ts");
      return foreignServer(name, { workspace: session.workspace.dir, home: session.home, data: dataDirectory(surroundings) });
    },
    judge: (access) =>
      judgedOf(guard.judge({ call: hookCall, tool: access.tool, operation: access.operation, path: access.path }, session)),
  };
  const answer = await judgeCall(host, call, ports);
  // INVARIANT: recorded before it is told. What is denied for want of a record needs none.
  if (!surroundings.isRecorded || events.length === 0) return answer;
  if (session.policy.policy.hooks.withoutDaemon === "spool")
    spoolCall(dataDirectory(surroundings), { host: host.name, workspace, sessionId: call.sessionId, agentId: call.agentId, events });
  else if (answer.verdict !== "deny") throw new HallpassError("hook-failed", NO_DAEMON);
  return answer;
}

/** The session as the policy files make it now. Rejects as `judgeInProcess` does. */
export async function openHere(surroundings: InProcessJudge): Promise<Session> {
  const { workspace, home, attended, kept, grants = [] } = surroundings;
  const opened = openSession({ workspace, home, policy: await policyFor(surroundings, kept), attended });
  if (!opened.ok) throw new HallpassError(opened.code, opened.message);
  // INVARIANT: no word leaves before this: what was kept of the policy may have been put there by the workspace.
  if (!leadsPlainly(surroundings, { home: opened.session.home, workspace: opened.session.workspace.dir }))
    await mustNotBeMisled(surroundings);
  return grants.length === 0 ? opened.session : withGrants(opened.session, grants);
}

const NO_DAEMON =
  "the daemon did not answer, and `hooks.without_daemon` of the policy is `deny`: start it with `hallpass serve`, or check it with `hallpass status`";

/** Rejects with `invalid-policy` where home or environment lead to what the workspace holds. */
export async function mustNotBeMisled(surroundings: ConfigContext): Promise<void> {
  const { whyUntrusted } = await import("../../config/untrusted-locations.ts");
  const why = whyUntrusted(surroundings);
  if (why !== null) throw new HallpassError("invalid-policy", why);
}

/** The session with these grants; those that are another directory by now are left out. */
export function withGrants(session: Session, grants: readonly string[]): Session {
  const roots = grants.flatMap((grant, index) => {
    const [, dev, ino, born, path] = /^(\d+):(\d+):(?:(\d+(?:\.\d+)?):)?(\/.*)$/su.exec(grant) ?? [];
    const restored = { id: grantId(`hook-${index}`), ask: askId("hook"), by: "host", at: 0, expires: null };
    return path === undefined
      ? []
      : [{ ...restored, path, dev: Number(dev), ino: Number(ino), born: born === undefined ? null : Number(born) }];
  });
  return reopenGrants(session, roots, { clock: () => 0, ids: () => "hook" }).session;
}
