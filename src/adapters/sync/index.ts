// `hallpass sync`: a policy in a host's own words, as files to be written. Pure.

import type { Policy } from "../../core/policy/rule.ts";
import type { SyncHost, WantedFile, InstallPlace } from "../install/index.ts";
import { claudeCodeSync } from "./claude-code.ts";
import { closedBy } from "./closed-places.ts";
import { codexSync } from "./codex.ts";
import { opencodeSync } from "./opencode.ts";

export interface SyncResult {
  readonly files: readonly WantedFile[];
  /** What the host's words cannot say, and what should be known about it. */
  readonly notes: readonly string[];
}

const syncs: Readonly<Record<SyncHost, (closed: ReturnType<typeof closedBy>, where: InstallPlace, program: string | null) => SyncResult>> =
  {
    "claude-code": claudeCodeSync,
    codex: codexSync,
    opencode: opencodeSync,
  };

/** `program`: where the host's own program is, for the one that must be able to read itself. */
export function syncFor(host: SyncHost, policy: Policy, where: InstallPlace, program: string | null): SyncResult {
  const closed = closedBy(policy, where.home);
  const synced = syncs[host](closed, where, program);
  return { ...synced, notes: [...synced.notes, ...closed.leftOut] };
}
