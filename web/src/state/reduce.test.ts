// One frame after another: what the pages know then. As tables, where a table says it.

import { describe, expect, test } from "vitest";
import { askOf } from "../../../test/ask-sample.ts";
import type { Frame } from "../../../src/wire/frames.ts";
import type { WireAsk, WireChat, WireMessage, WireSession } from "../../../src/wire/values.ts";
import { asksOf, byRoot, empty, openAsks, type AppState } from "./model.ts";
import { reduce } from "./reduce.ts";

const session: WireSession = {
  id: "session-1",
  project: null,
  parent: null,
  workspace: "/ws",
  asking: "by-model",
  attended: true,
  host: null,
  label: null,
  shell: null,
  machine: null,
  mounts: [],
  allowed_read_paths: [],
  at: 1,
  archivedAt: null,
};
const chat: WireChat = { id: "chat-1", session: "session-1", title: "", status: "idle", at: 1, model: null, archivedAt: null };
const person: WireMessage = { role: "person", id: "m-1", at: 10, text: "read it" };
const ask = askOf({
  workspace: "/ws",
  requested: ["/other/a"],
  path: "/other/a",
  proposal: { dir: "/other", because: ".git" },
  survey: null,
  at: 20,
  digest: "d",
});
const answered: WireAsk = { ...ask, state: "answered", answer: { verdict: "deny", by: "person (web)", at: 30, note: null, stop: false } };
const cursor = "c";
const snapshot: Frame = { type: "snapshot", cursor, chat, session, messages: [person], earlier: false, asks: [ask] };

const after = (frames: readonly Frame[], from: "all" | "chat" = "chat", state: AppState = empty): AppState =>
  frames.reduce((held, frame) => reduce(held, { type: "frame", from, frame }), state);
const messagesAfter = (frames: readonly Frame[]): readonly WireMessage[] =>
  after([snapshot, ...frames]).conversations["chat-1"]?.messages ?? [];

describe("a turn as it arrives", () => {
  const frames: Frame[] = [
    { type: "turn_start", cursor, chat: "chat-1", message: "m-2" },
    { type: "text_delta", cursor, chat: "chat-1", message: "m-2", text: "I re" },
    { type: "text_delta", cursor, chat: "chat-1", message: "m-2", text: "ad it" },
    {
      type: "tool_call",
      cursor,
      chat: "chat-1",
      message: "m-2",
      call: { id: "call-1", name: "read_file", input: { path: "a" }, state: { at: "started" } },
    },
    { type: "tool_result", cursor, chat: "chat-1", call: "call-1", outcome: { ok: true, output: "text" } },
    { type: "turn_end", cursor, chat: "chat-1", message: "m-2", usage: { input: 1, output: 2 } },
  ];

  test("is a message that grows, with its calls and their results", () => {
    expect(messagesAfter(frames).at(-1)).toEqual({
      role: "agent",
      id: "m-2",
      at: 10,
      text: "I read it",
      calls: [{ id: "call-1", name: "read_file", input: { path: "a" }, state: { at: "done", outcome: { ok: true, output: "text" } } }],
      usage: { input: 1, output: 2 },
      error: null,
    });
    expect(after([snapshot, ...frames.slice(0, 2)]).conversations["chat-1"]?.streaming).toBe("m-2");
    expect(after([snapshot, ...frames]).conversations["chat-1"]?.streaming).toBeNull();
  });

  test("stands above what was said meanwhile, which takes its place when it is heard", () => {
    const said: WireMessage = { role: "person", id: "m-9", at: 11, text: "and that", waiting: true };
    const { waiting: _waiting, ...heard } = said;
    const say: Frame = { type: "message", cursor, chat: "chat-1", message: said };
    const ids = (more: readonly Frame[]) => messagesAfter([say, ...frames, ...more]).map(({ id }) => id);
    expect(ids([])).toEqual(["m-1", "m-2", "m-9"]);
    const then: Frame[] = [
      { type: "message", cursor, chat: "chat-1", message: heard },
      { type: "turn_start", cursor, chat: "chat-1", message: "m-3" },
    ];
    expect(ids(then)).toEqual(["m-1", "m-2", "m-9", "m-3"]);
    expect(messagesAfter([say, ...frames, ...then])[2]).toEqual(heard);
  });

  test("is replaced by the stored message, and not added to it", () => {
    const stored: WireMessage = { role: "agent", id: "m-2", at: 12, text: "I read it", calls: [], usage: null, error: null };
    expect(messagesAfter([...frames, { type: "message", cursor, chat: "chat-1", message: stored }])).toEqual([person, stored]);
  });

  test("heard on the connection of every chat as well, it is not there twice", () => {
    const state = after([snapshot]);
    expect(after(frames, "all", state).conversations).toEqual(state.conversations);
  });

  test("says how far the look before a command is, until that is over or the next turn begins", () => {
    const seven = { for: "look", directories: 7 } as const;
    const look = (delay: typeof seven | null): Frame => ({ type: "tool_delay", cursor, chat: "chat-1", call: "call-1", delay });
    const told = (...more: readonly Frame[]) => after([snapshot, ...more]).conversations["chat-1"]?.delay;
    expect([told(look(seven)), told(look(seven), look(null)), told(look(seven), ...frames.slice(0, 1))]).toEqual([seven, null, null]);
  });

  test("of a chat that is not open, changes nothing", () => {
    expect(after(frames).conversations).toEqual({});
  });
});

describe("asks", () => {
  const rows: readonly [string, readonly Frame[], string | undefined][] = [
    ["opened", [{ type: "ask_open", cursor, chat: "chat-1", ask }], "open"],
    [
      "opened and settled",
      [
        { type: "ask_open", cursor, chat: "chat-1", ask },
        { type: "ask_settled", cursor, chat: "chat-1", ask: answered },
      ],
      "answered",
    ],
    [
      "settled, and then an old frame says it is open",
      [
        { type: "ask_settled", cursor, chat: "chat-1", ask: answered },
        { type: "ask_open", cursor, chat: "chat-1", ask },
      ],
      "answered",
    ],
    [
      "open, and no longer in the whole list",
      [
        { type: "ask_open", cursor, chat: "chat-1", ask },
        { type: "inbox", cursor, asks: [] },
      ],
      "closed",
    ],
    ["in the whole list", [{ type: "inbox", cursor, asks: [ask] }], "open"],
  ];
  for (const [name, frames, state] of rows)
    test(`${name}: ${String(state)}`, () => expect(after(frames, "all").asks["ask-1"]?.state).toBe(state));

  test("are answered in the order they were raised, and grouped by what a yes would open", () => {
    const second = { ...ask, id: "ask-2", at: 15 };
    const other = { ...ask, id: "ask-3", at: 16, proposal: { dir: "/third", because: "project" } };
    const state = reduce(empty, { type: "asks", asks: [ask, second, other, answered] });
    expect(openAsks(state).map(({ id }) => id)).toEqual(["ask-2", "ask-3"]);
    expect(byRoot([second, other, ask]).map(({ root, asks }) => [root, asks.length])).toEqual([
      ["/other", 2],
      ["/third", 1],
    ]);
  });
});

test("earlier messages go before, once", () => {
  const old: WireMessage = { role: "person", id: "m-0", at: 1, text: "before" };
  const state = reduce(after([snapshot]), { type: "earlier", chat: "chat-1", messages: [old, person], earlier: false });
  expect(state.conversations["chat-1"]?.messages).toEqual([old, person]);
});

test("a status changes the chat, and says why", () => {
  const state = after([snapshot, { type: "chat_status", cursor, chat: "chat-1", status: "failed", why: "the model is gone" }]);
  expect(state.chats["chat-1"]?.status).toBe("failed");
  expect(state.why["chat-1"]).toBe("the model is gone");
});

test("a session that changed is known at once; leaving a chat forgets its messages alone", () => {
  const changed = after([snapshot, { type: "session_updated", cursor, session: { ...session, allowed_read_paths: ["/other"] } }]);
  expect(changed.sessions["session-1"]?.allowed_read_paths).toEqual(["/other"]);
  const left = reduce(changed, { type: "leave", chat: "chat-1" });
  expect([left.conversations, Object.keys(left.asks)]).toEqual([{}, ["ask-1"]]);
});

test("a chat shows what an agent asks that it has started, while it waits with it", () => {
  const call = { id: "c", name: "spawn_agent", input: {}, state: { at: "waiting", ask: "ask-9", kind: "pending_grant" } } as const;
  const turn: WireMessage = { role: "agent", id: "m-2", at: 11, text: "", calls: [call], usage: null, error: null };
  const below = { ...ask, id: "ask-9", chat: "chat-9" };
  const asks = { "ask-1": ask, "ask-9": below, "ask-8": { ...below, id: "ask-8" } };
  expect(asksOf(asks, "chat-1", [person, turn]).map(({ id }) => id)).toEqual(["ask-1", "ask-9"]);
  expect(asksOf(asks, "chat-1", [person]).map(({ id }) => id)).toEqual(["ask-1"]);
});
