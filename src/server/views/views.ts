// Rows of the store as clients see them. Each view asks the store for what belongs to its own row and never looks through the rest.

import type { AskId, SessionId } from "../../core/names.ts";
import type { Store, StoredAsk, StoredChat, StoredMount, StoredSession } from "../../agent/ports.ts";
import type { WireAsk, WireChat, WireSession } from "../../wire/values.ts";
import type { Change } from "../../tools/change.ts";
import type { Views } from "../ports.ts";
import { isKnown, wireAsk } from "./ask.ts";

export interface ViewPorts {
  readonly store: Store;
  /** How long an ask stays answerable, in milliseconds; null for ever. */
  readonly askLife: number | null;
  /** This machine. */
  readonly machine: string;
  /** Is a daemon of this machine there? */
  readonly isThere: (machine: string) => boolean;
  /** What the call of an open ask would make of files. */
  readonly changes: (ask: StoredAsk) => Promise<readonly Change[]>;
}

/** The views, and who must tell them that rows have changed. */
export interface ViewsInside extends Views {
  /** Something in the store is another now: what was made before is not given to anybody who asks from here on. */
  changed(): void;
  /** The card that whoever has just answered this ask is being given, where nothing has changed since; null where there is none. */
  shown(ask: AskId): Promise<WireAsk> | null;
}

export function createViews(ports: ViewPorts): ViewsInside {
  const { store } = ports;
  // Whoever answers and whoever listens want the same card at the same moment: it is made once. Every other card is made anew.
  const making = new Map<AskId, Promise<WireAsk>>();
  return {
    ask(ask) {
      const card = wireAsk(ports, ask);
      if (!isKnown(ask)) return card;
      making.set(ask.id, card);
      const forget = (): void => {
        setImmediate(() => {
          if (making.get(ask.id) === card) making.delete(ask.id);
        });
      };
      card.then(forget, forget);
      return card;
    },
    changed: () => making.clear(),
    shown: (ask) => making.get(ask) ?? null,
    async session(id: SessionId) {
      const [session, mounts] = await Promise.all([store.session(id), store.mounts(id)]);
      return session === null ? null : wireSession(session, mounts, ports.machine);
    },
    async chat(id) {
      const chat = await store.chat(id);
      return chat === null ? null : wireChat(chat);
    },
  };
}

/** `here`: the machine this daemon is on. */
export function wireSession(session: StoredSession, mounts: readonly StoredMount[], here: string): WireSession {
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
    machine: machineOf(session, here),
    mounts: mounts.map(({ path, mode }) => ({ path, mode })),
    allowed_read_paths: [...allowedReadPaths],
    at,
    archivedAt,
  };
}

/** The machine with the session's files, where that is another than ours. */
export const machineOf = ({ machine }: StoredSession, here: string): string | null => (machine === here ? null : machine);

export const wireChat = ({ id, session, title, status, at }: StoredChat): WireChat => ({ id, session, title, status, at });
