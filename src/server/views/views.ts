// Rows of the store as clients see them. Each view asks the store for what belongs to its own row and never looks through the rest.

import type { SessionId } from "../../core/names.ts";
import type { Store, StoredChat, StoredMount, StoredSession } from "../../agent/ports.ts";
import type { WireChat, WireSession } from "../../wire/values.ts";
import type { Views } from "../ports.ts";
import type { ShellReports } from "../shell-reports.ts";
import { type AskViewPorts, wireAsk } from "./ask.ts";

export interface ViewPorts extends AskViewPorts {
  readonly shells: Pick<ShellReports, "state">;
}

export function createViews(ports: ViewPorts): Views {
  const { store } = ports;
  return {
    ask: (ask) => wireAsk(ports, ask),
    async session(id: SessionId) {
      const [session, mounts] = await Promise.all([store.session(id), store.mounts(id)]);
      return session === null ? null : { ...wireSession(session, mounts, ports), ...(await endOf(store, session)) };
    },
  };
}

/** A session as people see it, from the machine this daemon is on. */
export function wireSession(
  session: StoredSession,
  mounts: readonly StoredMount[],
  { machine: here, shells }: Pick<ViewPorts, "machine" | "shells">,
): WireSession {
  const { id, project, parent, workspace, asking, attended, host, label, allowedReadPaths, at, archivedAt } = session;
  return {
    id,
    project,
    parent,
    workspace,
    asking,
    attended,
    host,
    label,
    shell: shells.state(id),
    machine: machineOf(session, here),
    mounts: mounts.map(({ path, mode }) => ({ path, mode })),
    allowed_read_paths: [...allowedReadPaths],
    at,
    archivedAt,
  };
}

/** Why a session ended, as it was recorded. Nothing where it has not, or the record of it was archived. */
export async function endOf(store: Pick<Store, "audit">, { id, archivedAt }: StoredSession): Promise<Pick<WireSession, "ended">> {
  if (archivedAt === null) return {};
  const [record] = await store.audit({ session: id, kind: "session-ended", newestFirst: true, limit: 1 });
  return record?.event.kind === "session-ended" ? { ended: record.event.why } : {};
}

/** The machine with the session's files, where that is another than ours. */
export const machineOf = ({ machine }: StoredSession, here: string): string | null => (machine === here ? null : machine);

export const wireChat = ({ id, session, title, status, at, model, archivedAt }: StoredChat): WireChat => ({
  id,
  session,
  title,
  status,
  at,
  model: model ?? null,
  archivedAt: archivedAt ?? null,
});
