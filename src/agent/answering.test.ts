import { describe, expect, test } from "vitest";
import { NETWORK } from "../core/access.ts";
import type { AuditEvent } from "../core/audit.ts";
import { askId, callId, sessionId } from "../core/names.ts";
import { answerAsk, type AnsweringPorts, type GivenAnswer } from "./answering.ts";
import type { AskInSession, Store, StoredAsk, StoredSession } from "./ports.ts";
import type { CallState } from "./transcript.ts";

const NOW = 1_000_000;
const LIFE = 300_000;

const ask: StoredAsk = {
  id: askId("a"),
  session: sessionId("s"),
  chat: "chat",
  kind: "pending_grant",
  calls: [callId("c1"), callId("c2")],
  tool: "read_file",
  requested: ["/lib/x", "/lib/y"],
  path: "/lib/x",
  right: "read",
  offers: "session",
  proposal: { dir: "/lib", dev: 1, ino: 1, because: ".git" },
  survey: null,
  reason: "out-of-scope",
  words: null,
  question: null,
  options: [],
  at: NOW,
  state: "open",
  answer: null,
};
const question: StoredAsk = {
  ...ask,
  kind: "pending_question",
  tool: "ask_user_input",
  path: null,
  proposal: null,
  offers: "once",
  question: "Which?",
};
const network: StoredAsk = { ...ask, tool: "bash", path: NETWORK, proposal: null, about: { what: "network" } };
const agent: StoredAsk = {
  ...ask,
  tool: "spawn_agent",
  right: "write",
  offers: "once",
  proposal: null,
  about: { what: "agent", task: "t", survey: null, wasReadOnly: false },
};
const request: StoredAsk = { ...ask, tool: "request_read_access" };

const yes: GivenAnswer = { verdict: "allow", until: "session", by: "me" };
const once: GivenAnswer = { verdict: "allow", until: "call", by: "me" };
const no: GivenAnswer = { verdict: "deny", by: "me" };
const reply: GivenAnswer = { verdict: "reply", by: "me", text: "left" };

interface Kept {
  readonly session?: Partial<StoredSession>;
  readonly now?: number;
  /** Is somebody else quicker? */
  readonly isLate?: boolean;
}

/** What comes of an answer: its code, what was stored, and where each call stands then. */
async function answered(which: StoredAsk | null, given: GivenAnswer, { session = {}, now = NOW, isLate = false }: Kept = {}) {
  const stored: string[] = [];
  const recorded: AuditEvent[] = [];
  const calls = new Map<string, CallState>();
  const its =
    which === null
      ? null
      : ({
          ask: which,
          session: { id: which.session, workspace: "/ws", machine: "here", archivedAt: null, ...session },
          roots: null,
        } as unknown as AskInSession);
  const store: Pick<Store, "askInSession" | "ask" | "answerAsk" | "asks" | "closeAsks" | "calls"> = {
    askInSession: () => Promise.resolve(its),
    ask: () => Promise.resolve(which),
    asks: () => Promise.resolve([]),
    calls: (_chat, names) =>
      Promise.resolve(new Map(names.map((id) => [id, { id, name: which?.tool ?? "", input: {}, state: { at: "waiting" } as never }]))),
    closeAsks: (_session, asks) => {
      stored.push(...asks.map(({ why }) => why));
      for (const { call, to } of asks.flatMap((one) => one.calls)) calls.set(call, to);
      return Promise.resolve(asks.map((one) => one.ask));
    },
    answerAsk: (_id, answer, { calls: changes, events }) => {
      if (isLate) return Promise.resolve(false);
      recorded.push(...events);
      stored.push(answer.verdict);
      for (const { call, to } of changes) calls.set(call, to);
      return Promise.resolve(true);
    },
  };
  const woken: string[] = [];
  const wake = (chat: string): void => void woken.push(`${chat} after ${stored.join()}`);
  const ports = { store, clock: () => now, askLife: LIFE, machine: "here", wake } as unknown as AnsweringPorts;
  const result = await answerAsk(ports, askId("a"), given);
  const words = (state: CallState | undefined): string =>
    state?.at !== "done"
      ? (state?.at ?? "as it was")
      : state.outcome.ok
        ? state.outcome.output
        : `${state.outcome.code}${state.outcome.stops === true ? ", stops" : ""}`;
  const code = result.ok ? "taken" : result.code;
  // INVARIANT: a chat goes on by what is stored, and by nothing else.
  expect(woken).toEqual(code === "taken" ? [`${which?.chat} after ${given.verdict}`] : []);
  return { code, stored, calls: ["c1", "c2"].map((id) => words(calls.get(id))), recorded };
}

const untouched = ["as it was", "as it was"];

describe("an answer that is not taken changes nothing", () => {
  test.each<readonly [string, StoredAsk | null, GivenAnswer, Kept, string]>([
    ["there is no such ask", null, yes, {}, "not-found"],
    ["it was answered before", { ...ask, state: "answered" }, yes, {}, "request-closed"],
    ["it was closed before", { ...ask, state: "closed" }, no, {}, "request-closed"],
    ["somebody else is quicker", ask, no, { isLate: true }, "request-closed"],
    ["a reply to what asks for a grant", ask, reply, {}, "bad-request"],
    ["a yes to a question", question, yes, {}, "bad-request"],
    ["a yes for the session to what is offered once", { ...ask, offers: "once", proposal: null }, yes, {}, "bad-request"],
    ["a directory that is not offered", ask, { ...yes, opens: "repository" }, {}, "bad-request"],
    ["a folder that is not offered", ask, { ...yes, opens: "folder" }, {}, "bad-request"],
    ["once, for a command that runs", { ...ask, tool: "running-command" }, once, {}, "bad-request"],
    ["once, for a command that another program runs", { ...ask, tool: "run" }, once, {}, "bad-request"],
    ["a folder to be kept", { ...ask, folder: "/lib/a" }, { ...yes, opens: "folder", keeps: true }, {}, "bad-request"],
    ["a directory of the network", network, { ...yes, opens: "folder" }, {}, "bad-request"],
    ["the network for the session where it is offered once", { ...network, offers: "once" }, yes, {}, "bad-request"],
    ["another agent for the session", agent, yes, {}, "bad-request"],
    ["once, to a question", question, once, {}, "bad-request"],
    ["the session has ended", ask, yes, { session: { archivedAt: NOW } }, "session-closed"],
  ])("%s", async (_what, which, given, kept, code) => {
    expect(await answered(which, given, kept)).toEqual({ code, stored: [], calls: untouched, recorded: [] });
  });
});

test("one that comes when the ask's life is over closes it, and a moment before it counts", async () => {
  const over = "grant-expired";
  expect(await answered(ask, yes, { now: NOW + LIFE + 1 })).toEqual({
    code: over,
    stored: ["expired"],
    calls: [over, over],
    recorded: [],
  });
  expect(await answered(ask, no, { now: NOW + LIFE })).toMatchObject({ code: "taken" });
  // The clock was set back since it was asked: nobody can tell how old it is.
  expect(await answered(ask, yes, { now: NOW - LIFE })).toMatchObject({ code: over, stored: ["expired"] });
});

const plain = { kind: "answer", at: NOW, session: "s", ask: "a", by: "me", until: null, expires: null, stop: false, note: null };

test.each<readonly [string, StoredAsk, GivenAnswer, object]>([
  ["a no", ask, no, { verdict: "deny" }],
  ["a no with a note", ask, { ...no, note: "use ours" }, { verdict: "deny", note: "use ours" }],
  ["a no that stops the agent", ask, { ...no, stop: true }, { verdict: "deny", stop: true }],
  ["a yes for once", ask, once, { verdict: "allow", until: "call" }],
  ["a reply", question, reply, { verdict: "reply" }],
])("%s is recorded as it was given", async (_what, which, given, as) => {
  expect((await answered(which, given)).recorded).toEqual([{ ...plain, path: which.path, ...as }]);
});

test.each<readonly [string, StoredAsk, GivenAnswer, readonly string[]]>([
  ["a no is every call's", ask, no, ["person-declined", "person-declined"]],
  ["a no with a note, too", ask, { ...no, note: "use ours" }, ["person-declined", "person-declined"]],
  ["a no that asks to stop says so in a field", ask, { ...no, stop: true }, ["person-declined, stops", "person-declined, stops"]],
  ["a no to a question", question, no, ["person-declined", "person-declined"]],
  ["a reply is every call's", question, reply, ["left", "left"]],
  ["a yes for once to the network", network, once, ["proposed", "proposed"]],
  ["a yes for once to another agent", agent, once, ["proposed", "proposed"]],
  ["a no to a command that runs lets it go on", { ...ask, tool: "running-command" }, no, ["started", "started"]],
  ["a yes for once is the first call's; the others are judged again", ask, once, ["proposed", "proposed"]],
  [
    "a yes for once to a request answers it; what was put to the same card asks again",
    request,
    once,
    ["granted: /lib/x (once)", "proposed"],
  ],
])("%s", async (_what, which, given, calls) => {
  expect(await answered(which, given)).toMatchObject({ code: "taken", stored: [given.verdict], calls });
});
