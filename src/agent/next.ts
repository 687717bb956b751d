// Transcript → what to do next. Pure: the whole control flow of an agent, testable as a table.

import { toolNamed } from "../tools/registry.ts";
import { lastCalls, type ToolCall, type Transcript } from "./transcript.ts";

/** How much may happen after one message of the person. */
export interface Budget {
  /** Turns of the model after one message of the person. */
  readonly turns: number;
  /** Calls after one message of the person. */
  readonly calls: number;
}

/** The budget unless told otherwise. */
export const defaultBudget: Budget = { turns: 50, calls: 200 };

/** The same refused call this often in a row ends the run politely. */
const REPEATS = 3;

/** What a chat does next. */
export type NextAction =
  | { readonly do: "call-model" }
  /** The person has spoken meanwhile: what they said goes to the end of the transcript before anything else. */
  | { readonly do: "hear" }
  /** These calls are to be judged and done; a started one was interrupted. */
  | { readonly do: "run-calls"; readonly calls: readonly ToolCall[] }
  /** Calls wait for a person; the loop ends here and somebody wakes it. */
  | { readonly do: "wait" }
  | {
      readonly do: "stop";
      readonly why: "finished" | "failed" | "stopped-by-person" | "turns-used-up" | "calls-used-up" | "repeats-itself";
    };

/**
 * `spoken`: has the person said something that is not in the transcript yet? It is heard before the next turn of the model and no earlier.
 * A message that came between a turn's calls and their outcomes would be one of a transcript no model takes, and would hide calls that are
 * still to be done; one that waited for the end of the run would come when the work it is about has been done without it. Where the chat
 * waits for an answer it goes on waiting: the question was put after the person spoke, else speaking would have closed it.
 */
export function next(transcript: Transcript, budget: Budget = defaultBudget, spoken = false): NextAction {
  const step = nextOf(transcript, budget);
  return spoken && (step.do === "call-model" || step.do === "stop") ? { do: "hear" } : step;
}

function nextOf(transcript: Transcript, budget: Budget): NextAction {
  const last = transcript.findLast((message) => message.role === "agent" || message.role === "person");
  if (last === undefined) return { do: "stop", why: "finished" };
  if (last.role === "person") return { do: "call-model" };
  if (last.error !== null) return { do: "stop", why: "failed" };
  const calls = lastCalls(transcript);
  const open = calls.filter(({ state }) => state.at === "proposed" || state.at === "started");
  if (open.length > 0) return { do: "run-calls", calls: open };
  if (calls.some(({ state }) => state.at === "waiting")) return { do: "wait" };
  if (calls.length === 0) return { do: "stop", why: "finished" };
  if (calls.some(wasStopped)) return { do: "stop", why: "stopped-by-person" };
  const recentCalls = sincePerson(transcript);
  if (recentCalls.some((call) => refusedBefore(recentCalls, call) >= REPEATS)) return { do: "stop", why: "repeats-itself" };
  if (turnsSincePerson(transcript) >= budget.turns) return { do: "stop", why: "turns-used-up" };
  return recentCalls.length >= budget.calls ? { do: "stop", why: "calls-used-up" } : { do: "call-model" };
}

/** The calls made since the person last spoke, oldest first. */
export function sincePerson(transcript: Transcript): readonly ToolCall[] {
  return turnsFrom(transcript).flatMap((message) => message.calls);
}

/** How many calls with the same name and input were refused, up to and with this one, without a yes in between. */
export function refusedBefore(calls: readonly ToolCall[], call: Pick<ToolCall, "name" | "input">): number {
  let count = 0;
  for (const earlier of calls) {
    if (earlier.state.at !== "done") continue;
    if (earlier.state.outcome.ok && toolNamed(earlier.name)?.asks === "access") count = 0;
    if (!earlier.state.outcome.ok && isSame(earlier, call)) count += 1;
  }
  return count;
}

function isSame(one: Pick<ToolCall, "name" | "input">, other: Pick<ToolCall, "name" | "input">): boolean {
  return one.name === other.name && JSON.stringify(one.input) === JSON.stringify(other.input);
}

/** What a model reads of a no that asks it to stop. That it does is a field of the outcome. */
export const STOPPED = "The person said no and asked you to stop here.";

function wasStopped({ state }: ToolCall): boolean {
  return state.at === "done" && !state.outcome.ok && state.outcome.stops === true;
}

const turnsSincePerson = (transcript: Transcript): number => turnsFrom(transcript).length;

function turnsFrom(transcript: Transcript) {
  // After a summary the person's last word stands a second time; it was said when it was first said.
  const last = transcript.findLast((message) => message.role === "person");
  const from = transcript.findIndex((message) => message.role === "person" && message.at === last?.at && message.text === last.text);
  return transcript.slice(from + 1).filter((message) => message.role === "agent");
}
