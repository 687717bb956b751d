// Projects, sessions and mounts of the store in memory. A session ends here, and with it all that was its own: asks, grants, waiting
// calls and chats.

import type { Store, StoredMount } from "../agent/ports.ts";
import type { SessionId } from "../core/names.ts";
import { allCalls, putCall } from "./memory-calls.ts";
import { isLive } from "./memory-grants.ts";
import { already, firstOf, type Memory, missing } from "./memory-rows.ts";
import { record } from "./memory-audit.ts";
import { heard, waiting } from "./memory-said.ts";
import { exact, legible } from "./text.ts";
import { archivedWhileWaiting } from "./transcripts.ts";

export function sessionsIn(memory: Memory) {
  const { projects, sessions, mounts, chats, asks, grants } = memory;
  const placed = (session: SessionId, given: readonly StoredMount[]): readonly StoredMount[] => {
    if (new Set(given.map(({ path }) => path)).size < given.length) throw already();
    return given.map(({ path, mode }) => ({ session, path: exact(path), mode }));
  };
  return {
    async addProject({ id, path, name, at }) {
      const project = { id: exact(id), path: exact(path), name: legible(name), at };
      if (projects.has(id) || [...projects.values()].some((other) => other.path === path)) throw already();
      projects.set(id, project);
    },
    projects: async () => [...projects.values()],

    async addSession(session, given) {
      const kept = {
        ...session,
        id: exact(session.id),
        workspace: exact(session.workspace),
        host: session.host === null ? null : exact(session.host),
        hostSession: session.hostSession === null ? null : exact(session.hostSession),
        label: session.label === null ? null : legible(session.label),
        machine: exact(session.machine),
        allowedReadPaths: [...new Set(session.allowedReadPaths.map(exact))],
      };
      if (sessions.has(session.id) || session.parent === session.id) throw already();
      if (session.archivedAt !== null && session.allowedReadPaths.length > 0) throw already();
      const unknown =
        (session.project !== null && !projects.has(session.project)) || (session.parent !== null && !sessions.has(session.parent));
      if (unknown) throw missing();
      mounts.set(session.id, placed(session.id, given));
      sessions.set(session.id, kept);
    },
    session: async (id) => sessions.get(id) ?? null,
    sessions: async ({ archived, limit, newestFirst = false } = {}) =>
      firstOf(
        [...sessions.values()].filter(({ archivedAt }) => archived === undefined || (archivedAt !== null) === archived),
        newestFirst,
        limit,
      ),
    sessionOfHost: async (host, hostSession, workspace) =>
      [...sessions.values()].find(
        (one) => one.archivedAt === null && one.host === host && one.hostSession === hostSession && one.workspace === workspace,
      ) ?? null,

    async changeRoots(id, workspace, given) {
      const session = sessions.get(id);
      const moved = exact(workspace);
      if (session === undefined || session.archivedAt !== null) return false;
      mounts.set(id, placed(id, given));
      sessions.set(id, { ...session, workspace: moved });
      return true;
    },
    mounts: async (id) => mounts.get(id) ?? [],

    async archiveSession(id, at, events) {
      const session = sessions.get(id);
      if (session === undefined || session.archivedAt !== null) return false;
      const chatsOfIt = [...chats.values()].filter((chat) => chat.session === id);
      for (const chat of chatsOfIt) waiting(memory, chat.id);
      sessions.set(id, { ...session, archivedAt: at, allowedReadPaths: [] });
      const own = [...asks.values()].filter((ask) => ask.session === id && ask.state === "open");
      for (const ask of own) asks.set(ask.id, { ...ask, state: "closed" });
      for (const grant of grants.values()) if (isLive(grant, id)) grants.set(grant.id, { ...grant, revokedAt: at });
      for (const { chat, call } of allCalls(memory)) {
        const { state } = call;
        if (state.at === "waiting" && (chats.get(chat)?.session === id || own.some((ask) => ask.id === state.ask)))
          putCall(memory, chat, call.id, archivedWhileWaiting);
      }
      for (const chat of chatsOfIt) {
        chats.set(chat.id, { ...chat, status: "archived" });
        heard(memory, chat.id);
      }
      record(memory, events);
      return true;
    },
  } satisfies Partial<Store>;
}
