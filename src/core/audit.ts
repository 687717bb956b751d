// What is recorded: every decision, answer, grant and revocation, once. The port is a function; where the record is kept is not
// core's business. Nothing of a file's content is ever in it.

import type { Operation } from "./access.ts";
import type { Code } from "./errors.ts";
import type { AskId, CallId, GrantId, RuleId, SessionId } from "./names.ts";
import type { Verdict } from "./policy/rule.ts";

interface Recorded {
  readonly at: number;
  readonly session: SessionId;
}

/** One line of the record: a decision, an answer, a grant made, refused or revoked. */
export type AuditEvent =
  | (Recorded & {
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
      /** The ask that was opened for it, or that it was put to; null where nobody was asked. */
      readonly ask: AskId | null;
      /** What went wrong inside the guard, where that is why. */
      readonly fault: string | null;
      /** When it was added to the record, where a hook decided while the daemon was away. */
      readonly late?: number;
    })
  | (Recorded & { readonly kind: "open-failed"; readonly call: CallId; readonly requested: string; readonly code: Code })
  /** What a person said, as they said it. `ask` is null where a person allowed what they did themselves: nobody asked them. */
  | (Recorded & {
      readonly kind: "answer";
      readonly ask: AskId | null;
      readonly verdict: "allow" | "deny" | "reply";
      /** Of a yes: how long it was given for; `time`: until `expires`. Null for a no and a reply. */
      readonly until: "call" | "time" | "session" | "always" | null;
      readonly expires: number | null;
      /** Of a no: is the agent to stop? */
      readonly stop: boolean;
      readonly by: string;
      readonly note: string | null;
    })
  | (Recorded & {
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
  | (Recorded & { readonly kind: "ask-closed"; readonly ask: AskId; readonly why: AskEnd })
  | (Recorded & { readonly kind: "grant-refused"; readonly ask: AskId; readonly code: Code })
  | (Recorded & { readonly kind: "revocation"; readonly grant: GrantId; readonly by: string })
  | SessionEnded
  /** A person deleted a chat: its messages are gone, this record is not. */
  | (Recorded & { readonly kind: "chat-deleted"; readonly chat: string; readonly by: string })
  /** A grant was kept for good: a rule was added to the operator's policy. */
  | (Recorded & {
      readonly kind: "rule-kept";
      readonly grant: GrantId;
      readonly path: string;
      readonly file: string;
      readonly line: number;
      readonly by: string;
    })
  /** The operator's policy was saved: by which text (its SHA-256) which one was replaced; null where there was none. Its session is `policy`. */
  | (Recorded & {
      readonly kind: "policy-changed";
      readonly file: string;
      readonly before: string | null;
      readonly after: string;
      readonly by: string;
    })
  /** The records from `first` to `last` were written to a file, and may leave the store; `hash` is the last one's. Its session is `store`. */
  | (Recorded & {
      readonly kind: "archived";
      readonly first: number;
      readonly last: number;
      readonly hash: string;
      readonly file: string;
      readonly by: string;
    })
  /**
   * Decisions that hooks made while the daemon was away were added: `count` of them stand before this, and `damaged` lines could not be
   * read. Its session is the file they came from, of which all up to `until` is recorded.
   */
  | (Recorded & { readonly kind: "spool-taken"; readonly until: number; readonly count: number; readonly damaged: number });

export type SessionEnd = "person" | "agent-left" | "idle";

/**
 * Why an ask was closed without an answer. `withdrawn`: the person said something else. `stopped`: they stopped the agent. `expired`: nobody
 * answered in time. `covered`: what it asks for is allowed by now, by a yes to another ask or by a root. `changed`: what a yes would open is
 * no longer what was shown, or nothing any more. `not-needed`: its call no longer waits for it. The others are how its session ended.
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
export const askEndOf = (why: SessionEnd): AskEnd => (why === "person" ? "session-ended" : why);

/** Every kind of event, in the order in which they come about. */
export const auditKinds = [
  "decision",
  "open-failed",
  "answer",
  "grant",
  "grant-refused",
  "ask-closed",
  "revocation",
  "session-ended",
  "chat-deleted",
  "rule-kept",
  "policy-changed",
  "archived",
  "spool-taken",
] as const satisfies readonly AuditEvent["kind"][];

/** A session has ended, and with it its grants: a person ended it, the program that drove it is gone, or nobody used it for long. */
export interface SessionEnded extends Recorded {
  readonly kind: "session-ended";
  readonly by: string;
  readonly why: SessionEnd;
}

/** How an answer is recorded, of whichever ask. */
export function answerEvent(about: Recorded & { readonly ask: AskId | null }, answer: RecordableAnswer): AuditEvent {
  const { at, session, ask } = about;
  const common = { kind: "answer", at, session, ask, verdict: answer.verdict, by: answer.by } as const;
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
