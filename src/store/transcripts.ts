// Messages and their calls: a row each, in the order they came.

import { type Selectable, sql } from "kysely";
import type { Store } from "../agent/ports.ts";
import {
  type CallChanges,
  type CallOutcome,
  type CallState,
  type CallUndo,
  type ChatStatus,
  type Message,
  modelFaultKinds,
  type Picture,
  type ToolCall,
  type Transcript,
  type Usage,
} from "../agent/transcript.ts";
import { type Code, codes, HallpassError } from "../core/errors.ts";
import type { AskId, CallId, SessionId } from "../core/names.ts";
import { DamagedRows } from "./damage.ts";
import { type SqlBackend, changed, type Db, type Tables } from "./db.ts";
import { either, fields, list, nullable, number, parsed, perhaps, type Shape, text, oneOf } from "./shape.ts";
import { exact, legible } from "./text.ts";

type TranscriptRows = Pick<Store, "transcript" | "messagePage" | "calls" | "append" | "setCall">;

export function transcriptRows(backend: SqlBackend): TranscriptRows {
  return {
    transcript: (chat) => backend.read(async (db) => transcriptOf(await liveMessagesIn(db, chat).execute())),

    messagePage: (chat, { before, after, rewound = false, limit }) =>
      backend.read(async (db) => {
        const place = (id: string) => messageIn(db, chat, id).select("sequence");
        const order = after === undefined ? "desc" : "asc";
        let page = db.selectFrom("messages").select("sequence").where("chat_id", "=", chat).orderBy("sequence", order).limit(limit);
        if (!rewound) page = page.where("rewound_at", "is", null);
        if (before !== undefined) page = page.where("sequence", "<", place(before));
        if (typeof after === "string") page = page.where("sequence", ">", place(after));
        const numbers = db.selectFrom(page.as("page")).select("page.sequence");
        return transcriptOf(await messagesIn(db, chat).where("message.sequence", "in", numbers).execute());
      }),

    calls: async (chat, calls) =>
      calls.length === 0
        ? new Map()
        : backend.read(async (db) => {
            const rows = await db.selectFrom("tool_calls").selectAll().where("chat_id", "=", chat).where("id", "in", calls).execute();
            return new Map(rows.map((row) => [row.id, callOf(row)]));
          }),

    append: (chat, message, status) =>
      backend.write({ chat }, async (db) => {
        const { id, role, at } = message;
        await db
          .insertInto("messages")
          .values({ chat_id: chat, id: exact(id), role, at, body: bodyOf(message) })
          .execute();
        if (message.role === "agent" && message.calls.length > 0)
          await db
            .insertInto("tool_calls")
            .values(message.calls.map((call, position) => ({ chat_id: chat, message_id: id, position, ...columnsOf(call) })))
            .execute();
        if (status !== null) await becomes(db, chat, status).execute();
      }),

    setCall: async (chat, call, from, to) => {
      if (from.length === 0) return false;
      const move = async (db: Db): Promise<boolean> => {
        // A call may wait for an ask of another chat: that of an agent it started.
        const ask = to.at === "waiting" ? await db.selectFrom("asks").select("id").where("id", "=", to.ask).executeTakeFirst() : null;
        if (ask === undefined) return false;
        return changed(await callsOf(db, chat, [call]).set(stateColumns(to)).where("state", "in", from).executeTakeFirstOrThrow());
      };
      // INVARIANT: that a call was begun is on the disk before it does anything, or it could be done twice. What else becomes of it can
      // be worked out again from what is before it.
      return to.at === "started" ? backend.write({ chat }, move) : backend.note({ chat }, move);
    },
  };
}

/** Archived is for good, whatever a turn that was still running says at its end. */
export const becomes = (db: Db, chat: string, status: ChatStatus) =>
  db.updateTable("chats").set({ status }).where("id", "=", chat).where("status", "!=", "archived");
export const messageIn = (db: Db, chat: string, id: string) => db.selectFrom("messages").where("chat_id", "=", chat).where("id", "=", id);
/** The messages of a chat with their calls, a row for each call: one statement, so that all of it is as of one moment. */
const messagesIn = (db: Db, chat: string) =>
  db
    .selectFrom("messages as message")
    .leftJoin("tool_calls as made", (join) =>
      join.onRef("made.chat_id", "=", "message.chat_id").onRef("made.message_id", "=", "message.id"),
    )
    .select(["message.id", "message.role", "message.at", "message.body", "message.rewound_at"])
    .select(["made.id as call", "made.name", "made.input", "made.state", "made.kind", "made.ask_id", "made.output"])
    .where("message.chat_id", "=", chat)
    .orderBy("message.sequence")
    .orderBy("made.position");
/** Those that are part of the conversation. */
export const liveMessagesIn = (db: Db, chat: string) => messagesIn(db, chat).where("message.rewound_at", "is", null);
/** These calls of a chat, to be updated. */
function callsOf(db: Db, chat: string, calls: readonly CallId[]) {
  return db.updateTable("tool_calls").where("chat_id", "=", chat).where("id", "in", calls);
}

/** Let calls that are not waiting or done wait for an ask, and the chat with them. False, and to be rolled back, if one of them cannot. */
export async function wait(db: Db, chat: string, calls: readonly CallId[], ask: Extract<CallState, { at: "waiting" }>): Promise<boolean> {
  const waiting = await callsOf(db, chat, calls)
    .set(stateColumns(ask))
    .where("state", "in", ["proposed", "started"])
    .executeTakeFirstOrThrow();
  if (waiting.numUpdatedRows !== BigInt(calls.length)) return false;
  await db.updateTable("chats").set({ status: "waiting_for_input" }).where("id", "=", chat).execute();
  return true;
}

/** An ask is over: the calls of its chat that wait for it become what is said, and those of which nothing is said are judged anew. */
export async function settle(db: Db, chat: string, ask: AskId, calls: CallChanges): Promise<void> {
  const statesByCall = new Map<CallId, CallState>();
  for (const { call, to } of calls) {
    if (to.at === "waiting") throw new HallpassError("bad-request", "an ask is over: its calls cannot wait on");
    // What is said of a call first counts.
    if (!statesByCall.has(call)) statesByCall.set(call, to);
  }
  // Those that are judged anew anyway are among the rest. RACE: a call may have joined since the caller looked.
  for (const [call, to] of statesByCall)
    if (to.at !== "proposed") await callsOf(db, chat, [call]).set(stateColumns(to)).where("ask_id", "=", ask).execute();
  const rest = db.updateTable("tool_calls").where("chat_id", "=", chat).where("ask_id", "=", ask);
  await rest.set(stateColumns({ at: "proposed" })).execute();
}

/** What stands in the column `output` of a call in this state. */
export function outputOf(state: CallState): string | null {
  return state.at === "done" ? JSON.stringify(state.outcome) : null;
}

/** What becomes of a call that still waits when its session is archived. */
const archivedWhileWaiting: CallState = {
  at: "done",
  outcome: { ok: false, code: "session-closed", hint: "the session was archived before this was answered" },
};

/** The session is being archived: nothing in its chats waits any longer, and nothing elsewhere for an ask of its own. */
export async function endWaiting(db: Db, session: SessionId): Promise<void> {
  const chats = db.selectFrom("chats").select("id").where("session_id", "=", session);
  const asks = db.selectFrom("asks").select("id").where("session_id", "=", session).where("state", "=", sql.lit("open"));
  await db
    .updateTable("tool_calls")
    .set(stateColumns(archivedWhileWaiting))
    .where("state", "=", "waiting")
    .where((call) => call.or([call("chat_id", "in", chats), call("ask_id", "in", asks)]))
    .execute();
}

// ── Rows and what they mean ───────────────────────────────────────────────────────────────────────────────────────────────────

function bodyOf(message: Message): string {
  switch (message.role) {
    case "person":
      return JSON.stringify({ text: message.text, pictures: message.pictures });
    case "summary":
      return JSON.stringify({ text: message.text });
    case "agent":
      return JSON.stringify({ text: message.text, usage: message.usage, model: message.model, error: message.error, fault: message.fault });
    case "reminder":
      return JSON.stringify({ text: message.text, dedupeKey: message.dedupeKey, turns: message.turns });
  }
}

type MessageRow = Pick<Selectable<Tables["messages"]>, "id" | "role" | "at" | "body" | "rewound_at">;
/** A message, and one of its calls or none. */
type TranscriptRow = MessageRow & { readonly [K in "kind" | "ask_id" | "output"]: Tables["tool_calls"][K] } & {
  readonly [K in "name" | "input" | "state"]: Tables["tool_calls"][K] | null;
} & { readonly call: CallId | null };

export function transcriptOf(rows: readonly TranscriptRow[]): Transcript {
  const messages = new Map<string, { readonly row: MessageRow; readonly calls: ToolCall[] }>();
  for (const row of rows) {
    let message = messages.get(row.id);
    if (message === undefined) messages.set(row.id, (message = { row, calls: [] }));
    const { call, name, input, state, kind, ask_id, output } = row;
    if (call !== null && name !== null && input !== null && state !== null)
      message.calls.push(callOf({ id: call, name, input, state, kind, ask_id, output }));
  }
  return [...messages.values()].map(({ row, calls }) => messageOf(row, calls));
}

function messageOf({ id, role, at, body, rewound_at }: MessageRow, calls: readonly ToolCall[]): Message {
  const place = { table: "messages", row: id, column: "body" };
  const rewound = rewound_at === null ? {} : { rewoundAt: rewound_at };
  switch (role) {
    case "person": {
      const { text: content, pictures } = parsed(body, isSaid, place);
      return { role, id, at, text: content, ...(pictures === undefined ? {} : { pictures }), ...rewound };
    }
    case "summary":
      return { role, id, at, text: parsed(body, isSaid, place).text, ...rewound };
    case "agent": {
      const { text: content, usage, model, error, fault } = parsed(body, isTurn, place);
      const optionalFields = { ...(model === undefined ? {} : { model }), ...(fault === undefined ? {} : { fault }), ...rewound };
      return { role, id, at, text: content, calls, usage, error, ...optionalFields };
    }
    case "reminder": {
      const { text: content, dedupeKey, turns } = parsed(body, isReminder, place);
      return { role, id, at, text: content, dedupeKey, turns, ...rewound };
    }
  }
}

type Columns = Pick<Selectable<Tables["tool_calls"]>, "state" | "kind" | "ask_id" | "output">;

function columnsOf({ id, name, input, state }: ToolCall) {
  return { id: exact(id), name: legible(name), input: JSON.stringify(input) ?? "null", ...stateColumns(state) };
}

function callOf({ id, name, input, ...columns }: Columns & Pick<Selectable<Tables["tool_calls"]>, "id" | "name" | "input">): ToolCall {
  return { id, name, input: parsed(input, anything, { table: "tool_calls", row: id, column: "input" }), state: stateOf(id, columns) };
}

function stateColumns(state: CallState): Columns {
  switch (state.at) {
    case "proposed":
    case "started":
      return { state: state.at, kind: null, ask_id: null, output: null };
    case "waiting":
      return { state: state.at, kind: state.kind, ask_id: state.ask, output: null };
    case "done":
      return { state: state.at, kind: null, ask_id: null, output: outputOf(state) };
  }
}

function stateOf(row: CallId, { state, kind, ask_id, output }: Columns): CallState {
  if (state === "proposed" || state === "started") return { at: state };
  if (state === "waiting" && kind !== null && ask_id !== null) return { at: state, ask: ask_id, kind };
  if (state === "done" && output !== null)
    return { at: state, outcome: parsed(output, isOutcome, { table: "tool_calls", row, column: "output" }) };
  throw new DamagedRows([{ table: "tool_calls", row, column: "state", fault: "shape" }]);
}

const anything: Shape<unknown> = (_value): _value is unknown => true;
export const isSaid = fields<Pick<Extract<Message, { readonly role: "person" }>, "text" | "pictures">>({
  text,
  pictures: perhaps(list(fields<Picture>({ type: text, data: text }))),
});

type Fault = Extract<Message, { readonly role: "agent" }>["fault"];

interface Turn {
  readonly text: string;
  readonly usage: Usage | null;
  readonly model?: string;
  readonly error: string | null;
  readonly fault?: Fault;
}

const isTurn = fields<Turn>({
  text,
  usage: nullable(fields<Usage>({ input: number, output: number })),
  model: perhaps(text),
  error: nullable(text),
  fault: perhaps(
    fields<NonNullable<Fault>>({
      kind: oneOf(...modelFaultKinds),
      retryAt: nullable(number),
    }),
  ),
});
export const isReminder = fields<{ readonly text: string; readonly dedupeKey: string | null; readonly turns: number | null }>({
  text,
  dedupeKey: nullable(text),
  turns: nullable(number),
});
const truthIs =
  <B extends boolean>(truth: B): Shape<B> =>
  (value): value is B =>
    value === truth;
const isUndo = fields<CallUndo>({
  state: oneOf("possible", "done", "too-large", "not-text", "not-readable"),
  files: list(fields<CallUndo["files"][number]>({ path: text, before: nullable(text), after: text, mark: perhaps(truthIs(true)) })),
});
const isOutcome: Shape<CallOutcome> = either(
  fields<Extract<CallOutcome, { ok: true }>>({ ok: truthIs(true), output: text, diff: perhaps(text), undo: perhaps(isUndo) }),
  fields<Extract<CallOutcome, { ok: false }>>({
    ok: truthIs(false),
    code: oneOf<Code>(...codes),
    hint: text,
    stops: perhaps(truthIs(true)),
  }),
);
