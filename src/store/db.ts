// The tables as Kysely sees them, and what a database must offer to be a store. Rows hold plain strings; a real path read back is
// resolved again before it means anything. What differs between SQLite and PostgreSQL stands in `SqlBackend` and nowhere else.

import { type Generated, type Kysely, type RawBuilder, sql } from "kysely";
import type { AskEnd } from "../core/audit.ts";
import type { AskId, CallId, GrantId, SessionId } from "../core/names.ts";
import type { StoredAsk, StoredGrant, StoredMount, StoredSession } from "../agent/ports.ts";
import type { Link } from "./chain.ts";
import type { DamageLog } from "./damage.ts";
import type { CallState, ChatStatus, Message, PendingKind } from "../agent/transcript.ts";

/** Text that holds JSON, as text. */
type Json = string;
/** `text[]` in PostgreSQL, a JSON array in SQLite. `Backend.list` makes one, `listed` reads either. */
export type StoredPaths = Json | readonly string[];

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
    readonly host: string | null;
    readonly host_session: string | null;
    readonly label: string | null;
    readonly machine: string;
    readonly allowed_read_paths: StoredPaths;
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
    readonly model: string | null;
    readonly started_in: string | null;
    readonly started_by: CallId | null;
    readonly archived_at: number | null;
    readonly deleted_at: number | null;
  };
  readonly messages: {
    readonly sequence: Generated<number>;
    readonly chat_id: string;
    readonly id: string;
    readonly role: Message["role"];
    readonly at: number;
    readonly body: Json;
    readonly rewound_at: number | null;
  };
  readonly said: {
    readonly sequence: Generated<number>;
    readonly chat_id: string;
    readonly id: string;
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
    readonly closed_why: AskEnd | null;
    readonly kept_by: CallId | null;
    readonly used_by: CallId | null;
    readonly ended_at: number | null;
    readonly waiting_yes: Json | null;
    readonly rewound_at: number | null;
  };
  readonly grants: {
    readonly sequence: Generated<number>;
    readonly id: GrantId;
    readonly session_id: SessionId;
    readonly ask_id: AskId;
    readonly path: string;
    readonly dev: number;
    readonly ino: number;
    readonly born: number | null;
    readonly given_by: string;
    readonly at: number;
    readonly expires: number | null;
    readonly revoked_at: number | null;
  };
  readonly audit: {
    readonly sequence: number;
    readonly event: Json;
    readonly hash: string;
    // Taken out of the event by the database.
    readonly session_id: Generated<string>;
    readonly kind: Generated<string>;
    readonly verdict: Generated<string | null>;
    readonly reason: Generated<string | null>;
    readonly used_grant: Generated<GrantId | null>;
    readonly at: Generated<number>;
  };
  readonly audit_times: {
    readonly at: number;
    readonly sequence: number;
  };
  readonly audit_base: {
    readonly one: 1;
    readonly sequence: number;
    readonly hash: string;
  };
  readonly audit_head: {
    readonly one: 1;
    readonly sequence: number;
    readonly hash: string;
  };
  readonly credentials: {
    readonly digest: string;
    readonly session_id: SessionId;
    readonly at: number;
  };
  readonly browsers: {
    readonly id: string;
    readonly digest: string;
    readonly owner: string;
    readonly name: string;
    readonly at: number;
    readonly seen_at: number;
    readonly push: Json | null;
  };
}

export type Db = Kysely<Tables>;

/** By which of its parts a session is known. */
export type SessionKey =
  | { readonly session: SessionId }
  | { readonly chat: string }
  | { readonly ask: AskId }
  | { readonly grant: GrantId };

/** How an ask ends: what it becomes, the grant that its answer makes, what becomes of its calls, and what is recorded of it. */
export interface Settlement {
  readonly ask: AskId;
  readonly state: "answered" | "closed";
  readonly answer: Json | null;
  /** Why it was closed; null where it was answered. */
  readonly closed: AskEnd | null;
  readonly grant: StoredGrant | null;
  readonly calls: readonly { readonly id: CallId; readonly state: CallState["at"]; readonly output: Json | null }[];
  /** Canonical JSON. */
  readonly events: readonly string[];
}

/** How long a note may be on its way to the disk, in milliseconds. */
export const NOTED = 500;

/** One database. Every fault it has comes out as a HallpassError. */
export interface SqlBackend {
  /** What was met that could not be read. */
  readonly damage: DamageLog;
  /** Statements that read, each as of its own moment; those that are sent together are answered together. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Several statements that read and see the data as of one moment. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * One transaction that may write, as if nobody else wrote meanwhile: committed when `work` is done, rolled back when it throws, and
   * durable when this returns. `work` may be run again from the start, so it does nothing but through `db`. `of` says whose session it
   * is about: what is done in one session is done one after the other, whoever does it.
   */
  write<T>(of: SessionKey | null, work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * As `write`, and returns before it is on the disk: a process that is killed has kept it; a machine that loses its power may lose it,
   * with everything that was noted after it. It is on the disk with the next write, or within `NOTED` milliseconds.
   */
  note<T>(of: SessionKey | null, work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * A note of one statement, which changes one row by itself and names the state that it starts from: it needs no lock but that row's. Where
   * it is not known whether it was done it `isAgain` done, and tells then what came of it.
   */
  alter(work: (db: Db, isAgain: boolean) => Promise<boolean>): Promise<boolean>;
  /** Where the record ends. Nobody else adds to it until the transaction is over. */
  lockHead(db: Db): Promise<Link | undefined>;
  /** Add events, canonical JSON, to the end of the record. Last in a transaction: whoever does holds up everybody else who does. */
  record(db: Db, events: readonly string[]): Promise<void>;
  /**
   * An ask is over, in one call, in a transaction that may write, or where that is null in one of its own; undefined where it is done
   * statement by statement (see `asks.ts`). Locks the ask's session itself. False, and nothing changed, if the ask is not open.
   */
  readonly settle?: (db: Db | null, settlement: Settlement) => Promise<boolean>;
  /** What each table takes, with its indexes. */
  readonly sizes: RawBuilder<{ readonly table: string; readonly bytes: number }>;
  list(paths: readonly string[]): StoredPaths;
  /** Of an ask's answer: that it is a no, and when it was given. As the index on them has it. */
  readonly denial: { readonly is: RawBuilder<boolean>; readonly at: RawBuilder<number> };
  /** Of an ask's answer: that it is a yes for one call. As the index on them has it. */
  readonly isOnce: RawBuilder<boolean>;
  /** Of an ask with a yes for one call: that it is for this path. As the index on them has it. */
  isAskedFor(path: string): RawBuilder<boolean>;
  /** Of a project, a mount or a grant: that its directory is one of these. As the index on them has it. */
  isAt(directories: readonly string[]): RawBuilder<boolean>;
  /** Of an ask for a grant: that it is about what `storedKey` says. As the index on it has it. */
  about(key: string): RawBuilder<boolean>;
  /** Of a record: that it is about a path with this text in it, as it was asked for, as it really is or as it was granted. */
  isAboutPath(text: string): RawBuilder<boolean>;
  /** A field of a text that holds a JSON object, as text; null where it is not there, or null. */
  field(json: RawBuilder<unknown>, name: string): RawBuilder<string | null>;
  /** Is this text somewhere in the column? Whether its letters from a to z are large or small makes no difference. */
  contains(column: string, text: string): RawBuilder<boolean>;
  /** Leaves the data whole in its place. Nothing works afterwards; closing again does nothing. */
  close(): Promise<void>;
}

/**
 * A text column in a condition that must not choose the index. SQLite keeps no statistics, so where several columns are asked for the
 * query says itself which of them leaves the fewest rows, by hiding the others.
 */
export function unindexed(column: string): RawBuilder<string> {
  return sql<string>`coalesce(${sql.ref(column)}, '')`;
}

/** `limit 1`, written out: of such a query SQLite's driver fetches one row, in a third of the time. */
export const ONE = sql.lit(1);

/** Where in its table the row of this id stands, within a query: a page goes on from there. */
export const placeOf = (table: "sessions" | "chats" | "asks" | "grants", id: string) =>
  sql<number>`(select ${sql.ref(`${table}.sequence`)} from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = ${id})`;

/** Did the statement change what it was after? The question of every compare-and-set. */
export function changed(done: { readonly numUpdatedRows: bigint } | { readonly numAffectedRows?: bigint }): boolean {
  return ("numUpdatedRows" in done ? done.numUpdatedRows : (done.numAffectedRows ?? 0n)) > 0n;
}
