// Grants as clients see them: who may read by each, who gave it, for which words, whether it still opens anything, and how much was read.

import { isLookupTool, NETWORK } from "../../core/access.ts";
import type { CompiledPolicy } from "../../core/policy/compile.ts";
import { isSame } from "../../core/session/root.ts";
import { openSession } from "../../core/session/session.ts";
import type { StoredAsk, StoredGrant, StoredSession } from "../../agent/ports.ts";
import type { WireGrant } from "../../wire/values.ts";
import type { AppPorts } from "../ports.ts";
import { machineOf } from "./views.ts";

interface GrantViewPorts extends Pick<AppPorts, "store" | "home" | "clock" | "machine"> {
  /** Any policy: a directory's identity does not depend on it. */
  readonly policy: CompiledPolicy;
}

export async function wireGrants(ports: GrantViewPorts, grants: readonly StoredGrant[]): Promise<WireGrant[]> {
  const { store, machine } = ports;
  const reads = await store.readsUnder(grants.map(({ id }) => id));
  const sessions = new Map<string, StoredSession | null>();
  const views: WireGrant[] = [];
  for (const grant of grants) {
    if (!sessions.has(grant.session)) sessions.set(grant.session, await store.session(grant.session));
    const session = sessions.get(grant.session) ?? null;
    if (session === null) continue;
    const words = agentWords(await store.ask(grant.ask));
    const read = reads.get(grant.id);
    views.push({
      ...commonFields(grant, session, machine),
      words,
      live: isLive(ports, grant, session),
      reads: read?.reads ?? 0,
      lastRead: read?.last ?? null,
    });
  }
  return views;
}

/** A grant that was given this moment, by the answer to this ask: it was judged just now, and nothing has been read under it. */
export function freshGrant(
  grant: StoredGrant,
  { ask, session }: { readonly ask: StoredAsk; readonly session: StoredSession },
  machine: string,
): WireGrant {
  return { ...commonFields(grant, session, machine), words: agentWords(ask), live: true, reads: 0, lastRead: null };
}

/** Which program reached for something is told by Hallpass, and is no word of the agent's. */
const agentWords = (ask: StoredAsk | null): string | null => (ask === null || isLookupTool(ask.tool) ? null : ask.words);

function commonFields({ id, session, ask, path, by, at, expires, revokedAt }: StoredGrant, storedSession: StoredSession, machine: string) {
  const { host, label, workspace } = storedSession;
  return { id, session, host, label, workspace, machine: machineOf(storedSession, machine), ask, path, by, at, expires, revokedAt };
}

/** Is the directory still the one that was granted? It is opened anew, the way a session opens its workspace. */
function isLive({ home, clock, policy, machine }: GrantViewPorts, grant: StoredGrant, session: StoredSession): boolean {
  const { path, expires, revokedAt } = grant;
  if (revokedAt !== null || (expires !== null && expires <= clock())) return false;
  // What a directory of another machine is now, that machine sees: it judges every access by it.
  if (session.machine !== machine) return true;
  if (path === NETWORK) return true;
  const opened = openSession({ workspace: path, home, policy });
  if (!opened.ok) return false;
  const { workspace } = opened.session;
  return workspace.dir === path && isSame(grant, workspace);
}
