// Rows of the store as clients see them. Each view asks the store for what belongs to its own row and never looks through the rest.

import type { SessionId } from "../../core/names.ts";
import type { StoredChat, StoredMount, StoredSession } from "../../agent/ports.ts";
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
      return session === null ? null : wireSession(session, mounts, ports);
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
