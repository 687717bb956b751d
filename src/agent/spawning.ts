// Agents that other agents started. A child has a session of its own, anchored elsewhere: the parent's policy and denies hold there
// too, its grants do not. Its asks reach the person like any other, named; while it waits, the parent's call waits with it. It is there for
// its task: its session ends when that call does.

import { agentIn } from "../core/guard/card.ts";
import { sessionId } from "../core/names.ts";
import { spawnInput } from "../tools/spawn-agent.ts";
import type { LivePorts } from "./live-session.ts";
import { type Budget, next } from "./next.ts";
import type { SessionSettings, Store, StoredSession } from "./ports.ts";
import { type CallOutcome, type CallState, lastCalls, type ToolCall } from "./transcript.ts";

/** Make the child's session and chat, with its task as the first message. Doing it twice makes one: the chat says which call started it. */
export async function startChild(
  { store, clock, ids }: LivePorts,
  parent: StoredSession,
  chat: string,
  call: ToolCall,
  workspace: string,
): Promise<string> {
  const parsed = spawnInput.safeParse(call.input);
  const at = clock();
  const giveTask = async (id: string): Promise<string> => {
    const text = parsed.success ? parsed.data.task : "";
    if ((await store.transcript(id)).length === 0) await store.append(id, { role: "person", id: ids(), at, text }, "running");
    return id;
  };
  const existingChild = await store.chatStartedBy(chat, call.id);
  if (existingChild !== null) return giveTask(existingChild.id);
  const session: StoredSession = {
    ...parent,
    id: sessionId(ids()),
    parent: parent.id,
    workspace,
    label: agentIn(workspace),
    allowedReadPaths: [],
    at,
    archivedAt: null,
  };
  await store.addSession(session, []);
  const id = ids();
  const model = (await store.chat(chat))?.model;
  const startedBy = { chat, call: call.id };
  const title = `agent in ${workspace}`;
  await store.addChat({ id, session: session.id, title, status: "idle", at, startedBy, ...(model === undefined ? {} : { model }) });
  return giveTask(id);
}

/**
 * Where the parent's call stands now that its child has run: done with what the child said, or waiting for what the child waits for, be it
 * an agent further down that asks. Null where the child has something to do: somebody drives it, or will.
 */
export async function stateAfterChild(store: Store, child: string, budget: Budget): Promise<CallState | null> {
  // The status first: what is written with a later one is in the transcript then.
  const status = (await store.chat(child))?.status;
  const transcript = await store.transcript(child);
  if (status === "running") return null;
  if (status === "waiting_for_input") {
    for (const { state } of lastCalls(transcript))
      if (state.at === "waiting" && (await store.ask(state.ask))?.state === "open") return state;
    return null;
  }
  // Not told its task yet, or told something more.
  if (status !== undefined && (transcript.length === 0 || (await store.said(child)).length > 0)) return null;
  const stopped = lastCalls(transcript).find(wasCutShort)?.state;
  if (stopped?.at === "done" && !stopped.outcome.ok)
    return { at: "done", outcome: { ...stopped.outcome, hint: `The agent did not finish. It was told: ${stopped.outcome.hint}` } };
  if (next(transcript, budget).do === "call-model") return { at: "done", outcome: STOPPED_MIDWAY };
  const last = transcript.findLast((message) => message.role === "agent");
  if (last?.role !== "agent" || last.error !== null) {
    return {
      at: "done",
      outcome: { ok: false, code: "io-error", hint: `The agent failed: ${last?.role === "agent" ? last.error : "it said nothing"}` },
    };
  }
  return { at: "done", outcome: { ok: true, output: last.text } };
}

const STOPPED_MIDWAY: CallOutcome = { ok: false, code: "stopped", hint: "The agent was stopped before it had finished." };

/** Was the agent ended with this call: by a person's no that stops it, by a person who stopped it, or with its session? */
function wasCutShort({ state }: ToolCall): boolean {
  if (state.at !== "done" || state.outcome.ok) return false;
  const { stops, code } = state.outcome;
  return stops === true || code === "stopped" || code === "session-closed";
}

/** The workspaces above a session, nearest first: their repositories' policies hold in it too. */
export async function inheritedWorkspaces(store: Store, stored: SessionSettings): Promise<readonly string[]> {
  const workspaces: string[] = [];
  for (let parent = stored.parent; parent !== null && workspaces.length < 16;) {
    const session: SessionSettings | null = await store.sessionSettings(parent);
    if (session === null) break;
    workspaces.push(session.workspace);
    parent = session.parent;
  }
  return workspaces;
}
