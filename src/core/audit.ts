// What is recorded: every decision, answer and grant, what ends a grant, and what else changes what agents may reach, once. The port is a function; where the record is kept is not
// core's business. Nothing of a file's content is ever in it.

import type { Operation } from "./access.ts";
import type { Code } from "./errors.ts";
import type { AskId, CallId, GrantId, RuleId, SessionId } from "./names.ts";
import type { Verdict } from "./policy/rule.ts";

interface EventBasis {
  readonly at: number;
  readonly session: SessionId;
}

/** Which grant ended, what it had opened and by which ask. One for once has no id of its own: its ask's stands for it. */
interface EndedGrantFields {
  readonly grant: GrantId;
  /** Null where nobody can tell. */
  readonly path: string | null;
  readonly ask: AskId | null;
}

/** One line of the record: a decision, an answer, a grant made, refused or revoked. */
export type AuditEvent =
  | (EventBasis & {
      readonly kind: "decision";
      readonly call: CallId;
      readonly tool: string;
      /** `connect`: a command and the network, which stands as `requested`. */
      readonly operation: Operation | "connect";
      readonly requested: string;
      readonly real: string | null;
      readonly verdict: Verdict;
      readonly reason: string;
      readonly rule: RuleId | null;
      readonly root: string | null;
      readonly grant: GrantId | null;
      /** The ask that was opened for it, that it was put to, or whose yes for once it went by; null where nobody was asked. */
      readonly ask: AskId | null;
      /** What went wrong inside the guard, where that is why. */
      readonly fault: string | null;
      /** When it was added to the record, where a hook decided while the daemon was away. */
      readonly late?: number;
      /** Of a late one: whose call it was, and where. The daemon may never have had a session for it. */
      readonly host?: string;
      readonly workspace?: string;
    })
  | (EventBasis & { readonly kind: "open-failed"; readonly call: CallId; readonly requested: string; readonly code: Code })
  /** What a person said, as they said it. `ask` is null where a person allowed what they did themselves: nobody asked them. */
  | (EventBasis & {
      readonly kind: "answer";
      readonly ask: AskId | null;
      /** What was asked about, as it really is; null for a question. */
      readonly path: string | null;
      readonly verdict: "allow" | "deny" | "reply";
      /** Of a yes: how long it was given for; `time`: until `expires`. Null for a no and a reply. */
      readonly until: "call" | "time" | "session" | "always" | null;
      readonly expires: number | null;
      /** Of a no: is the agent to stop? */
      readonly stop: boolean;
      readonly by: string;
      readonly note: string | null;
    })
  | (EventBasis & {
      readonly kind: "grant";
      readonly grant: GrantId;
      readonly ask: AskId | null;
      readonly until: "call" | "time" | "session";
      /** When it ends, where that is before the session does. */
      readonly expires: number | null;
      readonly path: string;
      readonly by: string;
    })
  /** An ask was closed, and nobody had answered it. Those of a session that ended are closed with it, and `session-ended` stands for them. */
  | (EventBasis & { readonly kind: "ask-closed"; readonly ask: AskId; readonly path: string | null; readonly why: AskEnd })
  | (EventBasis & { readonly kind: "grant-refused"; readonly ask: AskId; readonly path: string; readonly code: Code })
  /** A person took a grant back. */
  | (EventBasis & { readonly kind: "revocation"; readonly by: string } & EndedGrantFields)
  /** A grant ended before its session did, and nobody took it back. */
  | (EventBasis & { readonly kind: "grant-ended"; readonly why: GrantEnd } & EndedGrantFields)
  /** A person moved the workspace, where it was before being `before`, or mounted a directory or took it out. */
  | (EventBasis & {
      readonly kind: "roots-changed";
      readonly change: "moved" | "mounted" | "unmounted";
      readonly path: string;
      readonly before: string | null;
      /** Of what is mounted now. */
      readonly mode: string | null;
      readonly by: string;
    })
  | SessionEndEvent
  /** A person deleted a chat: its messages are gone, this record is not. */
  | (EventBasis & { readonly kind: "chat-deleted"; readonly chat: string; readonly by: string })
  /** A grant was kept for good: a rule was added to the operator's policy. */
  | (EventBasis & {
      readonly kind: "rule-kept";
      readonly grant: GrantId;
      readonly ask: AskId;
      readonly path: string;
      readonly file: string;
      readonly line: number;
      readonly by: string;
    })
  /** The operator's policy was saved: by which text (its SHA-256) which one was replaced; null where there was none. Its session is `policy`. */
  | (EventBasis & {
      readonly kind: "policy-changed";
      readonly file: string;
      readonly before: string | null;
      readonly after: string;
      readonly by: string;
    })
  /** The records from `first` to `last` were written to a file, and may leave the store; `hash` is the last one's. Its session is `store`. */
  | (EventBasis & {
      readonly kind: "archived";
      readonly first: number;
      readonly last: number;
      readonly hash: string;
      readonly file: string;
      readonly by: string;
    })
  /**
   * Decisions that were made elsewhere were added: `count` of them stand before this, of which hooks made `late` while the daemon was away and
   * MCP servers the others, and `damaged` lines could not be read. Its session is the file they came from, of which all up to `until` is recorded.
   */
  | (EventBasis & {
      readonly kind: "spool-taken";
      readonly until: number;
      readonly count: number;
      readonly late: number;
      readonly damaged: number;
    });

/**
 * Why a session ended. `agent-left`: the program that drove it is gone. `idle`: nobody used it for long. Of an agent that another one
 * started: `task-ended`, its task is done; `starter-ended`, the one that started it was stopped, or its session ended.
 */
export const sessionEnds = ["person", "agent-left", "idle", "task-ended", "starter-ended"] as const;

export type SessionEnd = (typeof sessionEnds)[number];

/** Why a grant ended by itself. `clock-set-back`: nobody can tell how much of its time is left. `roots-changed`: of one for once. */
export type GrantEnd = "expired" | "clock-set-back" | "roots-changed";

/**
 * Why an ask was closed without an answer. `withdrawn`: the person said something else. `stopped`: they stopped the agent. `expired`: nobody
 * answered in time. `covered`: what it asks for is allowed by now, by a yes to another ask or by a root. `changed`: what a yes would open is
 * no longer what was shown, or nothing any more. `not-needed`: its call is no longer waiting for it. The others are how its session ended.
 */
export const askEnds = [
  "withdrawn",
  "stopped",
  "expired",
  "covered",
  "changed",
  "not-needed",
  "session-ended",
  "agent-left",
  "idle",
] as const;

export type AskEnd = (typeof askEnds)[number];

/** Why the asks of a session are closed that ended so. */
export const askEndOf = (why: SessionEnd): AskEnd => (why === "person" ? "session-ended" : why === "idle" ? why : "agent-left");

/** Every kind of event, in the order in which they come about. */
export const auditKinds = [
  "decision",
  "open-failed",
  "answer",
  "grant",
  "grant-refused",
  "ask-closed",
  "revocation",
  "grant-ended",
  "roots-changed",
  "session-ended",
  "chat-deleted",
  "rule-kept",
  "policy-changed",
  "archived",
  "spool-taken",
] as const satisfies readonly AuditEvent["kind"][];

/** A session has ended, and with it its grants. */
export interface SessionEndEvent extends EventBasis {
  readonly kind: "session-ended";
  readonly by: string;
  readonly why: SessionEnd;
}

/** How an answer is recorded, of whichever ask. */
export function answerEvent(
  about: EventBasis & { readonly ask: AskId | null; readonly path: string | null },
  answer: RecordableAnswer,
): AuditEvent {
  const { at, session, ask, path } = about;
  const common = { kind: "answer", at, session, ask, path, verdict: answer.verdict, by: answer.by } as const;
  if (answer.verdict !== "allow")
    return { ...common, until: null, expires: null, stop: answer.stop === true, note: answer.note === undefined ? null : answer.note };
  const expires = answer.expires ?? null;
  const until = answer.keeps === true ? "always" : answer.until === "session" && expires !== null ? "time" : answer.until;
  return { ...common, until, expires, stop: false, note: null };
}

type RecordableAnswer =
  | {
      readonly verdict: "allow";
      readonly until: "call" | "session";
      readonly by: string;
      readonly expires?: number | null;
      readonly keeps?: boolean;
    }
  | { readonly verdict: "deny" | "reply"; readonly by: string; readonly note?: string | null; readonly stop?: boolean };

/** Keeps one event of the record. Where it throws, the access is denied: what cannot be recorded is not done. */
export type Audit = (event: AuditEvent) => void;
