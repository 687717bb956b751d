// The tables as Kysely sees them, and what a database must offer to be a store. Rows hold plain strings; a real path read back is
// resolved again before it means anything. What differs between SQLite and PostgreSQL stands in `Backend` and nowhere else.

import type { Generated, Kysely } from "kysely";
import type { AskId, CallId, GrantId, SessionId } from "../core/names.ts";
import type { StoredAsk, StoredMount, StoredSession } from "../agent/ports.ts";
import type { CallState, ChatStatus, Message, PendingKind } from "../agent/transcript.ts";

/** Text that holds JSON, as text. */
type Json = string;
/** `text[]` in PostgreSQL, a JSON array in SQLite. `Backend.list` makes one, `listed` reads either. */
export type PathList = Json | readonly string[];

export interface Tables {
  readonly projects: {
    readonly sequence: Generated<number>;
    readonly id: string;
    readonly path: string;
    readonly name: string;
    readonly at: number;
  };
  readonly sessions: {
    readonly sequence: Generated<number>;
    readonly id: SessionId;
    readonly project_id: string | null;
    readonly parent_id: SessionId | null;
    readonly workspace: string;
    readonly asking: StoredSession["asking"];
    readonly attended: 0 | 1;
    readonly allowed_read_paths: PathList;
    readonly at: number;
    readonly archived_at: number | null;
  };
  readonly mounts: {
    readonly session_id: SessionId;
    readonly position: number;
    readonly path: string;
    readonly mode: StoredMount["mode"];
  };
  readonly chats: {
    readonly sequence: Generated<number>;
    readonly id: string;
    readonly session_id: SessionId;
    readonly title: string;
    readonly status: ChatStatus;
    readonly at: number;
  };
  readonly messages: {
    readonly sequence: Generated<number>;
    readonly chat_id: string;
    readonly id: string;
    readonly role: Message["role"];
    readonly at: number;
    readonly body: Json;
  };
  readonly tool_calls: {
    readonly chat_id: string;
    readonly message_id: string;
    readonly position: number;
    readonly id: CallId;
    readonly name: string;
    readonly input: Json;
    readonly state: CallState["at"];
    readonly kind: PendingKind | null;
    readonly ask_id: AskId | null;
    readonly output: Json | null;
  };
  readonly asks: {
    readonly sequence: Generated<number>;
    readonly id: AskId;
    readonly session_id: SessionId;
    readonly chat_id: string;
    readonly kind: PendingKind;
    readonly state: StoredAsk["state"];
    readonly at: number;
    readonly calls: Json;
    readonly requested: Json;
    readonly body: Json;
    readonly answer: Json | null;
  };
  readonly grants: {
    readonly sequence: Generated<number>;
    readonly id: GrantId;
    readonly session_id: SessionId;
    readonly ask_id: AskId;
    readonly path: string;
    readonly dev: number;
    readonly ino: number;
    readonly given_by: string;
    readonly at: number;
    readonly expires: number | null;
    readonly revoked_at: number | null;
  };
  readonly audit: {
    readonly sequence: number;
    readonly event: Json;
    readonly session_id: Generated<string>;
    readonly hash: string;
  };
  readonly audit_head: {
    readonly one: 1;
    readonly sequence: number;
    readonly hash: string;
  };
}

export type Db = Kysely<Tables>;

/** One database. Every fault it has comes out as a HallpassError. */
export interface Backend {
  /** One statement that reads. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Several statements that read and see the data as of one moment. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * One transaction that may write, as if nobody else wrote meanwhile: committed when `work` is done, rolled back when it throws, and
   * durable when this returns. `work` may be run again from the start, so it does nothing but through `db`.
   */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  list(paths: readonly string[]): PathList;
  /** Leaves the data whole in its place. Nothing works afterwards; closing again does nothing. */
  close(): Promise<void>;
}

/** Did the statement change what it was after? The question of every compare-and-set. */
export function changed({ numUpdatedRows }: { readonly numUpdatedRows: bigint }): boolean {
  return numUpdatedRows > 0n;
}
