// What the store in memory holds, kind by kind, and what it says where a row cannot be added.

import type {
  AuditRecord,
  StoredAsk,
  StoredChat,
  StoredCredential,
  StoredGrant,
  StoredMount,
  StoredProject,
  StoredSaid,
  StoredSession,
} from "../agent/ports.ts";
import type { Transcript } from "../agent/transcript.ts";
import { HallpassError } from "../core/errors.ts";
import type { AskId, CallId, GrantId, SessionId } from "../core/names.ts";

/** Each kind in the order its rows came. A row is replaced and never changed, so whoever was given one keeps what it was. */
export interface Memory {
  readonly projects: Map<string, StoredProject>;
  readonly sessions: Map<SessionId, StoredSession>;
  readonly mounts: Map<SessionId, readonly StoredMount[]>;
  readonly chats: Map<string, StoredChat>;
  readonly transcripts: Map<string, Transcript>;
  /** Of all chats. */
  readonly said: StoredSaid[];
  readonly asks: Map<AskId, StoredAsk>;
  /** What has become of the yeses for one call. */
  readonly once: Map<AskId, { readonly keptBy?: CallId; readonly usedBy?: CallId; readonly isEnded?: true }>;
  readonly grants: Map<GrantId, StoredGrant>;
  readonly records: AuditRecord[];
  readonly credentials: Map<string, StoredCredential>;
}

export const emptyMemory = (): Memory => ({
  projects: new Map(),
  sessions: new Map(),
  mounts: new Map(),
  chats: new Map(),
  transcripts: new Map(),
  said: [],
  asks: new Map(),
  once: new Map(),
  grants: new Map(),
  records: [],
  credentials: new Map(),
});

/** As many as were asked for, from the one end or the other; all of them where no limit is given. */
export function firstOf<T>(all: readonly T[], newestFirst: boolean, limit = all.length): readonly T[] {
  return (newestFirst ? all.toReversed() : all).slice(0, limit);
}

/** Two rows with one key, or one that the database's own checks refuse. */
export const already = (): HallpassError => new HallpassError("bad-request", "the store has it already, or must not have it so");
/** A reference to a row that is not there. */
export const missing = (): HallpassError => new HallpassError("not-found", "what this would belong to is not in the store");
