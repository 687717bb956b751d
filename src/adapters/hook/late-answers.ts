// Asks that a hook has stopped waiting for. A later answer is reported to the agent once, with the host's next event: which ask, what
// was answered, which directory. Kept in memory: after a restart of the daemon the agent learns of an answer when it repeats the call.

import { show } from "../../core/path/show.ts";
import type { HookAgent } from "./socket-handler.ts";

/** An ask, as far as its agent is to know of it; a stored one fits. */
export interface SettledAsk {
  readonly id: string;
  readonly state: "open" | "answered" | "closed";
  readonly path: string | null;
  readonly proposal: { readonly dir: string } | null;
  readonly answer:
    | { readonly verdict: "allow"; readonly until: "call" | "session"; readonly opened?: string }
    | { readonly verdict: "deny" | "reply" }
    | null;
}

export interface LateAnswers {
  /** The agent was told to come back: nobody has answered yet. */
  remember(agent: HookAgent, ask: string): void;
  /** The agent has waited for this one again, and is told with its call. */
  forget(agent: HookAgent, ask: string): void;
  /** What was answered since, in words for the model; null where nothing was. Each is told once. */
  take(agent: HookAgent): Promise<string | null>;
}

/** Agents of which something is kept, and asks of each. The oldest are forgotten. */
const AGENTS = 1000;
const ASKS = 32;

/** `whyNoGrant`: why a yes for the session opens nothing now; null where it does. */
export function createLateAnswers(
  look: (ask: string) => Promise<SettledAsk | null>,
  whyNoGrant: (ask: string) => Promise<string | null>,
): LateAnswers {
  const unanswered = new Map<string, Set<string>>();
  const keyOf = ({ host, hostSession, workspace }: HookAgent): string => JSON.stringify([host, hostSession, workspace]);
  const drop = (agentKey: string, ask: string): boolean => {
    const asks = unanswered.get(agentKey);
    const wasPending = asks?.delete(ask) === true;
    if (asks?.size === 0) unanswered.delete(agentKey);
    return wasPending;
  };
  return {
    remember(agent, ask) {
      const agentKey = keyOf(agent);
      const asks = unanswered.get(agentKey) ?? new Set();
      unanswered.delete(agentKey);
      unanswered.set(agentKey, asks.add(ask));
      for (const old of [...asks].slice(0, -ASKS)) asks.delete(old);
      for (const old of [...unanswered.keys()].slice(0, -AGENTS)) unanswered.delete(old);
    },
    forget: (agent, ask) => void drop(keyOf(agent), ask),
    async take(agent) {
      const agentKey = keyOf(agent);
      const settled: { readonly id: string; readonly answer: LateAnswer | null }[] = [];
      for (const id of unanswered.get(agentKey) ?? []) {
        const ask = await look(id);
        if (ask?.state !== "open") settled.push({ id, answer: ask === null ? null : answerOf(ask, await whyNoGrant(id)) });
      }
      // Nothing is taken out before all of it is known: where a lookup fails, the next call tells it.
      // RACE: of two calls at once the one that takes it out tells it.
      const news = settled.flatMap(({ id, answer }) => (drop(agentKey, id) && answer !== null ? [answer] : []));
      return news.length === 0 ? null : `${LATE_PREFIX}${JSON.stringify(news)}\n${EXPLANATION}`;
    },
  };
}

interface LateAnswer {
  readonly ask: string;
  readonly answer: "allow" | "deny";
  readonly path: string | null;
  /** What was opened for reading; null where the yes was for one call. */
  readonly directory: string | null;
  /** Why the yes opens nothing. */
  readonly code?: string;
}

const LATE_PREFIX = "[hallpass_answers] ";
const EXPLANATION =
  "A person has answered what Hallpass asked earlier. After an allow the same call passes now; an allow without a directory is for that one call, and one with a code opens nothing: ask again if you still need it.";

/** Null for what nobody answered. */
function answerOf({ id, path, proposal, answer }: SettledAsk, code: string | null): LateAnswer | null {
  if (answer === null || answer.verdict === "reply") return null;
  const opened =
    code === null && answer.verdict === "allow" && answer.until === "session" ? (answer.opened ?? proposal?.dir ?? null) : null;
  const showOrNull = (text: string | null): string | null => (text === null ? null : show(text));
  return { ask: id, answer: answer.verdict, path: showOrNull(path), directory: showOrNull(opened), ...(code === null ? {} : { code }) };
}
