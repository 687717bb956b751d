// Sessions under their projects, chats under their sessions, the newest first; grants under their sessions. Pure.

import type { WireProject, WireChat, WireGrant, WireSession } from "../../../src/wire/values.ts";
import { lastName } from "../words/counts.ts";

export interface SessionGroup {
  readonly name: string;
  readonly path: string;
  readonly sessions: readonly { readonly session: WireSession; readonly chats: readonly WireChat[] }[];
}

export function groupSessions(
  projects: readonly WireProject[],
  sessions: Readonly<Record<string, WireSession>>,
  chats: Readonly<Record<string, WireChat>>,
): readonly SessionGroup[] {
  const bySession = new Map<string, WireChat[]>();
  // Those that were archived are in a list of their own.
  for (const chat of Object.values(chats).filter(({ archivedAt }) => archivedAt === null))
    bySession.set(chat.session, [...(bySession.get(chat.session) ?? []), chat]);
  const groups = new Map<
    string,
    { name: string; path: string; newest: number; sessions: { session: WireSession; chats: readonly WireChat[] }[] }
  >();
  const all = Object.values(sessions).filter(({ archivedAt }) => archivedAt === null);
  for (const session of all.sort((a, b) => b.at - a.at)) {
    const project = projects.find(({ id, path }) => id === session.project || path === session.workspace);
    const path = project?.path ?? session.workspace;
    const group = groups.get(path) ?? { name: project?.name ?? lastName(session.workspace), path, newest: session.at, sessions: [] };
    group.sessions.push({ session, chats: (bySession.get(session.id) ?? []).sort((a, b) => b.at - a.at) });
    groups.set(path, group);
  }
  const sorted = [...groups.values()].sort((a, b) => b.newest - a.newest);
  // Two of one name are told apart by the directory that holds each.
  return sorted.map((group) => {
    const isShared = sorted.some(({ name, path }) => name === group.name && path !== group.path);
    return isShared ? { ...group, name: `${lastName(group.path.replace(/\/[^/]*\/*$/u, ""))}/${group.name}` } : group;
  });
}

/** The grants that hold, by the session they were given to, in the order in which they were given. `session` is any grant of it. */
export function groupGrants(
  grants: readonly WireGrant[],
): readonly { readonly session: WireGrant; readonly grants: readonly WireGrant[] }[] {
  const groups = new Map<string, { session: WireGrant; grants: WireGrant[] }>();
  for (const grant of grants.filter(({ revokedAt }) => revokedAt === null)) {
    const group = groups.get(grant.session) ?? { session: grant, grants: [] };
    group.grants.push(grant);
    groups.set(grant.session, group);
  }
  return [...groups.values()];
}
