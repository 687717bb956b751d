// Rows of the store as clients see them. Each view asks the store for what belongs to its own row and never looks through the rest.

import type { SessionId } from "../../core/names.ts";
import type { Store, StoredChat, StoredMount, StoredSession } from "../../agent/ports.ts";
import type { WireChat, WireSession } from "../../wire/values.ts";
import type { Views } from "../ports.ts";
import { wireAsk } from "./ask.ts";

export interface ViewPorts {
  readonly store: Store;
  /** How long an ask stays answerable, in milliseconds; null for ever. */
  readonly askLife: number | null;
}

export function createViews(ports: ViewPorts): Views {
  const { store } = ports;
  return {
    ask: (ask) => wireAsk(ports, ask),
    async session(id: SessionId) {
      const session = await store.session(id);
      return session === null ? null : wireSession(session, await store.mounts(id));
    },
    async chat(id) {
      const chat = await store.chat(id);
      return chat === null ? null : wireChat(chat);
    },
  };
}

export function wireSession(session: StoredSession, mounts: readonly StoredMount[]): WireSession {
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
    mounts: mounts.map(({ path, mode }) => ({ path, mode })),
    allowed_read_paths: [...allowedReadPaths],
    at,
    archivedAt,
  };
}

export const wireChat = ({ id, session, title, status, at }: StoredChat): WireChat => ({ id, session, title, status, at });
