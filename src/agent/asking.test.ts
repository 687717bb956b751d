import { expect, test } from "vitest";
import { askId, callId, sessionId } from "../core/names.ts";
import type { Ask } from "../core/session/ask.ts";
import type { AuditEvent } from "../core/audit.ts";
import { createUndecided, raise } from "./asking.ts";
import type { Store, StoredAsk, StoredChat } from "./ports.ts";

const NOW = 10_000_000;
const PER_MINUTE = 3;

const chat: StoredChat = { id: "chat", session: sessionId("s"), title: "", status: "running", at: 0 };
const proposal = { dir: "/lib", dev: 1, ino: 1, born: null, because: ".git" } as never;
const asked = { id: askId("new"), session: sessionId("s"), call: callId("c"), tool: "read_file", operation: "read", at: NOW } as const;
const root = {
  ...asked,
  requested: "/lib/x",
  path: "/lib/x",
  reason: "out-of-scope",
  right: "read",
  offers: "session",
  proposal,
  survey: null,
};
const once = { ...asked, requested: "/etc/x", path: "/etc/x", reason: "policy-ask", right: "read", offers: "once" };

const command = (text: string): object => ({ ...once, requested: text, path: "/", right: "write", about: { what: "command" } });
const ran = (text: string): Partial<StoredAsk> => ({
  offers: "once",
  proposal: null,
  path: "/",
  right: "write",
  requested: [text],
  about: { what: "command" },
});

const stored = (change: Partial<StoredAsk> = {}): StoredAsk => ({
  id: askId("old"),
  session: sessionId("s"),
  chat: "chat",
  kind: "pending_grant",
  calls: [callId("before")],
  tool: "read_file",
  requested: ["/lib/y"],
  path: "/lib/y",
  right: "read",
  offers: "session",
  proposal,
  survey: null,
  reason: "out-of-scope",
  words: null,
  question: null,
  options: [],
  at: NOW - 120_000,
  state: "open",
  answer: null,
  ...change,
});

interface Kept {
  readonly denied?: readonly StoredAsk[];
  readonly open?: readonly StoredAsk[];
  readonly recent?: readonly StoredAsk[];
  /** Whether the open one can still be joined. */
  readonly joins?: boolean;
}

/** The decision to ask, as the guard tells it. */
const decision = { kind: "decision", verdict: "ask", session: asked.session, call: asked.call, ask: asked.id } as never;

/** What becomes of the ask: its code at once, the ask it was put to, or `new`. What is recorded with that names the same ask, or none. */
async function raised(ask: object, { denied = [], open = [], recent = [], joins = true }: Kept): Promise<string> {
  const recorded: unknown[] = [];
  const keep = (events: readonly AuditEvent[] = []): void =>
    void recorded.push(...events.map((event) => ("ask" in event ? event.ask : undefined)));
  const store: Pick<Store, "asks" | "joinAsk" | "openAsk" | "record"> = {
    asks: ({ deniedSince, state }) => Promise.resolve(deniedSince !== undefined ? denied : state === "open" ? open : recent),
    joinAsk: (_ask, _call, _requested, events) => {
      if (joins) keep(events);
      return Promise.resolve(joins);
    },
    openAsk: (_ask, events) => Promise.resolve(keep(events)),
    record: (events) => Promise.resolve(keep(events)),
  };
  const undecided = createUndecided(store);
  undecided.keep(decision);
  const ports = { store: store as Store, clock: () => NOW, perMinute: PER_MINUTE, undecided };
  const result = await raise(ports, chat, 0, ask as Ask, null);
  expect(recorded).toEqual(["ask" in result ? result.ask.id : null]);
  if ("outcome" in result) return result.outcome.ok ? "ok" : result.outcome.code;
  return result.ask.id === asked.id ? "new" : `${result.ask.id}: ${result.ask.requested.join(" ")}`;
}

const no = { verdict: "deny", by: "me", at: NOW, note: null, stop: false } as const;
const many = (at: number): readonly StoredAsk[] => Array.from({ length: PER_MINUTE }, () => stored({ at, state: "answered" }));

test.each<readonly [string, object, Kept, string]>([
  ["nobody was asked before", root, {}, "new"],
  ["the same root is open: one card", root, { open: [stored()] }, "old: /lib/y /lib/x"],
  ["it was, and is no longer", root, { open: [stored()], joins: false }, "new"],
  ["another root is open", root, { open: [stored({ proposal: { dir: "/other", dev: 1, ino: 2, because: ".git" } })] }, "new"],
  ["a question of the model's is open", root, { open: [stored({ kind: "pending_question", offers: "once", proposal: null })] }, "new"],
  ["what is offered once is a card of its own", once, { open: [stored({ offers: "once", proposal: null, path: "/etc/x" })] }, "new"],
  ["the same root was denied", root, { denied: [stored({ state: "answered", answer: no })] }, "recently-denied"],
  [
    "the same path was denied",
    once,
    { denied: [stored({ offers: "once", proposal: null, path: "/etc/x", answer: no })] },
    "recently-denied",
  ],
  ["another path was denied", once, { denied: [stored({ offers: "once", proposal: null, path: "/etc/y", answer: no })] }, "new"],
  [
    "the same path was denied for writing",
    once,
    { denied: [stored({ offers: "once", proposal: null, path: "/etc/x", right: "write" })] },
    "new",
  ],
  ["the same command was denied", command("make"), { denied: [stored({ ...ran("make"), answer: no })] }, "recently-denied"],
  ["another command was denied", command("make"), { denied: [stored({ ...ran("rm -r /"), answer: no })] }, "new"],
  ["too many within a minute", root, { recent: many(NOW - 1) }, "rate-limited"],
  ["as many, a minute ago", root, { recent: many(NOW - 60_000) }, "new"],
  ["too many, by a clock that was set back since", root, { recent: many(NOW + 60_000) }, "new"],
  [
    "denied by a clock that was set back since",
    root,
    { denied: [stored({ state: "answered", answer: { ...no, at: NOW + 60_000 } })] },
    "new",
  ],
  ["too many, and the same root is open", root, { recent: many(NOW - 1), open: [stored()] }, "old: /lib/y /lib/x"],
  ["too many, and it was denied", root, { recent: many(NOW - 1), denied: [stored()] }, "recently-denied"],
])("%s", async (_what, ask, kept, becomes) => {
  expect(await raised(ask, kept)).toBe(becomes);
});
