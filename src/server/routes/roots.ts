// The roots of a session: the workspace moved, mounts added and taken out. Whatever changes them ends the yeses for single calls and has
// the open asks judged again.

import { createGuard } from "../../core/guard/guard.ts";
import { removeRoot, type Session } from "../../core/session/session.ts";
import { inheritedWorkspaces } from "../../agent/spawning.ts";
import type { StoredSession } from "../../agent/ports.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import { findOpenSessionHere, viewSession } from "./find-rows.ts";
import type { Handlers } from "./handler.ts";
import { rejudgeOpenAsks } from "./rejudge.ts";
import { rootChanges } from "./root-changes.ts";
import { fromWorkspace } from "./root-paths.ts";
import { openRoots } from "./sessions.ts";

export function rootRoutes(ports: AppPorts): Pick<Handlers, "reanchor" | "addMount" | "removeMount"> {
  const { store, clock, ids } = ports;
  const guard = createGuard({ clock, ids });

  /** The session with other roots, by their real names. Refused before anything is changed. */
  const change = async (stored: StoredSession, roots: Session, by: string): Promise<void> => {
    const mounts = roots.mounts.map(({ dir, mode }) => ({ session: stored.id, path: dir, mode }));
    const before = { workspace: stored.workspace, mounts: await store.mounts(stored.id) };
    const events = rootChanges(before, { workspace: roots.workspace.dir, mounts }, { at: clock(), session: stored.id, by });
    if (!(await store.changeRoots(stored.id, roots.workspace.dir, mounts, events)))
      throw new Refusal("session-closed", "the session has ended");
    await store.endOnceGrants(stored.id, clock(), null);
    await rejudgeOpenAsks(ports, guard, stored.id);
  };
  const mountsOf = async (stored: StoredSession) => (await store.mounts(stored.id)).map(({ path, mode }) => ({ path, mode }));
  const openChanged = async (stored: StoredSession, workspace: string, mounts: Awaited<ReturnType<typeof mountsOf>>): Promise<Session> =>
    openRoots(ports, workspace, mounts, await inheritedWorkspaces(store, stored));

  return {
    async reanchor({ id, body: { workspace, transcript }, by }) {
      const stored = await findOpenSessionHere(ports, id);
      const roots = await openChanged(stored, workspace, await mountsOf(stored));
      await change(stored, roots, by);
      if (transcript === "drop") await dropTranscripts(ports, stored, roots.workspace.dir);
      return viewSession(ports, id);
    },

    async addMount({ id, body: { path: typed, mode }, by }) {
      const stored = await findOpenSessionHere(ports, id);
      const path = fromWorkspace(typed, stored.workspace, ports.home);
      // The same directory again, under any of its names, changes its mode.
      await change(stored, await openChanged(stored, stored.workspace, [...(await mountsOf(stored)), { path, mode }]), by);
      return viewSession(ports, id);
    },

    async removeMount({ id, body: { path: typed }, by }) {
      const stored = await findOpenSessionHere(ports, id);
      const path = fromWorkspace(typed, stored.workspace, ports.home);
      if (path.includes("\0")) throw new Refusal("invalid-path", "a path has no NUL character in it");
      const oldMounts = await mountsOf(stored);
      // A mount whose directory is gone can be taken out by the name it was mounted under.
      const remaining = oldMounts.filter((mount) => mount.path !== path);
      const roots = removeRoot(await openChanged(stored, stored.workspace, remaining), path);
      if (roots.mounts.length < oldMounts.length) await change(stored, roots, by);
      return viewSession(ports, id);
    },
  };
}

/** A summary stands before everything said so far: it stays stored, and is no longer sent to the model. */
async function dropTranscripts({ store, clock, ids }: AppPorts, { id }: StoredSession, workspace: string): Promise<void> {
  const text = `The workspace is ${workspace} now. What was said before belonged to another one and was left there.`;
  for (const chat of await store.chats(id)) await store.append(chat.id, { role: "summary", id: ids(), at: clock(), text }, null);
}
