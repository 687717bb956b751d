// What the proxy makes of an agent's request: let it through, answer it here, or refuse it. Judged at the desk, so that the policy, the
// grants and the inbox are those of every other agent.

import type { AuditEvent } from "../../core/audit.ts";
import type { Ids } from "../../core/clock.ts";
import type { Operation } from "../../core/access.ts";
import { HallpassError } from "../../core/errors.ts";
import type { Guard } from "../../core/guard/guard.ts";
import { hint } from "../../core/guard/explain.ts";
import { callId } from "../../core/names.ts";
import type { WireAsk } from "../../wire/values.ts";
import type { Desk } from "../desk/desk.ts";

export interface Judged {
  readonly verdict: "allow" | "deny";
  readonly code: string;
  /** For the agent: why not, and what to do. */
  readonly text: string;
  /** Is it in the workspace itself, where the editor reads and writes too? */
  readonly inWorkspace: boolean;
}

/** Puts an ask before the person in the editor; settles when they answered, or when it was settled elsewhere. */
export type PutToPerson = (ask: WireAsk, gone: AbortSignal) => Promise<void>;

export interface GuardingPorts {
  readonly desk: Desk;
  /** Judges, and tells what it decided to `decided`. */
  readonly guard: Guard;
  readonly decided: AuditEvent[];
  readonly ids: Ids;
  readonly put: PutToPerson;
  /** How long a person is waited for, in milliseconds. */
  readonly patience: number;
}

/** Judge an access of the agent; where a person is needed, ask them and judge again. Whatever goes wrong is a deny. */
export async function judgeAccess(
  ports: GuardingPorts,
  tool: string,
  operation: Operation,
  path: string,
  words: string | null,
): Promise<Judged> {
  try {
    return await judged(ports, { call: `acp-${ports.ids()}`, tool, operation, path }, words);
  } catch (error) {
    const code = error instanceof HallpassError ? error.code : "guard-fault";
    return denied(code, error instanceof HallpassError ? error.message : "it could not be judged, and what cannot be judged is denied");
  }
}

type Access = { readonly call: string; readonly tool: string; readonly operation: Operation; readonly path: string };

async function judged(ports: GuardingPorts, access: Access, words: string | null): Promise<Judged> {
  const first = await judgeNow(ports, access);
  if (first.verdict !== "ask") return first;
  const { desk, put, patience } = ports;
  const asked = await desk.ask(access, words);
  if (asked.state === "waiting") {
    const gone = new AbortController();
    try {
      // Whoever answers first is believed: the editor's dialog, or the inbox.
      const settled = desk.wait(asked.ask.id, patience, gone.signal);
      const here = put(asked.ask, gone.signal).catch(() => {});
      await Promise.race([settled, here.then(() => desk.wait(asked.ask.id, patience, gone.signal))]);
    } finally {
      gone.abort();
    }
    const now = await desk.wait(asked.ask.id, 0);
    if (now.state === "open") {
      if (!desk.shared) await desk.cancel(asked.ask.id);
      return denied("timeout", "nobody has answered yet; ask again later, or go on without it");
    }
    const note = now.answer?.verdict === "deny" && now.answer.note !== null ? ` The person says: ${now.answer.note}` : "";
    if (now.answer?.verdict === "deny") return denied("person-declined", `the person said no.${note}`);
  } else if (!asked.ok) return denied(asked.code ?? "person-declined", asked.text);
  // An answer opens nothing: the access is judged again, in the session the answer made.
  const again = await judgeNow(ports, access);
  return again.verdict === "ask" ? denied("person-declined", again.text) : again;
}

async function judgeNow(
  { desk, guard, decided }: GuardingPorts,
  access: Access,
): Promise<Judged | { readonly verdict: "ask"; readonly text: string }> {
  const session = await desk.session(access.call);
  const decision = guard.judge({ ...access, call: callId(access.call) }, session);
  // INVARIANT: nothing is awaited since the judgement, so these are its events and no other's.
  const events = decided.splice(0);
  if (decision.verdict === "allow") decision.pass.close();
  // What waits for a person is judged, and recorded, by the desk.
  if (decision.verdict === "ask") return { verdict: "ask", text: hint(decision) };
  await desk.record(events);
  if (decision.verdict === "deny") return denied(decision.reason, hint(decision));
  return { verdict: "allow", code: decision.reason, text: "", inWorkspace: decision.root?.from === "workspace" };
}

const denied = (code: string, text: string): Judged => ({ verdict: "deny", code, text, inWorkspace: false });
