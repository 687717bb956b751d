// Judging without a daemon: the policy files as they are now, no grants but those whoever starts the hook
// hands over, no record. Stricter than with one, never looser.

import { HallpassError } from "../../core/errors.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { askId, callId, grantId } from "../../core/names.ts";
import { compilePolicy } from "../../core/policy/compile.ts";
import type { Policy } from "../../core/policy/rule.ts";
import { reopenGrants } from "../../core/session/grant.ts";
import { openSession, realHome, type Session } from "../../core/session/session.ts";
import type { Environment, Surroundings } from "../../config/locations.ts";
import { createFewRulesJudge, type RuleBook, ruleBookOf } from "./few-rules.ts";
import type { Answer, HookHost, HostCall } from "./host-call.ts";
import { type CallPorts, judgeCall, judgedOf } from "./judge-call.ts";
import type { Kept } from "./policy-looks.ts";
import { preparedPolicy } from "./prepared-policy.ts";

export interface InProcess {
  readonly workspace: string;
  readonly home: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly operatorFile?: string;
  readonly lets: readonly string[];
  /** Could somebody answer an ask of ours at all? */
  readonly attended: boolean;
  /** `device:inode:path` of directories granted for reading; one that is another directory by now is stale. */
  readonly grants?: readonly string[];
  /** Where what was understood of the policy is kept; null: nowhere. */
  readonly kept: Kept | null;
}

/** Rejects with `invalid-policy` where a file is malformed, and what a workspace that cannot be one is refused with: the caller denies. */
export async function judgeInProcess(host: HookHost, call: HostCall, around: InProcess): Promise<Answer> {
  const book = await policyFor(around);
  try {
    return await judgeBy(book, host, call, around);
  } finally {
    book.close();
  }
}

function judgeBy(
  book: RuleBook,
  host: HookHost,
  call: HostCall,
  { workspace, home, attended, lets, grants = [] }: InProcess,
): Promise<Answer> {
  const opened = openSession({ workspace, home, policy: compilePolicy(book.bare, realHome(home)), attended });
  if (!opened.ok) throw new HallpassError(opened.code, opened.message);
  const session = withGrants(opened.session, grants);
  const judge = createFewRulesJudge(createGuard(), session, book);
  const ports: CallPorts = {
    workspace: session.workspace.dir,
    home: session.home,
    lets,
    session,
    ask: null,
    judge: (access) => judgedOf(judge({ call: callId("hook"), ...access })),
  };
  return judgeCall(host, call, ports);
}

function withGrants(session: Session, grants: readonly string[]): Session {
  if (grants.length === 0) return session;
  const roots = grants.flatMap((grant, index) => {
    const [, dev, ino, path] = /^(\d+):(\d+):(\/.*)$/su.exec(grant) ?? [];
    const kept = { id: grantId(`hook-${index}`), ask: askId("hook"), by: "host", at: 0, expires: null };
    return path === undefined ? [] : [{ ...kept, path, dev: Number(dev), ino: Number(ino) }];
  });
  return reopenGrants(session, roots, { clock: () => 0, ids: () => "hook" }).session;
}

async function policyFor({ workspace, home, env, platform, operatorFile, kept }: InProcess): Promise<RuleBook> {
  const around = { home, env, workspace, platform, ...(operatorFile === undefined ? {} : { operatorFile }) };
  const load = async (seen: Surroundings): Promise<Policy> => {
    const { findingLine, loadPolicy } = await import("../../config/load.ts");
    const loaded = loadPolicy(seen);
    if (!loaded.ok) throw new HallpassError("invalid-policy", loaded.errors.map(findingLine).join("; "));
    return loaded.policy;
  };
  return kept === null ? ruleBookOf(await load(around)) : preparedPolicy(around, kept, load);
}
