// Open asks after a session's roots changed: what is in scope now is settled, what can no longer be asked for is closed, and what would
// be answered for something else than was shown is closed too, since the agent can ask again. What stays is what was shown.

import { NETWORK } from "../../core/access.ts";
import type { Guard } from "../../core/guard/guard.ts";
import { callId, type SessionId } from "../../core/names.ts";
import { isSame } from "../../core/session/root.ts";
import type { Session } from "../../core/session/session.ts";
import { closed } from "../../agent/answering.ts";
import { liveSession } from "../../agent/live-session.ts";
import { goesOn, isLookup } from "../../agent/lookups.ts";
import type { StoredAsk } from "../../agent/ports.ts";
import type { AppPorts } from "../ports.ts";

export async function rejudgeOpenAsks(ports: AppPorts, guard: Guard, id: SessionId): Promise<void> {
  const { store, agent, log, clock } = ports;
  const stored = await store.session(id);
  if (stored === null || stored.archivedAt !== null) return;
  const session = await liveSession(ports, stored, null);
  const woken = new Set<string>();
  for (const ask of await store.asks({ session: id, state: "open" })) {
    const now = standing(guard, session, ask);
    if (now === "as-shown") continue;
    // In scope: the calls are judged again, each for itself, and done; a command that runs goes on.
    const callsToRepeat = () => (isLookup(ask) ? goesOn(ask) : ask.calls.map((call) => ({ call, to: { at: "proposed" as const } })));
    const calls = now === "in-scope" ? callsToRepeat() : closed(ask, now);
    const why = now === "in-scope" ? "covered" : "changed";
    if ((await store.closeAsks(id, [{ ask: ask.id, path: ask.path, why, at: clock(), calls }])).length > 0) woken.add(ask.chat);
  }
  for (const chat of woken)
    agent.wake(chat).catch((error: unknown) => log.error({ chat, error: String(error) }, "a chat could not go on after its roots changed"));
}

function standing(guard: Guard, session: Session, ask: StoredAsk): "as-shown" | "in-scope" | "grant-changed" | "request-closed" {
  // The network is no path, and what roots there are is nothing to it.
  if (ask.kind === "pending_question" || ask.path === null || ask.path === NETWORK) return "as-shown";
  const operation = ask.right === "read" ? "read" : "replace";
  const decision = guard.judge({ call: callId("rejudge"), tool: ask.tool, operation, path: ask.path }, session);
  if (decision.verdict === "allow") {
    decision.pass.close();
    return "in-scope";
  }
  if (decision.verdict === "deny") return "request-closed";
  if (ask.offers !== decision.ask.offers) return "grant-changed";
  if (decision.ask.offers === "once") return "as-shown";
  const { proposal } = decision.ask;
  return ask.proposal?.dir === proposal.dir && isSame(ask.proposal, proposal) ? "as-shown" : "grant-changed";
}
