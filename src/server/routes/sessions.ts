// Sessions: opened in a workspace, shown, made smaller, ended. The list of allowed paths can only become shorter.

import { defined } from "../../core/defined.ts";
import { sessionId } from "../../core/names.ts";
import { openSession } from "../../core/session/session.ts";
import { endOf, wireSession } from "../views/views.ts";
import type { AppPorts } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";
import { findSession, findOpenSession, viewSession } from "./find-rows.ts";
import type { Handlers } from "./handler.ts";
import { rootChanges } from "./root-changes.ts";
import { canonicalSpelling, fromHome } from "./root-paths.ts";

const LISTED = 200;

type SessionRoute = "listSessions" | "addSession" | "session" | "shrinkSession" | "archiveSession";

export function sessionRoutes(ports: AppPorts): Pick<Handlers, SessionRoute> {
  const { store, agent } = ports;
  return {
    async listSessions({ query: { archived, before, limit = LISTED } }) {
      const filter = { archived: archived && archived === "true", before: before === undefined ? undefined : sessionId(before) };
      const newest = await store.sessions(defined({ ...filter, limit, newestFirst: true }));
      return Promise.all(
        newest.map(async (session) => ({
          ...wireSession(session, await store.mounts(session.id), ports),
          ...(await endOf(store, session)),
        })),
      );
    },

    async addSession({ body: { workspace, project, asking, attended, mounts = [] }, by }) {
      const projects = await store.projects();
      if (project !== undefined && !projects.some(({ id }) => id === project)) throw notFound();
      const opened = openRoots(ports, fromHome(workspace, ports.home), mounts, []);
      const projectId = project ?? projects.find(({ path }) => path === opened.workspace.dir)?.id;
      const roots = { workspace: opened.workspace.dir, mounts: opened.mounts.map(({ dir, mode }) => ({ path: dir, mode })) };
      const session = await agent.newSession(defined({ ...roots, project: projectId, asking, attended }));
      await store.record(rootChanges({ ...roots, mounts: [] }, roots, { at: session.at, session: session.id, by }));
      return viewSession(ports, session.id);
    },

    session: ({ id }) => viewSession(ports, id),

    async shrinkSession({ id, body, by }) {
      const session = await findOpenSession(ports, id);
      const remaining = new Set<string>();
      for (const path of body.allowed_read_paths) {
        const canonical = canonicalSpelling(path);
        if (canonical === null)
          throw new Refusal("bad-request", "every entry of allowed_read_paths must be an absolute path that does not go up");
        if (!session.allowedReadPaths.includes(canonical))
          throw new Refusal("bad-request", "allowed_read_paths can only become smaller; it holds a path that is not granted");
        remaining.add(canonical);
      }
      // RACE: a grant that came after the list was read is not in it, and so it stays.
      const removed = session.allowedReadPaths.filter((path) => !remaining.has(path));
      for (const grant of await store.grants(session.id)) if (removed.includes(grant.path)) await agent.revoke(grant.id, by);
      return viewSession(ports, id);
    },

    async archiveSession({ id, query: { why = "person" }, by }) {
      const session = await findSession(ports, id);
      await agent.endSession(session.id, by, why);
      return viewSession(ports, id);
    },
  };
}

/** The roots a session would have, opened: its workspace and mounts exist and are fit to be roots. Gives them by their real names. */
export function openRoots(
  { home, policyFor }: AppPorts,
  workspace: string,
  mounts: readonly { readonly path: string; readonly mode: "read_only" | "extend" | "sandboxed" }[],
  inherited: readonly string[],
) {
  const opened = openSession({ id: "plan", workspace, mounts, home, policy: (_home, real) => policyFor(real, inherited, mounts) });
  if (!opened.ok) throw new Refusal(opened.code, opened.message, { status: 400 });
  return opened.session;
}
