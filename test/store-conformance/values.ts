// Plain values for the tests of the stores: each a whole one, of which a test changes what it is about.

import type {
  ClosingAsk,
  StoredAnswer,
  StoredAsk,
  StoredChat,
  StoredGrant,
  StoredMount,
  StoredProject,
  StoredSaid,
  StoredSession,
} from "../../src/agent/ports.ts";
import type { Message, ToolCall } from "../../src/agent/transcript.ts";
import type { AuditEvent, SessionEndEvent } from "../../src/core/audit.ts";
import { askId, callId, type CallId, grantId, sessionId } from "../../src/core/names.ts";

export const SESSION = sessionId("session");

export const someProject = (other: Partial<StoredProject> = {}): StoredProject => ({
  id: "project",
  path: "/home/me/project",
  name: "Project",
  at: 1_763_200_000_000,
  ...other,
});

export const someSession = (other: Partial<StoredSession> = {}): StoredSession => ({
  id: SESSION,
  project: null,
  parent: null,
  workspace: "/home/me/src/app",
  asking: "by-model",
  attended: true,
  host: null,
  hostSession: null,
  label: null,
  machine: "machine",
  allowedReadPaths: [],
  at: 1_763_200_000_001,
  archivedAt: null,
  ...other,
});

export const someMount = (other: Partial<StoredMount> = {}): StoredMount => ({
  session: SESSION,
  path: "/opt/library",
  mode: "read_only",
  ...other,
});

export const someChat = (other: Partial<StoredChat> = {}): StoredChat => ({
  id: "chat",
  session: SESSION,
  title: "A chat",
  status: "idle",
  at: 1_763_200_000_002,
  ...other,
});

export const someSaid = (other: Partial<StoredSaid> = {}): StoredSaid => ({
  chat: "chat",
  id: "said",
  at: 1_763_200_000_006,
  text: "wait",
  ...other,
});

export const someCall = (id: CallId, other: Partial<ToolCall> = {}): ToolCall => ({
  id,
  name: "read_file",
  input: { path: "../library/index.js" },
  state: { at: "proposed" },
  ...other,
});

export const agentMessage = (id: string, calls: readonly (CallId | ToolCall)[] = []): Extract<Message, { role: "agent" }> => ({
  role: "agent",
  id,
  at: 1_763_200_000_003,
  text: "Let me look.",
  calls: calls.map((call) => (typeof call === "string" ? someCall(call) : call)),
  usage: { input: 1200, output: 34 },
  error: null,
});

/** The ask `ask-<number>`, for which the call `call-<number>` waits. */
export const grantAsk = (number: number, other: Partial<StoredAsk> = {}): StoredAsk => ({
  id: askId(`ask-${number}`),
  session: SESSION,
  chat: "chat",
  kind: "pending_grant",
  calls: [callId(`call-${number}`)],
  tool: "request_read_access",
  requested: ["../library/index.js"],
  path: "/home/me/src/library/index.js",
  right: "read",
  offers: "session",
  proposal: { dir: "/home/me/src/library", dev: 66_306, ino: 2 ** 63 + 2 ** 20, born: 1_763_100_000_000.25, because: "package.json" },
  survey: { repositories: 1, secrets: 2, files: 300, worktree: false, submodule: true, complete: false },
  reason: "out-of-scope",
  words: 'I need "it",\nplease',
  question: null,
  options: [],
  at: 1_763_200_000_004,
  state: "open",
  answer: null,
  ...other,
});

export const question = (number: number): StoredAsk =>
  grantAsk(number, {
    kind: "pending_question",
    tool: "ask_user_input",
    requested: [],
    path: null,
    offers: "once",
    proposal: null,
    survey: null,
    reason: "question",
    words: null,
    question: "Which one?",
    options: ["the first", "the second"],
  });

export const someGrant = (other: Partial<StoredGrant> = {}): StoredGrant => ({
  id: grantId("grant"),
  session: SESSION,
  ask: askId("ask-0"),
  path: "/home/me/src/library",
  dev: 66_306,
  ino: 2 ** 63 + 2 ** 20,
  born: 1_763_100_000_000 + 2 ** -11,
  by: "me",
  at: 1_763_200_000_005,
  expires: null,
  revokedAt: null,
  ...other,
});

export const yes: Extract<StoredAnswer, { verdict: "allow" }> = {
  verdict: "allow",
  until: "session",
  by: "me",
  at: 1_763_200_000_005,
  expires: null,
};
export const no: Extract<StoredAnswer, { verdict: "deny" }> = {
  verdict: "deny",
  by: "me",
  at: 1_763_200_000_005,
  note: "not now",
  stop: true,
};

/** A read that a grant let through, unless told otherwise. */
export const decision = (number: number, other: Partial<Extract<AuditEvent, { kind: "decision" }>> = {}): AuditEvent => ({
  kind: "decision",
  at: 1_763_200_000_000 + number,
  session: SESSION,
  call: callId(`call-${number}`),
  tool: "read_file",
  operation: "read",
  requested: "../library/index.js",
  real: "/home/me/src/library/index.js",
  verdict: "allow",
  reason: "in-grant",
  rule: null,
  root: "/home/me/src/library",
  grant: grantId("grant"),
  ask: null,
  fault: null,
  ...other,
});

/** The yes for once that answers the ask of this number, on a path of its own, and a call that it lets through. */
export const onceAsk = (number: number): StoredAsk => grantAsk(number, { path: `/home/me/src/library/${number}` });
export const onceUse = (number: number, call: string): AuditEvent =>
  decision(100, { call: callId(call), reason: "answered", real: `/home/me/src/library/${number}`, grant: null });

/** An ask that nobody answered is closed. */
export const closing = (number: number, other: Partial<ClosingAsk> = {}): ClosingAsk => ({
  ask: askId(`ask-${number}`),
  path: "/home/me/src/library",
  why: "not-needed",
  at: 5,
  calls: [],
  ...other,
});

export const endOf = (session = SESSION, at = 9): SessionEndEvent => ({ kind: "session-ended", at, session, by: "me", why: "person" });

export const event = (number: number, session = SESSION): AuditEvent => ({
  kind: "answer",
  at: 1_763_200_000_000 + number,
  session,
  ask: askId(`ask-${number}`),
  path: "/home/me/src/library",
  verdict: "deny",
  until: null,
  expires: null,
  stop: false,
  by: "alice",
  note: `number ${number}, "quoted"\n\u0000 \ud800 é 😀`,
});
