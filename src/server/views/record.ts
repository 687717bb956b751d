// Records as clients see them: with the agent, the workspace and the machine that each is about. These are read from the session and are no
// part of the chain.

import { sessionName } from "../../core/guard/card.ts";
import { HallpassError } from "../../core/errors.ts";
import type { SessionId } from "../../core/names.ts";
import type { AuditRecord, Store, StoredSession } from "../../agent/ports.ts";
import type { WireRecord } from "../../wire/audit-routes.ts";
import { machineOf } from "./views.ts";

interface RecordViewPorts {
  readonly store: Pick<Store, "session" | "audit">;
  /** This machine. */
  readonly machine: string;
}

interface KnownSession {
  readonly session: StoredSession;
  /** When its workspace was moved, oldest first, and where it was before. */
  readonly moves: readonly { readonly sequence: number; readonly before: string }[];
}

export async function wireRecords({ store, machine }: RecordViewPorts, records: readonly AuditRecord[]): Promise<WireRecord[]> {
  const found = new Map<SessionId, KnownSession | null>();
  for (const { event } of records) if (!found.has(event.session)) found.set(event.session, await findSession(store, event.session));
  return records.map((record) => {
    const { sequence, hash, event } = record;
    return { sequence, hash, event: { ...event }, about: aboutOf(record, found.get(event.session) ?? null, machine) };
  });
}

async function findSession(store: RecordViewPorts["store"], id: SessionId): Promise<KnownSession | null> {
  const session = await store.session(id).catch(nullIfDamaged);
  if (session === null) return null;
  const moves = (await store.audit({ session: id, kind: "roots-changed" })).flatMap(({ sequence, event }) =>
    event.kind === "roots-changed" && event.before !== null ? [{ sequence, before: event.before }] : [],
  );
  return { session, moves };
}

function aboutOf({ sequence, event }: AuditRecord, found: KnownSession | null, machine: string): WireRecord["about"] {
  if (found !== null) {
    const { session, moves } = found;
    const workspace = moves.find((move) => move.sequence > sequence)?.before ?? session.workspace;
    return { agent: sessionName({ ...session, workspace }), workspace, machine: machineOf(session, machine) };
  }
  // A hook decided while the daemon was away, and the daemon never had a session for it.
  if (event.kind !== "decision" || event.host === undefined || event.workspace === undefined) return null;
  return { agent: event.host, workspace: event.workspace, machine: null };
}

/** A session that cannot be read takes no record out of the list. */
function nullIfDamaged(error: unknown): null {
  if (error instanceof HallpassError) return null;
  throw error;
}
