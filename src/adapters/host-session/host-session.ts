// A host session: the session of one agent that another program runs (an MCP client, an editor, `hallpass run`), as the adapter for that program
// sees it. An app keeps it, which an AppConnection leads to: the daemon's, so that grants, inbox and record are shared with every other agent, or
// one in this process.

import type { AuditEvent } from "../../core/audit.ts";
import type { Operation, PlannedWrite } from "../../core/access.ts";
import type { AskId } from "../../core/names.ts";
import type { Session } from "../../core/session/session.ts";
import type { AnswerBody } from "../../wire/http.ts";
import type { WireAsk } from "../../wire/values.ts";

/** Whose session it is: one agent of a host, in one workspace. */
export interface HostIdentity {
  /** `mcp`, `acp`, `claude-code` … */
  readonly host: string;
  /** The host's own name for this run of its agent. */
  readonly hostSession: string;
  readonly workspace: string;
  readonly label?: string;
  /** The host session of the agent above it. */
  readonly parent?: HostSession;
  readonly attended?: boolean;
  /** Does the session end with the host session? Not where the host comes back to it under the same name. */
  readonly leaves?: boolean;
  /** The process that started this one: where that is a host whose hooks have called, its session is taken, which does not end with this one. */
  readonly startedBy?: { readonly pid: number; readonly born: string };
}

/** An access that an adapter asks about. */
export interface HostAccess {
  /** The adapter's own name for the call, unique in its session. */
  readonly call: string;
  readonly tool: string;
  readonly operation: Operation;
  readonly path: string;
  /** A command that nothing here confines; `path` is its text. */
  readonly isUnconfined?: true;
  /** A command that needs the network; `path` is its text. */
  readonly needsNetwork?: true;
  /** For a write: what the call would make of files. The card shows it, and a yes for once is to that and nothing else. */
  readonly writes?: readonly PlannedWrite[];
}

/** An ask that waits, or an end at once: granted before, refused, denied already. `text` is for the model. */
export type AskResult =
  | { readonly state: "waiting"; readonly ask: WireAsk }
  | { readonly state: "done"; readonly ok: boolean; readonly code: string | null; readonly text: string };

/** The session of an agent that another program runs: judge in it, ask for it, record what was decided. */
export interface HostSession {
  /** Is it kept, and can it be answered elsewhere? Else grants end with this process, and only its own person can answer. */
  readonly shared: boolean;
  /** Our id of the session. */
  readonly id: string;
  /**
   * The session as it stands now, to judge one call in: revocations and answers up to this moment count. Throws HallpassError
   * (`session-closed`, `invalid-policy`, `io-error` where the daemon is gone): then nothing is done.
   */
  session(call: string): Promise<Session>;
  ask(access: HostAccess, words: string | null): Promise<AskResult>;
  /** The ask as soon as it is settled; as it is after `milliseconds`, or once the signal aborts. */
  wait(ask: AskId | string, milliseconds: number, signal?: AbortSignal): Promise<WireAsk>;
  /** A person's answer through the host's own dialog. Never anything a model said. Gives the ask as it then is, whoever won. */
  answer(ask: AskId | string, answer: AnswerBody): Promise<WireAsk>;
  /** The agent no longer needs it: it is closed, whoever else waits for it. */
  cancel(ask: AskId | string): Promise<void>;
  /** This call waits no longer; the ask stays as it is. */
  leave(ask: AskId | string, call: string): void;
  /** This call is called off. The ask is closed, unless another call waits for it or was put to it from elsewhere. */
  withdraw(ask: AskId | string, call: string): Promise<void>;
  /** What was decided here, for the record. Resolves when it is kept; what cannot be recorded must not be done. */
  record(events: readonly AuditEvent[]): Promise<void>;
  /** Where a person can see and answer it; null where there is no page. */
  addressOf(ask: AskId | string): string | null;
  /** Lets go of it. Where its identity says that it `leaves`, the session ends. */
  close(): Promise<void>;
}
