// The tables of a store in the order in which they can be filled, and what a row of each looks like on a line. `sequence` is not on it
// (the lines are in its order) but for the record, where it is part of the chain; nor is what the database works out by itself.

import { fields, list, nullable, number, perhaps, type Shape, text } from "./shape.ts";

/** A column that came later is missing from the lines of an earlier version. */
export type TableRow = Readonly<Record<string, string | number | null | readonly string[] | undefined>>;

/** How a row is known among those of its table, so that tables are read page by page. */
type Key = readonly [string, ...string[]];

export interface TransferTable {
  readonly name: (typeof names)[number];
  readonly columns: readonly string[];
  readonly key: Key;
  readonly isRow: Shape<TableRow>;
}

const names = [
  "projects",
  "sessions",
  "mounts",
  "chats",
  "messages",
  "asks",
  "tool_calls",
  "grants",
  "audit",
  "credentials",
  "said",
  "browsers",
] as const;

const maybeText = nullable(text);
const maybeNumber = nullable(number);

function table(name: (typeof names)[number], key: Key, shapes: Readonly<Record<string, Shape<TableRow[string]>>>): TransferTable {
  return { name, key, columns: Object.keys(shapes), isRow: fields<TableRow>(shapes) };
}

export const transferTables: readonly TransferTable[] = [
  table("projects", ["sequence"], { id: text, path: text, name: text, at: number }),
  table("sessions", ["sequence"], {
    id: text,
    project_id: maybeText,
    parent_id: maybeText,
    workspace: text,
    asking: text,
    attended: number,
    host: maybeText,
    host_session: maybeText,
    label: maybeText,
    machine: text,
    allowed_read_paths: list(text),
    at: number,
    archived_at: maybeNumber,
  }),
  table("mounts", ["session_id", "position"], { session_id: text, position: number, path: text, mode: text }),
  table("chats", ["sequence"], {
    id: text,
    session_id: text,
    title: text,
    status: text,
    at: number,
    model: perhaps(maybeText),
    started_in: perhaps(maybeText),
    started_by: perhaps(maybeText),
    archived_at: perhaps(maybeNumber),
    deleted_at: perhaps(maybeNumber),
  }),
  table("messages", ["sequence"], { chat_id: text, id: text, role: text, at: number, body: text, rewound_at: perhaps(maybeNumber) }),
  table("asks", ["sequence"], {
    id: text,
    session_id: text,
    chat_id: text,
    kind: text,
    state: text,
    at: number,
    calls: text,
    requested: text,
    body: text,
    answer: maybeText,
    closed_why: perhaps(maybeText),
    kept_by: perhaps(maybeText),
    used_by: perhaps(maybeText),
    ended_at: perhaps(maybeNumber),
    waiting_yes: perhaps(maybeText),
    rewound_at: perhaps(maybeNumber),
  }),
  table("tool_calls", ["chat_id", "id"], {
    chat_id: text,
    message_id: text,
    position: number,
    id: text,
    name: text,
    input: text,
    state: text,
    kind: maybeText,
    ask_id: maybeText,
    output: maybeText,
  }),
  table("grants", ["sequence"], {
    id: text,
    session_id: text,
    ask_id: text,
    path: text,
    dev: number,
    ino: number,
    born: perhaps(maybeNumber),
    given_by: text,
    at: number,
    expires: maybeNumber,
    revoked_at: maybeNumber,
  }),
  table("audit", ["sequence"], { sequence: number, event: text, hash: text }),
  table("credentials", ["digest"], { digest: text, session_id: text, at: number }),
  // Last, so that the lines of a version that had no such rows are still taken.
  table("said", ["sequence"], { chat_id: text, id: text, at: number, body: text }),
  table("browsers", ["id"], { id: text, digest: text, owner: text, name: text, at: number, seen_at: number, push: maybeText }),
];
