// How the proxy judges an access of the agent: in the host session, so that policy, grants and inbox are the same as for every other
// agent. If a person is needed, they are asked, and the access is judged again.

import type { AuditEvent } from "../../core/audit.ts";
import type { Ids } from "../../core/clock.ts";
import type { Operation, PlannedWrite } from "../../core/access.ts";
import { HallpassError } from "../../core/errors.ts";
import type { Guard } from "../../core/guard/guard.ts";
import { hint } from "../../core/guard/explain.ts";
import { callId } from "../../core/names.ts";
import { below } from "../../core/path/contain.ts";
import type { WireAsk } from "../../wire/values.ts";
import type { HostSession } from "../host-session/host-session.ts";
import { nobodyToAsk, TOO_SOON } from "../host-session/dialog.ts";
import type { DialogOutcome } from "./dialogs.ts";

export type JudgedRequest =
  | {
      readonly verdict: "allow";
      /** The call it was judged as: what is done now is done under this name. */
      readonly call: string;
      readonly real: string;
      /** Where it lies in the workspace itself, which the editor reads and writes too; null where it lies elsewhere. */
      readonly inWorkspace: string | null;
    }
  /** For the agent: why not, and what to do. */
  | { readonly verdict: "deny"; readonly code: string; readonly text: string };

/** Puts an ask before the person in the editor; settles when they answered, or when it was settled elsewhere. */
export type AskPerson = (ask: WireAsk, gone: AbortSignal) => Promise<DialogOutcome>;

export interface GuardingPorts {
  readonly hostSession: HostSession;
  /** Judges, and tells what it decided to `decided`. */
  readonly guard: Guard;
  readonly decided: AuditEvent[];
  readonly ids: Ids;
  readonly put: AskPerson;
  /** How long a person is waited for, in milliseconds. */
  readonly patience: number;
}

export interface AgentAccess {
  readonly tool: string;
  readonly operation: Operation;
  readonly path: string;
  /** Is what lies outside the workspace read here, under the same call? Then that is judged and recorded once more, and uses a yes for once. */
  readonly isReadHere?: true;
  /** For a write: what it would make of files. */
  readonly writes?: readonly PlannedWrite[];
}

/**
 * Judge an access of the agent; where a person is needed, ask them and judge again. Whatever goes wrong is a deny. `signal` aborts when
 * nobody wants to know any more: then the ask is withdrawn.
 */
export async function judgeAccess(
  ports: GuardingPorts,
  access: AgentAccess,
  reason: string | null,
  signal: AbortSignal,
): Promise<JudgedRequest> {
  try {
    return await judgeOrAsk(ports, { ...access, call: `acp-${ports.ids()}` }, reason, signal);
  } catch (error) {
    return faulty(error);
  }
}

/** The verdict alone: nobody is asked. */
export async function lookAt(ports: GuardingPorts, access: AgentAccess): Promise<"allow" | "ask" | "deny"> {
  try {
    return (await judgeNow(ports, { ...access, call: `acp-${ports.ids()}` })).verdict;
  } catch {
    return "deny";
  }
}

type Access = AgentAccess & { readonly call: string };

async function judgeOrAsk(ports: GuardingPorts, access: Access, reason: string | null, signal: AbortSignal): Promise<JudgedRequest> {
  const first = await judgeNow(ports, access);
  if (first.verdict !== "ask") return first;
  const { hostSession } = ports;
  const askResult = await hostSession.ask(access, reason);
  if (askResult.state === "waiting") {
    const { ask, dialogOutcome } = await waitForAnswer(ports, askResult.ask, signal);
    if (signal.aborted) {
      await hostSession.withdraw(ask.id, access.call);
      return denied("request-closed", "the call was cancelled, and its ask is closed");
    }
    hostSession.leave(ask.id, access.call);
    if (ask.state === "open" && !hostSession.shared) await hostSession.cancel(ask.id);
    if (ask.state !== "answered" && ask.closed !== "covered" && dialogOutcome !== "answered" && !hostSession.shared)
      return nobodyAnswered(dialogOutcome);
    if (ask.state === "open")
      return denied(
        "timeout",
        `${dialogOutcome === "too-soon" ? `${TOO_SOON}, and ` : ""}nobody has answered yet; ask again later, or go on without it`,
      );
    // One that is covered is allowed by now, so it is judged again like one that was answered.
    if (ask.state === "closed" && ask.closed !== "covered")
      return denied("request-closed", "the ask was closed without an answer; go on without it");
    const note = ask.answer?.verdict === "deny" && ask.answer.note !== null ? ` The person says: ${ask.answer.note}` : "";
    if (ask.answer?.verdict === "deny") return denied("person-declined", `the person said no.${note}`);
    // The host session says whose the yes is: one for once may have been asked for by the same call, made earlier and given up.
    const afterAnswer = await hostSession.ask(access, reason);
    if (afterAnswer.state === "waiting")
      return denied("timeout", "another call has used the yes, and a person is asked again; ask again later, or go on without it");
    if (!afterAnswer.ok) return denied(afterAnswer.code ?? "person-declined", afterAnswer.text);
  } else if (!askResult.ok) return denied(askResult.code ?? "person-declined", askResult.text);
  // An answer opens nothing: the access is judged again, in the session the answer made.
  const again = await judgeNow(ports, access);
  return again.verdict === "ask" ? denied("person-declined", again.text) : again;
}

/** What the agent is told where the editor showed no dialog, or said yes for nobody, and there is no inbox. */
export const nobodyAnswered = (dialogOutcome: DialogOutcome): JudgedRequest =>
  denied("no-prompt-channel", nobodyToAsk(dialogOutcome === "too-soon" ? TOO_SOON : "this client gave no answer to our question"));

/** The ask as it stands once somebody answered, or nobody is waited for any longer; and what came of the editor's dialog. */
async function waitForAnswer(
  { hostSession, put, patience }: GuardingPorts,
  ask: WireAsk,
  signal: AbortSignal,
): Promise<{ readonly ask: WireAsk; readonly dialogOutcome: DialogOutcome }> {
  const over = new AbortController();
  const gone = AbortSignal.any([over.signal, signal]);
  let dialogOutcome: DialogOutcome = "answered";
  try {
    // Whoever answers first is believed: the editor's dialog, or the inbox.
    const settled = hostSession.wait(ask.id, patience, gone);
    const here = put(ask, gone).then(
      (outcome) => (dialogOutcome = outcome),
      () => (dialogOutcome = "nothing"),
    );
    // Without an inbox nobody else will answer.
    await Promise.race([settled, here.then((outcome) => (outcome === "answered" || hostSession.shared ? settled : null))]);
  } finally {
    over.abort();
  }
  return { ask: await hostSession.wait(ask.id, 0), dialogOutcome };
}

async function judgeNow(
  { hostSession, guard, decided }: GuardingPorts,
  access: Access,
): Promise<JudgedRequest | { readonly verdict: "ask"; readonly text: string }> {
  const session = await hostSession.session(access.call);
  const { tool, operation, path } = access;
  const decision = guard.judge({ call: callId(access.call), tool, operation, path }, session);
  // INVARIANT: nothing is awaited since the judgement, so these are its events and no other's.
  const events = decided.splice(0);
  if (decision.verdict === "allow") decision.pass.close();
  // What waits for a person is judged, and recorded, by the host session.
  if (decision.verdict === "ask") return { verdict: "ask", text: hint(decision) };
  const { real, root } = decision;
  const inWorkspace = real !== null && root?.from === "workspace" ? below(root.dir, real) : null;
  if (decision.verdict === "deny" || access.isReadHere !== true || inWorkspace !== null) await hostSession.record(events);
  if (decision.verdict === "deny") return denied(decision.reason, hint(decision));
  if (real === null) return denied("guard-fault", "what it is could not be told");
  return { verdict: "allow", call: access.call, real, inWorkspace };
}

const denied = (code: string, text: string): JudgedRequest => ({ verdict: "deny", code, text });

export function faulty(error: unknown): Extract<JudgedRequest, { verdict: "deny" }> {
  const known = error instanceof HallpassError;
  const text = known ? error.message : "it could not be judged, and what cannot be judged is denied";
  return { verdict: "deny", code: known ? error.code : "guard-fault", text };
}
