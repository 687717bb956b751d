// `hallpass sync`: a policy in a host's own words, as files to be written. Pure.

import type { Policy } from "../../core/policy/rule.ts";
import type { WantedFile, Where } from "../install/index.ts";
import { claudeCodeSync } from "./claude-code.ts";
import { closedBy } from "./closed-places.ts";
import { codexSync } from "./codex.ts";
import { opencodeSync } from "./opencode.ts";

export const syncHosts = ["claude-code", "codex", "opencode"] as const;
export type SyncHost = (typeof syncHosts)[number];

export interface Synced {
  readonly files: readonly WantedFile[];
  /** What the host's words cannot say, and what should be known about it. */
  readonly notes: readonly string[];
}

/** `program`: where the host's own program is, for the one that must be able to read itself. */
export function syncFor(host: SyncHost, policy: Policy, where: Where, program: string | null): Synced {
  const closed = closedBy(policy, where.home);
  const synced =
    host === "claude-code"
      ? claudeCodeSync(closed, where)
      : host === "codex"
        ? codexSync(closed, where, program)
        : opencodeSync(closed, where);
  return { ...synced, notes: [...synced.notes, ...closed.leftOut] };
}
