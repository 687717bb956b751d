// A chat as data: messages, the calls they made, and where each call stands. Plain values, the same in memory and in a store.
//
// The life of a call. It is `proposed` when the model's message is written. Whoever runs it writes `started` first, so that after a
// crash it is known which calls may have been done. A call that needs a person is `waiting` for an ask: the loop ends there, and the
// process may die. `done` is final and holds the outcome that the model will read.
//
//   proposed ──▶ started ──▶ done
//      │            │
//      └─▶ waiting ◀┘   an answer makes it proposed again (judged anew) or done (denied, or a question answered); a command that
//                       asked while it runs is started again, whatever the answer

import type { AskId, CallId } from "../core/names.ts";
import type { Code } from "../core/errors.ts";
import type { UndoFile } from "../tools/undo-file.ts";

/** Where a chat stands. */
export type ChatStatus = "idle" | "running" | "waiting_for_input" | "failed" | "archived";

/** Why a call waits: for a grant, or for an answer to a question of the model's. The words are the wire's. */
export type PendingKind = "pending_grant" | "pending_question";

/** What became of a tool call. */
export type CallOutcome =
  /** `diff`: what it changed, for the person, and by what that could be undone; the model is told the output alone. */
  | { readonly ok: true; readonly output: string; readonly diff?: string; readonly undo?: CallUndo }
  /** `stops`: the person said no and asked the agent to stop. */
  | { readonly ok: false; readonly code: Code; readonly hint: string; readonly stops?: true };

/** May a person undo what a call changed? Not where a file was too large, not text, or could not be read; and once. */
export interface CallUndo {
  readonly state: "possible" | "done" | "too-large" | "not-text" | "not-readable";
  /** Every file that it changed; none where it cannot be undone. */
  readonly files: readonly UndoFile[];
}

/** The state of a tool call: proposed, started, waiting for a person, or done. */
export type CallState =
  | { readonly at: "proposed" }
  | { readonly at: "started" }
  | { readonly at: "waiting"; readonly ask: AskId; readonly kind: PendingKind }
  | { readonly at: "done"; readonly outcome: CallOutcome };

/** What becomes of which calls. */
export type CallChanges = readonly { readonly call: CallId; readonly to: CallState }[];

/** One call of a tool, as the model made it. */
export interface ToolCall {
  readonly id: CallId;
  readonly name: string;
  /** As the model gave it: plain JSON, not yet looked at. */
  readonly input: unknown;
  readonly state: CallState;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
}

/**
 * What is wrong with a model's service, as far as it can be told apart: it wants a key and has none, it refuses the one it has, what was paid
 * for is used up, too much was asked in too short a time, the conversation is too long, nothing was heard from it.
 */
export const modelFaultKinds = ["missing-key", "wrong-key", "quota", "rate-limit", "context-full", "silent", "other"] as const;
export type ModelFaultKind = (typeof modelFaultKinds)[number];

/** A picture that a person put into a message: its media type, and its bytes in base64. */
export interface Picture {
  readonly type: string;
  readonly data: string;
}

/**
 * One message of a chat: the person's, the model's, or a reminder of ours. `rewoundAt`: when the person went back to before it; missing where it is
 * part of the conversation.
 */
export type Message =
  | {
      readonly role: "person";
      readonly id: string;
      readonly at: number;
      readonly text: string;
      readonly pictures?: readonly Picture[];
      readonly rewoundAt?: number;
    }
  /** What the model said in one turn, and the calls it made. `error` where the turn failed. */
  | {
      readonly role: "agent";
      readonly id: string;
      readonly at: number;
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly usage: Usage | null;
      /** `provider/model`, where the turn was counted. */
      readonly model?: string;
      readonly error: string | null;
      /** What kind of error it is, and from when on another try may help; missing where there is none, and from what an earlier version stored. */
      readonly fault?: { readonly kind: ModelFaultKind; readonly retryAt: number | null };
      readonly rewoundAt?: number;
    }
  /** Something the system tells the model: a scope alert, a revocation. Not kept on compaction unless it says so. */
  | {
      readonly role: "reminder";
      readonly id: string;
      readonly at: number;
      readonly text: string;
      readonly dedupeKey: string | null;
      /** How many turns it lives; null for good. */
      readonly turns: number | null;
      readonly rewoundAt?: number;
    }
  /** Everything before it, in short. Messages before it stay stored and are no longer sent. */
  | { readonly role: "summary"; readonly id: string; readonly at: number; readonly text: string; readonly rewoundAt?: number };

/** The messages of a chat that are part of the conversation, oldest first. */
export type Transcript = readonly Message[];

/** The calls of the last turn, which are the only ones that can be open. */
export function lastCalls(transcript: Transcript): readonly ToolCall[] {
  const last = transcript.findLast((message) => message.role === "agent" || message.role === "person");
  return last?.role === "agent" ? last.calls : [];
}
