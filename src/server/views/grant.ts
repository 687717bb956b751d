// Grants as clients see them: who gave each, for which words, whether it still opens anything, and how much was read under it.

import type { Clock } from "../../core/clock.ts";
import type { CompiledPolicy } from "../../core/policy/compile.ts";
import { isSame } from "../../core/session/root.ts";
import { openSession } from "../../core/session/session.ts";
import type { Store, StoredAsk, StoredGrant } from "../../agent/ports.ts";
import type { WireGrant } from "../../wire/values.ts";

export interface GrantViewPorts {
  readonly store: Store;
  readonly home: string;
  readonly clock: Clock;
  /** Any policy: a directory's identity does not depend on it. */
  readonly policy: CompiledPolicy;
}

export async function wireGrants(ports: GrantViewPorts, grants: readonly StoredGrant[]): Promise<WireGrant[]> {
  const { store } = ports;
  const reads = await store.readsUnder(grants.map(({ id }) => id));
  const shown: WireGrant[] = [];
  for (const grant of grants) {
    const { id, session, ask, path, by, at, expires, revokedAt } = grant;
    const words = (await store.ask(ask))?.words ?? null;
    const read = reads.get(id);
    const live = isLive(ports, grant);
    shown.push({ id, session, ask, path, by, at, expires, revokedAt, words, live, reads: read?.reads ?? 0, lastRead: read?.last ?? null });
  }
  return shown;
}

/** A grant that was given this moment, by the answer to this ask: it was judged just now, and nothing has been read under it. */
export function freshGrant(grant: StoredGrant, { words }: StoredAsk): WireGrant {
  const { id, session, ask, path, by, at, expires, revokedAt } = grant;
  return { id, session, ask, path, by, at, expires, revokedAt, words, live: true, reads: 0, lastRead: null };
}

/** Is the directory still the one that was granted? It is opened anew, the way a session opens its workspace. */
function isLive({ home, clock, policy }: GrantViewPorts, grant: StoredGrant): boolean {
  const { path, expires, revokedAt } = grant;
  if (revokedAt !== null || (expires !== null && expires <= clock())) return false;
  const opened = openSession({ workspace: path, home, policy });
  if (!opened.ok) return false;
  const { workspace } = opened.session;
  return workspace.dir === path && isSame(grant, workspace);
}
