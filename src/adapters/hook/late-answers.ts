// Asks that a hook has stopped waiting for. What a person says to one of them later is told to its agent with the host's next event, once:
// which ask, what was answered, which directory. Kept in memory: after a restart of the daemon the agent learns of an answer when it makes
// the same call again.

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

export function createLateAnswers(look: (ask: string) => Promise<SettledAsk | null>): LateAnswers {
  const missed = new Map<string, Set<string>>();
  const nameOf = ({ host, hostSession, workspace }: HookAgent): string => JSON.stringify([host, hostSession, workspace]);
  const drop = (name: string, ask: string): boolean => {
    const asks = missed.get(name);
    const was = asks?.delete(ask) === true;
    if (asks?.size === 0) missed.delete(name);
    return was;
  };
  return {
    remember(agent, ask) {
      const name = nameOf(agent);
      const asks = missed.get(name) ?? new Set();
      missed.delete(name);
      missed.set(name, asks.add(ask));
      for (const old of [...asks].slice(0, -ASKS)) asks.delete(old);
      for (const old of [...missed.keys()].slice(0, -AGENTS)) missed.delete(old);
    },
    forget: (agent, ask) => void drop(nameOf(agent), ask),
    async take(agent) {
      const name = nameOf(agent);
      const news: LateAnswer[] = [];
      for (const id of missed.get(name) ?? []) {
        const ask = await look(id);
        if (ask?.state === "open") continue;
        // RACE: of two calls at once the one that takes it out tells it.
        const answer = drop(name, id) && ask !== null ? answerOf(ask) : null;
        if (answer !== null) news.push(answer);
      }
      return news.length === 0 ? null : `${LATE_PREFIX}${JSON.stringify(news)}\n${EXPLAINED}`;
    },
  };
}

interface LateAnswer {
  readonly ask: string;
  readonly answer: "allow" | "deny";
  readonly path: string | null;
  /** What was opened for reading; null where the yes was for one call. */
  readonly directory: string | null;
}

export const LATE_PREFIX = "[hallpass_answers] ";
const EXPLAINED =
  "A person has answered what Hallpass asked earlier. After an allow the same call passes now; an allow without a directory is for that one call.";

/** Null for what nobody answered. */
function answerOf({ id, path, proposal, answer }: SettledAsk): LateAnswer | null {
  if (answer === null || answer.verdict === "reply") return null;
  const opened = answer.verdict === "allow" && answer.until === "session" ? (answer.opened ?? proposal?.dir ?? null) : null;
  const shown = (one: string | null): string | null => (one === null ? null : show(one));
  return { ask: id, answer: answer.verdict, path: shown(path), directory: shown(opened) };
}
